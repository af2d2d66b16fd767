// SPDX-License-Identifier: BSD-3-Clause
// What `auto` decides by: the question, the machine, and the rows to choose from. The decision itself is the cost
// model's (src/model/select.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collective/registry.hpp"
#include "collective/sample.hpp"
#include "laconic/collective_options.hpp"
#include "model/machine.hpp"
#include "model/select.hpp"

namespace laconic::collective {

/// What `auto` asks the cost model.
/// threads  of the codec, on the rank that has the fewest
/// ratio    of the values that all ranks looked at
[[nodiscard]] model::question question_of(operation op, reduction combine, std::size_t bytes, unsigned element_bytes,
                                          std::size_t segment_bytes, int ranks, int nodes, const sampled_ratios& ratio,
                                          unsigned threads) noexcept;

struct known_machine : model::machine {
    std::uint64_t digest = 0;  ///< of its figures; 0: the built-in ones
};
[[nodiscard]] const known_machine& built_in_machine() noexcept;
/// The machine of a file of `laconic calibrate`, or the built-in one for "". Read once in a process.
[[nodiscard]] result<const known_machine*> machine_of(const std::string& path);

/// No operation has more.
inline constexpr std::size_t most_candidates = 32;
/// Rows that `auto` may take for an operation; without codecs when `lossless`, without codecs other than fle for types
/// that they lack, without trees where ranks do not know each other's counts.
[[nodiscard]] std::span<const cell> candidates(operation op, bool lossless, bool only_fle, bool knows_counts = true);
/// Rows of an operation whose results are the same bits: those that add streams to streams or values to them, over any
/// schedule that treats all ranks alike. None for operations that do not add.
[[nodiscard]] std::span<const cell> rows_of_equal_bits(operation op);

}  // namespace laconic::collective
