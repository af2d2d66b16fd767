// SPDX-License-Identifier: BSD-3-Clause
// Every collective of the C face, in place and not, in its three forms, for types that are compressed and one that MPI
// does; values are small integers, so that every result is known.
#include <algorithm>
#include <cstdint>

#include "c_calls.hpp"
#include "cases.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 2500;
/// Where MPI does not look at a count.
constexpr std::size_t anything = SIZE_MAX - 2;

struct setting {
    form how = form::blocking;
    bool in_place = false;
    laconic_collective_options sums{}, ring{}, pairs{};  ///< of reductions, of data that goes around, from one to one
    int rank = 0, ranks = 1;
    std::string what;

    [[nodiscard]] std::string named(const char* name) const { return std::string("C ") + name + what; }
    void ok(int code, const char* name) const {
        check(code == LACONIC_OK, named(name) + ": " + std::to_string(code) + " " + laconic_last_message());
    }
    /// MPI_IN_PLACE, or the array.
    [[nodiscard]] const void* from(const void* array) const { return in_place ? MPI_IN_PLACE : array; }
    [[nodiscard]] std::size_t ranks_times(std::size_t each) const { return static_cast<std::size_t>(ranks) * each; }
    [[nodiscard]] int sum_of(int which, std::size_t i) const {
        int sum = 0;
        for (int r = 0; r < ranks; ++r) sum += number_of(r, which, i);
        return sum;
    }
};

/// Parts of different lengths, one of them empty and nowhere, with gaps between the others.
struct uneven {
    std::vector<std::size_t> counts, places, first;  ///< places: the lists' copy that is given away
    std::vector<std::size_t> given;
    std::size_t size = 3;

    explicit uneven(int ranks, std::size_t unit = 400) {
        for (int k = 0; k < ranks; ++k) {
            counts.push_back(k == 1 ? 0 : unit + 10 * static_cast<std::size_t>(k));
            first.push_back(k == 1 ? 1000000 : size);
            size += counts.back() + 3;
        }
        given = counts;
        places = first;
    }
    template <class T>
    void check_gaps(const std::vector<T>& out, const std::string& what) const {
        check_untouched(out, 0, 3, what);
        for (std::size_t k = 0; k < counts.size(); ++k)
            if (counts[k] != 0) check_untouched(out, first[k] + counts[k], 3, what);
    }
};

template <class T>
void check_reductions(const setting& at) {
    const MPI_Datatype type = c_type<T>();
    const MPI_Comm comm = MPI_COMM_WORLD;
    // What is passed on meets MPICH 4.0.2, which crashes in place at other roots.
    const int root = at.in_place && std::is_same_v<T, int> ? 0 : at.ranks - 1;
    std::vector<T> in = numbers<T>(at.rank, 0, count);
    std::vector<T> out = at.in_place ? in : blank<T>(count);
    at.ok(LACONIC_CALL(at.how, {}, allreduce, &at.sums, at.from(in.data()), out.data(), count, type, MPI_SUM, comm),
          "allreduce");
    check_numbers<T>(
        out, 0, count, [&](std::size_t i) { return at.sum_of(0, i); }, at.named("allreduce"));

    const bool is_root = at.rank == root;
    out = at.in_place ? in : blank<T>(count);
    at.ok(LACONIC_CALL(at.how, {}, reduce, &at.sums, is_root ? at.from(in.data()) : in.data(),
                       is_root ? out.data() : nullptr, count, type, MPI_MAX, root, comm),
          "reduce");
    if (is_root)
        check_numbers<T>(
            out, 0, count, [&](std::size_t i) { return number_of(at.ranks - 1, 0, i); }, at.named("reduce"));

    std::vector<T> all;
    for (int k = 0; k < at.ranks; ++k) append(all, numbers<T>(at.rank, k, count));
    out = at.in_place ? all : blank<T>(count + 5);
    at.ok(LACONIC_CALL(at.how, {}, reduce_scatter_block, &at.sums, at.from(all.data()), out.data(), count, type,
                       MPI_MIN, comm),
          "reduce_scatter_block");
    check_numbers<T>(
        out, 0, count, [&](std::size_t i) { return number_of(0, at.rank, i); }, at.named("reduce_scatter_block"));
    if (!at.in_place) check_untouched(out, count, 5, at.named("reduce_scatter_block"));

    uneven parts(at.ranks);
    const std::size_t mine = parts.counts[static_cast<std::size_t>(at.rank)];
    all.clear();
    for (int k = 0; k < at.ranks; ++k) append(all, numbers<T>(at.rank, k, parts.counts[static_cast<std::size_t>(k)]));
    out = at.in_place ? all : blank<T>(mine + 5);
    at.ok(LACONIC_CALL(at.how, LACONIC_LISTS(&parts.given), reduce_scatter, &at.sums, at.from(all.data()), out.data(),
                       parts.given.data(), type, MPI_SUM, comm),
          "reduce_scatter");
    check_numbers<T>(
        out, 0, mine, [&](std::size_t i) { return at.sum_of(at.rank, i); }, at.named("reduce_scatter"));
    if (!at.in_place) check_untouched(out, mine, 5, at.named("reduce_scatter"));
}

template <class T>
void check_gathers(const setting& at) {
    const MPI_Datatype type = c_type<T>();
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int root = at.ranks / 2;
    const bool is_root = at.rank == root;
    const auto me = static_cast<std::size_t>(at.rank);
    const std::vector<T> in = numbers<T>(at.rank, 0, count);
    const auto place_own = [&](std::vector<T>& out, const std::vector<T>& own, std::size_t first) {
        if (at.in_place) std::copy(own.begin(), own.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
    };
    const auto check_all = [&](const std::vector<T>& out, const char* name) {
        for (int k = 0; k < at.ranks; ++k)
            check_numbers<T>(
                out, static_cast<std::size_t>(k) * count, count, [&](std::size_t i) { return number_of(k, 0, i); },
                at.named(name));
    };
    std::vector<T> out = blank<T>(at.ranks_times(count));
    place_own(out, in, me * count);
    at.ok(LACONIC_CALL(at.how, {}, allgather, &at.ring, at.from(in.data()), at.in_place ? anything : count, out.data(),
                       count, type, comm),
          "allgather");
    check_all(out, "allgather");

    out = blank<T>(at.ranks_times(count));
    place_own(out, in, me * count);
    at.ok(LACONIC_CALL(at.how, {}, gather, &at.pairs, is_root ? at.from(in.data()) : in.data(),
                       is_root && at.in_place ? anything : count, is_root ? out.data() : nullptr,
                       is_root ? count : anything, type, root, comm),
          "gather");
    if (is_root) check_all(out, "gather");

    uneven parts(at.ranks);
    const std::vector<T> own = numbers<T>(at.rank, 1, parts.counts[me]);
    const auto check_parts = [&](const char* name) {
        for (int k = 0; k < at.ranks; ++k)
            if (const auto part = static_cast<std::size_t>(k); parts.counts[part] != 0)
                check_numbers<T>(
                    out, parts.first[part], parts.counts[part], [&](std::size_t i) { return number_of(k, 1, i); },
                    at.named(name));
        if (parts.first[0] != 0) parts.check_gaps(out, at.named(name));
    };
    const std::size_t mine = own.size();
    out = blank<T>(parts.size);
    // MPICH 4.0.2's own, to which integers go, has no displacement on one rank.
    if (at.ranks == 1 && std::is_same_v<T, int>) parts.places = parts.first = {0};
    if (mine != 0) place_own(out, own, parts.first[me]);
    at.ok(LACONIC_CALL(at.how, LACONIC_LISTS(&parts.given, &parts.places), allgatherv, &at.ring, at.from(own.data()),
                       mine, out.data(), parts.given.data(), parts.places.data(), type, comm),
          "allgatherv");
    check_parts("allgatherv");

    parts = uneven(at.ranks);
    out = blank<T>(parts.size);
    if (mine != 0) place_own(out, own, parts.first[me]);
    at.ok(LACONIC_CALL(at.how, LACONIC_LISTS(&parts.given, &parts.places), gatherv, &at.pairs,
                       is_root ? at.from(own.data()) : own.data(), is_root && at.in_place ? anything : mine,
                       is_root ? out.data() : nullptr, is_root ? parts.given.data() : nullptr,
                       is_root ? parts.places.data() : nullptr, type, root, comm),
          "gatherv");
    if (is_root) check_parts("gatherv");
}

template <class T>
void check_scatters(const setting& at) {
    const MPI_Datatype type = c_type<T>();
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int root = at.ranks - 1;
    const bool is_root = at.rank == root;
    const bool stays = is_root && at.in_place;
    std::vector<T> in;
    for (int k = 0; k < at.ranks; ++k) append(in, numbers<T>(root, k, count));
    std::vector<T> out = blank<T>(count);
    at.ok(LACONIC_CALL(at.how, {}, scatter, &at.pairs, is_root ? in.data() : nullptr, is_root ? count : anything,
                       stays ? MPI_IN_PLACE : out.data(), stays ? anything : count, type, root, comm),
          "scatter");
    const auto want = [&](std::size_t i) { return number_of(root, at.rank, i); };
    if (stays)
        check_numbers<T>(in, static_cast<std::size_t>(root) * count, count, want, at.named("scatter"));
    else
        check_numbers<T>(out, 0, count, want, at.named("scatter"));

    uneven parts(at.ranks);
    const auto me = static_cast<std::size_t>(at.rank);
    in = blank<T>(parts.size);
    for (int k = 0; k < at.ranks; ++k)
        if (const auto part = static_cast<std::size_t>(k); parts.counts[part] != 0) {
            const std::vector<T> some = numbers<T>(root, k, parts.counts[part]);
            std::copy(some.begin(), some.end(), in.begin() + static_cast<std::ptrdiff_t>(parts.first[part]));
        }
    out = blank<T>(parts.counts[me] + 5);
    at.ok(LACONIC_CALL(at.how, LACONIC_LISTS(&parts.given, &parts.places), scatterv, &at.pairs,
                       is_root ? in.data() : nullptr, is_root ? parts.given.data() : nullptr,
                       is_root ? parts.places.data() : nullptr, stays ? MPI_IN_PLACE : out.data(),
                       stays ? anything : parts.counts[me], type, root, comm),
          "scatterv");
    if (stays) {
        if (parts.counts[me] != 0) check_numbers<T>(in, parts.first[me], parts.counts[me], want, at.named("scatterv"));
    } else {
        check_numbers<T>(out, 0, parts.counts[me], want, at.named("scatterv"));
        check_untouched(out, parts.counts[me], 5, at.named("scatterv"));
    }

    std::vector<T> values = is_root ? numbers<T>(root, 4, count) : blank<T>(count);
    at.ok(LACONIC_CALL(at.how, {}, bcast, &at.ring, values.data(), count, type, root, comm), "bcast");
    check_numbers<T>(
        values, 0, count, [&](std::size_t i) { return number_of(root, 4, i); }, at.named("bcast"));
}

template <class T>
void check_exchanges(const setting& at) {
    const MPI_Datatype type = c_type<T>();
    const MPI_Comm comm = MPI_COMM_WORLD;
    std::vector<T> in;
    for (int to = 0; to < at.ranks; ++to) append(in, numbers<T>(at.rank, to, count));
    std::vector<T> out = at.in_place ? in : blank<T>(in.size());
    at.ok(LACONIC_CALL(at.how, {}, alltoall, &at.pairs, at.from(in.data()), at.in_place ? anything : count, out.data(),
                       count, type, comm),
          "alltoall");
    for (int k = 0; k < at.ranks; ++k)
        check_numbers<T>(
            out, static_cast<std::size_t>(k) * count, count, [&](std::size_t i) { return number_of(k, at.rank, i); },
            at.named("alltoall"));

    // Two ranks exchange equally much, which in place needs. Out of place the parts received lie in reverse order.
    std::vector<std::size_t> counts(static_cast<std::size_t>(at.ranks)), first(counts), arrives(counts);
    std::size_t size = 0;
    for (int k = 0; k < at.ranks; ++k) {
        const auto part = static_cast<std::size_t>(k);
        counts[part] = k + at.rank == 1 ? 0 : 100 * static_cast<std::size_t>(1 + k + at.rank);
        first[part] = size;
        size += counts[part] + 2;
    }
    std::size_t before = 0;
    for (int k = at.ranks - 1; k >= 0; --k) {
        const auto part = static_cast<std::size_t>(k);
        arrives[part] = at.in_place ? first[part] : before;
        before += counts[part] + 2;
    }
    in = blank<T>(size);
    for (int k = 0; k < at.ranks; ++k) {
        const auto part = static_cast<std::size_t>(k);
        const std::vector<T> some = numbers<T>(at.rank, k, counts[part]);
        std::copy(some.begin(), some.end(), in.begin() + static_cast<std::ptrdiff_t>(first[part]));
    }
    out = at.in_place ? in : blank<T>(size);
    std::vector<std::size_t> sent = counts, sent_from = first, received = counts, received_to = arrives;
    at.ok(
        LACONIC_CALL(at.how, LACONIC_LISTS(&sent, &sent_from, &received, &received_to), alltoallv, &at.pairs,
                     at.from(in.data()), at.in_place ? nullptr : sent.data(), at.in_place ? nullptr : sent_from.data(),
                     out.data(), received.data(), received_to.data(), type, comm),
        "alltoallv");
    for (int k = 0; k < at.ranks; ++k) {
        const auto part = static_cast<std::size_t>(k);
        check_numbers<T>(
            out, arrives[part], counts[part], [&](std::size_t i) { return number_of(k, at.rank, i); },
            at.named("alltoallv"));
        check_untouched(out, arrives[part] + counts[part], 2, at.named("alltoallv"));
    }
}

template <class T>
void check_type(const char* name) {
    for (const form how : forms)
        for (const bool in_place : {false, true})
            for (const bool compressed : {false, true}) {
                setting at{how, in_place, {}, {}, {}, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD), {}};
                at.what = std::string(" of ") + name + ", form " + std::to_string(static_cast<int>(how)) +
                          (in_place ? ", in place" : "") + (compressed ? ", compressed" : "");
                at.sums.bound = at.ring.bound = at.pairs.bound = c_bound;
                if (compressed) {
                    at.sums.algorithm = "homcomp_f";
                    at.ring.algorithm = "ring";
                    at.pairs.algorithm = "pairwise";
                }
                check_reductions<T>(at);
                check_scatters<T>(at);
                check_gathers<T>(at);
                check_exchanges<T>(at);
            }
}

}  // namespace

void c_operations_work() {
    check_type<float>("float");
    check_type<double>("double");
    check_type<half>("half");
    check_type<bfloat16>("bfloat16");
    check_type<int>("int");
}

}  // namespace laconic::test
