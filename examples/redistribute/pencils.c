/* SPDX-License-Identifier: BSD-3-Clause
 * The Fourier transform of pencils.cpp, from C: a plane wave in blocks flows in, blocks become pencils along the last
 * dimension, those become pencils along the middle one, and so on; between two exchanges every rank transforms its own
 * lines. The result is one peak, at the wave's own number; every rank compares what it holds, and counts it.
 *
 * usage: mpiexec -n 4 pencils_c-<flavour> */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "laconic/laconic.h"

typedef double complex number;

enum { dimensions = 3, side = 4, most_boxes = side * side, longest = 20 };
static const int64_t extents[dimensions] = {12, 18, longest}, wave[dimensions] = {5, 3, 7};

/* Which rank holds which box, as laconic_plan_request takes it. */
typedef struct {
    size_t boxes; /* 0: even blocks, which nobody has to list */
    int32_t ranks[most_boxes];
    int64_t lower[most_boxes * dimensions], upper[most_boxes * dimensions];
} holding;

/* The numbers of a rank, one box or pencil behind the other. */
typedef struct {
    size_t count;
    number* values;
} numbers;

static number turned(double turns) {
    const double turn = 6.283185307179586;
    return cexp(turn * turns * I);
}

/* The value of the wave, or of its transform, at a place. */
static number wave_at(int64_t x, int64_t y, int64_t z) {
    return turned((double)(wave[0] * x) / (double)extents[0] + (double)(wave[1] * y) / (double)extents[1] +
                  (double)(wave[2] * z) / (double)extents[2]);
}
static number peak_at(int64_t x, int64_t y, int64_t z) {
    const int there = x == wave[0] && y == wave[1] && z == wave[2];
    return there ? (double)(extents[0] * extents[1] * extents[2]) : 0;
}

/* The discrete Fourier transform of `count` numbers, `stride` apart. */
static void transform(number* line, int64_t count, int64_t stride) {
    number result[longest];
    for (int64_t k = 0; k < count; ++k) {
        result[k] = 0;
        for (int64_t i = 0; i < count; ++i)
            result[k] += line[i * stride] * turned(-(double)(i * k % count) / (double)count);
    }
    for (int64_t k = 0; k < count; ++k) line[k * stride] = result[k];
}

/* What transform_pencil() needs to know. */
typedef struct {
    laconic_plan plan;
    number* pencils;
    int along;
} work;

/* Each pencil is transformed as soon as it is complete, while others are on their way. */
static void transform_pencil(void* user, const laconic_ready_patch* ready) {
    const work* const mine = user;
    int64_t lower[dimensions], upper[dimensions];
    laconic_plan_patch(mine->plan, ready->patch, lower, upper);
    const int64_t size[dimensions] = {upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]};
    const int64_t stride[dimensions] = {size[1] * size[2], size[2], 1};
    const int a = mine->along == 0 ? 1 : 0, b = mine->along == 2 ? 1 : 2;
    for (int64_t i = 0; i < size[a]; ++i)
        for (int64_t j = 0; j < size[b]; ++j)
            transform(&mine->pencils[ready->offset] + i * stride[a] + j * stride[b], size[mine->along],
                      stride[mine->along]);
}

/* Pencils: whole along one dimension, and together at least as many as ranks, up to most_boxes. */
static int plan_pencils(const holding* now, int ranks, int along, laconic_plan* plan) {
    int64_t counts[dimensions] = {side, side, side};
    counts[along] = 1;
    laconic_plan_request request = {.dimensions = dimensions,
                                    .extents = extents,
                                    .ranks = ranks,
                                    .patches = counts,
                                    .placement = LACONIC_PLACE_OPTIMAL};
    if (now->boxes > 0) {
        request.boxes = now->boxes;
        request.box_ranks = now->ranks;
        request.lower = now->lower;
        request.upper = now->upper;
    }
    return laconic_plan_make(&request, plan);
}

/* What the ranks hold when a plan has been carried out. */
static int after(laconic_plan plan, holding* then) {
    const int32_t* owners = NULL;
    int code = laconic_plan_owners(plan, &owners, &then->boxes);
    for (size_t i = 0; code == LACONIC_OK && i < then->boxes; ++i) {
        then->ranks[i] = owners[i];
        code = laconic_plan_patch(plan, (int32_t)i, &then->lower[i * dimensions], &then->upper[i * dimensions]);
    }
    return code;
}

/* The block of this rank of the wave. */
static int begin(laconic_plan plan, int rank, numbers* block) {
    int64_t lower[dimensions], upper[dimensions];
    size_t boxes = 0;
    const int code = laconic_plan_boxes_of(plan, rank, lower, upper, 1, &boxes);
    if (code != LACONIC_OK) return code;
    block->count = (size_t)((upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2]));
    block->values = malloc(block->count * sizeof *block->values);
    if (block->values == NULL) return LACONIC_ERR_MEMORY;
    number* next = block->values;
    for (int64_t x = lower[0]; x < upper[0]; ++x)
        for (int64_t y = lower[1]; y < upper[1]; ++y)
            for (int64_t z = lower[2]; z < upper[2]; ++z) *next++ = wave_at(x, y, z);
    return LACONIC_OK;
}

/* Moves what a rank has into pencils and transforms them. The new numbers take the place of the old ones. */
static int move(laconic_plan plan, laconic_exchange exchange, int rank, int along, numbers* mine) {
    numbers pencils = {0, NULL};
    size_t needed = 0;
    int code = laconic_exchange_elements(exchange, &needed, &pencils.count);
    if (code == LACONIC_OK && mine->values == NULL) code = begin(plan, rank, mine);
    if (code == LACONIC_OK && needed != mine->count) code = LACONIC_ERR_MISMATCH;
    if (code == LACONIC_OK && (pencils.values = malloc((pencils.count + 1) * sizeof *pencils.values)) == NULL)
        code = LACONIC_ERR_MEMORY;
    if (code != LACONIC_OK) return laconic_exchange_refuse_run(exchange, code, "no numbers to move");
    /* What does not arrive is noticed. */
    for (size_t i = 0; i < pencils.count; ++i) pencils.values[i] = NAN;
    work todo = {plan, pencils.values, along};
    code = laconic_exchange_run(exchange, mine->values, mine->count, pencils.values, pencils.count, transform_pencil,
                                &todo);
    free(mine->values);
    *mine = pencils;
    return code;
}

static int step(holding* now, int rank, int ranks, int along, numbers* mine) {
    laconic_plan plan = LACONIC_PLAN_NULL;
    laconic_exchange exchange = LACONIC_EXCHANGE_NULL;
    laconic_plan_figures figures;
    int code = plan_pencils(now, ranks, along, &plan);
    if (code == LACONIC_OK) code = laconic_exchange_make(plan, sizeof(number), 0, MPI_COMM_WORLD, NULL, &exchange);
    if (code == LACONIC_OK) code = move(plan, exchange, rank, along, mine);
    if (code == LACONIC_OK) code = laconic_plan_describe(plan, &figures);
    if (code == LACONIC_OK) code = after(plan, now);
    if (code != LACONIC_OK) fprintf(stderr, "pencils_c: rank %d: %s\n", rank, laconic_last_message());
    if (code == LACONIC_OK && rank == 0)
        printf("pencils along dimension %d: %.1f %% of the numbers change rank\n", along,
               100.0 * (double)figures.moved_elements / (double)figures.elements);
    laconic_exchange_free(&exchange);
    laconic_plan_free(&plan);
    return code;
}

/* The numbers of this rank that are not what they should be; a NaN is one of them. How many there are goes to *seen. */
static int64_t wrong_numbers(const holding* now, int rank, const numbers* mine, int64_t* seen) {
    int64_t wrong = 0;
    *seen = 0;
    for (size_t i = 0; i < now->boxes; ++i) {
        if (now->ranks[i] != rank) continue;
        const int64_t *lower = &now->lower[i * dimensions], *upper = &now->upper[i * dimensions];
        for (int64_t x = lower[0]; x < upper[0]; ++x)
            for (int64_t y = lower[1]; y < upper[1]; ++y)
                for (int64_t z = lower[2]; z < upper[2]; ++z, ++*seen)
                    if ((size_t)*seen >= mine->count || !(cabs(mine->values[*seen] - peak_at(x, y, z)) < 1e-8)) ++wrong;
    }
    return wrong + (*seen != (int64_t)mine->count);
}

static int run(void) {
    int rank = 0, ranks = 1, code = LACONIC_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    holding now = {0};
    numbers mine = {0, NULL};
    for (int along = dimensions - 1; along >= 0 && code == LACONIC_OK; --along)
        code = step(&now, rank, ranks, along, &mine);
    if (code == LACONIC_OK) {
        int64_t found[2];
        found[0] = wrong_numbers(&now, rank, &mine, &found[1]);
        MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) printf("%lld numbers, %lld wrong\n", (long long)found[1], (long long)found[0]);
        if (found[0] != 0 || found[1] != extents[0] * extents[1] * extents[2]) code = LACONIC_ERR_CORRUPT;
    }
    free(mine.values);
    return code == LACONIC_OK ? 0 : 1;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = run();
    MPI_Finalize();
    return code;
}
