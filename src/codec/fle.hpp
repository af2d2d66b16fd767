// SPDX-License-Identifier: BSD-3-Clause
// The block codec on bare chunk sequences: values and a quantiser flow in, chunks flow out, and sums of chunk
// sequences are taken without decoding them. No header travels with a bare sequence: both sides already agree on
// type, count, step and magnitude (frame.hpp wraps one for files; collectives send them as they are).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::codec {

inline constexpr std::size_t block_values = 32;
inline constexpr std::size_t chunk_values = 2048;
inline constexpr std::size_t chunk_blocks = chunk_values / block_values;

/// A bound in absolute terms for values between min and max: the largest double that does not exceed the exact
/// product of a relative bound and max - min.
[[nodiscard]] double resolve_bound(bound limit, double min, double max) noexcept;

/// How one contribution becomes integers: q = round(x * inverse), accepted when |q| <= reach and the reconstruction
/// in T is within limit. A block with an element that is not accepted is stored raw.
template <class T>
struct quantiser {
    real_type<T> step = 1;
    real_type<T> inverse = 1;
    real_type<T> limit = 0;
    std::uint64_t reach = 0;
    std::uint32_t row = 0;  ///< length of a row for row prediction (usable_row), or 0
};

/// A row length that prediction can use, or 0: rows have at least a block and less than a chunk.
[[nodiscard]] constexpr std::uint32_t usable_row(std::uint64_t row_length) noexcept {
    return row_length >= block_values && row_length < chunk_values ? static_cast<std::uint32_t>(row_length) : 0;
}

/// What sums need to know: the step that both operands have, their row length, and a bound on |q| of the result.
template <class T>
struct sum_rule {
    real_type<T> step = 1;
    std::uint32_t row = 0;
    std::uint64_t magnitude = 0;
};

/// Largest |q| for which step and limit leave room for every rounding of T on the way: up to there the exact
/// |x - q * step| is within limit, too, which is what sums of contributions rely on.
template <class T>
[[nodiscard]] std::uint64_t reach_of(real_type<T> step, real_type<T> limit) noexcept;

/// The quantiser of a stream: its step, and step_choice::contribution_bound of its contributions.
template <class T>
[[nodiscard]] quantiser<T> quantiser_of(real_type<T> step, double contribution_bound, std::uint32_t row) noexcept;

/// A quantiser for an error bound e, with room left for the rounding of T at magnitude max_abs.
///
/// e         finite, >= 0; 0 is lossless
/// max_abs   largest finite magnitude that will be encoded, or a negative number when it is not known (larger ones
///           than foreseen are stored raw)
///           (16-bit types: it must be known)
/// divisor   p when the decoded sum is to be divided by p (avg): step is then p * result_step, exactly
template <class T>
struct step_choice {
    quantiser<T> contribution;
    real_type<T> result_step = 1;  ///< what the summed integers are multiplied with
    /// Guaranteed |x - q * step| of every finite element; <= e. 16-bit types: what rounding q * step to the type adds
    /// is already taken off e.
    double contribution_bound = 0;
};
template <class T>
[[nodiscard]] step_choice<T> choose_step(double e, double max_abs, std::uint32_t divisor = 1) noexcept;

/// The lossless choice for data that is `value` everywhere: it costs next to nothing instead of raw blocks.
template <class T>
[[nodiscard]] step_choice<T> choose_constant_step(real_type<T> value) noexcept;

/// Bound on |q| of values that do not exceed max_abs; what `magnitude` below wants for one contribution.
/// The magnitude of a sum is the sum of magnitudes.
template <class T>
[[nodiscard]] std::uint64_t magnitude_of(const quantiser<T>& how, double max_abs) noexcept;

/// Worst-case bytes of the bare sequence of one contribution, and of a sum of several.
[[nodiscard]] std::size_t bare_bound(element_type type, std::size_t count) noexcept;
[[nodiscard]] std::size_t bare_sum_bound(element_type type, std::size_t count) noexcept;

/// What an encoder saw on the way.
struct encode_report {
    std::size_t bytes = 0;
    std::uint64_t magnitude = 0;  ///< largest |q| (0 when all blocks are raw)
    std::uint64_t raw_blocks = 0;
};

/// Encodes `values` at the start of `out`. Precondition: out.size() >= bare_bound(type, values.size()).
template <class T>
encode_report encode(std::span<const T> values, const quantiser<T>& how, std::span<std::byte> out) noexcept;

/// Decodes a bare sequence of values.size() elements as q * step + raw / divisor, correctly rounded to T.
/// step        the step of the values wanted: step_choice::result_step
/// magnitude   bound on |q| in the sequence (selects 32- or 64-bit arithmetic)
/// divisor     the one given to choose_step
/// exact       unless null: set to false where raw values in it were added with rounding, see sum_report
/// returns truncated or corrupt when the bytes do not hold exactly that many elements.
template <class T>
[[nodiscard]] status decode(std::span<const std::byte> bare, real_type<T> step, std::uint64_t magnitude,
                            std::span<T> values, std::uint32_t divisor = 1, bool* exact = nullptr);

/// A sum's size and whether raw values had to be added with rounding (then the bits depend on the order of addition).
struct sum_report {
    std::size_t bytes = 0;
    bool exact = true;
    std::uint64_t magnitude = 0;  ///< add_values: largest |q| among the values' own integers
};

/// out = a + b for two bare sequences of `count` elements of T with the same contribution step.
/// magnitude   bound on |q| of the sum
/// out         at least bare_sum_bound() bytes; may start where `a` starts, no other overlap
template <class T>
[[nodiscard]] result<sum_report> add(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count,
                                     real_type<T> step, std::uint64_t magnitude, std::span<std::byte> out);

/// out = encode(values) + bare in one pass; the same bytes as encode followed by add.
template <class T>
[[nodiscard]] result<sum_report> add_values(std::span<const T> values, const quantiser<T>& how,
                                            std::span<const std::byte> bare, std::uint64_t magnitude,
                                            std::span<std::byte> out);

/// out = the smaller, or else the larger, of each two elements. Everything else as in add().
template <class T>
[[nodiscard]] result<sum_report> extreme(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count,
                                         bool larger, real_type<T> step, std::uint64_t magnitude,
                                         std::span<std::byte> out);

/// The split form: values to integers, all at once. `q` has values.size() elements.
/// returns false when some element has no integer (NaN, an infinity, or too large); `q` then means nothing.
template <class T>
[[nodiscard]] bool quantise(std::span<const T> values, const quantiser<T>& how, std::span<std::int32_t> q) noexcept;

/// out = encode(the integers), or, with a sequence given, add(that, encode(the integers)). The same bytes as from the
/// values themselves, but that -0.0 has become +0.0.
/// own         bound on |q| of the integers
/// magnitude   bound on |q| of the sum
template <class T>
[[nodiscard]] result<sum_report> add_integers(std::span<const std::int32_t> q, const quantiser<T>& how,
                                              std::uint64_t own, const std::span<const std::byte>* bare,
                                              std::uint64_t magnitude, std::span<std::byte> out);

/// What a walk over a bare sequence counts, having checked its structure.
struct bare_census {
    std::uint64_t blocks = 0, zero_blocks = 0, raw_blocks = 0;
    bool exact = true;
};
/// `table`, unless null, must agree with the chunks found.
[[nodiscard]] result<bare_census> census(element_type type, std::span<const std::byte> bare, std::size_t count,
                                         const std::byte* table = nullptr);

}  // namespace laconic::codec
