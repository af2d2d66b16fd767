/* SPDX-License-Identifier: BSD-3-Clause
 * The image of tiles.cpp, from C: bands that lie on ranks flow in, PPM tiles of 16 x 16 pixels flow out; every rank
 * writes tiles while others are still on their way to it. Rank 0 then reads them all back and compares.
 *
 * usage: mpiexec -n 4 tiles_c-<flavour> FOLDER */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "laconic/laconic.h"

typedef struct {
    uint8_t red, green, blue;
} pixel;

enum { height = 100, width = 150, tile = 16 };

/* What the image shows; a program would have rendered its band of it. */
static pixel shown(int64_t y, int64_t x) {
    const int64_t from_centre = (y - height / 2) * (y - height / 2) + (x - width / 2) * (x - width / 2);
    const pixel seen = {(uint8_t)(y * 2), (uint8_t)x, (uint8_t)(from_centre / 8)};
    return seen;
}

/* The file of a tile; its corners go to lower and upper. NULL if it cannot be opened. */
static FILE* open_tile(laconic_plan plan, const char* folder, int32_t number, const char* mode, int64_t lower[2],
                       int64_t upper[2]) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/tile%d.ppm", folder, (int)number);
    if (length < 0 || (size_t)length >= sizeof path) return NULL;
    return laconic_plan_patch(plan, number, lower, upper) == LACONIC_OK ? fopen(path, mode) : NULL;
}

/* What write_tile() needs to know. */
typedef struct {
    laconic_plan plan;
    const char* folder;
    const pixel* tiles;
    int unwritten;
} album;

static void write_tile(void* user, const laconic_ready_patch* ready) {
    album* const all = user;
    int64_t lower[2], upper[2];
    FILE* const file = open_tile(all->plan, all->folder, ready->patch, "wb", lower, upper);
    if (file == NULL) {
        ++all->unwritten;
        return;
    }
    const size_t rows = (size_t)(upper[0] - lower[0]), columns = (size_t)(upper[1] - lower[1]);
    const int begun = fprintf(file, "P6\n%zu %zu\n255\n", columns, rows);
    const size_t written = fwrite(&all->tiles[ready->offset], sizeof(pixel), rows * columns, file);
    if (fclose(file) != 0 || begun < 0 || written != rows * columns) ++all->unwritten;
}

/* The number of pixels of a tile's file that are not as they should be. */
static int64_t wrong_pixels(laconic_plan plan, const char* folder, int32_t number) {
    int64_t lower[2], upper[2], wrong = 0;
    FILE* const file = open_tile(plan, folder, number, "rb", lower, upper);
    if (file == NULL) return 1;
    long long columns = 0, rows = 0;
    if (fscanf(file, "P6 %lld %lld 255%*c", &columns, &rows) != 2 || columns != upper[1] - lower[1] ||
        rows != upper[0] - lower[0])
        ++wrong;
    for (int64_t y = lower[0]; y < upper[0]; ++y)
        for (int64_t x = lower[1]; x < upper[1]; ++x) {
            const pixel want = shown(y, x);
            wrong += fgetc(file) != want.red;
            wrong += fgetc(file) != want.green;
            wrong += fgetc(file) != want.blue;
        }
    wrong += fgetc(file) != EOF;
    fclose(file);
    return wrong;
}

/* Moves the band of this rank into tiles, which it writes; how many it could not goes to *unwritten. */
static int exchange_tiles(laconic_plan plan, laconic_exchange exchange, int rank, int ranks, const char* folder,
                          int* unwritten) {
    size_t in_pixels = 0, out_pixels = 0;
    const int code = laconic_exchange_elements(exchange, &in_pixels, &out_pixels);
    if (code != LACONIC_OK) return code;
    pixel* const band = malloc((in_pixels + 1) * sizeof *band);
    pixel* const tiles = malloc((out_pixels + 1) * sizeof *tiles);
    if (band == NULL || tiles == NULL) {
        free(band);
        free(tiles);
        return laconic_exchange_refuse_run(exchange, LACONIC_ERR_MEMORY, "no memory for a band or its tiles");
    }
    pixel* next = band;
    for (int64_t y = (int64_t)height * rank / ranks; y < (int64_t)height * (rank + 1) / ranks; ++y)
        for (int64_t x = 0; x < width; ++x) *next++ = shown(y, x);
    album all = {plan, folder, tiles, 0};
    const int done = laconic_exchange_run(exchange, band, in_pixels, tiles, out_pixels, write_tile, &all);
    *unwritten = all.unwritten;
    free(band);
    free(tiles);
    return done;
}

static int run(const char* folder) {
    int rank = 0, ranks = 1, unwritten = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t extents[] = {height, width}, bands[] = {ranks, 1}, size[] = {tile, tile};
    laconic_plan plan = LACONIC_PLAN_NULL;
    laconic_exchange exchange = LACONIC_EXCHANGE_NULL;
    int code = laconic_plan_regular(2, extents, ranks, bands, size, LACONIC_PLACE_GREEDY, 0, &plan);
    if (code == LACONIC_OK) code = laconic_exchange_make(plan, sizeof(pixel), 0, MPI_COMM_WORLD, NULL, &exchange);
    if (code == LACONIC_OK) code = exchange_tiles(plan, exchange, rank, ranks, folder, &unwritten);
    if (code != LACONIC_OK) fprintf(stderr, "tiles_c: rank %d: %s\n", rank, laconic_last_message());
    if (code == LACONIC_OK) {
        laconic_plan_figures figures;
        laconic_plan_describe(plan, &figures);
        MPI_Allreduce(MPI_IN_PLACE, &unwritten, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        int64_t wrong = 0;
        for (int32_t number = 0; rank == 0 && number < figures.patches; ++number)
            wrong += wrong_pixels(plan, folder, number);
        MPI_Bcast(&wrong, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%lld tiles, %.1f %% of the pixels changed rank, %d tiles not written, %lld bytes wrong\n",
                   (long long)figures.patches, 100.0 * (double)figures.moved_elements / (height * width), unwritten,
                   (long long)wrong);
        code = unwritten == 0 && wrong == 0 ? LACONIC_OK : LACONIC_ERR_IO;
    }
    laconic_exchange_free(&exchange);
    laconic_plan_free(&plan);
    return code == LACONIC_OK ? 0 : 1;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = argc == 2 ? run(argv[1]) : 2;
    if (code == 2) fputs("usage: tiles_c FOLDER\n", stderr);
    MPI_Finalize();
    return code;
}
