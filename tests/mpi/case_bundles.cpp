// SPDX-License-Identifier: BSD-3-Clause
// What comes in a bundle: parts in any order, and bytes that are none. And what memory bundles take.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "cases.hpp"
#include "codec/fle.hpp"
#include "collective/bundles.hpp"
#include "collective/execution.hpp"
#include "collective/geometry.hpp"
#include "collective/runner.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

using namespace collective;

constexpr std::uint32_t pieces = 3;
constexpr std::size_t part_bytes = 64;
constexpr int tag = 4;

/// A rank that takes three pieces from rank 0.
program taking() {
    program made;
    made.pieces = pieces;
    made.incoming = {{0, true}};
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        made.steps.emplace_back().piece = piece;
        made.steps.back().from = 0;
    }
    return made;
}

struct part_sent {
    std::uint32_t piece, stated_bytes;
    std::string bytes;
};

std::vector<char> packed(const std::vector<part_sent>& parts) {
    std::vector<char> all;
    for (const part_sent& one : parts) {
        const std::array head{one.piece, one.stated_bytes};
        const std::size_t at = all.size();
        all.resize(at + sizeof head);
        std::memcpy(all.data() + at, head.data(), sizeof head);
        all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    }
    return all;
}

/// What rank 1 reads, asked for the pieces in order.
std::vector<std::string> read(mpi::channel& channel) {
    const program steps = taking();
    const std::vector<place> places(pieces, place{0, 0, 8});
    const job work(steps, places, {2048, 1, true}, 8);
    mpi::workspace memory;
    check(memory.reserve(bundles::memory_for(steps, part_bytes)).ok(), "no memory for a bundle");
    const team all{1, size_of(MPI_COMM_WORLD), {}};
    bundles come(channel, all, work, part_bytes, memory.bytes(), tag);
    check(come.post().ok(), "a bundle cannot be received");
    for (bool is_there = false; !is_there;) {
        const auto found = come.has_come(steps.steps[0]);
        check(found.ok(), found.error().message());
        is_there = !found.ok() || *found;
    }
    std::vector<std::string> got;
    for (const step& now : steps.steps) {
        const auto part = come.message_of(now);
        got.emplace_back(reinterpret_cast<const char*>(part.data()), part.size());
    }
    return got;
}

/// A payload of nothing but sizes: those of sums of which nothing compresses.
class widest_sums : public payload {
public:
    explicit widest_sums(element_type type) noexcept : type_(type) {}
    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override {
        return codec::bare_sum_bound(type_, count);
    }
    void copy_values(part /*piece*/) override {}
    message begin(part /*piece*/, std::span<std::byte> /*scratch*/) override { return {}; }
    message combine(part /*piece*/, const operands& /*what*/) override { return {}; }
    void finish(part /*piece*/, std::span<const std::byte> /*message*/) override {}

private:
    element_type type_;
};

/// Memory of a call in bundles, in bytes; 0: its messages travel alone.
std::size_t bundled_bytes(int ranks, int rank, element_type type, std::size_t element_bytes, std::size_t count) {
    const program steps = make_program(operation::allreduce, schedule_kind::rabenseifner, ranks, rank, 0);
    std::vector<place> places;
    place_evenly(count, steps.pieces, places);
    std::size_t longest = 0;
    for (const place& piece : places) longest = std::max(longest, piece.count);
    const cell what{schedule_kind::rabenseifner, payload_kind::fused, codec_id::fle};
    const grain cut = job::choose(what, steps, longest, (std::size_t{128} << 10) / element_bytes, element_bytes);
    const job work(steps, places, cut, longest);
    return cut.bundled ? runner::memory_for(widest_sums(type), work) : 0;
}

}  // namespace

/// As docs/guide/collectives.md states: on less than 32 ranks a multiple of arrays that are not too short, and no more
/// than so much.
void bundles_take_memory() {
    constexpr struct {
        element_type type;
        std::size_t bytes;
    } types[]{{element_type::f16, 2}, {element_type::f32, 4}, {element_type::f64, 8}};
    for (const auto& [type, element_bytes] : types)
        for (const int ranks : {4, 5, 8, 11, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512})
            for (std::size_t bytes = 4096; bytes <= (std::size_t{4} << 20); bytes *= 2)
                for (const int rank : {0, 1, ranks - 1}) {
                    const std::size_t took = bundled_bytes(ranks, rank, type, element_bytes, bytes / element_bytes);
                    const std::string what = std::to_string(bytes) + " bytes on " + std::to_string(ranks) + " ranks";
                    const std::size_t most = ranks < 32 ? 58'000'000 : ranks <= 256 ? 83'000'000 : 124'000'000;
                    check(took <= most, what + " take " + std::to_string(took) + " bytes in bundles");
                    // Sums of half take as much as those of float.
                    const std::size_t times = std::has_single_bit(static_cast<unsigned>(ranks)) ? 22 : 33;
                    if (bytes >= 512 * 1024 && ranks < 32 && element_bytes > 2)
                        check(took <= times * bytes,
                              what + " take more than " + std::to_string(times) + " times as much");
                }
}

void bundles_are_read() {
    const auto channel = collective::usable_channel(MPI_COMM_WORLD);
    check(channel.ok(), channel.error().message());
    const int rank = rank_in(MPI_COMM_WORLD);
    if (!channel.ok() || size_of(MPI_COMM_WORLD) < 2 || rank > 1) return;
    struct {
        const char* what;
        std::vector<part_sent> sent;
        std::size_t cut_bytes;
        std::vector<std::string> want;
    } const cases[]{
        {"in order", {{0, 2, "ab"}, {1, 0, ""}, {2, 3, "cde"}}, 0, {"ab", "", "cde"}},
        {"in another order", {{2, 3, "cde"}, {0, 2, "ab"}, {1, 1, "f"}}, 0, {"ab", "f", "cde"}},
        {"a part that is not due", {{0, 2, "ab"}, {7, 1, "x"}, {2, 1, "c"}}, 0, {"ab", "", "c"}},
        {"too few", {{1, 1, "b"}}, 0, {"", "b", ""}},
        {"nothing", {}, 0, {"", "", ""}},
        {"longer than it says", {{0, 4000, "ab"}, {1, 1, "c"}}, 0, {"", "", ""}},
        {"of half a head", {{0, 2, "ab"}, {1, 1, "c"}}, 5, {"ab", "", ""}},
    };
    for (const auto& one : cases) {
        std::vector<char> bytes = packed(one.sent);
        bytes.resize(bytes.size() - one.cut_bytes);
        if (rank == 0)
            MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 1, tag + 1, (*channel)->comm());
        else
            check(read(**channel) == one.want, std::string("a bundle with parts ") + one.what + " is read otherwise");
    }
}

}  // namespace laconic::test
