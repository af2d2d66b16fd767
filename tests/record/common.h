/* SPDX-License-Identifier: BSD-3-Clause
   For the small programs that the recorder's tests trace: a condition flows in; the process ends with status 1 when it
   does not hold, so that a program whose result a tracer changed is seen. Plain C, as users' programs are. */
#ifndef LACONIC_TESTS_RECORD_COMMON_H
#define LACONIC_TESTS_RECORD_COMMON_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

#endif
