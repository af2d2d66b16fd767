/* SPDX-License-Identifier: BSD-3-Clause
   Questions to objects, and what is attached to them: infos, communicators with hints and between groups, attributes,
   windows, handlers of errors in files, statuses of the program's own, handles for Fortran. The argument names a file.
   Any number of ranks. */
#include "common.h"

static int rank, size, errors_seen, deletions;

static void infos(void) {
    MPI_Info info, twin;
    int count = -1, flag = -1, length = -1;
    char key[MPI_MAX_INFO_KEY + 1], value[32];
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "blue");
    MPI_Info_set(info, "form", "round");
    MPI_Info_dup(info, &twin);
    MPI_Info_delete(info, "colour");
    MPI_Info_get_nkeys(info, &count);
    CHECK(count == 1);
    MPI_Info_get_nthkey(info, 0, key);
    CHECK(strcmp(key, "form") == 0);
    MPI_Info_get_valuelen(twin, "colour", &length, &flag);
    CHECK(flag && length == 4);
    MPI_Info_get_valuelen(info, "colour", &length, &flag);
    CHECK(!flag);
#if MPI_VERSION >= 4
    length = sizeof value;
    MPI_Info_get_string(twin, "form", &length, value, &flag);
    CHECK(flag && length == 6 && strcmp(value, "round") == 0);
    length = 3; /* the terminator included */
    MPI_Info_get_string(twin, "form", &length, value, &flag);
    CHECK(flag && length == 6 && strcmp(value, "ro") == 0);
    length = 0; /* the length alone */
    MPI_Info_get_string(twin, "form", &length, value, &flag);
    CHECK(flag && length == 6);
    MPI_Info_get_string(info, "colour", &length, value, &flag);
    CHECK(!flag);
#else
    (void)value;
#endif
    MPI_Info_free(&twin);
    MPI_Info_free(&info);
}

static void communicators(void) {
    MPI_Info info, used;
    MPI_Comm twin, half, pair;
    MPI_Group others;
    int flag = -1, number = -1;
    MPI_Info_create(&info);
    MPI_Info_set(info, "laconic_test_hint", "kept");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &twin);
    MPI_Comm_set_info(twin, info);
    MPI_Comm_get_info(twin, &used);
    CHECK(used != MPI_INFO_NULL);
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    MPI_Comm_test_inter(twin, &flag);
    CHECK(!flag);
    if (size > 1) {
        MPI_Comm_split(twin, rank == 0, 0, &half);
        MPI_Intercomm_create(half, 0, twin, rank == 0, 3, &pair);
        MPI_Comm_test_inter(pair, &flag);
        MPI_Comm_remote_group(pair, &others);
        MPI_Group_size(others, &number);
        CHECK(flag && number == (rank == 0 ? size - 1 : 1));
        MPI_Group_free(&others);
        MPI_Comm_disconnect(&pair);
        MPI_Comm_free(&half);
    }
    MPI_Comm_disconnect(&twin);
    CHECK(twin == MPI_COMM_NULL);
    MPI_Comm_get_parent(&twin);
    CHECK(twin == MPI_COMM_NULL);
}

static int forget_type(MPI_Datatype type, int key, void* value, void* extra) {
    (void)type, (void)key, (void)value, (void)extra;
    return ++deletions, MPI_SUCCESS;
}

static int forget_window(MPI_Win window, int key, void* value, void* extra) {
    (void)window, (void)key, (void)value, (void)extra;
    return ++deletions, MPI_SUCCESS;
}

static void on_window_error(MPI_Win* window, int* code, ...) {
    (void)window, (void)code;
    ++errors_seen;
}

static void attributes_of_types(void) {
    MPI_Datatype pair;
    int key, number = 5, flag = -1, *found = NULL;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget_type, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, key, &number);
    MPI_Type_delete_attr(pair, key);
    MPI_Type_get_attr(pair, key, &found, &flag);
    CHECK(!flag && deletions == 1);
    MPI_Type_free(&pair);
    MPI_Type_free_keyval(&key);
}

static void questions_to_windows(MPI_Win window) {
    MPI_Group members, world;
    MPI_Info info;
    MPI_Errhandler own, found;
    int key, number = 5, flag = -1, equal = -1, length = -1, *value = NULL;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Win_get_group(window, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(members, world, &equal);
    CHECK(equal == MPI_IDENT);
    MPI_Group_free(&world);
    MPI_Group_free(&members);
    MPI_Win_get_info(window, &info);
    MPI_Win_set_info(window, info);
    MPI_Info_free(&info);
    MPI_Win_set_name(window, "numbers");
    MPI_Win_get_name(window, name, &length);
    CHECK(length == 7 && strcmp(name, "numbers") == 0);
    MPI_Win_create_errhandler(on_window_error, &own);
    MPI_Win_set_errhandler(window, own);
    MPI_Win_get_errhandler(window, &found);
    MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
    CHECK(errors_seen == 1);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&own);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_window, &key, NULL);
    MPI_Win_set_attr(window, key, &number);
    MPI_Win_delete_attr(window, key);
    MPI_Win_get_attr(window, key, &value, &flag);
    CHECK(!flag && deletions == 2);
    MPI_Win_free_keyval(&key);
}

static void windows(void) {
    const int left = (rank + size - 1) % size, right = (rank + 1) % size, one = 1;
    int *memory, flag = 0, old = -1, got = -1;
    MPI_Win window;
    MPI_Request request;
    MPI_Group world, before, behind;
    MPI_Win_allocate(1024 * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    questions_to_windows(window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memory[0] = 10 * rank, memory[1] = -1;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(old == 10 * right);
    MPI_Get(&got, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_flush_local(right, window);
    CHECK(got == 10 * right + 1);
    MPI_Win_unlock_all(window);
    /* Post, start, complete, and ask until everyone has come. */
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &before);
    MPI_Group_incl(world, 1, &right, &behind);
    MPI_Win_post(before, 0, window);
    MPI_Win_start(behind, 0, window);
    MPI_Put(&rank, 1, MPI_INT, right, 1, 1, MPI_INT, window);
    MPI_Win_complete(window);
    do MPI_Win_test(window, &flag);
    while (!flag);
    CHECK(memory[1] == left);
    MPI_Group_free(&behind);
    MPI_Group_free(&before);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}

static void on_file_error(MPI_File* file, int* code, ...) {
    (void)file, (void)code;
    ++errors_seen;
}

static int extent_in_file(MPI_Datatype type, MPI_Aint* extent, void* extra) {
    (void)extra;
    MPI_Aint low;
    return MPI_Type_get_extent(type, &low, extent);
}

static void files(const char* path) {
    MPI_File file;
    MPI_Errhandler own;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_create_errhandler(on_file_error, &own);
    MPI_File_set_errhandler(file, own);
    errors_seen = 0;
    MPI_File_call_errhandler(file, MPI_ERR_FILE);
    CHECK(errors_seen == 1);
    CHECK(MPI_File_seek(file, -8, MPI_SEEK_SET) != MPI_SUCCESS && errors_seen == 2);
    MPI_Errhandler_free(&own);
    MPI_File_close(&file);
    /* MPICH takes no functions that convert, Open MPI refuses the rest as well. */
    const int taken =
        MPI_Register_datarep("laconic", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_in_file, &rank);
    CHECK(MPI_Register_datarep("laconic", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_in_file, &rank) !=
          MPI_SUCCESS);
#ifdef OPEN_MPI
    (void)taken;
#else
    CHECK(taken == MPI_SUCCESS);
    CHECK(MPI_Register_datarep_c("laconic large", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, extent_in_file,
                                 &rank) == MPI_SUCCESS);
#endif
}

static void statuses(void) {
    MPI_Status status, back;
    MPI_Fint in_fortran[32];
    MPI_Count wide = -1;
    int out[3] = {rank, 1, 2}, in[4], count = -1, cancelled = -1;
    MPI_Sendrecv(out, 3, MPI_INT, 0, 5, in, 4, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
    MPI_Get_elements_x(&status, MPI_INT, &wide);
    CHECK(wide == 3);
    CHECK(sizeof status <= sizeof in_fortran);
    MPI_Status_c2f(&status, in_fortran);
    memset(&back, 0, sizeof back);
    MPI_Status_f2c(in_fortran, &back);
    MPI_Get_count(&back, MPI_INT, &count);
    CHECK(count == 3 && back.MPI_TAG == 5 && back.MPI_SOURCE == 0);
    MPI_Status_set_elements(&back, MPI_INT, 2);
    MPI_Get_elements(&back, MPI_INT, &count);
    CHECK(count == 2);
    MPI_Status_set_elements_x(&back, MPI_INT, 7);
    MPI_Status_set_cancelled(&back, 1);
    MPI_Test_cancelled(&back, &cancelled);
    CHECK(cancelled == 1);
    MPI_Status_set_cancelled(&back, 0);
    MPI_Get_elements_x(&back, MPI_INT, &wide);
    CHECK(wide == 7);
}

/* A persistent request, started alone. */
static void persistent(void) {
    int in = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Send_init(&rank, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
    for (int turn = 0; turn < 2; ++turn) {
        MPI_Start(&request);
        MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &status);
        CHECK(in == rank);
        MPI_Wait(&request, &status);
    }
    MPI_Request_free(&request);
}

/* There and back again. In MPICH most of these are macros. */
static void for_fortran(const char* path) {
    MPI_File file;
    MPI_Group world;
    MPI_Info info;
    MPI_Win window;
    MPI_Request request;
    MPI_Message message;
    int *memory, in = -1;
#define THERE_AND_BACK(kind, handle) CHECK(MPI_##kind##_f2c(MPI_##kind##_c2f(handle)) == (handle))
    THERE_AND_BACK(Comm, MPI_COMM_WORLD);
    THERE_AND_BACK(Errhandler, MPI_ERRORS_RETURN);
    THERE_AND_BACK(Op, MPI_SUM);
    THERE_AND_BACK(Type, MPI_DOUBLE);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    THERE_AND_BACK(Group, world);
    MPI_Group_free(&world);
    MPI_Info_create(&info);
    THERE_AND_BACK(Info, info);
    MPI_Info_free(&info);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    THERE_AND_BACK(Win, window);
    MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    THERE_AND_BACK(File, file);
    MPI_File_close(&file);
    MPI_Isend(&rank, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &request);
    THERE_AND_BACK(Request, request);
    MPI_Mprobe(0, 6, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    THERE_AND_BACK(Message, message);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == rank);
}

int main(int argc, char** argv) {
    int flag = -1;
    MPI_Initialized(&flag);
    CHECK(!flag);
    MPI_Init(&argc, &argv);
    CHECK(argc == 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Initialized(&flag);
    CHECK(flag);
    MPI_Finalized(&flag);
    CHECK(!flag);
    CHECK(MPI_Wtick() > 0 && MPI_Wtime() >= 0);
    MPI_Pcontrol(1);
    infos();
    communicators();
    attributes_of_types();
    windows();
    files(argv[1]);
    statuses();
    persistent();
    for_fortran(argv[1]);
    MPI_Finalize();
    MPI_Finalized(&flag);
    CHECK(flag);
    return 0;
}
