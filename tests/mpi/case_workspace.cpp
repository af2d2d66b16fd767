// SPDX-License-Identifier: BSD-3-Clause
// Memory beyond the caller's arrays: what the report of each row says against what docs/guide/collectives.md states,
// and against what the program has asked for meanwhile.
#include <string>
#include <vector>

#include "cases.hpp"
#include "collective/node_board.hpp"
#include "counted_memory.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace collective;

constexpr std::size_t segment_bytes = 128 * 1024;  // the longest that is taken unasked
/// What a first call on a communicator of few ranks takes for its lists.
constexpr std::int64_t lists_bytes = 256 * 1024;
/// Of a part, in segments: more than there are lanes.
constexpr std::size_t part_segments = 33;
constexpr std::size_t part_values = part_segments * segment_bytes / sizeof(float);

/// In segments. What is stated is at most twice what there is.
struct stated {
    double least = 0, most = 0;
};

/// Messages of one level.
double messages_of(const cell& what) {
    const bool tree = what.schedule == schedule_kind::binomial;
    if (what.payload == payload_kind::raw) return what.schedule == schedule_kind::rabenseifner ? 28 : tree ? 22 : 17;
    if (what.payload == payload_kind::pipelined) return 35;
    if (!adds_streams(what)) return tree ? 45 : 30;
    if (what.schedule == schedule_kind::rabenseifner) return 405;
    return what.schedule == schedule_kind::ring || what.schedule == schedule_kind::pairwise ? 115 : 150;
}

stated stated_of(const scenario& what, const cell& row, int rank, int ranks) {
    const double whole = static_cast<double>(part_segments) * ranks;
    if (row.schedule == schedule_kind::stock) return {};
    if (row.schedule != schedule_kind::hierarchical) {
        const double integers = row.payload == payload_kind::quantised ? whole : 0;
        const double messages = messages_of(row);
        // Stated for five ranks; two and three need less. Of the trees an allgather's needs most.
        // The first of a chain, and who only sends, need nothing to receive.
        const bool from_root = what.op == operation::bcast || what.op == operation::scatter;
        const bool to_root = what.op == operation::reduce || what.op == operation::gather;
        const bool only_sends = (from_root && rank == what.root) || (to_root && rank != what.root);
        const bool varies = only_sends || row.schedule == schedule_kind::rabenseifner ||
                            (row.schedule == schedule_kind::binomial && row.payload == payload_kind::raw);
        const double share = varies ? 0.35 : 0.55;
        return {integers + share * messages, integers + messages};
    }
    const bool shared = what.shared_memory;
    double extra = 0;
    switch (what.op) {
        case operation::allreduce:
        case operation::bcast: break;
        case operation::reduce: extra = rank == what.root ? 0 : whole / 2; break;
        case operation::reduce_scatter:
        case operation::allgather: extra = shared ? whole / 2 : whole; break;
        case operation::gather:
        case operation::scatter:
            extra = rank >= 2 ? part_segments : !shared && rank == what.root ? whole : whole / 2;
            break;
        case operation::alltoall: extra = shared ? whole : 3 * whole; break;
    }
    const bool twice = what.op == operation::allreduce || what.op == operation::reduce || what.op == operation::bcast;
    const double inside = shared ? 512.0 * 1024 / segment_bytes : twice ? 30 : 15;
    const double across = ranks == 2 ? 0 : is_reduction(what.op) ? 115 : 30;
    return {extra + (shared ? inside : 0), extra + inside + across + 0.1};
}

/// On a communicator of its own: memory is kept for later calls.
std::uint64_t workspace_of(const scenario& what) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    laid_out<float> arrays = lay_out<float>(what, rank_in(comm), size_of(comm));
    const collective_options options = options_of(what);
    const std::int64_t before = live_bytes();
    watch_peak();
    const auto done = run(arrays.call, comm, options);
    const std::int64_t peak = peak_bytes() - before;
    check(done.ok(), what.text() + ": " + done.error().message());
    MPI_Comm_free(&comm);
    if (!done.ok()) return 0;
    const auto told = static_cast<std::int64_t>(done->workspace_bytes);
    // Programs, lists of places and of requests come to it; memory that nodes share is no heap.
    const auto in_nodes =
        static_cast<std::int64_t>(done->inside == node_traffic::memory ? node_board::bytes_for(1) : 0);
    check(peak <= told + lists_bytes && peak >= told - in_nodes,
          what.text() + ": the report says " + std::to_string(told) + " bytes, asked for were " + std::to_string(peak));
    return done->workspace_bytes;
}

void check_row(const algorithm& row, bool shared) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const bool whole = row.op == operation::allreduce || row.op == operation::reduce || row.op == operation::bcast;
    scenario what;
    what.op = row.op;
    what.algorithm = row.name;
    what.limit = bound::abs(1e-3);
    what.segment_bytes = segment_bytes;
    what.shared_memory = shared;
    what.codec_threads = 1;
    what.ranks_per_node = 2;
    what.count = part_values * (whole ? static_cast<std::size_t>(ranks) : 1);
    const double segments = static_cast<double>(workspace_of(what)) / segment_bytes;
    const stated limits = stated_of(what, row.what, rank, ranks);
    check(segments >= limits.least && segments <= limits.most,
          what.text() + ": holds " + std::to_string(segments) + " segments; stated are " +
              std::to_string(limits.least) + " to " + std::to_string(limits.most));
}

/// What overwrites values that have not been sent works on a copy of the buffer.
void check_in_place(operation op, const char* row) {
    scenario what;
    what.op = op;
    what.algorithm = row;
    what.limit = bound::abs(1e-3);
    what.count = part_values;
    what.segment_bytes = segment_bytes;
    what.ranks_per_node = 1;
    const std::uint64_t apart = workspace_of(what);
    what.in_place = true;
    const std::uint64_t extra = workspace_of(what) - apart;
    const std::size_t whole = static_cast<std::size_t>(size_of(MPI_COMM_WORLD)) * part_values * sizeof(float);
    check(extra >= whole && extra < whole + 128, what.text() + ": " + std::to_string(extra) +
                                                     " bytes more than apart, of a buffer of " + std::to_string(whole));
}

/// What an earlier call has left with the communicator is not counted again.
void check_modest_after_hungry() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    scenario what;
    what.limit = bound::abs(1e-3);
    what.count = 8 * part_values;
    std::uint64_t hungry = 0;
    for (const char* row : {"rabenseifner", "recursive_doubling", "ring_raw"}) {
        what.algorithm = row;
        what.segment_bytes = hungry == 0 ? 0 : segment_bytes;
        const laid_out<float> arrays = lay_out<float>(what, rank_in(comm), size_of(comm));
        const auto done = run(arrays.call, comm, options_of(what));
        check(done.ok(), what.text() + ": " + done.error().message());
        if (!done.ok()) break;
        const std::uint64_t alone = workspace_of(what);
        check(done->workspace_bytes == alone, what.text() + " uses " + std::to_string(alone) + " bytes, and " +
                                                  std::to_string(done->workspace_bytes) + " after others");
        hungry = std::max(hungry, alone);
    }
    MPI_Comm_free(&comm);
}

}  // namespace

void memory_is_as_stated() {
    if (size_of(MPI_COMM_WORLD) > 1) check_modest_after_hungry();
    const int ranks = size_of(MPI_COMM_WORLD);
    for (const algorithm& row : algorithms()) {
        const bool hierarchical = row.what.schedule == schedule_kind::hierarchical;
        if (row.what.schedule == schedule_kind::chosen || (hierarchical && ranks % 2 != 0)) continue;
        check_row(row, true);
        if (hierarchical) check_row(row, false);
    }
    if (ranks < 2) return;
    for (const char* row : {"pairwise", "pairwise_raw", "stock"}) check_in_place(operation::alltoall, row);
    for (const char* row : {"homcomp_f", "ring_raw"}) check_in_place(operation::reduce_scatter, row);
}

}  // namespace laconic::test
