// SPDX-License-Identifier: BSD-3-Clause
// What `auto` decides by: a look at a few chunks of a rank's values, the machine, and the rows to choose from. The
// decision itself is the cost model's (src/model/select.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collective/geometry.hpp"
#include "collective/registry.hpp"
#include "laconic/collective_options.hpp"
#include "model/machine.hpp"
#include "model/select.hpp"

namespace laconic::collective {

/// What of an absolute bound one contribution may use.
[[nodiscard]] double sampled_share(operation op, reduction combine, scope bound_scope, int ranks) noexcept;
/// What `auto` asks the cost model.
/// threads  of the codec, on the rank that has the fewest
/// ratio   of the sample, the smallest of all ranks; what is below 1 counts as 1
[[nodiscard]] model::question question_of(operation op, reduction combine, std::size_t bytes, unsigned element_bytes,
                                          std::size_t segment_bytes, int ranks, int nodes, double ratio,
                                          unsigned threads) noexcept;

/// The values to look at: all of them, or the longest part where there are parts with gaps between them.
template <class T>
[[nodiscard]] std::span<const T> values_to_sample(std::span<const T> in, const geometry& call) noexcept;

/// Original bytes / compressed bytes of a few chunks of the values. A relative bound is taken of the range of those.
/// share   what of an absolute bound one contribution may use
template <class T>
[[nodiscard]] double sample_ratio(std::span<const T> values, bound limit, double share);

struct known_machine : model::machine {
    std::uint64_t digest = 0;  ///< of its figures; 0: the built-in ones
};
[[nodiscard]] const known_machine& built_in_machine() noexcept;
/// The machine of a file of `laconic calibrate`, or the built-in one for "". Read once in a process.
[[nodiscard]] result<const known_machine*> machine_of(const std::string& path);

/// Rows that `auto` may take for an operation; without codecs when `lossless`, without codecs other than fle for types
/// that they lack, without trees where ranks do not know each other's counts.
[[nodiscard]] std::span<const cell> candidates(operation op, bool lossless, bool only_fle, bool knows_counts = true);
/// Rows of an operation whose results are the same bits: those that add streams to streams or values to them, over any
/// schedule that treats all ranks alike. None for operations that do not add.
[[nodiscard]] std::span<const cell> rows_of_equal_bits(operation op);

}  // namespace laconic::collective
