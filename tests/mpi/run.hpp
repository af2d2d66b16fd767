// SPDX-License-Identifier: BSD-3-Clause
// Shorthand of the test groups: what to call flows in, result and report flow out, a failed call is a failed check.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "laconic/collective.hpp"
#include "shares.hpp"

namespace laconic::test {

inline constexpr std::array<std::string_view, 5> all_rows{"stock", "ring_raw", "per_hop", "homomorphic", "fused"};

[[nodiscard]] inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}
[[nodiscard]] inline int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}
/// A duplicate with an error handler of its own.
[[nodiscard]] inline MPI_Comm duplicate_with(MPI_Comm comm, MPI_Comm_errhandler_function* handle) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_dup(comm, &made);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(made, handler);
    // The communicator keeps it.
    MPI_Errhandler_free(&handler);
    return made;
}
/// Error handlers: what they were called with last.
inline int handled_code = MPI_SUCCESS;
inline void remember_code(MPI_Comm*, int* code, ...) { handled_code = *code; }
/// And does away with the communicator: under AddressSanitizer what is used after that is seen.
inline void remember_and_free(MPI_Comm* comm, int* code, ...) {
    handled_code = *code;
    MPI_Comm_free(comm);
}
[[nodiscard]] inline collective_options options_for(std::string_view row, bound limit, scope which = scope::result) {
    collective_options options;
    options.limit = limit;
    options.bound_scope = which;
    options.algorithm = row;
    return options;
}
template <class T>
[[nodiscard]] std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span<const T>(values));
}

/// Out of place.
template <class T>
std::vector<T> reduce(const std::vector<T>& in, reduction op, MPI_Comm comm, const collective_options& options,
                      const std::string& what, collective_report* report = nullptr) {
    std::vector<T> out(in.size(), T{-77});
    const auto done = allreduce<T>(std::span<const T>(in), std::span<T>(out), op, comm, options);
    check(done.ok(), what + ": " + done.error().message());
    if (done.ok() && report != nullptr) *report = *done;
    return out;
}

}  // namespace laconic::test
