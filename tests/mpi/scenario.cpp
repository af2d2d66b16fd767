// SPDX-License-Identifier: BSD-3-Clause
// How the arrays of each operation lie: counts, displacements, gaps, in place. Everything follows from the scenario,
// so that every rank knows what every other rank has.
#include "scenario.hpp"

#include <algorithm>
#include <cstdio>
#include <random>

namespace laconic::test {
namespace {

constexpr double filler = -77;     ///< of outputs
constexpr double gap_value = 6e4;  ///< of inputs that nobody asked for: far beyond all others

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

bool is_whole(operation op) { return op == operation::allreduce || op == operation::reduce || op == operation::bcast; }

/// The `which`th of the drawn lengths: none, few, about as many as all have, or several times that.
std::size_t drawn_count(const scenario& what, int which) {
    std::minstd_rand random(what.lengths * 1000U + static_cast<unsigned>(which));
    random.discard(3);
    const std::size_t form = random() % 6;
    const std::size_t any = random() % (what.count + 2);
    return form == 0 ? 0 : form == 1 ? any % 3 : form == 2 ? 3 * what.count + any : any;
}

/// Elements of rank k's part.
std::size_t part_count(const scenario& what, int k) {
    if (!what.varying) return what.count;
    if (what.lengths != 0) return drawn_count(what, k);
    return k % 3 == 1 ? 0 : what.count / 2 + 37 * index(k) + (k % 3 == 2 ? what.count : 1);
}
/// Elements that rank a sends to rank b. In place what two ranks exchange is of equal size.
std::size_t pair_count(const scenario& what, int a, int b) {
    if (!what.varying) return what.count;
    if (what.lengths != 0 && what.in_place) return drawn_count(what, std::min(a, b) * 30 + std::max(a, b));
    if (what.lengths != 0) return drawn_count(what, a * 30 + b);
    if (what.in_place) return (a + b) % 3 == 1 ? 0 : what.count / 2 + 13 * index(a + b);
    return (a + 2 * b) % 3 == 1 ? 0 : what.count / 2 + 13 * index(a) + 7 * index(b);
}

/// Parts in reverse order, a gap of five elements before each and at the end.
std::size_t spread(const std::vector<std::size_t>& counts, bool gaps, std::vector<std::size_t>& displacements) {
    displacements.assign(counts.size(), 0);
    std::size_t end = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::size_t k = gaps ? counts.size() - 1 - i : i;
        end += gaps ? 5 : 0;
        displacements[k] = end;
        end += counts[k];
    }
    return end + (gaps ? 5 : 0);
}

struct shape {
    std::vector<std::size_t> in_counts, in_at, out_counts, out_at;
    std::size_t in_size = 0, out_size = 0;  ///< 0 for arrays that this rank does not have

    shape(const scenario& what, int rank, int ranks) {
        const bool root = rank == what.root;
        std::vector<std::size_t> parts(index(ranks));
        for (int k = 0; k < ranks; ++k) parts[index(k)] = part_count(what, k);
        const std::size_t mine = parts[index(rank)];
        switch (what.op) {
            case operation::allreduce:
            case operation::bcast: in_size = out_size = what.count; break;
            case operation::reduce:
                in_size = what.count;
                out_size = root ? what.count : 0;
                break;
            case operation::reduce_scatter:
                in_counts = parts;
                in_size = spread(parts, false, in_at);
                out_size = mine;
                break;
            case operation::allgather:
            case operation::gather:
                out_counts = parts;
                in_size = mine;
                out_size = spread(parts, what.varying, out_at);
                if (what.op == operation::gather && !root) out_size = 0;
                break;
            case operation::scatter:
                in_counts = parts;
                in_size = spread(parts, what.varying, in_at);
                if (!root) in_size = 0;
                out_size = mine;
                break;
            case operation::alltoall:
                for (int other = 0; other < ranks; ++other) {
                    in_counts.push_back(pair_count(what, rank, other));
                    out_counts.push_back(pair_count(what, other, rank));
                }
                in_size = spread(in_counts, what.varying, in_at);
                out_size = spread(out_counts, what.varying, out_at);
                break;
        }
    }
};

/// The rank's input with something outrageous where nobody should look.
template <class T>
std::vector<T> input_of(const scenario& what, const shape& form, int rank) {
    const std::vector<T>& values = kept_field<T>(what.kind, rank, form.in_size);
    if (what.op != operation::scatter && what.op != operation::alltoall) return values;
    std::vector<T> only(values.size(), T(static_cast<real_type<T>>(gap_value)));
    for (std::size_t k = 0; k < form.in_counts.size() && form.in_size > 0; ++k)
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(form.in_at[k]), form.in_counts[k],
                    only.begin() + static_cast<std::ptrdiff_t>(form.in_at[k]));
    return only;
}

}  // namespace

std::string scenario::text() const {
    char numbers[120];
    std::snprintf(numbers, sizeof numbers, " %s %g count %zu root %d segment %zu rpn %u",
                  limit.kind == bound_kind::relative ? "rel" : "abs", limit.value, count, root, segment_bytes,
                  ranks_per_node);
    constexpr const char* combines[] = {" sum", " avg", " min", " max", " prod"};
    constexpr const char* scopes[] = {" result", " contribution", " probable"};
    return std::string(collective::name_of(op)) + (varying ? "v " : " ") + algorithm +
           (collective::is_reduction(op) ? combines[static_cast<int>(combine)] : "") + scopes[static_cast<int>(which)] +
           " " + std::string(name_of(kind)) + numbers + (in_place ? " in place" : "") +
           (shared_memory ? "" : " by messages") + (check ? " checked" : "") + remark;
}

collective_options options_of(const scenario& what) {
    collective_options options;
    options.limit = what.limit;
    options.bound_scope = what.which;
    options.algorithm = what.algorithm;
    options.segment_bytes = what.segment_bytes;
    options.ranks_per_node = what.ranks_per_node;
    options.shared_memory = what.shared_memory;
    options.codec_threads = what.codec_threads;
    options.machine = what.machine;
    options.check = what.check;
    return options;
}

std::vector<origin> origins_of(const scenario& what, int rank, int ranks) {
    const shape form(what, rank, ranks);
    std::vector<origin> all;
    all.reserve(form.out_size);
    const auto add = [&](std::size_t out, std::size_t in, std::size_t count, int from) {
        for (std::size_t i = 0; i < count; ++i) all.push_back({out + i, in + i, from});
    };
    if (is_whole(what.op)) {
        add(0, 0, form.out_size, what.root);
    } else if (what.op == operation::reduce_scatter) {
        add(0, form.in_at[index(rank)], form.out_size, 0);
    } else if (what.op == operation::scatter) {
        add(0, shape(what, what.root, ranks).in_at[index(rank)], form.out_size, what.root);
    } else if (form.out_size > 0) {
        for (int k = 0; k < ranks; ++k) {
            const bool exchange = what.op == operation::alltoall;
            add(form.out_at[index(k)], exchange ? shape(what, k, ranks).in_at[index(rank)] : 0,
                form.out_counts[index(k)], k);
        }
    }
    const auto earlier = [](const origin& a, const origin& b) { return a.out < b.out; };
    if (!std::is_sorted(all.begin(), all.end(), earlier)) std::sort(all.begin(), all.end(), earlier);
    return all;
}

std::size_t input_size(const scenario& what, int rank, int ranks) { return shape(what, rank, ranks).in_size; }

template <class T>
laid_out<T> lay_out(const scenario& what, int rank, int ranks) {
    const shape form(what, rank, ranks);
    const bool root = rank == what.root;
    laid_out<T> made;
    made.in_counts = form.in_counts;
    made.in_displacements = form.in_at;
    made.out_counts = form.out_counts;
    made.out_displacements = form.out_at;
    const std::vector<T> values = input_of<T>(what, form, rank);
    made.in = values;
    made.out.assign(form.out_size, T(static_cast<real_type<T>>(filler)));
    std::span<const T> in(made.in);
    std::span<T> out(made.out);
    const auto into_out = [&](std::size_t at) {
        std::copy(values.begin(), values.end(), made.out.begin() + static_cast<std::ptrdiff_t>(at));
        in = std::span<const T>(made.out).subspan(at, values.size());
        made.in.clear();
    };
    const auto into_in = [&](std::size_t at) {
        out = std::span<T>(made.in).subspan(at, form.out_size);
        made.out.clear();
    };
    if (what.op == operation::bcast) {
        if (root) made.out = values;
        made.in.clear();
        out = made.out;
        in = out;
    } else if (what.in_place) {
        const auto me = index(rank);
        const bool gathers = what.op == operation::allgather || (what.op == operation::gather && root);
        const bool same =
            what.op == operation::allreduce || what.op == operation::alltoall || (what.op == operation::reduce && root);
        if (gathers) into_out(form.out_at[me]);
        if (same) into_out(0);
        if (what.op == operation::scatter && root) into_in(form.in_at[me]);
        if (what.op == operation::reduce_scatter) into_in(0);
    }
    const bool varying = what.varying && !is_whole(what.op);
    made.call = {what.op, in, out, what.combine, what.root, varying, {}, {}, {}, {}};
    if (!varying) return made;
    const bool sources = what.op == operation::reduce_scatter || what.op == operation::alltoall ||
                         (what.op == operation::scatter && root);
    const bool targets =
        what.op == operation::allgather || what.op == operation::alltoall || (what.op == operation::gather && root);
    if (sources) made.call.in_counts = made.in_counts;
    if (sources && what.op != operation::reduce_scatter) made.call.in_displacements = made.in_displacements;
    if (targets) made.call.out_counts = made.out_counts;
    if (targets) made.call.out_displacements = made.out_displacements;
    return made;
}

#define LACONIC_INSTANTIATE(T) template laid_out<T> lay_out(const scenario&, int, int);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::test
