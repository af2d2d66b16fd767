// SPDX-License-Identifier: BSD-3-Clause
// The functions that the table's length expressions use: parameters of a call flow in, numbers of elements flow out.
// All are local to the process and ask MPI where they must.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "record/place.hpp"

namespace laconic::record::lengths {

/// A length as the encoders take it: nothing for negative ones.
template <class Integer>
[[nodiscard]] constexpr std::size_t of(Integer length) noexcept {
    return length > 0 ? static_cast<std::size_t>(length) : 0;
}

[[nodiscard]] inline int size(const place& where) noexcept { return where.size; }
[[nodiscard]] inline int peers(const place& where) noexcept { return where.peers; }

/// Neighbours in the communicator's topology, of which a neighbourhood collective sends to each or receives from each.
[[nodiscard]] int indegree(MPI_Comm comm);
[[nodiscard]] int outdegree(MPI_Comm comm);
[[nodiscard]] int ndims(MPI_Comm comm);
[[nodiscard]] int graph_nodes(MPI_Comm comm);
[[nodiscard]] int graph_edges(MPI_Comm comm);
[[nodiscard]] int graph_degree(MPI_Comm comm, int rank);

[[nodiscard]] std::int64_t sum(const int* values, int count) noexcept;
[[nodiscard]] int last(const int* values, int count) noexcept;
[[nodiscard]] inline int least(int a, int b) noexcept { return std::min(a, b); }
/// Texts before the null pointer that ends the list.
[[nodiscard]] std::int64_t terminated(char* const* texts) noexcept;
/// What MPI_Waitsome and MPI_Testsome have filled in: their count may be MPI_UNDEFINED.
[[nodiscard]] inline int filled(const int* count) noexcept { return count && *count > 0 ? *count : 0; }

/// How much of its arrays MPI_Type_get_contents fills in, at most `most`; MPI_Count: its large-count form.
[[nodiscard]] std::int64_t contents_integers(MPI_Datatype datatype, int most);
[[nodiscard]] std::int64_t contents_addresses(MPI_Datatype datatype, int most);
[[nodiscard]] std::int64_t contents_datatypes(MPI_Datatype datatype, int most);
[[nodiscard]] std::int64_t contents_integers(MPI_Datatype datatype, MPI_Count most);
[[nodiscard]] std::int64_t contents_addresses(MPI_Datatype datatype, MPI_Count most);
[[nodiscard]] std::int64_t contents_large_counts(MPI_Datatype datatype, MPI_Count most);
[[nodiscard]] std::int64_t contents_datatypes(MPI_Datatype datatype, MPI_Count most);

/// Members of a category of the tool interface.
[[nodiscard]] int t_num_cvars(int category);
[[nodiscard]] int t_num_pvars(int category);
[[nodiscard]] int t_num_categories(int category);
[[nodiscard]] int t_num_events(int category);

}  // namespace laconic::record::lengths
