// SPDX-License-Identifier: BSD-3-Clause
// Layouts, grids and plans in a process that may have little more memory than it has: a status that says how much there
// is not, and what to do.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "laconic/laconic.h"
#include "laconic/redistribute.hpp"

namespace laconic {
namespace {

using numbers = std::vector<std::int64_t>;

std::size_t address_space() {
    std::size_t pages = 0;
    std::FILE* const about = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(about, "%zu", &pages), 1);
    std::fclose(about);
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Whether this process can have `bytes` more: emulators of other processors take a limit and do not keep it.
bool can_have(std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

/// Runs `action` in a child that may take so many bytes more; expects it to return true.
void expect_with_memory(std::size_t bytes, const std::function<bool()>& action) {
#if defined(LACONIC_SANITIZED)
    GTEST_SKIP() << "sanitizers reserve more address space than any limit";
#endif
    constexpr int exit_no_limit = 77;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const rlimit limit{address_space() + bytes, RLIM_INFINITY};
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
        if (can_have(bytes + (1 << 20))) _exit(exit_no_limit);
        bool as_wanted = false;
        try {
            as_wanted = action();
        } catch (const std::exception& escaped) {
            std::fprintf(stderr, "escapes: %s\n", escaped.what());
            _exit(3);
        }
        _exit(as_wanted ? 0 : 1);
    }
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    if (WIFEXITED(how) && WEXITSTATUS(how) == exit_no_limit) GTEST_SKIP() << "memory cannot be limited here";
    EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << bytes << " bytes";
}

/// Expects out_of_memory and these words.
void expect_no_memory(const std::string& words, const std::function<status()>& action, std::size_t bytes = 1 << 20) {
    SCOPED_TRACE(words);
    expect_with_memory(bytes, [&] {
        const status got = action();
        std::fprintf(stderr, "%s\n", got.message().c_str());
        return got.code() == errc::out_of_memory && got.context().find(words) != std::string::npos;
    });
}

TEST(memory, of_patches) {
    expect_no_memory("at least 80000008 bytes); use larger patches",
                     [] { return patch_grid::of_size(numbers{100'000'000}, numbers{10}).error(); });
    expect_no_memory("at least 80000008 bytes); use larger patches",
                     [] { return patch_grid::blocks(numbers{100'000'000}, numbers{10'000'000}).error(); });
}

TEST(memory, of_layouts) {
    expect_no_memory("layout in blocks (at least 80000008 bytes); use fewer blocks",
                     [] { return layout::regular(numbers{100'000'000}, numbers{10'000'000}).error(); });
    std::vector<owned_box> boxes;
    for (std::int64_t k = 0; k < 1'000'000; ++k) boxes.push_back({0, {1, {k}, {k + 1}}});
    expect_no_memory("layout of boxes (at least 80000080 bytes); use fewer boxes",
                     [&] { return layout::boxes(numbers{1'000'000}, boxes, 1).error(); });
    boxes.assign({{0, {1, {0}, {1'000'000}}}});
    expect_no_memory("at least 160000", [&] { return layout::boxes(numbers{1'000'000}, boxes, 20'000'000).error(); });
}

TEST(memory, of_plans) {
    const layout from = layout::regular(numbers{10'000'000}, numbers{2}).value();
    const patch_grid to = patch_grid::of_size(numbers{10'000'000}, numbers{1}).value();
    for (const auto kind :
         {placement_kind::greedy, placement_kind::balanced, placement_kind::round_robin, placement_kind::optimal}) {
        placement how;
        how.kind = kind;
        expect_no_memory("the plan (at least 80000024 bytes); use larger patches, or fewer ranks",
                         [&] { return plan::make(from, to, how).error(); });
    }
}

/// The acceptance figure of 256 MB holds for layout, grid and plan together.
TEST(memory, a_million_patches_on_16384_ranks_take_256_megabytes) {
    const auto plan_them = [] {
        const layout from = layout::regular(numbers{3200, 3200, 3200}, numbers{32, 32, 16}).value();
        return plan::make(from, patch_grid::of_size(numbers{3200, 3200, 3200}, numbers{32, 32, 32}).value(), {});
    };
    expect_with_memory(256'000'000, [&] {
        const result<plan> made = plan_them();
        std::fprintf(stderr, "%s\n", made.error().message().c_str());
        return made.ok() && made->from().ranks() == 16'384 && made->owners().size() == 1'000'000;
    });
    expect_no_memory(
        "the plan (at least", [&] { return plan_them().error(); }, 16'000'000);
}

status of_c(int code) { return {static_cast<errc>(code), code == LACONIC_OK ? "" : laconic_last_message()}; }

TEST(memory, of_plans_from_c) {
    const std::int64_t extents[1] = {10'000'000}, patch[1] = {1000};
    std::vector<std::int32_t> owners(10'000'000);
    std::vector<std::int64_t> lower(owners.size()), upper(owners.size());
    expect_no_memory("the boxes (at least", [&] {
        laconic_plan planned = LACONIC_PLAN_NULL;
        return of_c(laconic_plan_boxes(1, extents, 1, owners.size(), owners.data(), lower.data(), upper.data(), patch,
                                       LACONIC_PLACE_GREEDY, 0, &planned));
    });
    const std::int64_t blocks[1] = {1'000'000};
    laconic_plan planned = LACONIC_PLAN_NULL;
    ASSERT_EQ(laconic_plan_regular(1, extents, blocks[0], blocks, patch, LACONIC_PLACE_ROUND_ROBIN, 0, &planned),
              LACONIC_OK);
    laconic_plan_figures figures;
    expect_no_memory("the figures (at least 36000000 bytes); plan for fewer ranks",
                     [&] { return of_c(laconic_plan_describe(planned, &figures)); });
    EXPECT_EQ(laconic_plan_free(&planned), LACONIC_OK);
}

}  // namespace
}  // namespace laconic
