// SPDX-License-Identifier: BSD-3-Clause
// How long messages are where nobody says: between nodes, what travels as it is fits what MPI sends at once.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "codec/fle.hpp"
#include "fields.hpp"
#include "mpi/eager.hpp"
#include "run.hpp"

namespace laconic::test {

namespace {

/// What is short travels in one message for every partner, unless segments are asked for that are shorter; the bits are
/// the same.
void bundles_suit() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 4) return;
    const auto partners = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1);
    const auto parts = std::bit_floor(static_cast<unsigned>(ranks));
    const std::vector<double> in = kept_field<double>(field::smooth, rank_in(MPI_COMM_WORLD), 16000);
    for (const std::string row : {"rabenseifner/raw", "rabenseifner/per_hop", "rabenseifner/fused"}) {
        collective_options options = options_for(row, bound::abs(1e-3));
        options.segment_bytes = std::size_t{128} << 10;
        collective_report together, alone;
        const auto want = reduce(in, reduction::sum, MPI_COMM_WORLD, options, row, &together);
        options.segment_bytes = 1;
        const auto also = reduce(in, reduction::sum, MPI_COMM_WORLD, options, row, &alone);
        check(want == also, row + ": other bits in bundles");
        // Those of ranks beyond a power of two come first and last.
        const bool folds = !std::has_single_bit(static_cast<unsigned>(ranks));
        check(together.messages <= 2 * partners + (folds ? 1 : 0),
              row + ": " + std::to_string(together.messages) + " messages in bundles");
        check(alone.messages >= parts, row + ": " + std::to_string(alone.messages) + " messages alone");
    }
    // What they may take at most is in bundles_take_memory().
    const std::vector<float> longest(parts * 32768, 1.0F);
    collective_options options = options_for("rabenseifner/fused", bound::abs(1e-3));
    options.ranks_per_node = 1;
    collective_report report;
    reduce(longest, reduction::sum, MPI_COMM_WORLD, options, "the longest bundles", &report);
    check(report.messages <= 2 * partners + 1, "the longest bundles travel alone");
    check(report.workspace_bytes <= 28 * longest.size() * sizeof(float),
          "bundles take " + std::to_string(report.workspace_bytes) + " bytes");
}

/// Pieces of 16 of the shortest segments that compressed values travel in, 8 at least of the longest that are looked
/// at.
constexpr std::size_t shortest_segment = std::min<std::size_t>(4 * mpi::eager_bytes, std::size_t{128} << 10);
constexpr std::size_t piece_values = 16 * shortest_segment / sizeof(float);

struct seen_call {
    collective_report report;
    std::vector<float> out;
};
/// noisy   ranks from this one on have values that do not shrink
seen_call exchange(operation op, const std::string& row, int noisy, MPI_Comm comm) {
    const int rank = rank_in(comm);
    const auto pieces = op == operation::allgather ? std::size_t{1} : static_cast<std::size_t>(size_of(comm));
    const auto& in = kept_field<float>(rank < noisy ? field::zeros : field::noise, rank, pieces * piece_values);
    collective_options options = options_for(row, bound::abs(1e-6));
    options.ranks_per_node = 1;
    seen_call all;
    all.out.resize(op == operation::reduce_scatter ? piece_values
                                                   : piece_values * static_cast<std::size_t>(size_of(comm)));
    collective_call<float> call;
    call.op = op;
    call.in = in;
    call.out = all.out;
    const auto done = run(call, comm, options);
    check(done.ok(), row + ": " + done.error().message());
    if (done.ok()) all.report = *done;
    return all;
}

/// What shrinks well is cut less finely as soon as all ranks know that of all ranks, and finely again when it no longer
/// does; the bits are the same.
void segments_grow() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 2 || ranks > 5) return;  // long arrays
    for (const auto& [op, row] : {std::pair{operation::allreduce, "ring/fused"},
                                  {operation::allgather, "ring/once"},
                                  {operation::reduce_scatter, "pairwise/per_hop"},
                                  {operation::alltoall, "pairwise"}}) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        std::vector<seen_call> zeros, mixed;
        for (int call = 0; call < 4; ++call) zeros.push_back(exchange(op, row, ranks, comm));
        const std::string name = std::string(row) + " on " + std::to_string(ranks);
        const auto took = [&](std::size_t call) { return static_cast<double>(zeros[call].report.workspace_bytes); };
        check(took(1) == took(0), name + ": segments grow before the ranks have spoken of a call");
        check(took(2) > 1.8 * took(1) && took(2) < 2.2 * took(1),
              name + ": " + std::to_string(took(2) / took(1)) + " times the memory with segments twice as long");
        check(took(3) == took(2), name + ": segments do not stay");
        for (int call = 0; call < 4; ++call) mixed.push_back(exchange(op, row, ranks - 1, comm));
        for (std::size_t call = 1; call < 4; ++call) {
            check(zeros[call].out == zeros[0].out, name + ": other bits in longer segments");
            check(mixed[call].out == mixed[0].out, name + ": other bits in shorter segments");
        }
        // What does not shrink travels alone.
        if (op == operation::alltoall && rank_in(comm) == ranks - 1)
            check(mixed[3].report.messages == 16 * static_cast<std::uint64_t>(ranks - 1) &&
                      mixed[0].report.messages < mixed[3].report.messages,
                  name + ": " + std::to_string(mixed[3].report.messages) + " messages of what does not shrink, " +
                      std::to_string(mixed[0].report.messages) + " before that was known");
        MPI_Comm_free(&comm);
    }
}

/// Calls under way at the same time agree on their segments one after the other.
void started_segments_grow() {
    const int ranks = size_of(MPI_COMM_WORLD);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    collective_options options = options_for("ring/once", bound::abs(1e-6));
    options.ranks_per_node = 1;
    const std::vector<float> in(piece_values, 0.5F);
    std::array<std::vector<float>, 5> out;
    for (auto& one : out) one.resize(piece_values * static_cast<std::size_t>(ranks));
    std::vector<collective_request> started;
    const auto begin = [&](std::size_t which) {
        collective_call<float> call;
        call.op = operation::allgather;
        call.in = in;
        call.out = out[which];
        auto request = start(call, comm, options);
        check(request.ok(), "a call that is to be started: " + request.error().message());
        if (request.ok()) started.push_back(std::move(*request));
    };
    const auto end = [&] {
        for (collective_request& one : started) check(one.wait().ok(), "a started call fails");
        started.clear();
    };
    begin(0), begin(1), end();
    begin(2), begin(3), begin(4), end();
    for (const auto& one : out)
        check(std::all_of(one.begin(), one.end(), [](float x) { return std::abs(x - 0.5F) <= 1e-6F; }),
              "a started call gathers something else");
    MPI_Comm_free(&comm);
}

}  // namespace

void segments_suit() {
    bundles_suit();
    segments_grow();
    started_segments_grow();
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 2) return;
    constexpr std::size_t piece = 49 * codec::chunk_values;  // no rank has a shorter one
    const auto messages_of = [](std::size_t segment_bytes) {
        const std::size_t chunks = (piece + codec::chunk_values - 1) / codec::chunk_values;
        const std::size_t each = segment_bytes / (codec::chunk_values * sizeof(float));
        return (chunks + each - 1) / each;
    };
    const std::vector<float> in(piece * static_cast<std::size_t>(ranks), 1.0F);
    const auto hops = 2 * static_cast<std::size_t>(ranks - 1);
    for (const auto& [ranks_per_node, asked, segment] :
         {std::tuple{1U, std::size_t{0}, static_cast<std::size_t>(mpi::eager_bytes)},
          std::tuple{static_cast<unsigned>(ranks), std::size_t{0}, std::size_t{128} << 10},
          std::tuple{1U, std::size_t{32} << 10, std::size_t{32} << 10}}) {
        collective_options options = options_for("ring_raw", bound::abs(0));
        options.ranks_per_node = ranks_per_node;
        options.segment_bytes = asked;
        collective_report report;
        const std::string what = "segments of " + std::to_string(segment);
        const auto out = reduce(in, reduction::sum, MPI_COMM_WORLD, options, what, &report);
        check(out.back() == static_cast<float>(ranks), what + ": a wrong sum");
        check(report.messages == hops * messages_of(segment), what + ": " + std::to_string(report.messages) +
                                                                  " messages, not " +
                                                                  std::to_string(hops * messages_of(segment)));
    }
}

}  // namespace laconic::test
