/* SPDX-License-Identifier: BSD-3-Clause
   Races of Wait and Test, requests of the program's own, buffered and ready sends, error handlers that return,
   attributes of datatypes and windows, names, environment. Any number of ranks. */
#include "common.h"

enum { each = 6 };

static int rank, size, errors_seen, deletions;

/* Everyone sends to everyone, and takes what comes first, by every call that waits or tests. */
static void races(void) {
    const int count = each * size;
    MPI_Request *requests = malloc(2 * (size_t)count * sizeof *requests), *receives = requests + count;
    MPI_Status* statuses = malloc(2 * (size_t)count * sizeof *statuses);
    int *in = malloc((size_t)count * sizeof *in), *indices = malloc(2 * (size_t)count * sizeof *indices);
    int done, flag, index, left = 2 * count;
    for (int i = 0; i < count; ++i)
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i % each, MPI_COMM_WORLD, &receives[i]);
    for (int i = 0; i < count; ++i)
        MPI_Isend(&rank, 1, MPI_INT, (rank + i / each) % size, i % each, MPI_COMM_WORLD, &requests[i]);
    while (left > count) {
        MPI_Waitany(2 * count, requests, &index, &statuses[0]);
        CHECK(index != MPI_UNDEFINED);
        --left;
        if (left == count) break;
        MPI_Testany(2 * count, requests, &index, &flag, &statuses[0]);
        if (flag && index != MPI_UNDEFINED) --left;
    }
    for (int turn = 0; left > each; ++turn) {
        if (turn % 2 == 0)
            MPI_Testsome(2 * count, requests, &done, indices, statuses);
        else
            MPI_Waitsome(2 * count, requests, &done, indices, statuses);
        if (done != MPI_UNDEFINED) left -= done;
    }
    for (int i = 0; i < 2 * count; ++i)
        if (i % 2 == 0 && requests[i] != MPI_REQUEST_NULL) do
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
            while (!flag);
    MPI_Waitall(2 * count, requests, statuses);
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += in[i];
    CHECK(sum == each * size * (size - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD); /* before anyone sends what these receives would take */
    free(indices);
    free(in);
    free(statuses);
    free(requests);
}

static void modes(void) {
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    const size_t room = 256 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room), *back;
    int out = rank, in = -1, bytes, flag;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Buffer_attach(buffer, (int)room);
    MPI_Bsend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    CHECK(in == left);
    MPI_Buffer_detach(&back, &bytes);
    CHECK(back == buffer && bytes == (int)room);
    free(buffer);
    MPI_Irecv(&in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD); /* the receive is there: the send may be ready */
    MPI_Rsend(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Request_get_status(requests[0], &flag, &status);
    MPI_Wait(&requests[0], &status);
    MPI_Isend(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[0]);
    do MPI_Iprobe(left, 3, MPI_COMM_WORLD, &flag, &status);
    while (!flag);
    MPI_Message message;
    do MPI_Improbe(left, 3, MPI_COMM_WORLD, &flag, &message, &status);
    while (!flag);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    /* A request that nobody waits for. */
    MPI_Isend(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Recv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int query(void* state, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_INT, *(int*)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void* state) { return (void)state, MPI_SUCCESS; }
static int cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static void own_requests(void) {
    int three = 3, count;
    MPI_Request request;
    MPI_Status status;
    MPI_Grequest_start(query, release, cancel, &three, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    CHECK(count == 3);
}

static void on_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++errors_seen;
}
static void on_window_error(MPI_Win* window, int* code, ...) {
    (void)window, (void)code;
    ++errors_seen;
}

static void error_handlers(void) {
    MPI_Errhandler own, of_windows, found;
    MPI_Comm copy;
    int class, code, number = 0, length, out = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_errhandler(on_error, &own);
    MPI_Comm_set_errhandler(copy, own);
    CHECK(MPI_Send(&out, 1, MPI_INT, size + 7, 1, copy) != MPI_SUCCESS && errors_seen == 1);
    CHECK(MPI_Bcast(&out, -1, MPI_INT, 0, copy) != MPI_SUCCESS && errors_seen == 2);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "of the program");
    MPI_Comm_call_errhandler(copy, code);
    CHECK(errors_seen == 3);
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "of the program") == 0);
    MPI_Error_class(code, &number);
    CHECK(number == class);
    MPI_Comm_get_errhandler(copy, &found);
    MPI_Errhandler_free(&found);
    MPI_Comm_free(&copy);
    MPI_Win window;
    int* memory;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_create_errhandler(on_window_error, &of_windows);
    MPI_Win_set_errhandler(window, of_windows);
    MPI_Win_call_errhandler(window, code);
    CHECK(errors_seen == 4);
    MPI_Win_free(&window);
    MPI_Errhandler_free(&of_windows);
    MPI_Errhandler_free(&own);
}

static int forget_type(MPI_Datatype type, int key, void* value, void* extra) {
    (void)type, (void)key, (void)value, (void)extra;
    return ++deletions, MPI_SUCCESS;
}
static int forget_window(MPI_Win window, int key, void* value, void* extra) {
    (void)window, (void)key, (void)value, (void)extra;
    return ++deletions, MPI_SUCCESS;
}

static void attributes(void) {
    MPI_Datatype pair, copy;
    MPI_Win window;
    int of_types, of_windows, number = 5, flag, *found, *memory, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, forget_type, &of_types, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, of_types, &number);
    MPI_Type_dup(pair, &copy);
    MPI_Type_get_attr(copy, of_types, &found, &flag);
    CHECK(flag && found == &number);
    MPI_Type_set_name(pair, "a pair");
    MPI_Type_get_name(pair, name, &length);
    CHECK(strcmp(name, "a pair") == 0);
    MPI_Type_free(&copy);
    MPI_Type_free(&pair);
    MPI_Type_free_keyval(&of_types);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_window, &of_windows, NULL);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_attr(window, of_windows, &number);
    MPI_Win_free(&window);
    MPI_Win_free_keyval(&of_windows);
    CHECK(deletions == 3);
}

static void environment(void) {
    int version, subversion, length, flag, level;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_version(&version, &subversion);
    CHECK(version >= 3);
    MPI_Get_library_version(text, &length);
    MPI_Get_processor_name(text, &length);
    MPI_Is_thread_main(&flag);
    MPI_Query_thread(&level);
    CHECK(flag && MPI_Wtick() > 0);
    MPI_Comm_set_name(MPI_COMM_WORLD, "the world");
    MPI_Comm_get_name(MPI_COMM_WORLD, text, &length);
    CHECK(strcmp(text, "the world") == 0);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    int variables;
    MPI_T_cvar_get_num(&variables);
    CHECK(variables >= 0);
    MPI_T_finalize();
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    races();
    modes();
    own_requests();
    error_handlers();
    attributes();
    environment();
    MPI_Finalize();
    return 0;
}
