// SPDX-License-Identifier: BSD-3-Clause
// Plans and exchanges as C calls them: values arrive, and a rank without a plan does not leave the others waiting.
#include <mpi.h>

#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "laconic/laconic.h"
#include "run.hpp"

namespace laconic::test {

void exchanges_work_from_c() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const std::int64_t extents[2] = {6 * ranks, 9}, blocks[2] = {ranks, 1}, patch[2] = {4, 4};
    laconic_plan planned = LACONIC_PLAN_NULL;
    check(laconic_plan_regular(2, extents, ranks, blocks, patch, LACONIC_PLACE_ROUND_ROBIN, 0, &planned) == LACONIC_OK,
          laconic_last_message());
    laconic_plan_figures figures{};
    check(laconic_plan_describe(planned, &figures) == LACONIC_OK && figures.elements == 54 * ranks &&
              figures.patches == (6 * ranks + 3) / 4 * 3,
          "figures of a plan");
    laconic_exchange moving = LACONIC_EXCHANGE_NULL;
    check(laconic_exchange_make(planned, sizeof(double), LACONIC_F64, MPI_COMM_WORLD, nullptr, &moving) == LACONIC_OK,
          laconic_last_message());
    std::size_t in_elements = 0, out_elements = 0;
    check(laconic_exchange_elements(moving, &in_elements, &out_elements) == LACONIC_OK && in_elements == 54,
          "elements");
    std::vector<double> in(in_elements), out(out_elements, -1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i) + 54.0 * rank;
    std::vector<std::int32_t> told;
    const auto on_patch = [](void* user, const laconic_ready_patch* ready) {
        static_cast<std::vector<std::int32_t>*>(user)->push_back(ready->patch);
    };
    check(laconic_exchange_run(moving, in.data(), in.size(), out.data(), out.size(), on_patch, &told) == LACONIC_OK,
          laconic_last_message());
    const std::int32_t* mine = nullptr;
    std::size_t count = 0, at = 0;
    check(laconic_plan_patches(planned, rank, &mine, &count) == LACONIC_OK && told.size() == count, "patches told");
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t lower[2], upper[2];
        check(laconic_plan_patch(planned, mine[i], lower, upper) == LACONIC_OK, "a patch");
        for (std::int64_t y = lower[0]; y < upper[0]; ++y)
            for (std::int64_t x = lower[1]; x < upper[1]; ++x, ++at)
                check(out[at] == static_cast<double>(9 * y + x), "element " + std::to_string(at) + " from C");
    }
    check(at == out.size(), "elements from C");
    check(laconic_exchange_run(moving, in.data(), rank == ranks - 1 ? 1 : in.size(), out.data(), out.size(), nullptr,
                               nullptr) == LACONIC_ERR_ARGUMENT,
          "a short array from C");
    check(laconic_exchange_free(&moving) == LACONIC_OK && moving == LACONIC_EXCHANGE_NULL, "free");
    laconic_exchange_options fast{};
    fast.engine = "fast";
    check(laconic_exchange_make(rank == 0 ? LACONIC_PLAN_NULL : planned, 8, LACONIC_F64, MPI_COMM_WORLD, nullptr,
                                &moving) == LACONIC_ERR_ARGUMENT,
          "a rank without a plan");
    check(laconic_exchange_make(planned, 8, LACONIC_F64, MPI_COMM_WORLD, rank == 0 ? &fast : nullptr, &moving) ==
                  LACONIC_ERR_ARGUMENT &&
              std::string(laconic_last_message()).find("rank 0: no exchange engine 'fast'") != std::string::npos,
          "an engine that is none");
    laconic_exchange_options odd{};
    const int no_kind = 2;
    std::memcpy(&odd.kind, &no_kind, sizeof odd.kind);
    check(laconic_exchange_make(planned, 8, LACONIC_F64, MPI_COMM_WORLD, rank == 0 ? &odd : nullptr, &moving) ==
                  LACONIC_ERR_ARGUMENT &&
              std::string(laconic_last_message()).find("rank 0: kind of bound 2") != std::string::npos,
          "a kind of bound that is none");
    check(laconic_plan_free(&planned) == LACONIC_OK && planned == LACONIC_PLAN_NULL, "free a plan");
    const std::int32_t owners[2] = {0, 0};
    const std::int64_t lower[4] = {0, 0, 0, 0}, upper[4] = {6, 9, 1, 1};
    check(laconic_plan_boxes(2, extents, ranks, 2, owners, lower, upper, patch, LACONIC_PLACE_GREEDY, 0, &planned) ==
              LACONIC_ERR_MISMATCH,
          "boxes that overlap");
}

}  // namespace laconic::test
