/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded into every rank of an emulated network. Flows in: the MPI library's polls of its sockets. Flows out: the
 * same answers, but a rank that has found nothing several times in a row sleeps in the kernel until something
 * arrives, so that ranks which wait leave the shared processors to ranks which work. It also carries a way around a
 * hang in MPI_Finalize. Controlled by LACONIC_NETBED_IDLE and LACONIC_NETBED_UCX, which netbed sets. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    patience = 8,                 /* empty polls in a row before the first nap */
    same_wait_ns = 30 * 1000,     /* polls further apart than this have work between them: no nap */
    longest_nap_ns = 1000 * 1000, /* other queues (timers, memory) still get their turn */
};

static bool naps_allowed;
static _Thread_local int empty_polls;
static _Thread_local int64_t last_poll_ns;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((constructor)) static void read_settings(void) {
    naps_allowed = getenv("LACONIC_NETBED_IDLE") != NULL;
    /* By default the kernel may lengthen a nap by 50 us. */
    if (naps_allowed) prctl(PR_SET_TIMERSLACK, 1000UL);
}

/* True when this empty poll is one of many in a row. */
static bool time_to_nap(void) {
    const int64_t now = now_ns();
    empty_polls = now - last_poll_ns > same_wait_ns ? 1 : empty_polls + 1;
    last_poll_ns = now;
    return naps_allowed && empty_polls > patience;
}

/* Sleeps until one of the files is ready, the longest nap at most; true when one is. */
static bool nap(struct pollfd* files, nfds_t count) {
    const struct timespec longest = {0, longest_nap_ns};
    const int ready = ppoll(files, count, &longest, NULL);
    last_poll_ns = now_ns();
    if (ready > 0) empty_polls = 0;
    return ready > 0;
}

typedef int epoll_function(int, struct epoll_event*, int, int);
typedef int poll_function(struct pollfd*, nfds_t, int);

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout_ms) {
    static epoll_function* real;
    if (!real) real = (epoll_function*)dlsym(RTLD_NEXT, "epoll_wait");
    const int found = real(epoll, events, most, timeout_ms);
    if (timeout_ms != 0 || found < 0) return found;
    if (found > 0) empty_polls = 0;
    if (found > 0 || !time_to_nap()) return found;
    struct pollfd all = {.fd = epoll, .events = POLLIN};
    return nap(&all, 1) ? real(epoll, events, most, 0) : 0;
}

int poll(struct pollfd* files, nfds_t count, int timeout_ms) {
    static poll_function* real;
    if (!real) real = (poll_function*)dlsym(RTLD_NEXT, "poll");
    const int found = real(files, count, timeout_ms);
    if (timeout_ms != 0 || found < 0) return found;
    if (found > 0) empty_polls = 0;
    if (found > 0 || !time_to_nap()) return found;
    return nap(files, count) ? real(files, count, 0) : 0;
}

/* MPICH 4.0 over UCX 1.13 and TCP often never returns from MPI_Finalize: closing a connection flushes it, and the peer
 * that should answer may already wait for its launcher. Two barriers make sure that nothing is under way any more;
 * then connections are left to the operating system. The world's handle is part of the MPICH ABI. */
static bool ucx_needs_help(void) { return getenv("LACONIC_NETBED_UCX") != NULL; }

typedef void* disconnect_function(void*);

void* ucp_disconnect_nb(void* endpoint) {
    disconnect_function* const real = (disconnect_function*)dlsym(RTLD_NEXT, "ucp_disconnect_nb");
    return ucx_needs_help() || !real ? NULL : real(endpoint);
}

int MPI_Finalize(void) {
    const int mpich_comm_world = 0x44000000;
    int (*const barrier)(int) = (int (*)(int))dlsym(RTLD_NEXT, "PMPI_Barrier");
    int (*const finalize)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
    for (int i = 0; i < 2 && ucx_needs_help() && barrier; ++i) barrier(mpich_comm_world);
    return finalize ? finalize() : 0;
}
