// SPDX-License-Identifier: BSD-3-Clause
// homomorphic, quantised and fused: one answer, bit for bit, whatever the schedule, the segment size, the order of the
// ranks, the operation that asks for it, or the alignment of the arrays.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cases.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::array<const char*, 3> adding{"homomorphic", "quantised", "fused"};
constexpr std::array<const char*, 4> over{"ring/", "recursive_doubling/", "rabenseifner/", "binomial/"};

enum class speciality { none, nan_on_one, infinity_on_one };

template <class T>
std::vector<T> values_of(field kind, std::size_t count, speciality special) {
    std::vector<T> values = kept_field<T>(kind, rank_in(world), count);
    if (special == speciality::none || rank_in(world) != size_of(world) - 1) return values;
    using limits = std::numeric_limits<T>;
    for (std::size_t i = 5; i < count; i += 700)
        values[i] = special == speciality::nan_on_one ? limits::quiet_NaN() : limits::infinity();
    return values;
}

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

template <class T>
void check_same(const std::vector<T>& in, reduction combine, bound limit, const std::string& where, bool thorough) {
    const std::vector<T> want = reduce(in, combine, world, options_for("ring/fused", limit), where);
    check_same_bytes(bytes_of(want), world, where);
    const std::span<const T> answer(want);
    std::size_t turn = 0;
    constexpr std::array segments{std::size_t{131072}, std::size_t{1}, std::size_t{20000}, std::size_t{1} << 40};
    for (const char* schedule : over)
        for (const char* payload : adding) {
            collective_options options = options_for(std::string(schedule) + payload, limit);
            // Rabenseifner's algorithm sends short arrays raw.
            if (options.algorithm[1] == 'a' && in.size() * sizeof(T) < 65536) continue;
            options.segment_bytes = segments[turn++ % segments.size()];
            const std::string what =
                where + " " + options.algorithm + " segment " + std::to_string(options.segment_bytes);
            check(same<T>(reduce(in, combine, world, options, what), answer), what + ": other bits");
        }
    if (!thorough) return;
    const int rank = rank_in(world);
    const int ranks = size_of(world);
    for (const char* row : {"ring/homomorphic", "binomial/quantised", "ring/fused"}) {
        const std::string what = where + " reduce by " + row;
        std::vector<T> out(in.size());
        const int root = ranks / 2;
        const auto done = laconic::reduce<T>(std::span<const T>(in), std::span<T>(out), combine, root, world,
                                             options_for(row, limit));
        check(done.ok(), what + ": " + done.error().message());
        check(rank != root || same<T>(out, answer), what + ": other bits");
    }
    for (const char* row : {"ring/homomorphic", "pairwise/quantised", "pairwise/fused"}) {
        const std::string what = where + " reduce_scatter by " + row;
        std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), in.size() / static_cast<std::size_t>(ranks));
        counts.back() += in.size() % static_cast<std::size_t>(ranks);
        const std::size_t mine = counts[static_cast<std::size_t>(rank)];
        std::vector<T> out(mine);
        const auto done =
            reduce_scatter<T>(std::span<const T>(in), std::span<T>(out), std::span<const std::size_t>(counts), combine,
                              world, options_for(row, limit));
        check(done.ok(), what + ": " + done.error().message());
        check(same<T>(out, answer.subspan(counts[0] * static_cast<std::size_t>(rank), mine)), what + ": other bits");
    }
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(world, 0, ranks - rank, &reversed);
    for (const char* row : {"recursive_doubling/homomorphic", "rabenseifner/fused", "binomial/quantised"})
        check(same<T>(reduce(in, combine, reversed, options_for(row, limit), where), answer) ||
                  in.size() * sizeof(T) < 65536,
              where + " " + row + ": other bits for another order of ranks");
    MPI_Comm_free(&reversed);
}

template <class T>
void check_type(const std::string& type) {
    const bool many = size_of(world) > 4;
    std::size_t turn = 0;
    constexpr std::array combines{reduction::sum, reduction::avg, reduction::min, reduction::max};
    for (const field kind : {field::smooth, field::noise, field::offset, field::constant, field::zeros, field::tiny})
        for (const reduction combine : combines) {
            if (++turn % (many ? 5 : 2) != 0) continue;
            const std::string where =
                type + " " + std::string(name_of(kind)) + " reduction " + std::to_string(static_cast<int>(combine));
            const bound limit = turn % 3 == 0 ? bound::abs(1e-3) : bound::rel(1e-4);
            check_same<T>(values_of<T>(kind, 20011, speciality::none), combine, limit, where, true);
        }
    constexpr std::array<std::size_t, 8> counts{0, 1, 31, 32, 33, 2047, 2048, 2049};
    for (const std::size_t count : counts) {
        if (many && count > 1 && count % 2 == 1) continue;
        check_same<T>(values_of<T>(field::noise, count, speciality::none), combines[++turn % 4], bound::abs(1e-3),
                      type + " count " + std::to_string(count), false);
    }
    for (const speciality special : {speciality::nan_on_one, speciality::infinity_on_one})
        for (const reduction combine : {reduction::sum, reduction::max})
            check_same<T>(values_of<T>(field::smooth, 20011, special), combine, bound::abs(1e-3),
                          type + (special == speciality::nan_on_one ? " NaN" : " infinity") + " on one rank", false);
}

/// Arrays at odd addresses: the same bits as aligned ones.
void check_alignment() {
    constexpr std::size_t count = 9001;
    const int ranks = size_of(world);
    const std::vector<float> in = kept_field<float>(field::smooth, rank_in(world), count);
    for (const char* row : {"ring/quantised", "recursive_doubling/fused", "binomial/homomorphic", "ring/per_hop",
                            "ring/pipelined:szx", "binomial/raw", "argm"}) {
        const auto options = options_for(row, bound::abs(1e-3));
        const std::vector<float> want = reduce(in, reduction::max, world, options, row);
        std::vector<std::byte> memory(2 * count * sizeof(float) + 8);
        std::byte* const from = memory.data() + 1;
        std::byte* const to = from + count * sizeof(float) + 2;
        std::memcpy(from, in.data(), count * sizeof(float));
        const auto done = allreduce<float>({reinterpret_cast<const float*>(from), count},
                                           {reinterpret_cast<float*>(to), count}, reduction::max, world, options);
        check(done.ok() && std::memcmp(to, want.data(), count * sizeof(float)) == 0,
              std::string(row) + " at odd addresses: " + done.error().message());
    }
    for (const char* row : {"ring", "binomial/per_hop", "c_coll", "ring_raw"}) {
        const auto options = options_for(row, bound::abs(1e-3));
        std::vector<float> want(count * static_cast<std::size_t>(ranks));
        check(allgather<float>(std::span<const float>(in), std::span<float>(want), world, options).ok(), row);
        std::vector<std::byte> memory(want.size() * sizeof(float) + 8);
        const auto done = allgather<float>(std::span<const float>(in),
                                           {reinterpret_cast<float*>(memory.data() + 3), want.size()}, world, options);
        check(done.ok() && std::memcmp(memory.data() + 3, want.data(), want.size() * sizeof(float)) == 0,
              std::string(row) + " allgather at odd addresses");
    }
}

}  // namespace

void added_streams_agree() {
    check_type<float>("f32");
    check_type<double>("f64");
    check_alignment();
}

}  // namespace laconic::test
