/* SPDX-License-Identifier: BSD-3-Clause
 * The C face of laconic. Include <mpi.h> before this header to see the collectives as well.
 * Every function returns LACONIC_OK or one of the codes below and never prints or aborts;
 * laconic_last_message() explains the last failure of the calling thread. The contracts are those of the
 * C++ functions of the same name in codec.hpp, collective.hpp, redistribute.hpp and exchange.hpp. */
#ifndef LACONIC_H
#define LACONIC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define LACONIC_ANY_INT : int /* as C has it: whatever is handed in is looked at */
#else
#define LACONIC_ANY_INT
#endif

enum {
    LACONIC_OK = 0,
    LACONIC_ERR_ARGUMENT = 1,
    LACONIC_ERR_BOUND = 2,
    LACONIC_ERR_OUTPUT_TOO_SMALL = 3,
    LACONIC_ERR_TRUNCATED = 4,
    LACONIC_ERR_CORRUPT = 5,
    LACONIC_ERR_UNSUPPORTED = 6,
    LACONIC_ERR_MISMATCH = 7,
    LACONIC_ERR_IO = 8,
    LACONIC_ERR_MPI = 9,
    LACONIC_ERR_MEMORY = 10,
    LACONIC_ERR_CANCELLED = 11,
    LACONIC_ERR_UNREPRESENTABLE = 12
};

typedef enum LACONIC_ANY_INT { LACONIC_F32 = 1, LACONIC_F64 = 2, LACONIC_F16 = 3, LACONIC_BF16 = 4 } laconic_type;
typedef enum LACONIC_ANY_INT { LACONIC_ABSOLUTE = 0, LACONIC_RELATIVE = 1 } laconic_bound_kind;
typedef enum LACONIC_ANY_INT {
    LACONIC_SCOPE_RESULT = 0,
    LACONIC_SCOPE_CONTRIBUTION = 1,
    LACONIC_SCOPE_PROBABLE = 2
} laconic_scope;
typedef enum LACONIC_ANY_INT {
    LACONIC_FLE = 1,
    LACONIC_SZX = 2,
    LACONIC_ZFP_ABS = 3,
    LACONIC_ZFP_RATE = 4,
    LACONIC_RAW = 5
} laconic_codec;

/* "MAJOR.MINOR.PATCH" of the library in use. */
const char* laconic_version(void);
/* The stable name of a code, e.g. "invalid_bound". */
const char* laconic_error_name(int code);
/* Why the calling thread's last laconic call failed; "" after a success. Valid until its next call. */
const char* laconic_last_message(void);

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

/* Redistribution: which rank gets which patch of an array (redistribute.hpp). Boxes are half open, dimension 0 varies
 * slowest; extents, blocks, patch and corners have one number for each dimension. */
typedef struct laconic_plan_handle* laconic_plan;
#define LACONIC_PLAN_NULL NULL
typedef enum LACONIC_ANY_INT {
    LACONIC_PLACE_GREEDY = 0,
    LACONIC_PLACE_BALANCED = 1,
    LACONIC_PLACE_ROUND_ROBIN = 2,
    LACONIC_PLACE_OPTIMAL = 3,
    LACONIC_PLACE_GIVEN = 4 /* with laconic_plan_make() */
} laconic_placement;
typedef struct {
    int64_t elements, moved_elements, patches, shared_patches, patch_messages, rank_messages;
    int64_t patches_min, patches_max, received_max; /* per rank; the last in elements */
    int proven_optimal;
} laconic_plan_figures;

/* What a plan can be asked for, but for nodes and loads by elements; zero-initialised but for dimensions, extents,
 * ranks and patch or patches it asks for even blocks and placement greedy. */
typedef struct {
    int dimensions; /* 1 to 4 */
    const int64_t* extents;
    int64_t ranks;
    const int64_t* blocks; /* regular blocks in each dimension, ranks in all; NULL: as even as can be, or boxes */
    size_t boxes; /* box i, lower[i * dimensions ...] to upper[i * dimensions ...], lies on rank box_ranks[i] */
    const int32_t* box_ranks; /* NULL: blocks */
    const int64_t *lower, *upper;
    const int64_t* patch;   /* the size of a patch; those at the upper ends are cut off */
    const int64_t* patches; /* or, with patch NULL, so many patches in each dimension, as even as can be */
    laconic_placement placement;
    double balance;        /* of LACONIC_PLACE_OPTIMAL; 0: 1 */
    const int32_t* owners; /* of LACONIC_PLACE_GIVEN: the rank of each patch */
} laconic_plan_request;
/* Free the plan with laconic_plan_free(), which sets it to null. Nothing of the request needs to outlive the call.
 * returns LACONIC_ERR_ARGUMENT  a pointer that is needed is NULL, blocks and boxes or patch and patches are both given,
 *                               a number outside its domain (layout, patch_grid and placement in redistribute.hpp)
 *         LACONIC_ERR_MISMATCH  the boxes overlap, leave the array or leave elements out; the message names one
 *         LACONIC_ERR_UNSUPPORTED, LACONIC_ERR_MEMORY   as plan::make() */
int laconic_plan_make(const laconic_plan_request* request, laconic_plan* plan);
/* Regular blocks; `blocks` NULL: as even as can be for `ranks` ranks, else their product must be `ranks`. balance: of
 * LACONIC_PLACE_OPTIMAL, 0: 1. Free the plan with laconic_plan_free(), which sets it to null. */
int laconic_plan_regular(int dimensions, const int64_t* extents, int64_t ranks, const int64_t* blocks,
                         const int64_t* patch, laconic_placement placement, double balance, laconic_plan* plan);
/* Any boxes: box i, lower[i * dimensions ...] to upper[i * dimensions ...], lies on rank owners[i]. */
int laconic_plan_boxes(int dimensions, const int64_t* extents, int64_t ranks, size_t boxes, const int32_t* owners,
                       const int64_t* lower, const int64_t* upper, const int64_t* patch, laconic_placement placement,
                       double balance, laconic_plan* plan);
int laconic_plan_free(laconic_plan* plan);
int laconic_plan_describe(laconic_plan plan, laconic_plan_figures* figures);
/* The patches of a rank, ascending; *patches lives as long as the plan. */
int laconic_plan_patches(laconic_plan plan, int32_t rank, const int32_t** patches, size_t* count);
/* Corners of a patch. */
int laconic_plan_patch(laconic_plan plan, int32_t patch, int64_t* lower, int64_t* upper);

/* Redistribution carried out (exchange.hpp): made once, collectively, run many times. These functions are in the
 * libraries of the MPIs. They can be declared without <mpi.h>, but for the one that takes an MPI_Comm (below): programs
 * that load such a library while they run have laconic_exchange_make_f(). */
typedef struct laconic_exchange_handle* laconic_exchange;
#define LACONIC_EXCHANGE_NULL NULL
/* Where a box lies in a rank's memory, in elements; the stride of the last dimension is 1. */
typedef struct {
    int64_t offset;
    int64_t strides[4];
} laconic_stored_box;
/* A zero-initialised struct is valid: engine auto, one field, lossless, no gaps. The same on all ranks, but for
 * in_boxes and out_patches. */
typedef struct {
    const char* engine; /* NULL: "auto" */
    size_t batch_bytes;
    laconic_bound_kind kind; /* of what messages may lose */
    double bound;
    int no_shared_memory;
    int no_check;
    int shared_in;                      /* non-zero: laconic_exchange_in_array() */
    size_t fields;                      /* arrays that each run moves together; 0: 1 */
    const laconic_stored_box* in_boxes; /* of this rank: one for each of its boxes; NULL: without gaps */
    size_t in_box_count;
    const laconic_stored_box* out_patches; /* of this rank: one for each of its patches, ascending; NULL likewise */
    size_t out_patch_count;
} laconic_exchange_options;
/* A patch that is complete, in all fields. */
typedef struct {
    int32_t patch;
    size_t position; /* among those of the rank */
    size_t offset;   /* where in `out` it begins, in elements */
    int held;        /* non-zero: it lay whole on this rank before */
} laconic_ready_patch;
/* Called by the thread that runs the exchange, once for each patch of the rank; must return (no longjmp). */
typedef void (*laconic_patch_function)(void* user, const laconic_ready_patch* ready);
/* What the last run of this rank did, in bytes; exchange_report in exchange.hpp. */
typedef struct {
    uint64_t kept_bytes, shared_bytes, straight_bytes, message_bytes, wire_bytes;
    double largest_bound;
} laconic_exchange_report;

/* laconic_exchange_make() with the communicator as MPI_Comm_c2f() gives it: for programs that were not compiled against
 * this library's MPI, but run with it. */
int laconic_exchange_make_f(laconic_plan plan, size_t element_bytes, laconic_type type, int comm,
                            const laconic_exchange_options* options, laconic_exchange* exchange);
/* Takes part in the others' laconic_exchange_make() with a failure, for a rank whose own arguments did not become a
 * call: they return `code` (none of the codes: LACONIC_ERR_ARGUMENT) with `why` and this rank's number, and so does
 * this. Collective. */
int laconic_exchange_refuse_f(int comm, int code, const char* why);
/* Elements that `in` and `out` need at least; either pointer may be NULL. Local, as all that follow but the runs. */
int laconic_exchange_elements(laconic_exchange exchange, size_t* in, size_t* out);
/* The element of `out` at which the position-th patch of this rank begins.
 * returns LACONIC_ERR_ARGUMENT  it has not so many patches */
int laconic_exchange_offset(laconic_exchange exchange, size_t position, size_t* offset);
/* The engine in use, never "auto"; NULL for LACONIC_EXCHANGE_NULL. */
const char* laconic_exchange_engine(laconic_exchange exchange);
/* Memory for packed pieces that this rank holds, in bytes; 0 for LACONIC_EXCHANGE_NULL. */
size_t laconic_exchange_staging(laconic_exchange exchange);
int laconic_exchange_describe(laconic_exchange exchange, laconic_exchange_report* report);
/* With shared_in the exchange's own array for `in` of a field: as many elements as laconic_exchange_elements() says, in
 * memory that the ranks of a node share, so that runs from there copy once. It lives as long as the exchange. NULL
 * without shared_in, and where there is no such field. */
void* laconic_exchange_in_array(laconic_exchange exchange, size_t field);
/* Non-zero once the first runs are over, which try what is fastest; exchange::settled(). */
int laconic_exchange_settled(laconic_exchange exchange);
/* Moves the array once. Collective over the communicator; exchange::run() has the contract. on_patch may be NULL.
 * returns LACONIC_ERR_ARGUMENT  an array is NULL or too short, arrays overlap, the exchange has several fields; on all
 *                               ranks alike unless no_check was set
 *         LACONIC_ERR_MPI, LACONIC_ERR_CORRUPT   MPI failed, or a compressed message is damaged */
int laconic_exchange_run(laconic_exchange exchange, const void* in, size_t in_elements, void* out, size_t out_elements,
                         laconic_patch_function on_patch, void* user);
/* Several fields at once: in[i] and out[i], for i below `fields`, each of that many elements. Another number of fields
 * than the exchange was made for is LACONIC_ERR_ARGUMENT on all ranks alike, as above. */
int laconic_exchange_run_fields(laconic_exchange exchange, size_t fields, const void* const* in, size_t in_elements,
                                void* const* out, size_t out_elements, laconic_patch_function on_patch, void* user);
/* Takes part in the others' run with a failure, as laconic_exchange_refuse_f() does when an exchange is made. Unless
 * no_check was set they return `code` with `why` and this rank's number. */
int laconic_exchange_refuse_run(laconic_exchange exchange, int code, const char* why);
/* Sets *exchange to null. Not while a run is under way, nor after MPI_Finalize(). */
int laconic_exchange_free(laconic_exchange* exchange);

#ifdef MPI_VERSION
/* How a collective runs; must agree on all ranks. A zero-initialised struct is valid: no loss, scope result, and the
 * defaults of collective_options.hpp. A bound makes calls faster. */
typedef struct {
    laconic_bound_kind kind;
    double bound;
    laconic_scope scope;
    double confidence;       /* of scope probable; 0: 0.9544 */
    const char* algorithm;   /* NULL: "auto" */
    size_t segment_bytes;    /* 0: the default */
    double rate;             /* bits per value of codec zfp_rate; 0: the default */
    int check;               /* non-zero: ranks compare their arguments before data moves, whatever the algorithm */
    unsigned ranks_per_node; /* for experiments; 0: those that share memory */
    int average;             /* reductions with MPI_SUM: non-zero divides by the number of ranks */
    int no_shared_memory;    /* non-zero: rows with hierarchy use messages inside a node, too */
    unsigned codec_threads;  /* that compress and add for this rank; 0: its share of the node's processors */
} laconic_collective_options;

/* Datatypes of 16-bit floating-point numbers (IEEE binary16, bfloat16), for these functions; MPI knows how to move
 * them, not how to add them. Made at the first call, freed by MPI_Finalize. MPI_DATATYPE_NULL: laconic_last_message().
 */
MPI_Datatype laconic_half_type(void);
MPI_Datatype laconic_bfloat16_type(void);

/* MPI's collectives plus a bound. The arguments are MPI's, with these differences: counts and displacements are size_t,
 * in elements; there is one type for both sides; options come last. MPI_IN_PLACE and what is only significant at the
 * root are as in MPI.
 * compressed  on intracommunicators: MPI_FLOAT, MPI_DOUBLE, laconic_half_type() and laconic_bfloat16_type(); reductions
 *             with MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD and, by algorithms that combine values, the program's own
 *             operations that commute; those must live until the call is over. Contracts, errors and bits are those of
 * collective.hpp. passed on   everything else (other types and operations, intercommunicators): MPI's own function on
 * `comm` with its error handler, unchanged; options are not looked at. Counts and displacements beyond 2^31 - 1 give
 * LACONIC_ERR_UNSUPPORTED, and `average`, which every rank must then set, LACONIC_ERR_ARGUMENT. options     NULL: from
 * the environment (LACONIC_ABS, LACONIC_REL, ...), read at every call. returns     on all ranks alike, where they agree
 * on their arguments (`check`, or a compressed algorithm). */
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
 * then; options and arrays of counts and displacements are copied. What is wrong with a call that is not passed on may
 * show in the wait. Ranks must start the collectives of a communicator in the same order. */
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
 * Options, counts and displacements are copied, and the environment is read, now. Free them before the communicator. */
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

/* Collective over comm, which has as many ranks as the plan and must outlive the exchange; exchange::make() has the
 * contract.
 * element_bytes  of an element, 1 to 2^20
 * type           0, or what an element is, for a bound
 * options        NULL: a zero-initialised struct
 * The plan and the options may be freed afterwards.
 * returns, on all ranks alike: LACONIC_OK, or
 *         LACONIC_ERR_ARGUMENT     a pointer is NULL, comm is no intracommunicator of so many ranks, an option is
 *                                  outside its domain; the message names the rank
 *         LACONIC_ERR_MISMATCH     ranks differ in the plan, element or options
 *         LACONIC_ERR_BOUND        the bound is negative, NaN or infinite
 *         LACONIC_ERR_UNSUPPORTED  a bound without a type, or for an engine of datatypes; an engine this MPI has not
 *         LACONIC_ERR_MEMORY, LACONIC_ERR_MPI */
int laconic_exchange_make(laconic_plan plan, size_t element_bytes, laconic_type type, MPI_Comm comm,
                          const laconic_exchange_options* options, laconic_exchange* exchange);
#endif

#ifdef __cplusplus
}
#endif
#endif
