/* SPDX-License-Identifier: BSD-3-Clause
 * The C interface from C: a ramp goes through compress, add and decompress; exit status 0 when all is within bounds. */
#include <laconic/laconic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 1000 };

static int failed(const char* what) {
    fprintf(stderr, "%s: %s\n", what, laconic_last_message());
    return 1;
}

int main(void) {
    static float values[count], decoded[count];
    const double bound = 1e-3;
    for (int i = 0; i < count; ++i) values[i] = (float)i * 0.01f;

    const size_t capacity = laconic_sum_bound(LACONIC_F32, count);
    void* frame = malloc(capacity);
    void* sum = malloc(capacity);
    size_t frame_bytes = 0, sum_bytes = 0;
    if (laconic_compress(values, count, LACONIC_F32, LACONIC_ABSOLUTE, bound, frame, capacity, &frame_bytes, NULL) !=
        LACONIC_OK)
        return failed("compress");
    if (laconic_add(frame, frame_bytes, frame, frame_bytes, sum, capacity, &sum_bytes) != LACONIC_OK)
        return failed("add");
    if (laconic_decompress(sum, sum_bytes, decoded, count, LACONIC_F32, NULL) != LACONIC_OK)
        return failed("decompress");
    for (int i = 0; i < count; ++i)
        if (fabs((double)decoded[i] - 2.0 * (double)values[i]) > 2 * bound + 1e-6) {
            fprintf(stderr, "element %d: %g for %g\n", i, (double)decoded[i], 2.0 * (double)values[i]);
            return 1;
        }
    if (laconic_decompress(sum, 3, decoded, count, LACONIC_F32, NULL) == LACONIC_OK) {
        fprintf(stderr, "a frame of 3 bytes was accepted\n");
        return 1;
    }
    printf("laconic %s: %d floats in %zu bytes\n", laconic_version(), count, frame_bytes);
    free(sum);
    free(frame);
    return 0;
}
