// SPDX-License-Identifier: BSD-3-Clause
// The head of a chunk: base, 4-bit codes, rate bytes of extended blocks. Rate bytes of all blocks flow in or out;
// forced inline for the reason that layout.hpp gives.
#pragma once

#include "codec/layout.hpp"

namespace laconic::codec {

/// One rate byte per block; those behind the last block are 0.
struct alignas(64) block_rates {
    std::uint8_t of[chunk_blocks];

    LACONIC_SHARED_INLINE std::uint8_t& operator[](std::size_t block) noexcept { return of[block]; }
    LACONIC_SHARED_INLINE unsigned operator[](std::size_t block) const noexcept { return of[block]; }
    LACONIC_SHARED_INLINE void clear() noexcept { std::memset(of, 0, sizeof of); }
    /// Whether every block is plain and narrow, that is, has no rate byte behind the codes and is not raw.
    [[nodiscard]] LACONIC_SHARED_INLINE bool are_short() const noexcept {
        std::uint8_t most = 0;
        for (const std::uint8_t rate : of) most = most < rate ? rate : most;
        return most <= widest_short_code;
    }
};

/// Eight codes, one to a byte, as the eight nibbles of a word, and back.
LACONIC_SHARED_INLINE std::uint32_t pack_codes(std::uint64_t codes) noexcept {
    codes = (codes | codes >> 4) & 0x00FF00FF00FF00FFULL;
    codes = (codes | codes >> 8) & 0x0000FFFF0000FFFFULL;
    return static_cast<std::uint32_t>(codes | codes >> 16);
}
LACONIC_SHARED_INLINE std::uint64_t unpack_codes(std::uint32_t word) noexcept {
    std::uint64_t codes = word;
    codes = (codes | codes << 16) & 0x0000FFFF0000FFFFULL;
    codes = (codes | codes << 8) & 0x00FF00FF00FF00FFULL;
    return (codes | codes << 4) & 0x0F0F0F0F0F0F0F0FULL;
}

/// Writes chunks whose rate bytes become known block by block: the payload is written where it belongs if this chunk
/// has as many extended blocks as the last one, and moved otherwise.
template <class T>
class chunk_writer {
public:
    /// Starts a chunk of `count` values at `out`; returns where its payload goes.
    LACONIC_SHARED_INLINE std::byte* begin(std::byte* out, std::size_t count) noexcept {
        out_ = out;
        blocks_ = blocks_in(count);
        if (LACONIC_UNLIKELY(blocks_ < chunk_blocks)) rates.clear();
        return out + base_bytes<T> + code_bytes(blocks_) + expected_;
    }
    /// Writes the head of a chunk whose payload ends at `end`; returns the bytes of the chunk.
    LACONIC_SHARED_INLINE std::size_t finish(typename integer_limits<T>::base_type base,
                                             const std::byte* end) noexcept {
        store_as(out_, base);
        std::byte* const codes = out_ + base_bytes<T>;
        const std::size_t words = code_bytes(blocks_) / 4;
        std::size_t extension = 0;
        if (!LACONIC_UNLIKELY(!rates.are_short())) {
            for (std::size_t word = 0; word < words; ++word)
                store_as(codes + 4 * word, pack_codes(load_as<std::uint64_t>(bytes() + 8 * word)));
        } else {
            extension = write_extended(codes, words);
        }
        std::byte* const payload = codes + 4 * words + expected_;
        const auto payload_bytes = static_cast<std::size_t>(end - payload);
        if (LACONIC_UNLIKELY(extension != expected_)) {
            std::memmove(codes + 4 * words + extension, payload, payload_bytes);
            expected_ = extension;
        }
        if (LACONIC_UNLIKELY(extension != 0)) std::memcpy(codes + 4 * words, extended_, extension);
        return base_bytes<T> + 4 * words + extension + payload_bytes;
    }

    block_rates rates;

private:
    [[nodiscard]] LACONIC_SHARED_INLINE const std::byte* bytes() const noexcept {
        return reinterpret_cast<const std::byte*>(rates.of);
    }
    /// Codes of a chunk with extended or raw blocks; collects the rate bytes of the former.
    LACONIC_SHARED_INLINE std::size_t write_extended(std::byte* codes, std::size_t words) noexcept {
        std::size_t extended = 0;
        for (std::size_t word = 0; word < words; ++word) {
            std::uint32_t packed = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                const unsigned rate = rates.of[8 * word + i];
                const unsigned code = code_of(rate);
                packed |= code << (4 * i);
                extended_[extended] = static_cast<std::uint8_t>(rate);
                extended += code == code_extended;
            }
            store_as(codes + 4 * word, packed);
        }
        std::memset(extended_ + extended, 0, 4);
        return extension_bytes(extended);
    }

    std::byte* out_ = nullptr;
    std::size_t blocks_ = 0;
    std::size_t expected_ = 0;
    std::uint8_t extended_[chunk_blocks + 4];
};

/// Reads the rate bytes of a chunk that starts at `chunk` and has `available` bytes.
template <class T>
LACONIC_SHARED_INLINE stream_fault read_head(const std::byte* chunk, std::size_t available, std::size_t count,
                                             block_rates& rates, std::size_t& head_bytes) noexcept {
    const std::size_t blocks = blocks_in(count);
    const std::size_t words = code_bytes(blocks) / 4;
    head_bytes = base_bytes<T> + 4 * words;
    if (available < head_bytes) return stream_fault::truncated;
    const std::byte* const codes = chunk + base_bytes<T>;
    if (LACONIC_UNLIKELY(blocks < chunk_blocks)) rates.clear();
    auto* const bytes = reinterpret_cast<std::byte*>(rates.of);
    for (std::size_t word = 0; word < words; ++word)
        store_as(bytes + 8 * word, unpack_codes(load_as<std::uint32_t>(codes + 4 * word)));
    if (!LACONIC_UNLIKELY(!rates.are_short() || blocks % 8 != 0)) return stream_fault::none;

    std::size_t extended = 0;
    for (std::size_t block = 0; block < blocks; ++block) extended += rates.of[block] == code_extended;
    for (std::size_t block = blocks; block < 8 * words; ++block)
        if (rates.of[block] != 0) return stream_fault::corrupt;
    const std::byte* from = chunk + head_bytes;
    head_bytes += extension_bytes(extended);
    if (available < head_bytes) return stream_fault::truncated;
    for (std::size_t block = 0; block < blocks; ++block) {
        if (rates.of[block] == code_raw) rates.of[block] = kind_raw;
        if (rates.of[block] != code_extended) continue;
        rates.of[block] = std::to_integer<std::uint8_t>(*from++);
        if (!extension_is_valid<T>(rates.of[block])) return stream_fault::corrupt;
    }
    for (; extended % 4 != 0; ++extended)
        if (*from++ != std::byte{0}) return stream_fault::corrupt;
    return stream_fault::none;
}

/// Bytes of a whole chunk whose blocks are all plain and narrow, from its codes alone; 0 when some are not.
/// `chunk`: least_chunk_bytes<T> can be read.
template <class T>
LACONIC_SHARED_INLINE std::size_t short_chunk_bytes(const std::byte* chunk) noexcept {
    constexpr std::uint64_t low = 0x0F0F0F0F0F0F0F0FULL;
    std::uint64_t sums = 0, special = 0;
    for (std::size_t at = 0; at < code_bytes(chunk_blocks); at += 8) {
        const auto codes = load_as<std::uint64_t>(chunk + base_bytes<T> + at);
        sums += (codes & low) + (codes >> 4 & low);
        // Above widest_short_code: 14 and 15, whose three upper bits are set.
        special |= codes & codes << 1 & codes << 2 & 0x8888888888888888ULL;
    }
    if (LACONIC_UNLIKELY(special != 0)) return 0;
    constexpr std::uint64_t pairs = 0x00FF00FF00FF00FFULL;
    const std::uint64_t planes = ((sums & pairs) + (sums >> 8 & pairs)) * 0x0001000100010001ULL >> 48;
    return least_chunk_bytes<T> + planes * 4;
}

}  // namespace laconic::codec
