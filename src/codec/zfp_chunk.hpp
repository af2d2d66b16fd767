// SPDX-License-Identifier: BSD-3-Clause
// One chunk through libzfp: the only place that calls the library. Values and bits go through buffers of its own, so
// that alignment, libzfp's 64-bit writes and whatever hostile bits make it read stay inside them.
#pragma once

#include <zfp.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace laconic::codec {

/// What libzfp calls its parameters, for blocks of 4 values.
struct zfp_parameters {
    unsigned least_bits = ZFP_MIN_BITS, most_bits = ZFP_MAX_BITS;
    int least_exponent = ZFP_MIN_EXP;
};

/// libzfp writes and reads words of 8 to 64 bits, as it was built (Debian: 8): the same bits, with other numbers of
/// zero bytes behind them.
[[nodiscard]] constexpr bool zfp_sizes_agree(std::size_t a, std::size_t b) noexcept { return a < b + 8 && b < a + 8; }

template <class T>
class zfp_chunk {
public:
    /// Buffers for chunks of up to `count` values; ok() tells whether there was memory.
    zfp_chunk(std::size_t count, const zfp_parameters& how) noexcept
        : stream_(zfp_stream_open(nullptr)),
          values_(new (std::nothrow) T[count + 4]),
          decoded_(new (std::nothrow) T[count + 4]) {
        if (stream_ == nullptr || values_ == nullptr || decoded_ == nullptr) return;
        if (zfp_stream_set_params(stream_.get(), how.least_bits, how.most_bits, ZFP_MAX_PREC, how.least_exponent) == 0)
            return;
        words_ = most_bytes(count) / sizeof(std::uint64_t) + 8;
        bits_.reset(new (std::nothrow) std::uint64_t[words_]);
        if (bits_ == nullptr) return;
        bitstream_.reset(stream_open(bits_.get(), words_ * sizeof(std::uint64_t)));
        if (bitstream_ != nullptr) zfp_stream_set_bit_stream(stream_.get(), bitstream_.get());
    }
    [[nodiscard]] bool ok() const noexcept { return bitstream_ != nullptr; }

    [[nodiscard]] T* values() noexcept { return values_.get(); }
    [[nodiscard]] const T* decoded() const noexcept { return decoded_.get(); }
    [[nodiscard]] const std::byte* bytes() const noexcept { return reinterpret_cast<const std::byte*>(bits_.get()); }

    /// No stream of `count` values is longer, nor read beyond this, whatever its bits say.
    [[nodiscard]] std::size_t most_bytes(std::size_t count) const noexcept {
        const field_type field = field_of(nullptr, count);
        return field == nullptr ? 0 : zfp_stream_maximum_size(stream_.get(), field.get());
    }
    /// Compresses `count` of values(); returns the size of bytes(), or 0.
    [[nodiscard]] std::size_t compress(std::size_t count) noexcept {
        const field_type field = field_of(values_.get(), count);
        zfp_stream_rewind(stream_.get());
        return field == nullptr ? 0 : zfp_compress(stream_.get(), field.get());
    }
    /// Decompresses what compress() left to decoded().
    [[nodiscard]] bool check(std::size_t count) noexcept { return decompress(count) != 0; }
    /// Decompresses `from` to decoded(). False when libzfp fails, or reads more or fewer bytes than there are.
    [[nodiscard]] bool decompress(std::span<const std::byte> from, std::size_t count) noexcept {
        const std::size_t bytes = words_ * sizeof(std::uint64_t);
        if (from.size() > bytes) return false;
        auto* const to = reinterpret_cast<std::byte*>(bits_.get());
        std::memcpy(to, from.data(), from.size());
        std::memset(to + from.size(), 0, bytes - from.size());
        const std::size_t consumed = decompress(count);
        return consumed != 0 && zfp_sizes_agree(consumed, from.size());
    }

private:
    template <auto Function>
    struct closer {
        template <class P>
        void operator()(P* what) const noexcept {
            Function(what);
        }
    };
    using field_type = std::unique_ptr<zfp_field, closer<&zfp_field_free>>;

    static field_type field_of(T* values, std::size_t count) noexcept {
        return field_type(zfp_field_1d(values, sizeof(T) == 4 ? zfp_type_float : zfp_type_double, count));
    }
    /// Bytes consumed, or 0.
    std::size_t decompress(std::size_t count) noexcept {
        const field_type field = field_of(decoded_.get(), count);
        zfp_stream_rewind(stream_.get());
        return field == nullptr ? 0 : zfp_decompress(stream_.get(), field.get());
    }

    std::size_t words_ = 0;
    std::unique_ptr<zfp_stream, closer<&zfp_stream_close>> stream_;
    std::unique_ptr<T[]> values_, decoded_;
    std::unique_ptr<std::uint64_t[]> bits_;
    std::unique_ptr<bitstream, closer<&stream_close>> bitstream_;
};

}  // namespace laconic::codec
