// SPDX-License-Identifier: BSD-3-Clause
// One codec call for each message, in the element's own type.
#include "redistribute/exchange/message_codec.hpp"

#include "codec/element.hpp"

namespace laconic::redistribute {

std::size_t message_codec::capacity(std::size_t chunk_bytes) const noexcept {
    return lossy_ ? compress_bound(*element_.type, chunk_bytes / element_.bytes) : chunk_bytes;
}

result<std::size_t> message_codec::encode(std::size_t chunk_bytes, double limit, std::span<std::byte> message) const {
    if (!lossy_) return chunk_bytes;
    return codec::with_element(*element_.type, [&](auto zero) {
        using T = decltype(zero);
        const std::span<const T> values(reinterpret_cast<const T*>(packed_.bytes().data()), chunk_bytes / sizeof(T));
        return compress<T>(values, laconic::bound::abs(limit), message);
    });
}

result<const std::byte*> message_codec::decode(std::span<const std::byte> message, std::size_t chunk_bytes) const {
    if (!lossy_) {
        if (message.size() != chunk_bytes)
            return status(errc::corrupt, "a message has " + std::to_string(message.size()) + " bytes instead of " +
                                             std::to_string(chunk_bytes));
        return message.data();
    }
    const status done = codec::with_element(*element_.type, [&](auto zero) {
        using T = decltype(zero);
        const std::span<T> values(reinterpret_cast<T*>(packed_.bytes().data()), chunk_bytes / sizeof(T));
        return decompress<T>(message, values);
    });
    if (!done.ok()) return done;
    return packed_.bytes().data();
}

}  // namespace laconic::redistribute
