/* SPDX-License-Identifier: BSD-3-Clause
   What later versions of the standard replaced: attributes and keys of MPI 1, and, where mpi.h still has them, its
   error handlers, addresses and datatypes. Any number of ranks. */
#include "common.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int copies, deletions;

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)key;
    CHECK(extra == &copies);
    *(void**)out = in;
    *flag = 1;
    return ++copies, MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return ++deletions, MPI_SUCCESS;
}

static void attributes(void) {
    int key = MPI_KEYVAL_INVALID, flag = -1, number = 7, *found = NULL, *most = NULL;
    MPI_Comm twin;
    MPI_Keyval_create(copy, forget, &key, &copies);
    MPI_Attr_get(MPI_COMM_WORLD, key, &found, &flag);
    CHECK(!flag);
    MPI_Attr_put(MPI_COMM_WORLD, key, &number);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Attr_get(twin, key, &found, &flag);
    CHECK(flag && found == &number && copies == 1);
    MPI_Comm_free(&twin);
    MPI_Attr_delete(MPI_COMM_WORLD, key);
    MPI_Attr_get(MPI_COMM_WORLD, key, &found, &flag);
    CHECK(!flag && deletions == 2);
    MPI_Keyval_free(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
    CHECK(flag && *most >= 32767);
}

#ifndef OPEN_MPI
static int errors_seen;

static void on_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++errors_seen;
}

static void error_handlers(void) {
    MPI_Errhandler own, found;
    MPI_Comm twin;
    int out = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Errhandler_create(on_error, &own);
    MPI_Errhandler_set(twin, own);
    CHECK(MPI_Bcast(&out, -1, MPI_INT, 0, twin) != MPI_SUCCESS && errors_seen == 1);
    MPI_Errhandler_get(twin, &found);
    CHECK(found == own);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_set(twin, MPI_ERRORS_RETURN);
    CHECK(MPI_Bcast(&out, -1, MPI_INT, 0, twin) != MPI_SUCCESS && errors_seen == 1);
    MPI_Errhandler_free(&own);
    MPI_Comm_free(&twin);
}

/* One of these goes to itself; `first` and `behind` are its bounds. */
static void made(MPI_Datatype type, int bytes, MPI_Aint first, MPI_Aint behind) {
    static char out[256], in[256];
    MPI_Aint low = -1, high = -1, extent = -1;
    int count = -1;
    MPI_Status status;
    MPI_Type_commit(&type);
    MPI_Type_lb(type, &low);
    MPI_Type_ub(type, &high);
    MPI_Type_extent(type, &extent);
    CHECK(low == first && high == behind && extent == behind - first);
    MPI_Sendrecv(out, 1, type, 0, 1, in, 1, type, 0, 1, MPI_COMM_SELF, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == bytes);
    MPI_Type_free(&type);
}

static void datatypes(void) {
    struct {
        int number;
        double pair[2];
    } record;
    MPI_Aint base = 0, places[2] = {0, 0}, apart[2] = {8, 64};
    MPI_Datatype type, types[2] = {MPI_INT, MPI_DOUBLE};
    int lengths[2] = {1, 2};
    MPI_Address(&record, &base);
    MPI_Address(record.pair, &places[1]);
    places[1] -= base;
    CHECK(places[1] == 8);
    MPI_Type_struct(2, lengths, places, types, &type), made(type, 20, 0, sizeof record);
    MPI_Type_hvector(3, 2, 24, MPI_FLOAT, &type), made(type, 24, 0, 56);
    MPI_Type_hindexed(2, lengths, apart, MPI_INT, &type), made(type, 12, 8, 72);
}
#endif

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    attributes();
#ifndef OPEN_MPI
    error_handlers();
    datatypes();
#endif
    MPI_Finalize();
    return 0;
}
