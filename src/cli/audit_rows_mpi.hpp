// SPDX-License-Identifier: BSD-3-Clause
// The loop of `audit`: a field and settings flow in on every rank; the audits of all rows flow out, the same on every
// rank.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/audit_print.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "laconic/collective.hpp"

namespace laconic::cli {

/// Collective over MPI_COMM_WORLD; the root is rank 0. Rank r reads the field tiled from an offset of its own. Throws a
/// data failure, on all ranks alike, when a collective fails.
template <class T>
[[nodiscard]] std::vector<audited_row> audit_rows(std::span<const T> field, const collective_settings& settings);

}  // namespace laconic::cli
