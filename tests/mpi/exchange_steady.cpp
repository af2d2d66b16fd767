// SPDX-License-Identifier: BSD-3-Clause
// A run allocates nothing, from the first one on, and staging stays within its limit.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "counted_memory.hpp"
#include "exchange_cases.hpp"
#include "run.hpp"

namespace laconic::test {

void exchanges_do_not_allocate() {
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
