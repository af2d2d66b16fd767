// SPDX-License-Identifier: BSD-3-Clause
// What ThreadSanitizer is told when the threaded tests are built with it. OpenMP's runtime is not built with it: what
// that does with its own locks is its own business, and Archer, which the runtime loads, tells what its barriers mean.
extern "C" {

const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }  // NOLINT(*-reserved-identifier)

const char* __tsan_default_suppressions() { return "called_from_lib:libomp.so"; }  // NOLINT(*-reserved-identifier)
}
