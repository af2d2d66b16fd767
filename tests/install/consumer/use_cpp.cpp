// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: a sine goes through compress and decompress, and the failure paths that cross the library
// boundary (a status, a thrown bad_result) arrive; exit status 0 when they do.
#include <cmath>
#include <cstdio>
#include <laconic/codec.hpp>
#include <span>
#include <vector>

int main() {
    std::vector<double> values(4096), decoded(4096);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.01 * static_cast<double>(i));

    std::vector<std::byte> frame(laconic::compress_bound(laconic::element_type::f64, values.size()));
    const auto size = laconic::compress(std::span<const double>(values), laconic::bound::rel(1e-4), std::span(frame));
    if (!size) return std::fprintf(stderr, "%s\n", size.error().message().c_str()), 1;
    const auto used = std::span<const std::byte>(frame).first(*size);
    if (const auto done = laconic::decompress(used, std::span(decoded)); !done.ok())
        return std::fprintf(stderr, "%s\n", done.message().c_str()), 1;
    const auto difference = laconic::compare(std::span<const double>(values), std::span<const double>(decoded));
    if (!difference || difference->max_abs_error > 2e-4) return std::fprintf(stderr, "the bound is broken\n"), 1;

    try {
        static_cast<void>(laconic::inspect(used.first(5)).value());
    } catch (const laconic::bad_result& error) {
        std::printf("%zu doubles in %zu bytes; refused: %s\n", values.size(), *size, error.what());
        return 0;
    }
    return std::fprintf(stderr, "a frame of 5 bytes was accepted\n"), 1;
}
