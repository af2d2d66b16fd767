// SPDX-License-Identifier: BSD-3-Clause
// Collectives of more elements than an int counts, which MPI's own functions cannot take: values are looked at in many
// places, at both sides of 2^31 among them; all others are 0.
#include <cmath>
#include <cstdio>
#include <string>

#include "laconic/collective.hpp"
#include "large.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = (std::size_t{1} << 31) + 5;

/// Small whole numbers, which bfloat16 holds, and so it does their sums over two ranks.
float value_of(std::size_t at, int rank) {
    return static_cast<float>((at * 0x9e3779b97f4a7c15U >> 58) + static_cast<std::size_t>(rank));
}

std::string name_of_call(const char* what, const collective_options& options) {
    return std::string(what) + " of " + std::to_string(count) + " bfloat16, " + options.algorithm;
}

/// `call` works on the array in place; every value looked at is then `expected(place)`, give or take `bound`.
template <class Call, class Expected>
void run_and_check(const std::string& name, std::span<bfloat16> array, double bound, Call call, Expected expected) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    std::vector<std::size_t> looked_at = places(count);
    std::sort(looked_at.begin(), looked_at.end());
    for (const std::size_t at : looked_at) array[at] = bfloat16(value_of(at, rank));
    const result<collective_report> done = call();
    check(done.ok(), name + ": " + done.error().message());
    for (const std::size_t at : looked_at) {
        const double got = static_cast<float>(array[at]);
        check(std::abs(got - expected(at)) <= bound,
              name + ": element " + std::to_string(at) + " is " + std::to_string(got));
    }
    double others = 0;
    for (std::size_t at = 0; at < count; at += 4111)
        if (!std::binary_search(looked_at.begin(), looked_at.end(), at))
            others += std::abs(static_cast<float>(array[at]));
    check(others == 0, name + ": something where nothing was");
    if (rank == 0)
        std::printf("%-60s %5.1f s, %s\n", name.c_str(), MPI_Wtime() - start,
                    done.ok() ? done->algorithm.c_str() : "failed");
    std::fflush(stdout);
}

}  // namespace

void large_collectives() {
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::size_t bytes = count * sizeof(bfloat16);
    if (!have_memory(static_cast<std::size_t>(ranks) * bytes, std::to_string(count) + " elements", "left out")) return;
    const pages memory(bytes);
    memory.fill_soon();
    const std::span<bfloat16> array(reinterpret_cast<bfloat16*>(memory.bytes().data()), count);
    collective_options options;
    options.limit = bound::abs(0.25);
    options.algorithm = "homomorphic";
    const auto add = [&] {
        return allreduce<bfloat16>(std::span<const bfloat16>(array), array, reduction::sum, MPI_COMM_WORLD, options);
    };
    // Half an ulp of numbers up to 127 is 1/4.
    run_and_check(name_of_call("allreduce", options), array, 0.5, add, [&](std::size_t at) {
        double sum = 0;
        for (int k = 0; k < ranks; ++k) sum += value_of(at, k);
        return sum;
    });
    // What would be MPI's own if it could.
    options.limit = bound::lossless();
    options.algorithm = "auto";
    const auto spread = [&] { return bcast(array, ranks - 1, MPI_COMM_WORLD, options); };
    run_and_check(name_of_call("bcast", options), array, 0, spread,
                  [&](std::size_t at) { return double{value_of(at, ranks - 1)}; });
}

}  // namespace laconic::test
