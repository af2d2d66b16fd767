// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of more bytes than an int counts, between two ranks and within one, with every engine. Elements are looked
// at in many places, at both sides of 2^31 and 2^32 among them.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "large.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::int64_t row_elements = (std::int64_t{1} << 16) + 24;

/// rows x row_elements elements on rank 0, one patch, which goes to `owner`, where rows lie `gap` elements apart.
struct problem {
    std::int64_t rows;
    std::size_t element_bytes;
    rank_number owner;
    std::int64_t gap = 0;

    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(rows * row_elements) * element_bytes; }
    [[nodiscard]] std::size_t bytes_with_gaps() const {
        return static_cast<std::size_t>(rows * (row_elements + gap)) * element_bytes;
    }
    /// Where a byte of the array is on the owner.
    [[nodiscard]] std::size_t place_of(std::size_t at) const {
        const auto row = static_cast<std::int64_t>(at / element_bytes) / row_elements;
        return at + static_cast<std::size_t>(row * gap) * element_bytes;
    }
    [[nodiscard]] plan planned(int ranks) const {
        const std::vector<std::int64_t> extents{rows, row_elements};
        const std::vector<owned_box> owned{{0, {2, {0, 0}, {rows, row_elements}}}};
        placement how;
        how.kind = placement_kind::given;
        how.owners = {owner};
        return plan::make(layout::boxes(extents, owned, ranks).value(), patch_grid::of_size(extents, extents).value(),
                          how)
            .value();
    }
    [[nodiscard]] std::string text() const {
        return std::to_string(bytes()) + " bytes, elements of " + std::to_string(element_bytes) + ", to rank " +
               std::to_string(owner);
    }
};

/// Taken once for all runs: a virtual machine may take longer to fetch fresh pages than for all the rest.
struct arrays {
    explicit arrays(std::size_t bytes) : in(bytes), out(bytes) { out.fill_soon(); }
    pages in, out;
    unsigned runs = 0;
};

void run_and_check(const problem& asked, exchange_engine engine, arrays& memory) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const unsigned run = ++memory.runs;
    const std::string name = std::string(name_of(engine)) + ", " + asked.text();
    const double start = MPI_Wtime();
    exchange_options options;
    options.engine = engine;
    // One run, without trials of other batches.
    options.batch_bytes = std::size_t{1} << 20;
    if (rank == asked.owner) options.out_patches = {{0, {row_elements + asked.gap, 1}}};
    const exchange_element element{asked.element_bytes, std::nullopt};
    auto made = exchange::make(MPI_COMM_WORLD, asked.planned(size_of(MPI_COMM_WORLD)), element, options);
    check(made.ok(), name + ": " + made.error().message());
    if (!made) return;
    const std::span<std::byte> in = memory.in.bytes().first(rank == 0 ? asked.bytes() : 0);
    const std::span<std::byte> out = memory.out.bytes().first(rank == asked.owner ? asked.bytes_with_gaps() : 0);
    for (const std::size_t at : places(in.size())) in[at] = value_at(at, run);
    const exchange::array_in from{in.data(), in.size() / element.bytes};
    const exchange::array_out to{out.data(), out.size() / element.bytes};
    int told = 0;
    const auto on_patch = [&](const ready_patch&) { ++told; };
    const status done = made->run({&from, 1}, {&to, 1}, element, on_patch);
    check(done.ok(), name + ": " + done.message());
    check(told == (rank == asked.owner ? 1 : 0), name + ": " + std::to_string(told) + " patches told");
    if (rank == asked.owner)
        for (const std::size_t at : places(asked.bytes()))
            check(out[asked.place_of(at)] == value_at(at, run), name + ": byte " + std::to_string(at));
    const exchange_report& report = made->report();
    std::uint64_t moved = report.kept_bytes + report.shared_bytes + report.message_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(moved == asked.bytes(), name + ": reports " + std::to_string(moved) + " bytes");
    if (rank == 0) std::printf("%-60s %5.1f s\n", name.c_str(), MPI_Wtime() - start);
    std::fflush(stdout);
}

/// The first rows whose bytes go beyond 2^bits.
std::int64_t rows_beyond(int bits, std::size_t element_bytes) {
    return (std::int64_t{1} << bits) / (row_elements * static_cast<std::int64_t>(element_bytes)) + 2;
}

void large_exchanges() {
    // In, out on each of the two, and for engines that pack everything in and out once more. Automatic is shared here.
    const problem two_gb{rows_beyond(31, 8), 8, 1, 8};
    if (!have_memory(5 * two_gb.bytes(), two_gb.text(), "skipped")) return;
    // In, out, and what rank 0 had as out.
    const problem four_gb{rows_beyond(32, 16), 16, 1};
    const bool beyond_32_bits = have_memory(2 * four_gb.bytes() + two_gb.bytes(), four_gb.text(), "left out");
    const problem to_itself{rows_beyond(31, 16), 16, 0, 1};
    arrays memory(beyond_32_bits ? four_gb.bytes() : std::max(two_gb.bytes_with_gaps(), to_itself.bytes_with_gaps()));
    for (const exchange_engine engine : engines_here())
        if (engine != exchange_engine::shared) run_and_check(two_gb, engine, memory);
    run_and_check(to_itself, exchange_engine::automatic, memory);
    // More elements than an int counts.
    run_and_check({rows_beyond(31, 1), 1, 1}, exchange_engine::per_patch, memory);
    run_and_check({rows_beyond(31, 1), 1, 1}, exchange_engine::alltoallw, memory);
    if (!beyond_32_bits) return;
    // The one that packs in parts and the one of datatypes; the others count as these do.
    for (const exchange_engine engine : {exchange_engine::automatic, exchange_engine::per_patch})
        run_and_check(four_gb, engine, memory);
}

}  // namespace
}  // namespace laconic::test

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    laconic::test::large_exchanges();
    laconic::test::large_collectives();
    const bool ok = laconic::test::failures_of_all_ranks() == 0;
    MPI_Finalize();
    return ok ? 0 : 1;
}
