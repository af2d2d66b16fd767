// SPDX-License-Identifier: BSD-3-Clause
// Lengths that MPI knows. A call that fails leaves 0: the program's own call will have failed as well.
#include "record/lengths.hpp"

namespace laconic::record::lengths {
namespace {

struct degrees {
    int in = 0, out = 0;
};

degrees degrees_of(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return {};
    degrees found;
    if (topology == MPI_CART) {
        found.in = found.out = 2 * ndims(comm);
    } else if (topology == MPI_GRAPH) {
        int rank = 0;
        PMPI_Comm_rank(comm, &rank);
        found.in = found.out = graph_degree(comm, rank);
    } else if (topology == MPI_DIST_GRAPH) {
        int weighted = 0;
        PMPI_Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted);
    }
    return found;
}

struct contents {
    std::int64_t integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
};

contents contents_of(MPI_Datatype datatype, int) {
    int integers = 0, addresses = 0, datatypes = 0, combiner = 0;
    if (PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) != MPI_SUCCESS) return {};
    return {integers, addresses, 0, datatypes};
}

contents contents_of([[maybe_unused]] MPI_Datatype datatype, MPI_Count) {
#if MPI_VERSION >= 4
    MPI_Count integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
    int combiner = 0;
    if (PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &large_counts, &datatypes, &combiner) ==
        MPI_SUCCESS) {
        return {integers, addresses, large_counts, datatypes};
    }
#endif
    return {};
}

}  // namespace

int indegree(MPI_Comm comm) { return degrees_of(comm).in; }
int outdegree(MPI_Comm comm) { return degrees_of(comm).out; }

int ndims(MPI_Comm comm) {
    int dimensions = 0;
    return PMPI_Cartdim_get(comm, &dimensions) == MPI_SUCCESS ? dimensions : 0;
}

int graph_nodes(MPI_Comm comm) {
    int nodes = 0, edges = 0;
    return PMPI_Graphdims_get(comm, &nodes, &edges) == MPI_SUCCESS ? nodes : 0;
}

int graph_edges(MPI_Comm comm) {
    int nodes = 0, edges = 0;
    return PMPI_Graphdims_get(comm, &nodes, &edges) == MPI_SUCCESS ? edges : 0;
}

int graph_degree(MPI_Comm comm, int rank) {
    int degree = 0;
    return PMPI_Graph_neighbors_count(comm, rank, &degree) == MPI_SUCCESS ? degree : 0;
}

std::int64_t sum(const int* values, int count) noexcept {
    std::int64_t total = 0;
    for (int i = 0; values && i < count; ++i) total += values[i];
    return total;
}

int last(const int* values, int count) noexcept { return values && count > 0 ? values[count - 1] : 0; }

std::int64_t terminated(char* const* texts) noexcept {
    std::int64_t count = 0;
    while (texts && texts[count]) ++count;
    return count;
}

std::int64_t contents_integers(MPI_Datatype datatype, int most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).integers);
}
std::int64_t contents_addresses(MPI_Datatype datatype, int most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).addresses);
}
std::int64_t contents_datatypes(MPI_Datatype datatype, int most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).datatypes);
}
std::int64_t contents_integers(MPI_Datatype datatype, MPI_Count most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).integers);
}
std::int64_t contents_addresses(MPI_Datatype datatype, MPI_Count most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).addresses);
}
std::int64_t contents_large_counts(MPI_Datatype datatype, MPI_Count most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).large_counts);
}
std::int64_t contents_datatypes(MPI_Datatype datatype, MPI_Count most) {
    return std::min<std::int64_t>(most, contents_of(datatype, most).datatypes);
}

}  // namespace laconic::record::lengths
