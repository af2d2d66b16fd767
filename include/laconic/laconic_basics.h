/* SPDX-License-Identifier: BSD-3-Clause
 * What all C faces of laconic share: codes, types, kinds of bounds, and why a call failed. Part of laconic.h. */
#ifndef LACONIC_BASICS_H
#define LACONIC_BASICS_H

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

#ifdef __cplusplus
}
#endif
#endif
