// SPDX-License-Identifier: BSD-3-Clause
// Data with nothing in them: zeros, one value everywhere, a single element. Every row of the table, and those that
// compress with every codec that serves them; relative bounds are those of a range of nothing.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cases.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace collective;

struct named_row {
    std::string name;
    cell what;
};

std::vector<named_row> rows_of(operation op) {
    std::vector<named_row> all;
    for (const algorithm& row : algorithms()) {
        if (row.op != op) continue;
        all.push_back({std::string(row.name), row.what});
        if (!compresses(row.what) || row.what.schedule == schedule_kind::chosen) continue;
        for (const codec_description& codec : codecs()) {
            const cell other{row.what.schedule, row.what.payload, codec.id};
            if (codec.available && codec.id != row.what.codec && serves(op, other))
                all.push_back({std::string(row.name) + ":" + std::string(codec.name), other});
        }
    }
    return all;
}

/// What no bound says: zeros stay zeros, and at a fixed rate a block of equal values has one coefficient to spend its
/// bits on.
template <class T>
void check_values(const scenario& what, const laid_out<T>& after, bool is_unbounded) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const double value = what.kind == field::zeros ? 0 : 3.7;
    const double exact = what.combine == reduction::sum && is_reduction(what.op) ? ranks * value : value;
    if (what.kind != field::zeros && !is_unbounded) return;
    std::size_t wrong = 0;
    for (const origin& one : origins_of(what, rank_in(MPI_COMM_WORLD), ranks))
        if (!(std::fabs(static_cast<double>(after.call.out[one.out]) - exact) <= exact / 16)) ++wrong;
    check(wrong == 0, what.text() + ": " + std::to_string(wrong) + " elements are not " + std::to_string(exact));
}

template <class T>
void check_row(operation op, const named_row& row) {
    const bool whole = op == operation::allreduce || op == operation::reduce || op == operation::bcast;
    const bool is_unbounded = row.what.codec == codec_id::zfp_rate && size_of(MPI_COMM_WORLD) > 1;
    scenario what;
    what.op = op;
    what.algorithm = row.name;
    what.ranks_per_node = 2;
    what.root = size_of(MPI_COMM_WORLD) - 1;
    for (const field kind : {field::zeros, field::constant, field::smooth})
        for (const bound limit : {bound::abs(1e-3), bound::rel(1e-3), bound::lossless()})
            for (const reduction combine : {reduction::sum, reduction::min}) {
                if (!is_reduction(op) && combine == reduction::min) break;
                what.kind = kind;
                what.limit = limit;
                what.combine = combine;
                // Rabenseifner's algorithm sends short arrays raw.
                what.count = kind == field::smooth ? 1 : whole ? 16387 : 2049;
                laid_out<T> arrays = lay_out<T>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
                const auto done = run(arrays.call, MPI_COMM_WORLD, options_of(what));
                check(done.ok(), what.text() + ": " + done.error().message());
                if (!done.ok()) continue;
                check_outcome(what, arrays, *done);
                if (kind != field::smooth) check_values(what, arrays, is_unbounded);
            }
}

}  // namespace

void plain_data_survive() {
    if (size_of(MPI_COMM_WORLD) > 5) return;  // many ranks on few cores are slow, and have no more to show
    std::size_t turn = 0;
    for (const operation op : {operation::allreduce, operation::reduce, operation::reduce_scatter, operation::allgather,
                               operation::gather, operation::scatter, operation::bcast, operation::alltoall})
        for (const named_row& row : rows_of(op)) {
            if (!falls_to_size(++turn, 2, size_of(MPI_COMM_WORLD)) || (is_sanitized && turn % 3 != 0)) continue;
            check_row<float>(op, row);
            check_row<double>(op, row);
        }
}

}  // namespace laconic::test
