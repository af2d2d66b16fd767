// SPDX-License-Identifier: BSD-3-Clause
// Short rows have loops of their own, in which the compiler knows the length; long ones are memcpy's, or are streamed.
#include "redistribute/exchange/rows.hpp"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace laconic::redistribute {
namespace {

constexpr std::size_t line_bytes = 64;
/// Rows are packed one behind the other into memory that another processor has read last: a store to a line that is
/// still there waits for it, and the processor fetches few such lines at a time by itself. Past the end nothing is
/// harmed.
constexpr std::size_t packed_ahead_bytes = 2048;

void fetch_lines(const std::byte* first, std::size_t bytes) noexcept {
    for (std::size_t at = 0; at < bytes; at += line_bytes) __builtin_prefetch(first + at);
}

/// The row that is copied a little later, where the processor does not see it coming by itself: rows that lie apart.
/// A kilobyte ahead covers the way to memory; further ahead it comes too early, or past the last row.
class look_ahead {
public:
    look_ahead(row_source from, std::size_t row_bytes, std::int64_t rows) noexcept
        : from_(from),
          row_bytes_(row_bytes),
          ahead_(static_cast<std::int64_t>((ahead_bytes + row_bytes - 1) / row_bytes)),
          last_(from.stride == static_cast<std::int64_t>(row_bytes) || row_bytes > ahead_bytes ? 0 : rows - ahead_) {}
    /// Before row i is copied.
    void operator()(std::int64_t i) const noexcept {
        if (i >= last_) return;
        fetch_lines(from_.first + (i + ahead_) * from_.stride, row_bytes_);
    }

private:
    static constexpr std::size_t ahead_bytes = 1024;
    row_source from_;
    std::size_t row_bytes_;
    std::int64_t ahead_, last_;
};

template <std::size_t Bytes>
void copy_fixed(row_target to, row_source from, std::int64_t rows) noexcept {
    for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to.first + i * to.stride, from.first + i * from.stride, Bytes);
}

/// Rows of Unit to 2 * Unit bytes: a copy from the front and one from the back, which may overlap.
template <std::size_t Unit>
void copy_short(row_target to, row_source from, std::size_t row_bytes, std::int64_t rows) noexcept {
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::byte* const source = from.first + i * from.stride;
        std::byte* const target = to.first + i * to.stride;
        std::memcpy(target, source, Unit);
        std::memcpy(target + row_bytes - Unit, source + row_bytes - Unit, Unit);
    }
}

#ifdef __SSE2__

constexpr std::size_t unit = sizeof(__m128i);

/// bytes: a multiple of 16; `to` aligned to 16.
void stream_units(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    std::size_t at = 0;
    for (; at + 4 * unit <= bytes; at += 4 * unit) {
        const auto* const source = reinterpret_cast<const __m128i*>(from + at);
        auto* const target = reinterpret_cast<__m128i*>(to + at);
        const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    for (; at < bytes; at += unit)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
}

/// Long rows: the ends that are not aligned are stored the usual way. Short rows that are no whole units would mix both
/// ways within most cache lines, which is slower than either.
constexpr std::size_t long_row_bytes = 2048;

bool stream_rows(row_target to, row_source from, std::size_t row_bytes, std::int64_t rows) noexcept {
    const bool whole = reinterpret_cast<std::uintptr_t>(to.first) % unit == 0 && to.stride % std::int64_t{unit} == 0 &&
                       row_bytes % unit == 0;
    if (!whole && row_bytes < long_row_bytes) return false;
    const look_ahead fetch(from, row_bytes, rows);
    for (std::int64_t i = 0; i < rows; ++i) {
        fetch(i);
        std::byte* const target = to.first + i * to.stride;
        const std::byte* const source = from.first + i * from.stride;
        if (whole) {
            stream_units(target, source, row_bytes);
            continue;
        }
        const std::size_t before = (unit - reinterpret_cast<std::uintptr_t>(target) % unit) % unit;
        const std::size_t units = (row_bytes - before) / unit * unit;
        std::memcpy(target, source, before);
        stream_units(target + before, source + before, units);
        std::memcpy(target + before + units, source + before + units, row_bytes - before - units);
    }
    return true;
}

#endif

}  // namespace

void copy_rows(row_target to, row_source from, std::size_t row_bytes, std::int64_t rows, stores how) noexcept {
    switch (row_bytes) {
        case 0: return;
        case 1: return copy_fixed<1>(to, from, rows);
        case 2: return copy_fixed<2>(to, from, rows);
        case 4: return copy_fixed<4>(to, from, rows);
        case 8: return copy_fixed<8>(to, from, rows);
        case 16: return copy_fixed<16>(to, from, rows);
        default: break;
    }
#ifdef __SSE2__
    if (how == stores::streamed && row_bytes >= 4 * unit && stream_rows(to, from, row_bytes, rows)) return;
#else
    static_cast<void>(how);
#endif
    if (row_bytes > 128) {
        const look_ahead fetch(from, row_bytes, rows);
        const bool packs = to.stride == static_cast<std::int64_t>(row_bytes) && row_bytes <= packed_ahead_bytes;
        for (std::int64_t i = 0; i < rows; ++i) {
            fetch(i);
            std::byte* const target = to.first + i * to.stride;
            if (packs) fetch_lines(target + packed_ahead_bytes, row_bytes);
            std::memcpy(target, from.first + i * from.stride, row_bytes);
        }
        return;
    }
    if (row_bytes > 64) return copy_short<64>(to, from, row_bytes, rows);
    if (row_bytes > 32) return copy_short<32>(to, from, row_bytes, rows);
    if (row_bytes > 16) return copy_short<16>(to, from, row_bytes, rows);
    if (row_bytes > 8) return copy_short<8>(to, from, row_bytes, rows);
    if (row_bytes > 4) return copy_short<4>(to, from, row_bytes, rows);
    copy_short<2>(to, from, row_bytes, rows);
}

void finish_streams() noexcept {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

}  // namespace laconic::redistribute
