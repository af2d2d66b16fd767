// SPDX-License-Identifier: BSD-3-Clause
// What `auto` decides by: a look at a few chunks of a rank's values, the machine, and the rows to choose from. The
// decision itself is the cost model's (src/model/select.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collective/registry.hpp"
#include "laconic/collective_options.hpp"
#include "model/machine.hpp"

namespace laconic::collective {

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
/// that they lack.
[[nodiscard]] std::span<const cell> candidates(operation op, bool lossless, bool only_fle);

}  // namespace laconic::collective
