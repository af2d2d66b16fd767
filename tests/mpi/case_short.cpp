// SPDX-License-Identifier: BSD-3-Clause
// The length from which Rabenseifner's algorithm compresses: one element less and its halves travel raw.
#include "cases.hpp"
#include "fields.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t least_compressed_bytes = 64 * 1024;

template <class T>
void check_length(std::size_t count, reduction combine) {
    const bool raw = count * sizeof(T) < least_compressed_bytes;
    const std::string text =
        "rabenseifner, " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) + " bytes: ";
    const std::vector<T> in = make_field<T>(field::smooth, rank_in(MPI_COMM_WORLD), count);
    std::vector<T> out(count);
    const auto done = allreduce<T>(std::span<const T>(in), std::span<T>(out), combine, MPI_COMM_WORLD,
                                   options_for("rabenseifner", bound::abs(1e-2)));
    check(done.ok(), text + done.error().message());
    if (!done.ok()) return;
    check(done->algorithm == (raw ? "rabenseifner_raw" : "rabenseifner"), text + "ran " + done->algorithm);
    check(raw == (done->result_bound == 0), text + "error up to " + std::to_string(done->result_bound));
    check(done->raw_bytes > 0, text + "sent nothing");
    // What travels in a bundle has a head of 8 bytes.
    check(raw ? done->sent_bytes >= done->raw_bytes && done->sent_bytes - done->raw_bytes <= done->raw_bytes / 500
              : done->sent_bytes < done->raw_bytes,
          text + std::to_string(done->sent_bytes) + " bytes for " + std::to_string(done->raw_bytes));
}

template <class T>
void check_type() {
    for (const reduction combine : {reduction::sum, reduction::max}) {
        check_length<T>(least_compressed_bytes / sizeof(T) - 1, combine);
        check_length<T>(least_compressed_bytes / sizeof(T), combine);
    }
}

}  // namespace

void short_arrays_travel_raw() {
    check_type<float>();
    check_type<double>();
    check_type<half>();
    check_type<bfloat16>();
}

}  // namespace laconic::test
