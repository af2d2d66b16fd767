// SPDX-License-Identifier: BSD-3-Clause
// An image that lies on ranks in bands flows in, PNG tiles of 16 x 16 pixels flow out: every rank writes tiles while
// others are still on their way to it. Rank 0 then reads them all back and compares.
//
// usage: mpiexec -n 4 tiles-<flavour> FOLDER
#include <mpi.h>
#include <png.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "laconic/exchange.hpp"

namespace {

struct pixel {
    std::uint8_t red, green, blue;
    friend bool operator==(const pixel&, const pixel&) = default;
};

constexpr std::int64_t height = 100, width = 150, tile = 16;

/// What the image shows; a program would have rendered its band of it.
pixel shown(std::int64_t y, std::int64_t x) {
    const std::int64_t from_centre = (y - height / 2) * (y - height / 2) + (x - width / 2) * (x - width / 2);
    return {static_cast<std::uint8_t>(y * 2), static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(from_centre / 8)};
}

png_image image_of(const laconic::box& region) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.height = static_cast<png_uint_32>(region.extent(0));
    image.width = static_cast<png_uint_32>(region.extent(1));
    image.format = PNG_FORMAT_RGB;
    return image;
}

/// The number of pixels of a tile's file that are not as they should be; all of them if it cannot be read.
std::int64_t wrong_pixels(const std::string& path, const laconic::box& region) {
    png_image image = image_of(region);
    if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return region.volume();
    image.format = PNG_FORMAT_RGB;
    std::vector<pixel> pixels(static_cast<std::size_t>(region.volume()));
    if (PNG_IMAGE_SIZE(image) != pixels.size() * sizeof(pixel) ||
        png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0)
        return region.volume();
    std::int64_t wrong = 0;
    std::size_t at = 0;
    for (std::int64_t y = region.lower[0]; y < region.upper[0]; ++y)
        for (std::int64_t x = region.lower[1]; x < region.upper[1]; ++x) wrong += pixels[at++] == shown(y, x) ? 0 : 1;
    return wrong;
}

int run(const std::string& folder) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto path_of = [&](laconic::patch_number number) {
        return folder + "/tile" + std::to_string(number) + ".png";
    };

    const std::array<std::int64_t, 2> extents{height, width}, bands{ranks, 1}, size{tile, tile};
    const laconic::plan plan = laconic::plan::make(laconic::layout::regular(extents, bands).value(),
                                                   laconic::patch_grid::of_size(extents, size).value(), {})
                                   .value();
    laconic::exchange exchange = laconic::exchange::make<pixel>(MPI_COMM_WORLD, plan).value();

    std::vector<pixel> band, tiles(exchange.out_elements());
    const laconic::box mine = plan.from().boxes_of(rank).front();
    for (std::int64_t y = mine.lower[0]; y < mine.upper[0]; ++y)
        for (std::int64_t x = 0; x < width; ++x) band.push_back(shown(y, x));

    int unwritten = 0;
    const auto write_tile = [&](const laconic::ready_patch& ready) {
        png_image image = image_of(plan.to().patch(ready.patch));
        if (png_image_write_to_file(&image, path_of(ready.patch).c_str(), 0, &tiles[ready.offset], 0, nullptr) == 0)
            ++unwritten;
    };
    const laconic::status done = exchange.run(std::span<const pixel>(band), std::span<pixel>(tiles), write_tile);
    if (!done.ok()) {
        std::fprintf(stderr, "tiles: rank %d: %s\n", rank, done.message().c_str());
        return 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &unwritten, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    std::int64_t wrong = 0;
    for (laconic::patch_number number = 0; rank == 0 && number < plan.to().patches(); ++number)
        wrong += wrong_pixels(path_of(number), plan.to().patch(number));
    MPI_Bcast(&wrong, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%d tiles, %.1f %% of the pixels changed rank, %d tiles not written, %lld pixels wrong\n",
                    plan.to().patches(),
                    100.0 * static_cast<double>(plan.figures().moved_elements) / static_cast<double>(height * width),
                    unwritten, static_cast<long long>(wrong));
    return unwritten == 0 && wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = argc == 2 ? run(argv[1]) : 2;
    if (code == 2) std::fputs("usage: tiles FOLDER\n", stderr);
    MPI_Finalize();
    return code;
}
