/* SPDX-License-Identifier: BSD-3-Clause
 * The C face of laconic. Include <mpi.h> before this header to see the collectives as well.
 * Every function returns LACONIC_OK or one of the codes below and never prints or aborts;
 * laconic_last_message() explains the last failure of the calling thread. The contracts are those of the
 * C++ functions of the same name in codec.hpp and collective.hpp. */
#ifndef LACONIC_H
#define LACONIC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
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

typedef enum { LACONIC_F32 = 1, LACONIC_F64 = 2, LACONIC_F16 = 3, LACONIC_BF16 = 4 } laconic_type;
typedef enum { LACONIC_ABSOLUTE = 0, LACONIC_RELATIVE = 1 } laconic_bound_kind;
typedef enum { LACONIC_SCOPE_RESULT = 0, LACONIC_SCOPE_CONTRIBUTION = 1 } laconic_scope;
typedef enum {
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

#ifdef MPI_VERSION
/* A zero-initialised struct plus a bound is a valid request: scope result, default algorithm and segments. */
typedef struct {
    laconic_bound_kind kind;
    double bound;
    laconic_scope scope;
    const char* algorithm; /* NULL: the default */
    size_t segment_bytes;  /* 0: the default */
    int average;           /* non-zero: divide the sum by the number of ranks */
} laconic_allreduce_options;

/* Like MPI_Allreduce with MPI_SUM over MPI_FLOAT or MPI_DOUBLE, plus a bound. sendbuf may be MPI_IN_PLACE.
 * A datatype or operation laconic does not compress, and an intercommunicator, are passed to MPI_Allreduce unchanged;
 * with `average` set, which every rank must then do, such a call is refused with LACONIC_ERR_ARGUMENT.
 * options NULL: taken from the environment (LACONIC_ABS, LACONIC_REL, ...). */
int laconic_allreduce(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                      const laconic_allreduce_options* options);
#endif

#ifdef __cplusplus
}
#endif
#endif
