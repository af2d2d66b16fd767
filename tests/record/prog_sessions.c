/* SPDX-License-Identifier: BSD-3-Clause
   Sessions: what they know of process sets, their handlers of errors, communicators made of groups of theirs; infos
   before any of them. Any number of ranks. */
#include "common.h"

static int rank, size, errors_seen;

static void on_error(MPI_Session* session, int* code, ...) {
    (void)session, (void)code;
    ++errors_seen;
}

static void infos_of(int argc, char** argv) {
    MPI_Info info;
    char value[256];
    int length = sizeof value, flag = -1, count = -1;
    MPI_Info_create_env(argc, argv, &info);
    MPI_Info_get_nkeys(info, &count);
    CHECK(count >= 0);
    MPI_Info_get_string(info, "command", &length, value, &flag);
    MPI_Info_free(&info);
}

static void process_sets(MPI_Session session) {
    int count = -1, length, flag = -1, worlds = 0;
    char name[MPI_MAX_PSET_NAME_LEN], text[32];
    MPI_Info info;
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    CHECK(count >= 2);
    for (int i = 0; i < count; ++i) {
        length = 0; /* the length alone */
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
        CHECK(length > 0 && length <= (int)sizeof name);
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        CHECK((int)strlen(name) + 1 == length);
        if (strcmp(name, "mpi://WORLD") == 0) ++worlds;
        MPI_Session_get_pset_info(session, name, &info);
        length = sizeof text;
        MPI_Info_get_string(info, "mpi_size", &length, text, &flag);
        if (strcmp(name, "mpi://SELF") == 0) CHECK(flag && strcmp(text, "1") == 0);
        MPI_Info_free(&info);
    }
    CHECK(worlds == 1);
}

static void error_handlers(MPI_Session session) {
    MPI_Errhandler own, found;
    MPI_Session_create_errhandler(on_error, &own);
    MPI_Session_set_errhandler(session, own);
    MPI_Session_get_errhandler(session, &found);
    CHECK(found == own);
    MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
    CHECK(errors_seen == 1);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&own);
}

/* The first rank on one side, the others on the other. */
static void between_groups(MPI_Group world, MPI_Comm comm) {
    const int first[1] = {0};
    MPI_Group one, rest;
    MPI_Comm between;
    int sum = 0, number = -1;
    if (size == 1) return;
    MPI_Group_incl(world, 1, first, &one);
    MPI_Group_excl(world, 1, first, &rest);
    MPI_Intercomm_create_from_groups(rank == 0 ? one : rest, 0, rank == 0 ? rest : one, 0, "laconic.between",
                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &between);
    MPI_Comm_remote_size(between, &number);
    CHECK(number == (rank == 0 ? size - 1 : 1));
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between);
    CHECK(sum == (rank == 0 ? size * (size - 1) / 2 : 0));
    MPI_Comm_free(&between);
    MPI_Group_free(&rest);
    MPI_Group_free(&one);
    MPI_Barrier(comm);
}

int main(int argc, char** argv) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    infos_of(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_info(session, &info);
    MPI_Info_free(&info);
    process_sets(session);
    error_handlers(session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "laconic.sessions", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    between_groups(group, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    CHECK(session == MPI_SESSION_NULL);
    infos_of(argc, argv);
    MPI_Finalize();
    return 0;
}
