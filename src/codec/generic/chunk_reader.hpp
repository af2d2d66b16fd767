// SPDX-License-Identifier: BSD-3-Clause
// Finds the chunks of a bare sequence: bytes in, checked views out. No chunk is touched before its sizes are known to
// lie inside the sequence.
#pragma once

#include "codec/engine.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

template <class T>
struct chunk_reader {
    /// Bounds of the next chunk of a sequence, checked; `plain` when every block is a plain or signed one of <= 32
    /// planes.
    struct chunk_view {
        const std::byte* begin = nullptr;
        const std::byte* rates = nullptr;
        const std::byte* payload = nullptr;
        std::size_t bytes = 0;
        bool plain = true;
    };
    static stream_fault open_chunk(const std::byte* at, const std::byte* end, std::size_t count,
                                   chunk_view& view) noexcept {
        const std::size_t block_count = blocks_in(count);
        const std::size_t head = chunk_head_bytes<T>(block_count);
        const auto available = static_cast<std::size_t>(end - at);
        if (available < head) return stream_fault::truncated;
        view.begin = at;
        view.rates = at + base_bytes<T>;
        view.payload = at + head;
        std::size_t planes = 0;
        unsigned seen = 0;
        unsigned widest = 0;
        for (std::size_t block = 0; block < block_count; ++block) {
            const auto rate = std::to_integer<unsigned>(view.rates[block]);
            planes += rate & width_mask;
            seen |= rate;
            widest = widest < (rate & width_mask) ? (rate & width_mask) : widest;
        }
        view.plain = (seen & kind_mask) == 0 && widest <= 32;
        std::size_t bytes = planes * 4;
        if (LACONIC_UNLIKELY(!view.plain)) {
            bytes = 0;
            view.plain = true;
            for (std::size_t block = 0; block < block_count; ++block) {
                const auto rate = std::to_integer<unsigned>(view.rates[block]);
                if (!rate_is_valid<T>(rate)) return stream_fault::corrupt;
                const std::size_t rest = count - block * block_values;
                bytes += block_bytes<T>(rate, rest < block_values ? rest : block_values);
                view.plain &= (rate & kind_raw) == 0 && (rate & width_mask) <= 32;
            }
        }
        view.bytes = head + bytes;
        return view.bytes <= available ? stream_fault::none : stream_fault::truncated;
    }

    /// A copy of a chunk with room behind it, for chunks whose over-reads could leave the caller's buffer.
    struct guarded_chunk {
        alignas(64) std::byte bytes[sum_chunk_bytes<T> + slack_bytes];
        LACONIC_INLINE void guard(chunk_view& view, const std::byte* end) noexcept {
            if (static_cast<std::size_t>(end - view.begin) >= view.bytes + slack_bytes) return;
            std::memcpy(bytes, view.begin, view.bytes);
            view.rates = bytes + (view.rates - view.begin);
            view.payload = bytes + (view.payload - view.begin);
            view.begin = bytes;
        }
    };
};

}  // namespace
}  // namespace laconic::codec
