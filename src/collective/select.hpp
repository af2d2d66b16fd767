// SPDX-License-Identifier: BSD-3-Clause
// What `auto` decides by: the question, the machine, and the rows to choose from. The decision itself is the cost
// model's (src/model/select.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/node_sizes.hpp"
#include "collective/registry.hpp"
#include "collective/sample.hpp"
#include "laconic/collective_options.hpp"
#include "model/machine.hpp"
#include "model/select.hpp"

namespace laconic::collective {

/// A call, as far as its cost depends on it.
struct sized_call {
    operation op = operation::allreduce;
    reduction combine = reduction::sum;
    std::size_t bytes = 0;
    unsigned element_bytes = 4;
    int ranks = 1;
    base::node_sizes nodes;
    unsigned threads = 1;  ///< of the codec, on the rank that has the fewest
};

/// What `auto` asks the cost model.
/// ratio   of the values that all ranks looked at
[[nodiscard]] model::question question_of(const sized_call& call, const collective_options& options,
                                          const sampled_ratios& ratio) noexcept;

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
