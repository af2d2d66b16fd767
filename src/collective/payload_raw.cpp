// SPDX-License-Identifier: BSD-3-Clause
// Uncompressed pieces: partial sums grow in the buffer they were received into, the last one in the caller's array.
#include "collective/payload_raw.hpp"

#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
message payload_raw<T>::begin(range part, std::span<std::byte>) {
    return {std::as_bytes(in_.subspan(part.first, part.count)), home::user, false};
}

template <class T>
message payload_raw<T>::combine(range part, std::span<const std::byte> received, std::span<std::byte> slot,
                                std::span<std::byte>, bool last) {
    if (received.size() != part.count * sizeof(T)) {
        fail({errc::truncated, "a message of " + std::to_string(received.size()) + " bytes where " +
                                   std::to_string(part.count * sizeof(T)) + " were due"});
        return {};
    }
    const stopwatch watch(times_.combine_s);
    const T* const local = in_.data() + part.first;
    if (!last) {
        add_elements<T>(slot.data(), received.data(), local, part.count);
        return {received, home::received, false};
    }
    const std::span<std::byte> result = landing(part);
    if (divisor_ == 1)
        add_elements<T>(result.data(), received.data(), local, part.count);
    else
        add_and_divide<T>(result.data(), received.data(), local, part.count, static_cast<T>(divisor_));
    return {result, home::user, false};
}

template <class T>
void payload_raw<T>::finish(range, std::span<const std::byte>) {}

template class payload_raw<float>;
template class payload_raw<double>;

}  // namespace laconic::collective
