/* SPDX-License-Identifier: BSD-3-Clause
 * The C face of laconic. Include <mpi.h> before this header to see the collectives as well. Plans and exchanges are in
 * laconic_redistribute.h, which it includes.
 * Every function returns LACONIC_OK or a code of laconic_basics.h and never prints or aborts;
 * laconic_last_message() explains the last failure of the calling thread. The contracts are those of the
 * C++ functions of the same name in codec.hpp and collective.hpp. */
#ifndef LACONIC_H
#define LACONIC_H

#include <stddef.h>
#include <stdint.h>

#include "laconic/laconic_basics.h"
#include "laconic/laconic_redistribute.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A zero-initialised struct asks for codec fle, one thread, no checksum, and a magnitude that is not known. */
typedef struct {
    laconic_codec codec; /* 0: fle */
    int checksum;        /* non-zero: store an XXH3-64 checksum */
    double max_abs;      /* > 0: no array to be added has a larger magnitude; the step is then the same for all */
    size_t row_length;   /* fle: length of the fastest dimension, for row prediction; 0: none */
    double rate;         /* zfp_rate: bits per value; 0: 8 */
    unsigned threads;    /* 0 and 1: one */
    /* Called between groups of chunks with the values done, the values in all and the compressed bytes so far; 0 stops
     * the call, which returns LACONIC_ERR_CANCELLED. May be NULL. */
    int (*progress)(void* user, size_t values, size_t total, size_t bytes);
    void* progress_user;
} laconic_options;

/* Bytes that laconic_compress (with any codec) / arithmetic on frames may need for `count` elements; 0 for an unknown
 * type or an absurd count. */
size_t laconic_compress_bound(laconic_type type, size_t count);
size_t laconic_sum_bound(laconic_type type, size_t count);

/* `values` -> frame at `out` (capacity bytes, at least laconic_compress_bound); its size goes to *frame_bytes.
 * options may be NULL. */
int laconic_compress(const void* values, size_t count, laconic_type type, laconic_bound_kind kind, double bound,
                     void* out, size_t capacity, size_t* frame_bytes, const laconic_options* options);
/* frame -> exactly `count` elements of `type`. Of the options, threads and progress count. */
int laconic_decompress(const void* frame, size_t frame_bytes, void* values, size_t count, laconic_type type,
                       const laconic_options* options);
/* Element count and type of a frame; either pointer may be NULL. */
int laconic_inspect(const void* frame, size_t frame_bytes, size_t* count, laconic_type* type);

/* Arithmetic on frames of codec fle, without decompressing them; `out` (laconic_sum_bound bytes) may equal `a`. */
int laconic_add(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                size_t* frame_bytes);
int laconic_subtract(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                     size_t* frame_bytes);
int laconic_minimum(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                    size_t* frame_bytes);
int laconic_maximum(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                    size_t* frame_bytes);
/* out = factor * a. */
int laconic_scale(const void* a, size_t a_bytes, int factor, void* out, size_t capacity, size_t* frame_bytes);
/* out = compress(values) + frame in one pass; no overlap. */
int laconic_add_values(const void* values, size_t count, laconic_type type, const void* frame, size_t bytes, void* out,
                       size_t capacity, size_t* frame_bytes);

#ifdef MPI_VERSION
/* How the ranks of a node exchanged values in a row with hierarchy: see node_traffic. */
typedef enum { LACONIC_NODE_NONE, LACONIC_NODE_MEMORY, LACONIC_NODE_MESSAGES } laconic_node_traffic;

/* Errors as a model has them, and the fractions of the measured ones within 1, 2 and 3 deviations: see
 * audit_prediction. */
typedef struct {
    double deviation;
    double inside[3];
} laconic_audit_prediction;

/* Errors of what all ranks were given: see audit_report. */
enum { LACONIC_AUDIT_BINS = 20 };
typedef struct {
    uint64_t elements, nonfinite, violations;
    double bound, max_error, max_share, mean_error, deviation, rms_error;
    uint64_t histogram[LACONIC_AUDIT_BINS]; /* from -bound to +bound */
    laconic_audit_prediction normal, uniform;
} laconic_audit_report;

/* How a collective went on this rank: see collective_report. */
typedef struct {
    char algorithm[64]; /* the row that ran, also where "auto" chose it */
    uint64_t sent_bytes, raw_bytes, messages;
    double contribution_bound, result_bound, step;
    int exact_sums; /* 0: see collective_report */
    laconic_node_traffic inside;
    uint64_t workspace_bytes;
    double compress_s, combine_s, decompress_s, copy_s, wait_s;
    int audited;                /* non-zero: the call was audited, and `audit` is not just zeros */
    laconic_audit_report audit; /* the same on all ranks */
} laconic_collective_report;

/* How a collective runs; must agree on all ranks. A zero-initialised struct is valid: no loss, scope result, and the
 * defaults of collective_options.hpp. A bound makes calls faster. */
typedef struct {
    laconic_bound_kind kind;
    double bound;
    laconic_scope scope;
    double confidence;       /* of scope probable; 0: 0.9544 */
    const char* algorithm;   /* NULL: "auto" */
    size_t segment_bytes;    /* 0: the default */
    double rate;             /* bits per value of codec zfp_rate; 0: 8 */
    int check;               /* non-zero: ranks compare their arguments before data moves, whatever the algorithm */
    int audit;               /* non-zero: an audit follows, see collective_options; not of calls that are passed on */
    unsigned ranks_per_node; /* for experiments; 0: those that share memory */
    int average;             /* reductions with MPI_SUM: non-zero divides by the number of ranks */
    int no_shared_memory;    /* non-zero: rows with hierarchy use messages inside a node, too */
    unsigned codec_threads;  /* that compress and add for this rank; 0: its share of the node's processors */
    const char* machine;     /* file of `laconic calibrate` that "auto" decides by; NULL: the one that LACONIC_MACHINE
                                names, "" or none: the built-in figures */
    laconic_collective_report* report; /* NULL: none; else written when the call is over: zeros if it has failed */
} laconic_collective_options;

/* Datatypes of 16-bit floating-point numbers (IEEE binary16, bfloat16), for these functions; MPI knows how to move
 * them, not how to add them. Made at the first call, freed by MPI_Finalize. MPI_DATATYPE_NULL: laconic_last_message().
 */
MPI_Datatype laconic_half_type(void);
MPI_Datatype laconic_bfloat16_type(void);

/* clang-format off */
/* MPI's collectives plus a bound. The arguments are MPI's, with these differences: counts and displacements are size_t,
 * in elements; there is one type for both sides; options come last. MPI_IN_PLACE and what is only significant at the
 * root are as in MPI; a buffer may lie in the gaps between the parts of another.
 *
 * compressed  on intracommunicators: MPI_FLOAT, MPI_DOUBLE, laconic_half_type() and laconic_bfloat16_type(); reductions
 *             with MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD and, by algorithms that combine values, the program's own
 *             operations that commute (bit for bit, where ranks are to hold the same bits); those must live until the
 *             call is over. Contracts, errors and bits are those of collective.hpp.
 * passed on   everything else (other types and operations, intercommunicators): MPI's own function on `comm` with its
 *             error handler, unchanged; of the options only `check` counts, not between intercommunicators: ranks then
 *             hear of a call that is MPI's on some of them alone. One that was started there stays under way: make no
 *             more collectives of MPI on `comm`, calls that are passed on among them. Counts and displacements beyond
 *             2^31 - 1 give LACONIC_ERR_UNSUPPORTED, and `average`, which every rank must then set, LACONIC_ERR_ARGUMENT.
 * options     NULL: from the environment (LACONIC_ABS, LACONIC_REL, ...), read at every call. A LACONIC_CHECK or a file
 *             of LACONIC_CONFIG that cannot be understood then refuses also calls that are passed on.
 * returns     on all ranks alike, where they agree on their arguments (`check`, `audit`, or a compressed algorithm; counts of
 *             gatherv, scatterv and alltoallv: `check`). */
/* clang-format on */
int laconic_allreduce(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                      const laconic_collective_options* options);
int laconic_reduce(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm, const laconic_collective_options* options);
int laconic_reduce_scatter(const void* sendbuf, void* recvbuf, const size_t* recvcounts, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, const laconic_collective_options* options);
int laconic_reduce_scatter_block(const void* sendbuf, void* recvbuf, size_t recvcount, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm, const laconic_collective_options* options);
int laconic_allgather(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                      MPI_Comm comm, const laconic_collective_options* options);
int laconic_allgatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                       const size_t* displs, MPI_Datatype type, MPI_Comm comm,
                       const laconic_collective_options* options);
int laconic_gather(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, int root,
                   MPI_Comm comm, const laconic_collective_options* options);
int laconic_gatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                    const size_t* displs, MPI_Datatype type, int root, MPI_Comm comm,
                    const laconic_collective_options* options);
int laconic_scatter(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, int root,
                    MPI_Comm comm, const laconic_collective_options* options);
int laconic_scatterv(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                     size_t recvcount, MPI_Datatype type, int root, MPI_Comm comm,
                     const laconic_collective_options* options);
int laconic_bcast(void* buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm,
                  const laconic_collective_options* options);
int laconic_alltoall(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                     MPI_Comm comm, const laconic_collective_options* options);
int laconic_alltoallv(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                      const size_t* recvcounts, const size_t* rdispls, MPI_Datatype type, MPI_Comm comm,
                      const laconic_collective_options* options);

/* One that has been started, or prepared, is waited for, and freed, with these. */
typedef struct laconic_request_handle* laconic_request;
#define LACONIC_REQUEST_NULL NULL

/* Nonblocking forms. *request is what to wait for; LACONIC_REQUEST_NULL on failure. Buffers must not be touched until
 * then; options and arrays of counts and displacements are copied, but a report must live until the wait. What is wrong
 * with a call that is not passed on may show in the wait. Ranks must start the collectives of a communicator in the
 * same order. */
int laconic_iallreduce(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       const laconic_collective_options* options, laconic_request* request);
int laconic_ireduce(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_ireduce_scatter(const void* sendbuf, void* recvbuf, const size_t* recvcounts, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_ireduce_scatter_block(const void* sendbuf, void* recvbuf, size_t recvcount, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_iallgather(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                       MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_iallgatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                        const size_t* displs, MPI_Datatype type, MPI_Comm comm,
                        const laconic_collective_options* options, laconic_request* request);
int laconic_igather(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, int root,
                    MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_igatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                     const size_t* displs, MPI_Datatype type, int root, MPI_Comm comm,
                     const laconic_collective_options* options, laconic_request* request);
int laconic_iscatter(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                     int root, MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_iscatterv(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                      size_t recvcount, MPI_Datatype type, int root, MPI_Comm comm,
                      const laconic_collective_options* options, laconic_request* request);
int laconic_ibcast(void* buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm,
                   const laconic_collective_options* options, laconic_request* request);
int laconic_ialltoall(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                      MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_ialltoallv(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                       const size_t* recvcounts, const size_t* rdispls, MPI_Datatype type, MPI_Comm comm,
                       const laconic_collective_options* options, laconic_request* request);

/* Persistent forms, as in MPI-4: nothing starts before laconic_start(). Local but for the first use of a communicator.
 * Options, counts and displacements are copied, and the environment is read, now. The communicator may be freed before
 * them, but for calls that are passed on, which start on it; their types and operations must live as long, too. */
int laconic_allreduce_init(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_reduce_init(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, int root,
                        MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_reduce_scatter_init(const void* sendbuf, void* recvbuf, const size_t* recvcounts, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm, const laconic_collective_options* options,
                                laconic_request* request);
int laconic_reduce_scatter_block_init(const void* sendbuf, void* recvbuf, size_t recvcount, MPI_Datatype type,
                                      MPI_Op op, MPI_Comm comm, const laconic_collective_options* options,
                                      laconic_request* request);
int laconic_allgather_init(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                           MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_allgatherv_init(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                            const size_t* displs, MPI_Datatype type, MPI_Comm comm,
                            const laconic_collective_options* options, laconic_request* request);
int laconic_gather_init(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                        int root, MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_gatherv_init(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                         const size_t* displs, MPI_Datatype type, int root, MPI_Comm comm,
                         const laconic_collective_options* options, laconic_request* request);
int laconic_scatter_init(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                         int root, MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_scatterv_init(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                          size_t recvcount, MPI_Datatype type, int root, MPI_Comm comm,
                          const laconic_collective_options* options, laconic_request* request);
int laconic_bcast_init(void* buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm,
                       const laconic_collective_options* options, laconic_request* request);
int laconic_alltoall_init(const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type,
                          MPI_Comm comm, const laconic_collective_options* options, laconic_request* request);
int laconic_alltoallv_init(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                           const size_t* recvcounts, const size_t* rdispls, MPI_Datatype type, MPI_Comm comm,
                           const laconic_collective_options* options, laconic_request* request);

/* Starts a persistent request that is not running, with what is in its buffers now. */
int laconic_start(laconic_request* request);
/* Moves it on; *flag is 1 when it is over, and then this was laconic_wait(). */
int laconic_test(laconic_request* request, int* flag);
/* Until it is over; returns how it ended. A nonblocking request is then freed and becomes LACONIC_REQUEST_NULL, a
 * persistent one may start again. One that is null or not running is over. */
int laconic_wait(laconic_request* request);
/* All of them, whatever happens; returns the first failure in their order, which laconic_last_message() explains. */
int laconic_waitall(size_t count, laconic_request* requests);
/* Waits if it is running, returns how it ended, and frees it. */
int laconic_request_free(laconic_request* request);

/* A thread that moves started collectives on while the program computes; it needs MPI_THREAD_MULTIPLE. It sleeps while
 * there are none. Starting it twice starts one; LACONIC_ERR_UNSUPPORTED without that level or a thread,
 * LACONIC_ERR_ARGUMENT where MPI is not running. MPI_Finalize ends it. */
int laconic_start_progress_thread(void);
void laconic_stop_progress_thread(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
