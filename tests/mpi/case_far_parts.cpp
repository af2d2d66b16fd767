// SPDX-License-Identifier: BSD-3-Clause
// Parts that lie where MPI's int displacements do not reach, on some ranks only, which the others cannot know, and
// empty ones that lie nowhere: MPI's own functions move them all the same, and so do ours.
#include <sys/mman.h>

#include <string>
#include <vector>

#include "cases.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t beyond = (std::size_t{1} << 31) + 5;

/// Memory of which only pages that are touched are there.
class far_array {
public:
    explicit far_array(std::size_t size) : size_(size) {
        memory_ = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    far_array(const far_array&) = delete;
    far_array& operator=(const far_array&) = delete;
    ~far_array() {
        if (memory_ != MAP_FAILED) munmap(memory_, bytes());
    }
    [[nodiscard]] bool is_there() const { return memory_ != MAP_FAILED; }
    [[nodiscard]] std::span<half> values() const { return {static_cast<half*>(memory_), size_}; }

private:
    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(half); }
    std::size_t size_;
    void* memory_;
};

/// Of a rank's array with a part for each rank.
struct parts {
    std::vector<std::size_t> counts, displacements;
    std::size_t size = 0;
};

/// The last part but one is empty, and lies nowhere.
parts make_parts(bool far, std::size_t (*count_of)(int mine, int other)) {
    const int ranks = size_of(MPI_COMM_WORLD);
    parts made;
    for (int k = 0; k < ranks; ++k) {
        made.counts.push_back(count_of(rank_in(MPI_COMM_WORLD), k));
        if (far && k == ranks - 1) made.size += beyond;
        made.displacements.push_back(made.counts.back() == 0 ? beyond * 9 : made.size);
        made.size += made.counts.back() + 3;
    }
    return made;
}
std::size_t own_count(int, int other) {
    return other == size_of(MPI_COMM_WORLD) - 2 ? 0 : 4 + static_cast<std::size_t>(other);
}
std::size_t sent_count(int mine, int other) { return own_count(0, other) + own_count(0, mine); }

/// What rank `from` has for rank `to`.
float value_of(int from, int to, std::size_t i) {
    return static_cast<float>(100 * from + 10 * to) + static_cast<float>(i);
}

void fill(std::span<half> values, std::size_t first, std::size_t count, int from, int to) {
    for (std::size_t i = 0; i < count; ++i) values[first + i] = half(value_of(from, to, i));
}
void check_part(std::span<const half> values, std::size_t first, std::size_t count, int from, int to,
                const std::string& what) {
    for (std::size_t i = 0; i < count; ++i)
        if (static_cast<float>(values[first + i]) != value_of(from, to, i))
            return check(false, what + ": element " + std::to_string(i) + " from rank " + std::to_string(from));
}

bool runs(const collective_call<half>& call, const collective_options& options, const std::string& what) {
    const auto done = run(call, MPI_COMM_WORLD, options);
    check(done.ok(), what + ": " + done.error().message());
    return done.ok();
}

void check_gathers(const far_array& all, bool far, const collective_options& options, bool in_place, int root) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const int me = rank_in(MPI_COMM_WORLD);
    const bool to_all = root < 0;
    const std::string what = std::string(to_all ? "allgatherv" : "gatherv") + " of far parts, " + options.algorithm +
                             (in_place ? " in place" : "");
    const parts there = make_parts(far, own_count);
    const std::size_t count = own_count(0, me);
    std::vector<half> own(count);
    const std::span<half> out = all.values().first(there.size);
    for (int k = 0; k < ranks; ++k)
        if (there.counts[static_cast<std::size_t>(k)] > 0)
            fill(out, there.displacements[static_cast<std::size_t>(k)], there.counts[static_cast<std::size_t>(k)], 9,
                 9);
    std::span<half> in(own);
    if (in_place && count > 0 && (to_all || me == root))
        in = out.subspan(there.displacements[static_cast<std::size_t>(me)], count);
    fill(in, 0, count, me, 0);
    const auto call = to_all ? collective_call<half>::allgatherv(in, out, there.counts, there.displacements)
                             : collective_call<half>::gatherv(in, out, there.counts, there.displacements, root);
    if (!runs(call, options, what) || (!to_all && me != root)) return;
    for (int k = 0; k < ranks; ++k)
        check_part(out, there.displacements[static_cast<std::size_t>(k)], there.counts[static_cast<std::size_t>(k)], k,
                   0, what);
}

/// Only the root's result is looked at.
void check_reduce(const far_array& all, const collective_options& options, int root) {
    const int me = rank_in(MPI_COMM_WORLD);
    std::vector<half> in(1000), out(1000);
    fill(std::span<half>(in), 0, in.size(), 3, 3);
    const std::span<half> anything = me == root ? std::span<half>(out) : all.values();
    const std::string what = "reduce to one beside far arrays, " + options.algorithm;
    if (runs(collective_call<half>::reduce(in, anything, reduction::max, root), options, what) && me == root)
        check_part(out, 0, out.size(), 3, 3, what);
}

void check_scatter(const far_array& all, const collective_options& options, int root) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const int me = rank_in(MPI_COMM_WORLD);
    const parts there = make_parts(true, own_count);
    const std::span<half> in = all.values().first(there.size);
    for (int k = 0; k < ranks; ++k)
        if (there.counts[static_cast<std::size_t>(k)] > 0)
            fill(in, there.displacements[static_cast<std::size_t>(k)], there.counts[static_cast<std::size_t>(k)], root,
                 k);
    std::vector<half> out(own_count(0, me));
    const std::string what = "scatterv of far parts, " + options.algorithm;
    if (runs(collective_call<half>::scatterv(in, there.counts, there.displacements, out, root), options, what))
        check_part(out, 0, out.size(), root, me, what);
}

void check_exchange(const far_array& sent, const far_array& received, bool far, const collective_options& options,
                    bool in_place) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const int me = rank_in(MPI_COMM_WORLD);
    const parts there = make_parts(far, sent_count);
    const std::span<half> out = received.values().first(there.size);
    const std::span<half> in = in_place ? out : sent.values().first(there.size);
    for (int k = 0; k < ranks; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (there.counts[at] == 0) continue;
        fill(out, there.displacements[at], there.counts[at], 9, 9);
        fill(in, there.displacements[at], there.counts[at], me, k);
    }
    const std::string what = "alltoallv of far parts, " + options.algorithm + (in_place ? " in place" : "");
    if (!runs(collective_call<half>::alltoallv(in, there.counts, there.displacements, out, there.counts,
                                               there.displacements),
              options, what))
        return;
    for (int k = 0; k < ranks; ++k)
        check_part(out, there.displacements[static_cast<std::size_t>(k)], there.counts[static_cast<std::size_t>(k)], k,
                   me, what);
}

/// Rank 1 has nothing for anybody, and its empty parts lie nowhere. Started: Open MPI's function waits for as much as a
/// pair of ranks has for each other.
void check_nothing_sent() {
    constexpr std::size_t count = 10000;
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    const int me = rank_in(MPI_COMM_WORLD);
    if (ranks < 2) return;
    std::vector<std::size_t> sent(ranks, me == 1 ? 0 : count), come(ranks, count), from(ranks);
    come[1] = 0;
    for (std::size_t k = 0; k < ranks; ++k) from[k] = k * count;
    if (me == 1) from[1] = beyond * 9;
    const std::vector<float> in(ranks * count, static_cast<float>(me));
    std::vector<float> out(ranks * count, -1);
    auto request = start(collective_call<float>::alltoallv(in, sent, from, out, come, from), MPI_COMM_WORLD,
                         options_for("stock", bound::lossless()));
    const status done = request.ok() ? request->wait().error() : request.error();
    check(done.ok(), "an alltoallv of which a rank sends nothing: " + done.message());
    for (std::size_t k = 0; k < ranks; ++k)
        check(out[k * count] == (k == 1 ? -1 : static_cast<float>(k)), "an alltoallv of which a rank sends nothing");
}

/// What MPI moves for the comparison is packed, too.
void check_audit() {
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    const auto me = static_cast<std::size_t>(rank_in(MPI_COMM_WORLD));
    if (ranks < 2) return;
    std::vector<std::size_t> counts(ranks, 10), first(ranks);
    for (std::size_t k = 0; k < ranks; ++k) first[k] = k * 10;
    counts.back() = 0;
    first.back() = beyond;
    const std::vector<float> in(counts[me], static_cast<float>(me + 1));
    std::vector<float> out(ranks * 10);
    collective_options options = options_for("ring_raw", bound::lossless());
    options.audit = true;
    const auto done = run(collective_call<float>::allgatherv(in, out, counts, first), MPI_COMM_WORLD, options);
    check(done.ok() && done->audit && done->audit->violations == 0, "an audit of far parts");
}

}  // namespace

void far_parts_arrive() {
    check_nothing_sent();
    check_audit();
    const far_array one(beyond + 4096), other(beyond + 4096);
    check(one.is_there() && other.is_there(), "no address space for far parts");
    if (!one.is_there() || !other.is_there()) return;
    const int last = size_of(MPI_COMM_WORLD) - 1;
    for (const char* row : {"stock", "auto", "compressed"})
        for (const bool everywhere : {true, false})
            for (const bool in_place : {false, true}) {
                const bool far = everywhere || rank_in(MPI_COMM_WORLD) == last;
                const auto options = [&](const char* compressed) {
                    const bool is_ours = std::string(row) == "compressed";
                    return options_for(is_ours ? compressed : row, is_ours ? bound::abs(1e-5) : bound::lossless());
                };
                check_gathers(one, far, options("ring"), in_place, -1);
                check_gathers(one, far, options("pairwise"), in_place, last);
                if (!in_place) check_scatter(one, options("pairwise"), last);
                if (!in_place) check_reduce(one, options("homcomp_f"), last);
                // Ours copies the whole array where it exchanges in place, gaps and all.
                if (std::string(row) == "compressed" && in_place) continue;
                check_exchange(one, other, far, options("pairwise"), in_place);
            }
}

}  // namespace laconic::test
