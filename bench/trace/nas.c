/* SPDX-License-Identifier: BSD-3-Clause
   The communication of NAS BT and SP (NPB 3.3, MPI), class S, without their arithmetic: the same sequence of MPI calls
   with the same sizes, partners, tags and requests. A square number of ranks; the argument says which, bt or sp.
   Rank 0 prints nothing: the trace is the result.

   The grid of 12^3 points is cut into q^3 cells (q = sqrt(ranks)); each rank has q of them, on a diagonal, so that in
   every direction it has one predecessor and one successor. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { points = 12, most_cells = 8, east = 2000, west = 3000, south = 4000, north = 5000, bottom = 6000, top = 7000 };

static int rank, q, is_sp;
static int coord[most_cells][3], extent[most_cells][3], slice[3][most_cells];
static int before[3], after[3];      /* ranks: predecessor and successor per direction */
static int face_count[6], place[12]; /* per side, in the order of sides below; then where it is sent and received */
static double out[1 << 16], in[1 << 16];
static MPI_Comm setup, solve, rhs;

/* Sides in the order of the benchmark's arrays: east, west, north, south, top, bottom. */
static int direction_of(int side) { return side / 2; }
static int is_forward(int side) { return side % 2 == 0; }

static void make_cells(void) {
    for (int c = 0; c < q; ++c) {
        coord[c][0] = (rank % q + c) % q;
        coord[c][1] = (rank / q - c + q) % q;
        coord[c][2] = c;
        for (int d = 0; d < 3; ++d) {
            slice[d][coord[c][d]] = c;
            extent[c][d] = points / q + (coord[c][d] < points % q);
        }
    }
    const int i = rank % q, j = rank / q, left = (i + q - 1) % q, right = (i + 1) % q, up = (j + 1) % q,
              down = (j + q - 1) % q;
    before[0] = left + q * j;
    after[0] = right + q * j;
    before[1] = i + q * down;
    after[1] = i + q * up;
    before[2] = right + q * down;
    after[2] = left + q * up;
}

static void make_faces(void) {
    for (int side = 0; side < 6; ++side) {
        const int d = direction_of(side), edge = is_forward(side) ? q - 1 : 0;
        for (int c = 0; c < q; ++c)
            if (coord[c][d] != edge) face_count[side] += extent[c][(d + 1) % 3] * extent[c][(d + 2) % 3] * 5 * 2;
    }
    static const int in_order[6] = {1, 0, 3, 2, 5, 4}; /* west first */
    for (int to = 0; to < 2; ++to)
        for (int k = 0, at = 0; k < 6; at += face_count[in_order[k++]]) place[6 * to + in_order[k]] = at;
}

static void copy_faces(void) {
    static const int tags[6] = {east, west, north, south, top, bottom};
    MPI_Request requests[12];
    MPI_Status statuses[12];
    if (q == 1) return;
    for (int side = 0; side < 6; ++side) {
        const int* partner = is_forward(side) ? after : before;
        MPI_Irecv(in + place[6 + side], face_count[side], MPI_DOUBLE, partner[direction_of(side)], tags[side ^ 1], rhs,
                  &requests[side]);
    }
    for (int side = 0; side < 6; ++side) {
        const int* partner = is_forward(side) ? after : before;
        MPI_Isend(out + place[side], face_count[side], MPI_DOUBLE, partner[direction_of(side)], tags[side], rhs,
                  &requests[6 + side]);
    }
    MPI_Waitall(12, requests, statuses);
}

/* The tag of a cell in a sweep of BT: its place across the direction. */
static int cell_tag(int base, int d, int c) {
    const int across = d == 0 ? 1 : 0, other = d == 2 ? 1 : 2;
    return base + coord[c][across] + coord[c][other] * q;
}

static void solve_bt(int d) {
    static const int forth[3] = {west, south, bottom}, back[3] = {east, north, top};
    const int width = points / q + 1, count = width * width * 5, count_forth = width * width * 30;
    MPI_Request send, receive;
    MPI_Status status;
    for (int stage = 0; stage < q; ++stage) {
        const int c = slice[d][stage];
        if (stage > 0) {
            MPI_Irecv(out, count_forth, MPI_DOUBLE, before[d], cell_tag(forth[d], d, c), solve, &receive);
            MPI_Wait(&send, &status);
            MPI_Wait(&receive, &status);
        }
        if (stage < q - 1) MPI_Isend(in, count_forth, MPI_DOUBLE, after[d], cell_tag(forth[d], d, c), solve, &send);
    }
    for (int stage = q - 1; stage >= 0; --stage) {
        const int c = slice[d][stage];
        if (stage < q - 1) {
            MPI_Irecv(out, count, MPI_DOUBLE, after[d], cell_tag(back[d], d, c), solve, &receive);
            MPI_Wait(&send, &status);
            MPI_Wait(&receive, &status);
        }
        if (stage > 0) MPI_Isend(in, count, MPI_DOUBLE, before[d], cell_tag(back[d], d, c), solve, &send);
    }
}

/* The inner points of a cell's face across direction d. */
static int inner_face(int d, int c) {
    int area = 1;
    for (int other = 0; other < 3; ++other)
        if (other != d) area *= extent[c][other] - (coord[c][other] == 0) - (coord[c][other] == q - 1);
    return area;
}

static void solve_sp(int d) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int stage = 0; stage < q; ++stage) {
        const int count = 22 * inner_face(d, slice[d][stage]);
        if (stage > 0) {
            MPI_Irecv(in, count, MPI_DOUBLE, before[d], 0, solve, &requests[0]);
            MPI_Waitall(2, requests, statuses);
        }
        if (stage < q - 1) MPI_Isend(out, count, MPI_DOUBLE, after[d], 0, solve, &requests[1]);
    }
    for (int stage = q - 1; stage >= 0; --stage) {
        const int count = 10 * inner_face(d, slice[d][stage]);
        if (stage < q - 1) {
            MPI_Irecv(in, count, MPI_DOUBLE, after[d], 0, solve, &requests[0]);
            MPI_Waitall(2, requests, statuses);
        }
        if (stage > 0) MPI_Isend(out, count, MPI_DOUBLE, before[d], 0, solve, &requests[1]);
    }
}

static void adi(void) {
    copy_faces();
    for (int d = 0; d < 3; ++d)
        if (is_sp)
            solve_sp(d);
        else
            solve_bt(d);
}

int main(int argc, char** argv) {
    int size, active, niter, grid[3] = {points, points, points}, interval = 0;
    double dt = 0.01, norms[5] = {0}, sums[5], seconds = 0, slowest;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_sp = argc == 2 && strcmp(argv[1], "sp") == 0;
    while ((q + 1) * (q + 1) <= size) ++q;
    if (argc != 2 || (!is_sp && strcmp(argv[1], "bt") != 0) || q * q != size || q > most_cells) {
        fprintf(stderr, "usage: nas bt|sp, on 1, 4, 9, ... 64 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &setup);
    MPI_Comm_size(setup, &active);
    MPI_Comm_dup(setup, &solve);
    MPI_Comm_dup(setup, &rhs);
    niter = is_sp ? 100 : 60;
    MPI_Bcast(&niter, 1, MPI_INT, 0, setup);
    MPI_Bcast(&dt, 1, MPI_DOUBLE, 0, setup);
    MPI_Bcast(grid, 3, MPI_INT, 0, setup);
    if (!is_sp) MPI_Bcast(&interval, 1, MPI_INT, 0, setup);
    make_cells();
    make_faces();
    adi(); /* to warm up */
    MPI_Barrier(setup);
    for (int step = 0; step < niter; ++step) adi();
    MPI_Allreduce(norms, sums, 5, MPI_DOUBLE, MPI_SUM, setup); /* the error norm */
    copy_faces();
    MPI_Allreduce(norms, sums, 5, MPI_DOUBLE, MPI_SUM, setup); /* the norm of the right hand side */
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, setup);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
