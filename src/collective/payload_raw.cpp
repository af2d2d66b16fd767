// SPDX-License-Identifier: BSD-3-Clause
// Uncompressed pieces: partial results grow in the buffer they were received into, the last one in the caller's array.
#include "collective/payload_raw.hpp"

#include <cstring>
#include <string>

#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
message payload_raw<T>::begin(part piece, std::span<std::byte> scratch) {
    const std::span<const std::byte> values = std::as_bytes(data_.local(piece));
    if (only_moves_ || !data_.in_place()) return {values, home::user, false};
    // In place the result may land here while this message is still on its way.
    const stopwatch watch(times_.copy_s);
    std::memcpy(scratch.data(), values.data(), values.size());
    return {scratch.first(values.size()), home::scratch, false};
}

template <class T>
message payload_raw<T>::combine(part piece, const operands& what) {
    const std::size_t due = piece.in.count * sizeof(T);
    if (what.received.size() != due || (!what.state.empty() && what.state.size() != due)) {
        fail({errc::corrupt, "a message of " + std::to_string(what.received.size()) + " bytes where " +
                                 std::to_string(due) + " were due"});
        return {};
    }
    const stopwatch watch(times_.combine_s);
    const void* const ours = what.state.empty() ? static_cast<const void*>(data_.local(piece).data())
                                                : static_cast<const void*>(what.state.data());
    const auto [a, b] = in_order<const void>(what.received.data(), ours, what.ours_first);
    if (!what.last || data_.out.empty()) {
        data_.combine(what.slot.data(), a, b, piece.in.count);
        return {what.received, home::received, false};
    }
    const std::span<std::byte> result = landing(piece);
    data_.combine(result.data(), a, b, piece.in.count);
    if (data_.divisor != 1) divide_elements<T>(result.data(), piece.in.count, data_.divisor);
    return {result, home::user, false};
}

template <class T>
void payload_raw<T>::finish(part piece, std::span<const std::byte> final_message) {
    const std::span<std::byte> result = landing(piece);
    const stopwatch watch(times_.copy_s);
    if (final_message.size() != result.size())
        fail({errc::corrupt, "a message of " + std::to_string(final_message.size()) + " bytes where " +
                                 std::to_string(result.size()) + " were due"});
    else if (final_message.data() != result.data())
        std::memmove(result.data(), final_message.data(), result.size());
}

template class payload_raw<float>;
template class payload_raw<double>;
template class payload_raw<half>;
template class payload_raw<bfloat16>;

}  // namespace laconic::collective
