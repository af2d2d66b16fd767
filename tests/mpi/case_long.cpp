// SPDX-License-Identifier: BSD-3-Clause
// Pieces of many cells, each too long for MPI to take before its receive is posted: no order of sends and receives may
// have ranks wait for each other.
#include <cmath>
#include <string>
#include <vector>

#include "cases.hpp"
#include "collective/send_window.hpp"
#include "mpi_sends.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

/// Rank k gives k + 1 everywhere.
void check_long(operation op, const std::string& row, std::size_t part) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const auto p = static_cast<std::size_t>(ranks);
    collective_options options = options_for(row, bound::abs(1e-3));
    options.segment_bytes = 32768;
    const bool gathers = op == operation::allgather;
    std::vector<float> in(gathers ? part : p * part, static_cast<float>(rank + 1));
    std::vector<float> out(op == operation::reduce_scatter ? part : p * part, -77.0F);
    collective_call<float> call;
    call.op = op;
    call.in = in;
    call.out = out;
    const auto done = run(call, MPI_COMM_WORLD, options);
    const std::string what = row + " with long parts";
    check(done.ok(), what + ": " + done.error().message());
    const bool by_rank = gathers || op == operation::alltoall;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const float want = by_rank ? static_cast<float>(i / part + 1) : static_cast<float>(ranks * (ranks + 1)) / 2;
        if (!(std::abs(out[i] - want) <= 1e-3F)) ++wrong;
    }
    check(wrong == 0, what + ": " + std::to_string(wrong) + " wrong elements");
}

/// Noise, of which messages are long. From or to a root the inner members of a tree have pieces of their own between
/// those that they pass on.
void check_long_noise(operation op, const std::string& row) {
    scenario what;
    what.op = op;
    what.algorithm = row;
    what.kind = field::noise;
    what.limit = bound::abs(1e-3);
    what.segment_bytes = 32768;
    what.count = 8192 * 34 + 77;
    check_scenario<float>(what);
}

/// Many ranks send pieces to one: of long compressed ones it confirms some messages, so that not all is on its way at a
/// time.
void check_gather(const std::string& row, std::size_t count, bool confirms) {
    const int ranks = size_of(MPI_COMM_WORLD);
    scenario what;
    what.op = operation::gather;
    what.algorithm = row;
    what.kind = field::noise;
    what.limit = bound::abs(1e-3);
    what.count = count;
    const std::uint64_t before = sends().confirmed;
    check_scenario<float>(what);
    const bool confirmed = sends().confirmed > before;
    const bool expected = confirms && ranks > 2 && rank_in(MPI_COMM_WORLD) != what.root;
    check(confirmed == expected,
          row + (confirmed ? ": messages are confirmed where none has to wait" : ": no message is confirmed"));
}

}  // namespace

void long_gathers_are_confirmed() {
    // Noise takes one to four bytes an element.
    const std::size_t window = collective::send_window::most_bytes / static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    check_gather("pairwise/once", 3 * window, true);
    check_gather("pairwise/once", window / 4, false);
    check_gather("pairwise/raw", 3 * window, false);
}

void long_parts_do_not_lock() {
    // More cells than there are lanes, so that they come in groups.
    constexpr std::size_t part = 8192 * 34 + 77;
    for (const char* schedule : {"ring", "recursive_doubling", "rabenseifner", "binomial"})
        check_long(operation::allreduce, std::string(schedule) + "/raw", schedule[1] == 'a' ? part / 2 : part / 4);
    for (const char* schedule : {"ring", "pairwise"})
        check_long(operation::reduce_scatter, std::string(schedule) + "/raw", part);
    for (const char* schedule : {"ring", "pairwise", "binomial"})
        check_long(operation::allgather, std::string(schedule) + "/raw", part);
    check_long(operation::alltoall, "pairwise/raw", part);
    for (const char* schedule : {"ring", "pairwise"})
        for (const operation op : {operation::reduce_scatter, operation::alltoall, operation::allgather})
            if (op != operation::alltoall || schedule[0] == 'p')
                check_long_noise(op, std::string(schedule) + "/per_hop");
    check_long(operation::allreduce, "rabenseifner/fused", part / 2);
    check_long(operation::allgather, "binomial/per_hop", part / 2);
    for (const char* payload : {"raw", "once", "per_hop:szx"})
        for (const operation op : {operation::gather, operation::scatter, operation::bcast})
            check_long_noise(op, std::string("binomial/") + payload);
}

}  // namespace laconic::test
