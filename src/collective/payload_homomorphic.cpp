// SPDX-License-Identifier: BSD-3-Clause
// Compress, then add on the compressed form, in the buffer that the partial sum arrived in.
#include "collective/payload_homomorphic.hpp"

namespace laconic::collective {

template <class T>
message payload_homomorphic<T>::combine(range part, std::span<const std::byte> received, std::span<std::byte> slot,
                                        std::span<std::byte> scratch, bool) {
    const message own = this->begin(part, scratch);
    const stopwatch watch(this->times_.combine_s);
    const auto& plan = this->plan();
    return this->keep(codec::add<T>(received, own.bytes, part.count, plan.how.step, plan.magnitude, slot), slot,
                      home::received);
}

template class payload_homomorphic<float>;
template class payload_homomorphic<double>;

}  // namespace laconic::collective
