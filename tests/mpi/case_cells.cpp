// SPDX-License-Identifier: BSD-3-Clause
// Every operation by every row of the table and every other cell that serves it, with types, reductions, scopes,
// bounds, roots, fields, segment sizes, uneven counts and arrays in place taken in turn.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "candidates.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace collective;

/// Turns through all values of a list, each list at its own pace.
struct turner {
    std::size_t at = 0;

    template <std::size_t N, class V>
    V pick(const std::array<V, N>& list, std::size_t stride) {
        return list[at / stride % N];
    }
};

template <class T>
void check_cell(operation op, const candidate& row, turner& turn) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const bool whole = op == operation::allreduce || op == operation::reduce || op == operation::bcast;
    constexpr std::array fields{field::smooth, field::offset, field::adversarial, field::noise, field::tiny};
    const std::array limits{bound::abs(1e-3), bound::rel(1e-4), bound::abs(1e-2), bound::lossless()};
    constexpr std::array scopes{scope::result, scope::contribution, scope::result, scope::probable};
    constexpr std::array segments{std::size_t{131072}, std::size_t{8192}, std::size_t{1}, std::size_t{1} << 40};
    for (const reduction combine : {reduction::sum, reduction::avg, reduction::min, reduction::max, reduction::prod}) {
        if (!is_reduction(op) && combine == reduction::prod) break;
        ++turn.at;
        if (!falls_to_size(turn.at, 7, ranks)) continue;
        if ((ranks == 2 || ranks == 3) && turn.at % 2 != static_cast<std::size_t>(ranks) % 2) continue;
        scenario what;
        what.op = op;
        what.algorithm = row.name;
        what.combine = combine;
        what.kind = combine == reduction::prod ? field::smooth : turn.pick(fields, 1);
        // Sums of 1e30 are beyond 16 bits, and say little.
        if (sizeof(T) == 2 && (what.kind == field::adversarial || what.kind == field::tiny)) what.kind = field::offset;
        what.limit = turn.pick(limits, 3);
        what.which = turn.pick(scopes, 7);
        what.segment_bytes = turn.pick(segments, 2);
        what.varying = !whole && turn.at % 2 == 1 && takes(row, combine, sizeof(T), true, op);
        what.in_place = turn.at / 2 % 2 == 1;
        what.root = static_cast<int>(turn.at % static_cast<std::size_t>(ranks));
        what.ranks_per_node = static_cast<unsigned>(1 + turn.at % 3);
        what.shared_memory = turn.at / 3 % 2 == 0;
        what.count = whole ? 20011 + turn.at % 2 : 2500 + turn.at % 3;
        // Rabenseifner's algorithm sends short arrays raw.
        if (row.what.schedule == schedule_kind::rabenseifner) what.count *= sizeof(T) == 2 ? 2 : 1;
        if (takes(row, combine, sizeof(T), what.varying, op)) check_scenario<T>(what);
    }
}

void check_operation(operation op) {
    turner turn;
    for (const candidate& row : candidates(op)) {
        check_cell<float>(op, row, turn);
        check_cell<double>(op, row, turn);
        if (compresses(row.what) && row.what.codec != codec_id::fle) continue;
        check_cell<half>(op, row, turn);
        check_cell<bfloat16>(op, row, turn);
    }
}

/// An output longer than this rank's count: the rest of it is left alone.
void check_roomy_output() {
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), 100);
    const std::vector<float> in(100 * counts.size(), 2);
    for (const char* row : {"stock", "ring_raw", "pairwise", "cpr_p2p", "homcomp"}) {
        std::vector<float> out(105, -77);
        const auto done = reduce_scatter<float>(std::span<const float>(in), std::span<float>(out),
                                                std::span<const std::size_t>(counts), reduction::avg, MPI_COMM_WORLD,
                                                options_for(row, bound::abs(1e-3)));
        check(done.ok(), std::string(row) + " into a longer array: " + done.error().message());
        check(std::count(out.begin() + 100, out.end(), -77.0F) == 5, std::string(row) + " writes beyond its count");
    }
}

}  // namespace

void every_reduction_cell_is_exact() {
    check_operation(operation::allreduce);
    check_operation(operation::reduce);
    check_operation(operation::reduce_scatter);
    check_roomy_output();
}

void every_movement_cell_is_exact() {
    check_operation(operation::allgather);
    check_operation(operation::gather);
    check_operation(operation::scatter);
    check_operation(operation::bcast);
    check_operation(operation::alltoall);
}

}  // namespace laconic::test
