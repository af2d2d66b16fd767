/* SPDX-License-Identifier: BSD-3-Clause
   Ports and names: halves of the world connect and part again, names are published and asked for, two ranks join over a
   socket. Arguments say which: ports, names, join, refusals. Two ranks or more. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common.h"

static int rank, size;

/* The first accepts the last; beside that the even ranks accept, twice, and the odd ones connect. */
static void ports(void) {
    char port[MPI_MAX_PORT_NAME] = "";
    const int odd = rank % 2, others = odd ? (size + 1) / 2 : size / 2;
    int number, sum = 0, one = 1, remote;
    MPI_Comm half, between, together, pair = MPI_COMM_NULL;
    if (rank == 0 || rank == size - 1) {
        int out = rank, in = -1;
        if (rank == 0) {
            MPI_Open_port(MPI_INFO_NULL, port);
            MPI_Send(port, sizeof port, MPI_CHAR, size - 1, 1, MPI_COMM_WORLD);
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &pair);
            MPI_Close_port(port);
        } else {
            MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &pair);
        }
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 2, pair, MPI_STATUS_IGNORE);
        CHECK(in == size - 1 - rank);
    }
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    for (int turn = 0; turn < 2; ++turn) {
        if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (odd)
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
        else
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
        if (rank == 0) MPI_Close_port(port);
        MPI_Comm_remote_size(between, &remote);
        CHECK(remote == others);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between);
        CHECK(sum == others);
        MPI_Intercomm_merge(between, odd, &together);
        MPI_Comm_size(together, &number);
        CHECK(number == size);
        MPI_Bcast(&sum, 1, MPI_INT, size - 1, together);
        MPI_Comm_free(&together);
        MPI_Comm_disconnect(&between);
    }
    MPI_Comm_free(&half);
    if (pair != MPI_COMM_NULL) MPI_Comm_disconnect(&pair);
}

/* Where no name server runs the calls fail, and return. */
static void names(void) {
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    int published = 0, looked;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 0) {
        /* A name server takes any text for a port. */
        if (MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS) strcpy(port, "laconic-port");
        published = MPI_Publish_name("laconic-ocean", MPI_INFO_NULL, port) == MPI_SUCCESS;
    }
    MPI_Bcast(&published, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == size - 1) {
        looked = MPI_Lookup_name("laconic-ocean", MPI_INFO_NULL, found);
        CHECK((looked == MPI_SUCCESS) == published);
        if (published) CHECK(strcmp(found, port) == 0);
        CHECK(MPI_Lookup_name("laconic-nowhere", MPI_INFO_NULL, found) != MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        looked = MPI_Unpublish_name("laconic-ocean", MPI_INFO_NULL, port);
        CHECK((looked == MPI_SUCCESS) == published);
        MPI_Close_port(port);
    }
}

/* Where the MPI cannot reach processes that it did not start: it says so and goes on. */
static void refusals(void) {
    char port[MPI_MAX_PORT_NAME] = "laconic-port";
    char *no_arguments[] = {NULL}, *commands[2] = {"true", "true"}, **lists[2] = {no_arguments, no_arguments};
    const int each[2] = {1, 1};
    const MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    int error, both[2], ends[2];
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS);
    CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &none) != MPI_SUCCESS);
    CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &none) != MPI_SUCCESS);
    CHECK(MPI_Comm_spawn("true", no_arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &none, &error) != MPI_SUCCESS);
    CHECK(MPI_Comm_spawn_multiple(2, commands, lists, each, infos, 0, MPI_COMM_SELF, &none, both) != MPI_SUCCESS);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(MPI_Comm_join(ends[0], &none) != MPI_SUCCESS);
    close(ends[0]);
    close(ends[1]);
}

/* Ranks 0 and 1 over a socket with a name that the system forgets. */
static void join(void) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int number = (int)getpid(), end, in = -1;
    MPI_Comm between;
    if (rank > 1) return;
    if (rank == 0) {
        const int door = socket(AF_UNIX, SOCK_STREAM, 0);
        snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "laconic-join-%d", number);
        CHECK(bind(door, (struct sockaddr*)&at, sizeof at) == 0 && listen(door, 1) == 0);
        MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        end = accept(door, NULL, NULL);
        close(door);
    } else {
        MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "laconic-join-%d", number);
        end = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(connect(end, (struct sockaddr*)&at, sizeof at) == 0);
    }
    CHECK(end >= 0);
    MPI_Comm_join(end, &between);
    CHECK(between != MPI_COMM_NULL);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 2, between, MPI_STATUS_IGNORE);
    CHECK(in == 1 - rank);
    MPI_Comm_disconnect(&between);
    close(end);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "ports") == 0) ports();
        if (strcmp(argv[i], "names") == 0) names();
        if (strcmp(argv[i], "join") == 0) join();
        if (strcmp(argv[i], "refusals") == 0) refusals();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
