// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in the simulation: the library's own engines on as many ranks as smpirun starts. Packing and unpacking are
// done but take no simulated time: what is measured is the network. Rank 0 prints a line of JSON for each engine.
//
// usage: laconic-scale-exchange GLOBAL PATCH PLACEMENT BATCH ENGINE...
// GLOBAL and PATCH are AxBxC, elements floats, BATCH is batch_bytes.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "laconic/exchange.hpp"
#include "smpi_program.hpp"

namespace {

using namespace laconic;

using scale::value_of;

/// AxBxC
std::vector<std::int64_t> extents_of(const char* text) {
    std::vector<std::int64_t> made(3);
    if (std::sscanf(text, "%ldx%ldx%ld", &made[0], &made[1], &made[2]) != 3)
        throw std::runtime_error("'" + std::string(text) + "'; give AxBxC");
    return made;
}

plan planned(char** words, int ranks) {
    const auto extents = extents_of(words[0]), patch = extents_of(words[1]);
    placement how;
    how.kind = value_of(placement_named(words[2]));
    return value_of(plan::make(value_of(layout::regular(extents, value_of(even_blocks(ranks, extents)))),
                               value_of(patch_grid::of_size(extents, patch)), how));
}

/// Where an element came from is its value.
bool is_right(const plan& what, int rank, const std::vector<float>& out) {
    std::size_t at = 0;
    for (const patch_number patch : what.patches_of(rank)) {
        const box region = what.to().patch(patch);
        const auto pieces = static_cast<std::size_t>(region.volume());
        if (out[at] != static_cast<float>(region.lower[0] % 1000) ||
            out[at + pieces - 1] != static_cast<float>((region.upper[0] - 1) % 1000))
            return false;
        at += pieces;
    }
    return true;
}

std::vector<float> filled(const plan& what, int rank) {
    std::vector<float> made;
    for (const box& each : what.from().boxes_of(rank))
        for (std::int64_t i = each.lower[0]; i < each.upper[0]; ++i)
            made.insert(made.end(), static_cast<std::size_t>(each.volume() / each.extent(0)),
                        static_cast<float>(i % 1000));
    return made;
}

void measure(MPI_Comm comm, const plan& what, const exchange_options& options) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    exchange moving = value_of(exchange::make<float>(comm, what, options));
    const std::vector<float> in = filled(what, rank);
    std::vector<float> out(moving.out_elements());
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    const status done = moving.run(std::span<const float>(in), std::span<float>(out));
    const double mine = MPI_Wtime() - start;
    if (!done.ok()) throw std::runtime_error(done.message());
    if (!is_right(what, rank, out)) throw std::runtime_error("wrong elements on rank " + std::to_string(rank));
    double slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank != 0) return;
    const plan_figures figures = what.figures();
    std::printf(R"({"engine":"%s","ranks":%d,"batch":%zu,"seconds":%.9g,"moved_bytes":%lld,"busiest_bytes":%lld,)"
                R"("patch_messages":%lld,"rank_messages":%lld})"
                "\n",
                std::string(name_of(moving.engine())).c_str(), ranks, options.batch_bytes, slowest,
                static_cast<long long>(figures.moved_elements * 4),
                static_cast<long long>(std::max(figures.sent.max, figures.received.max) * 4),
                static_cast<long long>(figures.patch_messages), static_cast<long long>(figures.rank_messages));
    std::fflush(stdout);
}

void run_all(MPI_Comm own, int argc, char** argv) {
    if (argc < 6) throw std::runtime_error("usage: laconic-scale-exchange GLOBAL PATCH PLACEMENT BATCH ENGINE...");
    int rank = 0, ranks = 0;
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);
    // All ranks live in one process: one of them plans.
    std::unique_ptr<plan> made;
    if (rank == 0) made = std::make_unique<plan>(planned(argv + 1, ranks));
    const plan* what = made.get();
    MPI_Bcast(&what, sizeof what, MPI_BYTE, 0, own);
    exchange_options options;
    options.shared_memory = false;
    options.batch_bytes = value_of(base::parse_bytes(argv[4]));
    if (options.batch_bytes == 0) throw std::runtime_error("BATCH is 0, which would try several; give a size");
    for (int i = 5; i < argc; ++i) {
        options.engine = value_of(engine_named(argv[i]));
        measure(own, *what, options);
        MPI_Barrier(own);
    }
}

}  // namespace

__attribute__((visibility("default"))) int main(int argc, char** argv) {
    return laconic::scale::run_program("laconic-scale-exchange", &argc, &argv,
                                       [&](MPI_Comm own) { run_all(own, argc, argv); });
}
