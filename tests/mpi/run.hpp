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
[[nodiscard]] inline collective_options options_for(std::string_view row, bound limit, scope which = scope::result) {
    collective_options options;
    options.limit = limit;
    options.bound_scope = which;
    options.algorithm = row;
    return options;
}
/// Many ranks on few cores are slow: of what `turn` counts, every number of ranks above three takes one in `shares`,
/// with four shares or more each of 4, 5, 8 and 11 another one. Turns are mixed: loops that take their parameters from
/// remainders of the turn must not have them locked to the share.
[[nodiscard]] inline bool falls_to_size(std::size_t turn, std::size_t shares, int ranks) {
    if (ranks <= 3) return true;
    const std::uint64_t mixed = turn * 0x9e3779b97f4a7c15U;
    return (mixed ^ mixed >> 32) % shares == static_cast<std::size_t>(ranks + 1) / 3 % shares;
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
