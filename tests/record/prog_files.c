/* SPDX-License-Identifier: BSD-3-Clause
   A file, which the argument names, in every way: at an offset, at the rank's own and at the shared pointer, alone and
   together, at once and begun, through views. What is read is checked. Any number of ranks. */
#include "common.h"

/* prog_large_files.c says it otherwise. */
#ifndef TYPE_EXTENT
#define TYPE_EXTENT MPI_Aint
#endif

static int rank, size, out[4], in[4];
static MPI_File file;
static MPI_Status status;

enum { bytes = sizeof out };

static void fill(int value) {
    for (int i = 0; i < 4; ++i) out[i] = value * 100 + rank, in[i] = -1;
}

static void check_ours(void) { CHECK(memcmp(in, out, bytes) == 0); }

/* The shared pointer gives any rank's numbers, of the same value. */
static void check_anyones(int value) { CHECK(in[0] / 100 == value && in[3] == in[0] && in[0] % 100 < size); }

static void all_see(void) {
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
}

static void at_offsets(void) {
    const MPI_Offset own = (MPI_Offset)rank * bytes;
    MPI_Request request;
    fill(1);
    MPI_File_write_at(file, own, out, 4, MPI_INT, &status);
    MPI_File_read_at(file, own, in, 4, MPI_INT, &status), check_ours();
    fill(2);
    MPI_File_write_at_all(file, own, out, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, own, in, 4, MPI_INT, &status), check_ours();
    fill(3);
    MPI_File_iwrite_at(file, own, out, 4, MPI_INT, &request), MPI_Wait(&request, &status);
    MPI_File_iread_at(file, own, in, 4, MPI_INT, &request), MPI_Wait(&request, &status), check_ours();
    fill(4);
    MPI_File_iwrite_at_all(file, own, out, 4, MPI_INT, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at_all(file, own, in, 4, MPI_INT, &request), MPI_Wait(&request, &status), check_ours();
    fill(5);
    MPI_File_write_at_all_begin(file, own, out, 4, MPI_INT), MPI_File_write_at_all_end(file, out, &status);
    MPI_File_read_at_all_begin(file, own, in, 4, MPI_INT), MPI_File_read_at_all_end(file, in, &status), check_ours();
}

static void back(MPI_Offset to) {
    MPI_Offset now = -1;
    MPI_File_seek(file, to, MPI_SEEK_SET);
    MPI_File_get_position(file, &now);
    CHECK(now == to);
}

static void at_own_pointers(void) {
    MPI_Offset now = -1, size_now = -1;
    MPI_Request request;
    const MPI_Offset own = (MPI_Offset)rank * bytes;
    fill(6);
    back(own), MPI_File_write(file, out, 4, MPI_INT, &status);
    MPI_File_seek(file, -(MPI_Offset)bytes, MPI_SEEK_CUR);
    MPI_File_read(file, in, 4, MPI_INT, &status), check_ours();
    fill(7);
    back(own), MPI_File_iwrite(file, out, 4, MPI_INT, &request), MPI_Wait(&request, &status);
    back(own), MPI_File_iread(file, in, 4, MPI_INT, &request), MPI_Wait(&request, &status), check_ours();
    fill(8);
    back(own), MPI_File_write_all(file, out, 4, MPI_INT, &status);
    back(own), MPI_File_read_all(file, in, 4, MPI_INT, &status), check_ours();
    fill(9);
    back(own), MPI_File_iwrite_all(file, out, 4, MPI_INT, &request), MPI_Wait(&request, &status);
    back(own), MPI_File_iread_all(file, in, 4, MPI_INT, &request), MPI_Wait(&request, &status), check_ours();
    fill(10);
    back(own), MPI_File_write_all_begin(file, out, 4, MPI_INT), MPI_File_write_all_end(file, out, &status);
    back(own), MPI_File_read_all_begin(file, in, 4, MPI_INT), MPI_File_read_all_end(file, in, &status), check_ours();
    all_see();
    MPI_File_get_size(file, &size_now);
    CHECK(size_now == (MPI_Offset)size * bytes);
    MPI_File_seek(file, 0, MPI_SEEK_END);
    MPI_File_get_position(file, &now);
    CHECK(now == size_now);
    /* Behind the end there is nothing to read. */
    int count = -1;
    MPI_File_read(file, in, 4, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void together_back(void) {
    MPI_Offset now = -1;
    all_see();
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_get_position_shared(file, &now);
    CHECK(now == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void at_the_shared_pointer(void) {
    MPI_Request request;
    fill(11);
    together_back(), MPI_File_write_shared(file, out, 4, MPI_INT, &status);
    together_back(), MPI_File_read_shared(file, in, 4, MPI_INT, &status), check_anyones(11);
    fill(12);
    together_back(), MPI_File_iwrite_shared(file, out, 4, MPI_INT, &request), MPI_Wait(&request, &status);
    together_back(), MPI_File_iread_shared(file, in, 4, MPI_INT, &request), MPI_Wait(&request, &status);
    check_anyones(12);
    fill(13);
    together_back(), MPI_File_write_ordered(file, out, 4, MPI_INT, &status);
    together_back(), MPI_File_read_ordered(file, in, 4, MPI_INT, &status), check_ours();
    fill(14);
    together_back(), MPI_File_write_ordered_begin(file, out, 4, MPI_INT),
        MPI_File_write_ordered_end(file, out, &status);
    together_back(), MPI_File_read_ordered_begin(file, in, 4, MPI_INT), MPI_File_read_ordered_end(file, in, &status);
    check_ours();
    all_see();
}

/* Every rank sees each size-th number only. */
static void through_views(void) {
    MPI_Datatype one, mine, etype, filetype;
    MPI_Offset start = -1, where = -1;
    TYPE_EXTENT extent = 0;
    char name[MPI_MAX_DATAREP_STRING];
    MPI_Type_contiguous(1, MPI_INT, &one);
    MPI_Type_create_resized(one, 0, (MPI_Aint)sizeof(int) * size, &mine);
    MPI_Type_commit(&mine);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * rank, MPI_INT, mine, "native", MPI_INFO_NULL);
    MPI_File_get_view(file, &start, &etype, &filetype, name);
    CHECK(start == (MPI_Offset)sizeof(int) * rank && strcmp(name, "native") == 0);
    MPI_Type_free(&filetype);
    MPI_File_get_type_extent(file, MPI_INT, &extent);
    CHECK(extent == sizeof(int));
    MPI_File_get_byte_offset(file, 2, &where);
    CHECK(where == (MPI_Offset)sizeof(int) * (rank + 2 * size));
    fill(15);
    MPI_File_write_all(file, out, 4, MPI_INT, &status);
    MPI_File_read_at_all(file, 0, in, 4, MPI_INT, &status), check_ours();
    all_see();
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at(file, size - 1, in, 1, MPI_INT, &status);
    CHECK(in[0] == 1500 + size - 1);
    MPI_Type_free(&mine);
    MPI_Type_free(&one);
}

static void facts(void) {
    int mode = 0, equal = 0, atomic = -1;
    MPI_Group of_file, world;
    MPI_Info info;
    MPI_File_get_amode(file, &mode);
    CHECK(mode == (MPI_MODE_RDWR | MPI_MODE_CREATE));
    MPI_File_get_group(file, &of_file);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(of_file, world, &equal);
    CHECK(equal == MPI_IDENT);
    MPI_Group_free(&world);
    MPI_Group_free(&of_file);
    MPI_File_get_info(file, &info);
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    MPI_File_get_atomicity(file, &atomic);
    CHECK(atomic == 0);
    MPI_File_preallocate(file, (MPI_Offset)size * 2 * bytes);
    MPI_Offset now = -1;
    MPI_File_get_size(file, &now);
    CHECK(now >= (MPI_Offset)size * 2 * bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_size(file, 0);
    MPI_Errhandler handler;
    MPI_File_get_errhandler(file, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    facts();
    at_offsets();
    at_own_pointers();
    at_the_shared_pointer();
    through_views();
    MPI_File_close(&file);
    CHECK(file == MPI_FILE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CHECK(MPI_File_delete(argv[1], MPI_INFO_NULL) == MPI_SUCCESS);
        CHECK(MPI_File_delete(argv[1], MPI_INFO_NULL) != MPI_SUCCESS);
    }
    MPI_Finalize();
    return 0;
}
