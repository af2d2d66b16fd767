// SPDX-License-Identifier: BSD-3-Clause
// A plane wave in blocks flows in, its three-dimensional Fourier transform flows out: blocks become pencils along the
// last dimension, those become pencils along the middle one, and so on; between two exchanges every rank transforms its
// own lines. The result is one peak, at the wave's own number.
//
// usage: mpiexec -n 4 pencils-<flavour>
#include <mpi.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

#include "laconic/exchange.hpp"

namespace {

using number = std::complex<double>;
constexpr std::array<std::int64_t, 3> extents{12, 18, 20}, wave{5, 3, 7};

number turned(double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns); }

/// The discrete Fourier transform of `count` numbers, `stride` apart.
void transform(number* line, std::int64_t count, std::int64_t stride) {
    std::vector<number> result(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t i = 0; i < count; ++i)
            result[static_cast<std::size_t>(k)] +=
                line[i * stride] * turned(-static_cast<double>(i * k % count) / static_cast<double>(count));
    for (std::int64_t k = 0; k < count; ++k) line[k * stride] = result[static_cast<std::size_t>(k)];
}

void transform_box(number* values, const laconic::box& region, std::size_t along) {
    std::array<std::int64_t, 3> stride{region.extent(1) * region.extent(2), region.extent(2), 1};
    const std::size_t a = along == 0 ? 1 : 0, b = along == 2 ? 1 : 2;
    for (std::int64_t i = 0; i < region.extent(a); ++i)
        for (std::int64_t j = 0; j < region.extent(b); ++j)
            transform(values + i * stride[a] + j * stride[b], region.extent(along), stride[along]);
}

/// Where everything lies after a plan has been carried out.
laconic::layout layout_after(const laconic::plan& plan) {
    std::vector<laconic::owned_box> boxes;
    for (laconic::patch_number patch = 0; patch < plan.to().patches(); ++patch)
        boxes.push_back({plan.owners()[static_cast<std::size_t>(patch)], plan.to().patch(patch)});
    return laconic::layout::boxes(extents, boxes, plan.from().ranks()).value();
}

int run() {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    laconic::layout now = laconic::layout::regular(extents, laconic::even_blocks(ranks, extents).value()).value();
    std::vector<number> values;
    const laconic::box block = now.boxes_of(rank).front();
    for (std::int64_t x = block.lower[0]; x < block.upper[0]; ++x)
        for (std::int64_t y = block.lower[1]; y < block.upper[1]; ++y)
            for (std::int64_t z = block.lower[2]; z < block.upper[2]; ++z)
                values.push_back(turned(static_cast<double>(wave[0] * x) / extents[0] +
                                        static_cast<double>(wave[1] * y) / extents[1] +
                                        static_cast<double>(wave[2] * z) / extents[2]));
    for (const std::size_t along : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        // Pencils: whole along one dimension, and together at least as many as ranks.
        std::array<std::int64_t, 3> counts{4, 4, 4};
        counts[along] = 1;
        const auto grid = laconic::patch_grid::blocks(extents, counts).value();
        const laconic::plan plan = laconic::plan::make(now, grid, {}).value();
        laconic::exchange exchange = laconic::exchange::make<number>(MPI_COMM_WORLD, plan).value();
        std::vector<number> pencils(exchange.out_elements());
        // Each pencil is transformed as soon as it is complete.
        const auto on_pencil = [&](const laconic::ready_patch& ready) {
            transform_box(&pencils[ready.offset], grid.patch(ready.patch), along);
        };
        const laconic::status done =
            exchange.run(std::span<const number>(values), std::span<number>(pencils), on_pencil);
        if (!done.ok()) {
            std::fprintf(stderr, "pencils: rank %d: %s\n", rank, done.message().c_str());
            return 1;
        }
        if (rank == 0)
            std::printf("pencils along dimension %zu: %.1f %% of the numbers change rank\n", along,
                        100.0 * static_cast<double>(plan.figures().moved_elements) /
                            static_cast<double>(plan.figures().elements));
        values.swap(pencils);
        now = layout_after(plan);
    }
    double worst = 0;
    std::size_t at = 0;
    for (const laconic::box& pencil : now.boxes_of(rank))
        for (std::int64_t x = pencil.lower[0]; x < pencil.upper[0]; ++x)
            for (std::int64_t y = pencil.lower[1]; y < pencil.upper[1]; ++y)
                for (std::int64_t z = pencil.lower[2]; z < pencil.upper[2]; ++z) {
                    const bool peak = x == wave[0] && y == wave[1] && z == wave[2];
                    const double expected = peak ? static_cast<double>(extents[0] * extents[1] * extents[2]) : 0;
                    worst = std::max(worst, std::abs(values[at++] - expected));
                }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) std::printf("one peak, %.1e beside it at most\n", worst);
    return worst < 1e-8 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = run();
    MPI_Finalize();
    return code;
}
