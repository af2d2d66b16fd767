// SPDX-License-Identifier: BSD-3-Clause
// A run allocates nothing, from the first one on, and staging stays within its limit.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "counted_memory.hpp"
#include "exchange_cases.hpp"
#include "run.hpp"

namespace laconic::test {

namespace {

/// What is promised holds where batches would take more: long streams, compressed or not. Nothing is run.
void check_staging() {
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::vector<std::int64_t> extents{ranks, std::int64_t{8} << 20}, blocks{ranks, 1}, patch{1, 1 << 20};
    placement how;
    how.kind = placement_kind::round_robin;
    const plan what =
        plan::make(layout::regular(extents, blocks).value(), patch_grid::of_size(extents, patch).value(), how).value();
    for (const exchange_engine engine : {exchange_engine::automatic, exchange_engine::batched})
        for (const bound limit : {bound::lossless(), bound::abs(1e-3)})
            for (const std::size_t batch_bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
                exchange_options options;
                options.engine = engine;
                options.limit = limit;
                options.batch_bytes = batch_bytes;
                const auto made = exchange::make<double>(MPI_COMM_WORLD, what, options);
                check(made.ok(), made.error().message());
                if (!made) continue;
                const std::size_t local = (made->in_elements() + made->out_elements()) * sizeof(double);
                check(made->staging_bytes() <= std::max<std::size_t>(std::size_t{8} << 20, local / 50),
                      std::string(name_of(engine)) + ", batches of " + std::to_string(batch_bytes) + ": staging of " +
                          std::to_string(made->staging_bytes()));
            }
}

}  // namespace

void exchanges_do_not_allocate() {
    check_staging();
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const std::vector<std::int64_t> extents{40, 30 * ranks, 32}, patch{16, 16, 16};
    placement how;
    how.kind = placement_kind::round_robin;
    const plan what = plan::make(layout::regular(extents, even_blocks(ranks, extents).value()).value(),
                                 patch_grid::of_size(extents, patch).value(), how)
                          .value();
    for (const exchange_engine engine : engines_here())
        for (const bound limit : {bound::lossless(), bound::abs(1e-3), bound::rel(1e-3)}) {
            exchange_options options;
            options.engine = engine;
            options.limit = limit;
            auto made = exchange::make<double>(MPI_COMM_WORLD, what, options);
            if (!made && made.error().code() == errc::unsupported) continue;
            check(made.ok(), made.error().message());
            exchange moving = std::move(made).value();
            const std::string name(name_of(moving.engine()));
            const std::size_t local = (moving.in_elements() + moving.out_elements()) * sizeof(double);
            if (engine == exchange_engine::automatic)
                check(moving.staging_bytes() <= std::max<std::size_t>(std::size_t{8} << 20, local / 50),
                      name + ": staging of " + std::to_string(moving.staging_bytes()));
            std::vector<double> in(moving.in_elements(), rank), out(moving.out_elements());
            std::uint64_t calls = 0;
            const auto on_patch = [&](const ready_patch&) { ++calls; };
            const std::uint64_t before = allocations();
            const status done = moving.run(std::span<const double>(in), std::span<double>(out), on_patch);
            const std::uint64_t count = allocations() - before;
            check(done.ok(), name + ": " + done.message());
            check(count == 0, name + ": " + std::to_string(count) + " allocations in a run");
            check(calls == moving.patches().size(), name + ": callbacks");
        }
}

}  // namespace laconic::test
