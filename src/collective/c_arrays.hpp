// SPDX-License-Identifier: BSD-3-Clause
// MPI's buffers: counts, MPI_IN_PLACE and what a rank may leave out flow in; arrays with lengths, as collective.hpp has
// them, flow out.
#pragma once

#include "collective/c_call.hpp"

namespace laconic::collective {

/// This rank in a communicator.
struct c_position {
    bool between = false;  ///< an intercommunicator
    int rank = 0, size = 1;
    int others = 1;  ///< ranks of the remote group, or `size`
};
/// returns invalid_argument for MPI_COMM_NULL or when MPI is not running, or mpi
[[nodiscard]] result<c_position> position_in(MPI_Comm comm);

/// The call with no count where MPI does not look at one: beside MPI_IN_PLACE, or on ranks that have no such buffer.
[[nodiscard]] c_call significant(c_call call, const c_position& at) noexcept;

/// Counts and displacements; empty where they are not looked at.
struct c_lists {
    std::span<const std::size_t> counts, displacements;
};
/// returns invalid_argument for a list that is NULL and needed
[[nodiscard]] result<c_lists> in_lists(const c_call& call, const c_position& at);
[[nodiscard]] result<c_lists> out_lists(const c_call& call, const c_position& at);

/// The arrays of a collective_call.
struct c_arrays {
    const void* in = nullptr;
    void* out = nullptr;
    std::size_t in_count = 0, out_count = 0;
    c_lists in_lists, out_lists;
};
/// Precondition: an intracommunicator.
/// element   bytes of one
/// kept      see make_task()
/// all       what is found; where something is wrong sizes alone, as far as the call tells them: by those a rank knows
///           whether the others listen
/// returns   invalid_argument: MPI_IN_PLACE where MPI does not have it, a list that is NULL, absurd counts
[[nodiscard]] status arrays_of(const c_call& call, const c_position& at, std::size_t element,
                               std::vector<std::size_t>* kept, c_arrays& all);

}  // namespace laconic::collective
