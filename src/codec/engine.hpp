// SPDX-License-Identifier: BSD-3-Clause
// An engine is a table of the codec's loops compiled for one instruction set. All engines give the same bytes and
// the same values; which one runs is decided once, from the processor or LACONIC_FORCE_ISA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/fle.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {

/// A bare sequence; `table`, unless null, must agree with the chunks found in it. Where the sequence is a part of a
/// longer one, its first table entry is `first_entry` instead of 0, and `beyond` bytes of the whole follow it: with
/// them a reader finds in a damaged part what it would find in the whole.
struct sequence {
    const std::byte* bytes = nullptr;
    std::size_t size = 0;
    const std::byte* table = nullptr;
    std::uint32_t first_entry = 0;
    std::size_t beyond = 0;
};

/// Where an encoder writes: the bare sequence, and, unless null, one table entry per chunk (see chunk_entry).
struct sink {
    std::byte* bytes = nullptr;
    std::byte* table = nullptr;
};

/// How decoded integers become values.
template <class T>
struct restore_rule {
    real_type<T> step = 1;
    std::uint32_t divisor = 1;
    std::uint64_t magnitude = 0;
    std::uint32_t row = 0;
};

template <class T>
struct kernels {
    using sum_of_two = stream_fault (*)(const sequence& a, const sequence& b, std::size_t count, const sum_rule<T>& how,
                                        sink out, sum_report& report) noexcept;

    encode_report (*encode)(const std::byte* values, std::size_t count, const quantiser<T>& how, sink out) noexcept;
    /// `exact` becomes false where raw values in it were added with rounding, see sum_report.
    stream_fault (*decode)(const sequence& in, const restore_rule<T>& how, std::byte* values, std::size_t count,
                           bool& exact) noexcept;
    sum_of_two add;
    sum_of_two subtract;
    stream_fault (*scale)(const sequence& a, std::int32_t factor, std::size_t count, const sum_rule<T>& how, sink out,
                          sum_report& report) noexcept;
    /// The larger, or else the smaller, of two elements each.
    stream_fault (*extreme)(const sequence& a, const sequence& b, std::size_t count, bool larger,
                            const sum_rule<T>& how, sink out, sum_report& report) noexcept;
    /// `magnitude` bounds |q| in b alone.
    stream_fault (*add_values)(const std::byte* values, std::size_t count, const quantiser<T>& how, const sequence& b,
                               std::uint64_t magnitude, sink out, sum_report& report) noexcept;
    /// Values to integers; returns how many blocks have an element without one (0: all is well).
    std::uint64_t (*quantise)(const std::byte* values, std::size_t count, const quantiser<T>& how, std::int32_t* q,
                              std::uint64_t& magnitude) noexcept;
    /// Integers of up to `own_magnitude`, at most integer_limits::contribution, to chunks; added to b unless null.
    stream_fault (*add_ints)(const std::int32_t* q, std::size_t count, const sum_rule<T>& how,
                             std::uint64_t own_magnitude, const sequence* b, sink out, sum_report& report) noexcept;
    /// Chunks to integers; `missed` counts chunks that hold anything else.
    stream_fault (*integers)(const sequence& in, std::uint32_t row, std::int32_t* q, std::size_t count,
                             std::uint64_t& missed) noexcept;
    void (*range)(const std::byte* values, std::size_t count, value_range<T>& found) noexcept;
};

struct engine {
    std::string_view name;
    kernels<float> f32;
    kernels<double> f64;
    kernels<half> f16;
    kernels<bfloat16> bf16;
};

extern const engine scalar_engine;
#if defined(LACONIC_X86_ENGINES)
extern const engine avx2_engine;
extern const engine avx512_engine;
#elif defined(LACONIC_ARM_ENGINES)
extern const engine neon_engine;
#endif

/// The engine in use.
[[nodiscard]] const engine& current_engine() noexcept;

template <class T>
[[nodiscard]] const kernels<T>& current_kernels() noexcept;

/// A decoder's finding in words; ok for stream_fault::none.
[[nodiscard]] status explain(stream_fault fault);
/// What a call returns whose progress callback said no.
[[nodiscard]] status cancelled();
/// output_too_small with both sizes.
[[nodiscard]] status too_small(std::size_t have, std::size_t need);

/// `a` moved to the end of `out`, from where it can be read while a sum of at most bare_sum_bound() grows at the start.
/// Precondition: a.size() + slack_bytes <= out.size().
[[nodiscard]] sequence move_to_end(std::span<const std::byte> a, std::span<std::byte> out) noexcept;

/// The bytes of an array.
template <class T>
[[nodiscard]] LACONIC_SHARED_INLINE const std::byte* bytes_of(std::span<const T> values) noexcept {
    return reinterpret_cast<const std::byte*>(values.data());
}

}  // namespace laconic::codec
