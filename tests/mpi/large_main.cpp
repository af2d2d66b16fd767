// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of more bytes than an int counts, between two ranks and within one, with every engine. Elements are looked
// at in many places, at both sides of 2^31 and 2^32 among them.
#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::int64_t row_elements = (std::int64_t{1} << 16) + 24;
constexpr std::size_t spare_bytes = std::size_t{1} << 30;

/// The number in the first line of a file that has one in this form; `otherwise` where there is none.
std::size_t number_in(const char* file, const char* form, std::size_t otherwise) {
    std::FILE* const about = std::fopen(file, "r");
    std::size_t number = 0;
    bool found = false;
    char line[256];
    while (about != nullptr && !found && std::fgets(line, sizeof line, about) != nullptr)
        found = std::sscanf(line, form, &number) == 1;
    if (about != nullptr) std::fclose(about);
    return found ? number : otherwise;
}

/// Of the machine, and of a container that has less.
std::size_t available_bytes() {
    const std::size_t there = number_in("/proc/meminfo", "MemAvailable: %zu", 0) << 10;
    const std::size_t most = number_in("/sys/fs/cgroup/memory.max", "%zu", SIZE_MAX);
    const std::size_t used = number_in("/sys/fs/cgroup/memory.current", "%zu", 0);
    return std::min(there, most > used ? most - used : 0);
}

/// Collective: whether there is so much memory for all ranks together; else says so. "skipped" is what CTest looks for.
bool have_memory(std::size_t bytes, const std::string& what, const char* otherwise) {
    const int rank = rank_in(MPI_COMM_WORLD);
    std::size_t available = rank == 0 ? available_bytes() : 0;
    MPI_Bcast(&available, sizeof available, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (available >= bytes + spare_bytes) return true;
    if (rank == 0)
        std::printf("%s: %s needs %zu MB, there are %zu\n", otherwise, what.c_str(), bytes >> 20, available >> 20);
    return false;
}

/// Zero until it is written, and then as much of it as is.
class pages {
public:
    explicit pages(std::size_t bytes) : bytes_(bytes) {
        if (bytes == 0) return;
        void* const got =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        check(got != MAP_FAILED, "memory for an array");
        memory_ = static_cast<std::byte*>(got);
    }
    /// Of 2 MB each, where there are such: all of them are going to be written, and a fault for each 4 KB takes
    /// minutes.
    void fill_soon() const noexcept { madvise(memory_, bytes_, MADV_HUGEPAGE); }
    pages(const pages&) = delete;
    pages& operator=(const pages&) = delete;
    ~pages() {
        if (bytes_ > 0) munmap(memory_, bytes_);
    }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {memory_, bytes_}; }

private:
    std::size_t bytes_;
    std::byte* memory_ = nullptr;
};

/// Where bytes are looked at: all over the array, and around what 31, 32 and fewer bits count.
std::vector<std::size_t> places(std::size_t bytes) {
    std::vector<std::size_t> made;
    for (std::size_t at = 0; at < bytes; at += (1 << 20) + 4099) made.push_back(at);
    for (const int bits : {30, 31, 32})
        for (std::size_t at = (std::size_t{1} << bits) - 9; at < (std::size_t{1} << bits) + 9; ++at) made.push_back(at);
    for (std::size_t back = 1; back < 20; ++back) made.push_back(bytes - back);
    std::erase_if(made, [&](std::size_t at) { return at >= bytes; });
    return made;
}

/// Never 0, as memory is at first, and another one in every run: what an earlier run left is not taken for this one's.
std::byte value_at(std::size_t at, unsigned run) {
    return static_cast<std::byte>(((at * 0x9e3779b97f4a7c15U >> 57) + run) | 0x80U);
}

/// rows x row_elements elements on rank 0, one patch, which goes to `owner`, where rows lie `gap` elements apart.
struct problem {
    std::int64_t rows;
    std::size_t element_bytes;
    rank_number owner;
    std::int64_t gap = 0;

    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(rows * row_elements) * element_bytes; }
    [[nodiscard]] std::size_t bytes_with_gaps() const {
        return static_cast<std::size_t>(rows * (row_elements + gap)) * element_bytes;
    }
    /// Where a byte of the array is on the owner.
    [[nodiscard]] std::size_t place_of(std::size_t at) const {
        const auto row = static_cast<std::int64_t>(at / element_bytes) / row_elements;
        return at + static_cast<std::size_t>(row * gap) * element_bytes;
    }
    [[nodiscard]] plan planned(int ranks) const {
        const std::vector<std::int64_t> extents{rows, row_elements};
        const std::vector<owned_box> owned{{0, {2, {0, 0}, {rows, row_elements}}}};
        placement how;
        how.kind = placement_kind::given;
        how.owners = {owner};
        return plan::make(layout::boxes(extents, owned, ranks).value(), patch_grid::of_size(extents, extents).value(),
                          how)
            .value();
    }
    [[nodiscard]] std::string text() const {
        return std::to_string(bytes()) + " bytes, elements of " + std::to_string(element_bytes) + ", to rank " +
               std::to_string(owner);
    }
};

/// Taken once for all runs: a virtual machine may take longer to fetch fresh pages than for all the rest.
struct arrays {
    explicit arrays(std::size_t bytes) : in(bytes), out(bytes) { out.fill_soon(); }
    pages in, out;
    unsigned runs = 0;
};

void run_and_check(const problem& asked, exchange_engine engine, arrays& memory) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const unsigned run = ++memory.runs;
    const std::string name = std::string(name_of(engine)) + ", " + asked.text();
    const double start = MPI_Wtime();
    exchange_options options;
    options.engine = engine;
    // One run, without trials of other batches.
    options.batch_bytes = std::size_t{1} << 20;
    if (rank == asked.owner) options.out_patches = {{0, {row_elements + asked.gap, 1}}};
    const exchange_element element{asked.element_bytes, std::nullopt};
    auto made = exchange::make(MPI_COMM_WORLD, asked.planned(size_of(MPI_COMM_WORLD)), element, options);
    check(made.ok(), name + ": " + made.error().message());
    if (!made) return;
    const std::span<std::byte> in = memory.in.bytes().first(rank == 0 ? asked.bytes() : 0);
    const std::span<std::byte> out = memory.out.bytes().first(rank == asked.owner ? asked.bytes_with_gaps() : 0);
    for (const std::size_t at : places(in.size())) in[at] = value_at(at, run);
    const exchange::array_in from{in.data(), in.size() / element.bytes};
    const exchange::array_out to{out.data(), out.size() / element.bytes};
    int told = 0;
    const auto on_patch = [&](const ready_patch&) { ++told; };
    const status done = made->run({&from, 1}, {&to, 1}, element, on_patch);
    check(done.ok(), name + ": " + done.message());
    check(told == (rank == asked.owner ? 1 : 0), name + ": " + std::to_string(told) + " patches told");
    if (rank == asked.owner)
        for (const std::size_t at : places(asked.bytes()))
            check(out[asked.place_of(at)] == value_at(at, run), name + ": byte " + std::to_string(at));
    const exchange_report& report = made->report();
    std::uint64_t moved = report.kept_bytes + report.shared_bytes + report.message_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(moved == asked.bytes(), name + ": reports " + std::to_string(moved) + " bytes");
    if (rank == 0) std::printf("%-60s %5.1f s\n", name.c_str(), MPI_Wtime() - start);
    std::fflush(stdout);
}

/// The first rows whose bytes go beyond 2^bits.
std::int64_t rows_beyond(int bits, std::size_t element_bytes) {
    return (std::int64_t{1} << bits) / (row_elements * static_cast<std::int64_t>(element_bytes)) + 2;
}

void large_exchanges() {
    // In, out on each of the two, and for engines that pack everything in and out once more. Automatic is shared here.
    const problem two_gb{rows_beyond(31, 8), 8, 1, 8};
    if (!have_memory(5 * two_gb.bytes(), two_gb.text(), "skipped")) return;
    // In, out, and what rank 0 had as out.
    const problem four_gb{rows_beyond(32, 16), 16, 1};
    const bool beyond_32_bits = have_memory(2 * four_gb.bytes() + two_gb.bytes(), four_gb.text(), "left out");
    const problem to_itself{rows_beyond(31, 16), 16, 0, 1};
    arrays memory(beyond_32_bits ? four_gb.bytes() : std::max(two_gb.bytes_with_gaps(), to_itself.bytes_with_gaps()));
    for (const exchange_engine engine : engines_here())
        if (engine != exchange_engine::shared) run_and_check(two_gb, engine, memory);
    run_and_check(to_itself, exchange_engine::automatic, memory);
    // More elements than an int counts.
    run_and_check({rows_beyond(31, 1), 1, 1}, exchange_engine::per_patch, memory);
    run_and_check({rows_beyond(31, 1), 1, 1}, exchange_engine::alltoallw, memory);
    if (!beyond_32_bits) return;
    // The one that packs in parts and the one of datatypes; the others count as these do.
    for (const exchange_engine engine : {exchange_engine::automatic, exchange_engine::per_patch})
        run_and_check(four_gb, engine, memory);
}

}  // namespace
}  // namespace laconic::test

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    laconic::test::large_exchanges();
    const bool ok = laconic::test::failures_of_all_ranks() == 0;
    MPI_Finalize();
    return ok ? 0 : 1;
}
