// SPDX-License-Identifier: BSD-3-Clause
// Decompress, add, compress. In the allgather every hop recompresses what it has just decoded, which gives the same
// bytes again, so that all ranks end with the same bits.
#include "collective/payload_per_hop.hpp"

#include <algorithm>

#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
message payload_per_hop<T>::combine(range part, std::span<const std::byte> received, std::span<std::byte>,
                                    std::span<std::byte> scratch, bool) {
    const std::span<T> partial(reinterpret_cast<T*>(memory_.data()), part.count);
    if (!decode(received, partial)) return {};
    {
        const stopwatch watch(this->times_.combine_s);
        add_elements<T>(partial.data(), partial.data(), this->local(part).data(), part.count);
    }
    return encode(partial, scratch);
}

template <class T>
message payload_per_hop<T>::relay(range part, std::span<const std::byte> received, std::span<std::byte> scratch) {
    const std::span<T> values = this->result(part);
    if (!decode(received, values)) return {};
    message passed_on = encode(values, scratch);
    // Where the step is near the rounding of T, values may come back as a neighbouring multiple of the step; errors
    // would then grow from hop to hop, and ranks would differ.
    if (!std::ranges::equal(passed_on.bytes, received)) passed_on = {received, home::received, false};
    if (divisor_ != 1) divide_elements<T>(values.data(), values.size(), static_cast<T>(divisor_));
    passed_on.finished = true;
    return passed_on;
}

template <class T>
void payload_per_hop<T>::finish(range part, std::span<const std::byte> final_message) {
    const std::span<T> values = this->result(part);
    if (decode(final_message, values) && divisor_ != 1)
        divide_elements<T>(values.data(), values.size(), static_cast<T>(divisor_));
}

template <class T>
bool payload_per_hop<T>::decode(std::span<const std::byte> received, std::span<T> values) {
    const stopwatch watch(this->times_.decompress_s);
    status done = codec::decode<T>(received, this->plan().how.step, this->plan().magnitude, values);
    const bool ok = done.ok();
    if (!ok) this->fail(std::move(done));
    return ok;
}

template <class T>
message payload_per_hop<T>::encode(std::span<const T> values, std::span<std::byte> scratch) {
    const stopwatch watch(this->times_.compress_s);
    const std::size_t size = codec::encode<T>(values, this->plan().how, scratch).bytes;
    return {scratch.first(size), home::scratch, false};
}

template class payload_per_hop<float>;
template class payload_per_hop<double>;

}  // namespace laconic::collective
