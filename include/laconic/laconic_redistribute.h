/* SPDX-License-Identifier: BSD-3-Clause
 * The C face of redistribution: plans, which need no MPI, and exchanges, which carry them out. Part of laconic.h, which
 * says what all functions have in common; include <mpi.h> before it to see laconic_exchange_make(). The contracts are
 * those of the C++ functions of the same name in redistribute.hpp and exchange.hpp. */
#ifndef LACONIC_REDISTRIBUTE_H
#define LACONIC_REDISTRIBUTE_H

#include <stddef.h>
#include <stdint.h>

#include "laconic/laconic_basics.h"

#ifdef __cplusplus
extern "C" {
#endif

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
typedef enum LACONIC_ANY_INT { LACONIC_LOAD_PATCHES = 0, LACONIC_LOAD_ELEMENTS = 1 } laconic_load;
/* plan_figures, in elements but for patches and messages. Of the spreads min and max over the ranks are here; the sums
 * are patches, elements and, of what is sent and received, moved_elements. */
typedef struct {
    int64_t elements, moved_elements, patches, shared_patches, patch_messages, rank_messages;
    int64_t patches_min, patches_max, received_max;
    int proven_optimal;
    int64_t between_nodes;    /* of those moved, that change node; 0 without node_of */
    int64_t received_at_most; /* what the limit allows any rank to receive; elements where there is none */
    int64_t forced;           /* of LACONIC_PLACE_BALANCED: patches above target, which their ranks held whole */
    int64_t received_min, sent_min, sent_max, volume_min, volume_max;
} laconic_plan_figures;

/* What a plan can be asked for; zero-initialised but for dimensions, extents, ranks and patch or patches it asks for
 * even blocks and placement greedy. */
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
    double balance;         /* of LACONIC_PLACE_OPTIMAL; 0: 1 */
    const int32_t* owners;  /* of LACONIC_PLACE_GIVEN: the rank of each patch */
    laconic_load load;      /* of LACONIC_PLACE_OPTIMAL: what the balance limits */
    int exact;              /* of LACONIC_PLACE_OPTIMAL: non-zero goes on until nothing can be better */
    const int32_t* node_of; /* the node of each rank, any numbers >= 0; NULL: all ranks are alike */
    int64_t between_nodes;  /* of LACONIC_PLACE_OPTIMAL: what a byte between nodes costs, one inside being 1; 0: 8 */
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

/* What a plan says. All are local.
 * returns LACONIC_ERR_ARGUMENT          a pointer that is needed is NULL; there is no such rank or patch
 *         LACONIC_ERR_OUTPUT_TOO_SMALL  `capacity` is below *count, which says what is needed; nothing else is written
 *         LACONIC_ERR_MEMORY            with how many bytes are needed at least */
int laconic_plan_describe(laconic_plan plan, laconic_plan_figures* figures);
/* The rank of each patch; *owners lives as long as the plan. */
int laconic_plan_owners(laconic_plan plan, const int32_t** owners, size_t* count);
/* The patches of a rank, ascending; *patches lives as long as the plan. */
int laconic_plan_patches(laconic_plan plan, int32_t rank, const int32_t** patches, size_t* count);
/* Corners of a patch. */
int laconic_plan_patch(laconic_plan plan, int32_t patch, int64_t* lower, int64_t* upper);
/* The boxes that a rank holds before, in the order in which an exchange takes them: corners of box i go to
 * lower[i * dimensions ...] and upper[i * dimensions ...], for `capacity` boxes at most, their number to *count. With
 * capacity 0 and lower and upper NULL it only counts. */
int laconic_plan_boxes_of(laconic_plan plan, int32_t rank, int64_t* lower, int64_t* upper, size_t capacity,
                          size_t* count);
/* A piece of a patch on its way, or staying: transfer in redistribute.hpp. */
typedef struct {
    int32_t peer;  /* the other rank; the rank itself for what stays */
    int32_t patch; /* in which patch it lies */
    int32_t part;  /* in which of its sender's boxes: laconic_plan_boxes_of() */
    int64_t lower[4], upper[4];
} laconic_transfer;
typedef enum LACONIC_ANY_INT {
    LACONIC_SENDS = 0,
    LACONIC_RECEIVES = 1,
    LACONIC_COPIES = 2 /* what stays */
} laconic_transfer_kind;
/* What a rank sends, receives or keeps, ascending by patch, then by box; what a sends to b is what b receives from a,
 * in the same order. At most `capacity` go to transfers, their number to *count. With capacity 0 and transfers NULL it
 * only counts, which takes as long: O(boxes, patches and pieces of the rank). */
int laconic_plan_transfers(laconic_plan plan, int32_t rank, laconic_transfer_kind kind, laconic_transfer* transfers,
                           size_t capacity, size_t* count);

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
