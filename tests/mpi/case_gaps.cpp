// SPDX-License-Identifier: BSD-3-Clause
// Arrays that lie in the gaps of others: what is read and what is written does not overlap, so every algorithm has to
// take the call. Where parts do overlap the call is refused.
#include <string>
#include <vector>

#include "cases.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::size_t part = 10;
constexpr std::size_t stride = 2 * part;
constexpr float nothing = -1;

float value_of(int from, int to, std::size_t i) {
    return static_cast<float>(1000 * from + 20 * to) + static_cast<float>(i);
}

/// Parts for all ranks, a gap as long as a part behind each, or in front of each.
struct spread {
    const std::size_t ranks = static_cast<std::size_t>(size_of(world));
    const int me = rank_in(world);
    std::vector<float> all = std::vector<float>(ranks * stride, nothing);
    std::vector<std::size_t> counts = std::vector<std::size_t>(ranks, part);
    std::size_t starts;
    std::vector<std::size_t> first;

    explicit spread(bool gap_first = false) : starts(gap_first ? part : 0) {
        for (std::size_t k = 0; k < ranks; ++k) first.push_back(starts + k * stride);
    }
    [[nodiscard]] std::span<float> parts() { return std::span(all).first(ranks * stride + starts - part); }
    [[nodiscard]] std::span<float> gaps() { return std::span(all).subspan(part); }
    /// The first gap, or the one behind the part of the next rank.
    [[nodiscard]] std::span<float> gap() {
        if (starts > 0) return std::span(all).first(part);
        return gaps().subspan((static_cast<std::size_t>(me) + 1) % ranks * stride, part);
    }
    void check_part(std::span<const float> got, int from, int to, const std::string& what) const {
        for (std::size_t i = 0; i < part; ++i)
            if (got[i] != value_of(from, to, i))
                return check(false, what + ": element " + std::to_string(i) + " from rank " + std::to_string(from) +
                                        " is " + std::to_string(got[i]));
    }
};

void fill(std::span<float> to, int from, int whom) {
    for (std::size_t i = 0; i < part; ++i) to[i] = value_of(from, whom, i);
}

/// Which algorithm runs, and whether ranks compare their counts before.
struct setting {
    collective_options options;
    std::string text;
    bool started;

    setting(const char* row, bool checked, bool is_started = false)
        : text(std::string(row) + (checked ? ", checked" : "") + (is_started ? ", started" : "")), started(is_started) {
        options.algorithm = row;
        options.check = checked;
    }
    void runs(const collective_call<float>& call, const std::string& what) const {
        if (!started) {
            const auto done = run(call, world, options);
            return check(done.ok(), what + ": " + done.error().message());
        }
        auto request = start(call, world, options);
        const status done = request.ok() ? request->wait().error() : request.error();
        check(done.ok(), what + ": " + done.message());
    }
};

void check_gathers(const setting& how, bool to_all, bool gap_first = false) {
    const int root = size_of(world) - 1;
    spread at(gap_first);
    const std::string what =
        how.text + (to_all ? " allgatherv" : " gatherv") + " of what lies in a gap" + (gap_first ? " in front" : "");
    fill(at.gap(), at.me, 0);
    how.runs(to_all ? collective_call<float>::allgatherv(at.gap(), at.parts(), at.counts, at.first)
                    : collective_call<float>::gatherv(at.gap(), at.parts(), at.counts, at.first, root),
             what);
    for (int k = 0; (to_all || at.me == root) && k < size_of(world); ++k)
        at.check_part(at.parts().subspan(at.first[static_cast<std::size_t>(k)], part), k, 0, what);
    at.check_part(at.gap(), at.me, 0, what + ", its input");
}

void check_scatter(const setting& how, bool gap_first = false) {
    spread at(gap_first);
    const std::string what = how.text + " scatterv into a gap" + (gap_first ? " in front" : "");
    if (at.me == 0)
        for (std::size_t k = 0; k < at.ranks; ++k) fill(at.parts().subspan(at.first[k], part), 0, static_cast<int>(k));
    how.runs(collective_call<float>::scatterv(at.parts(), at.counts, at.first, at.gap(), 0), what);
    at.check_part(at.gap(), 0, at.me, what);
}

/// Parts that are sent and those that come lie in turns.
void check_exchange(const setting& how) {
    spread at;
    const std::string what = how.text + " alltoallv between the gaps";
    for (std::size_t k = 0; k < at.ranks; ++k) fill(at.parts().subspan(at.first[k], part), at.me, static_cast<int>(k));
    how.runs(collective_call<float>::alltoallv(at.parts(), at.counts, at.first, at.gaps(), at.counts, at.first), what);
    for (int k = 0; k < size_of(world); ++k)
        at.check_part(at.gaps().subspan(at.first[static_cast<std::size_t>(k)], part), k, at.me, what);
}

/// Lists that only the root has: what others pass says nothing.
void check_lists(const setting& how) {
    spread at;
    const std::vector<std::size_t> nonsense(at.ranks, 3);
    const bool is_root = at.me == 0;
    const auto& counts = is_root ? at.counts : nonsense;
    const auto& first = is_root ? at.first : nonsense;
    std::vector<float> own(part);
    if (is_root)
        for (std::size_t k = 0; k < at.ranks; ++k) fill(at.parts().subspan(at.first[k], part), 0, static_cast<int>(k));
    how.runs(collective_call<float>::scatterv(at.parts(), counts, first, own, 0), how.text + " scatterv, lists");
    at.check_part(own, 0, at.me, how.text + " scatterv with lists elsewhere");
    fill(own, at.me, 0);
    how.runs(collective_call<float>::gatherv(own, at.parts(), counts, first, 0), how.text + " gatherv, lists");
    for (int k = 0; is_root && k < size_of(world); ++k)
        at.check_part(at.parts().subspan(at.first[static_cast<std::size_t>(k)], part), k, 0,
                      how.text + " gatherv with lists elsewhere");
}

void check_overlap() {
    spread at;
    const setting how("pairwise_raw", true);
    const auto overlapping = std::span(at.all).subspan(part - 1);
    const auto refused =
        run(collective_call<float>::alltoallv(at.parts(), at.counts, at.first, overlapping, at.counts, at.first), world,
            how.options);
    check(refused.error().code() == errc::invalid_argument &&
              refused.error().context().find("overlap") != std::string::npos,
          "an alltoallv of parts that overlap: " + refused.error().message());
}

}  // namespace

void gaps_belong_to_nobody() {
    for (const bool checked : {false, true}) {
        for (const char* row : {"stock", "auto", "ring_raw", "hierarchical"}) check_gathers({row, checked}, true);
        for (const char* row : {"stock", "auto", "pairwise_raw", "hierarchical"}) {
            const setting how(row, checked);
            check_gathers(how, false);
            check_scatter(how);
            check_exchange(how);
        }
    }
    for (const bool started : {false, true}) {
        check_gathers({"stock", false, started}, true, true);
        check_gathers({"stock", false, started}, false, true);
        check_scatter({"stock", false, started}, true);
        for (const char* row : {"stock", "pairwise_raw", "pairwise", "hierarchical"})
            check_lists({row, false, started});
    }
    check_overlap();
}

}  // namespace laconic::test
