// SPDX-License-Identifier: BSD-3-Clause
// One pass from values and stream to stream.
#include "collective/payload_fused.hpp"

namespace laconic::collective {

template <class T>
message payload_fused<T>::combine(range part, std::span<const std::byte> received, std::span<std::byte>,
                                  std::span<std::byte> scratch, bool) {
    const stopwatch watch(this->times_.combine_s);
    const auto& plan = this->plan();
    return this->keep(codec::add_values<T>(this->local(part), plan.how, received, plan.magnitude, scratch), scratch,
                      home::scratch);
}

template class payload_fused<float>;
template class payload_fused<double>;

}  // namespace laconic::collective
