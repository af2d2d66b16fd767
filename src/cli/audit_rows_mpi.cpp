// SPDX-License-Identifier: BSD-3-Clause
// One audited call after the other, over the same arrays.
#include "cli/audit_rows_mpi.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "cli/collective_arguments_mpi.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"

namespace laconic::cli {
namespace {

template <class T>
buffer tiled(std::span<const T> field, std::size_t first, std::size_t count) {
    buffer made(count * sizeof(T));
    std::size_t at = first;
    for (T& value : made.as<T>()) {
        value = field[at];
        at = at + 1 == field.size() ? 0 : at + 1;
    }
    return made;
}

}  // namespace

template <class T>
std::vector<audited_row> audit_rows(std::span<const T> field, const collective_settings& settings) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const rank_sizes sizes(settings.op, common_count(settings.bytes, sizeof(T), ranks), ranks, rank == 0);
    buffer in = tiled(field, tile_offset(field.size(), rank, ranks), sizes.in);
    buffer out(sizes.out * sizeof(T));

    collective_call<T> call;
    call.op = settings.op;
    call.in = in.as<T>();
    call.out = out.as<T>();
    call.combine = settings.combine;
    if (settings.op == operation::bcast) call.in = call.out;
    collective_options options = settings.options;
    options.audit = true;
    std::vector<audited_row> rows;
    for (const std::string& algorithm : settings.algorithms) {
        options.algorithm = algorithm;
        // What an earlier row left behind must not pass for this row's result.
        std::memset(out.bytes().data(), 0xFF, out.size());
        if (settings.op == operation::bcast && rank == 0) std::memcpy(out.bytes().data(), in.bytes().data(), in.size());
        auto done = laconic::run(call, MPI_COMM_WORLD, options);
        if (!done) fail_data(fmt::format("{}: {}", algorithm, done.error().message()));
        rows.push_back({algorithm, done->algorithm, done->contribution_bound, *done->audit});
    }
    return rows;
}

#define LACONIC_INSTANTIATE(T) \
    template std::vector<audited_row> audit_rows(std::span<const T>, const collective_settings&);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::cli
