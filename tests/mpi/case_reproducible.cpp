// SPDX-License-Identifier: BSD-3-Clause
// Same bits for every segment size, for homomorphic and fused, for every order of the ranks; and sub-communicators
// that work side by side.
#include <bit>
#include <cmath>
#include <limits>

#include "cases.hpp"
#include "reference.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 70001;

template <class T>
void check_bits(field kind, reduction op) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::vector<T> in = make_field<T>(kind, rank, count);
    const std::string where = std::string(name_of(kind)) + (sizeof(T) == 4 ? " f32" : " f64");
    const std::uint64_t want =
        hash(bytes_of(reduce(in, op, MPI_COMM_WORLD, options_for("fused", bound::rel(1e-4)), where)));

    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm rotated = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 7 + 3) % (ranks + 1), &rotated);
    for (const std::string_view row : {"fused", "homomorphic"}) {
        collective_options options = options_for(row, bound::rel(1e-4));
        for (const std::size_t segment :
             {std::size_t{1}, std::size_t{20000}, std::size_t{65536}, std::size_t{1} << 40}) {
            options.segment_bytes = segment;
            const std::string what = where + " " + std::string(row) + " segment " + std::to_string(segment);
            check(hash(bytes_of(reduce(in, op, MPI_COMM_WORLD, options, what))) == want, what + ": other bits");
        }
        options = options_for(row, bound::rel(1e-4));
        for (const MPI_Comm comm : {reversed, rotated}) {
            const std::string what = where + " " + std::string(row) + " other rank order";
            check(hash(bytes_of(reduce(in, op, comm, options, what))) == want, what + ": other bits");
        }
    }
    for (const std::string_view row : {"ring_raw", "per_hop"}) {
        // These depend on the order of additions, but not on which rank looks.
        collective_options options = options_for(row, bound::rel(1e-4));
        options.segment_bytes = 8192;
        check_same_bytes(bytes_of(reduce(in, op, MPI_COMM_WORLD, options, where)), MPI_COMM_WORLD, std::string(row));
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&rotated);
}

/// Ranks that make the same sum, or minimum, each for itself, from the two sides of every exchange: NaN of either sign
/// and sums that are rounded among them.
template <class T>
void check_both_sides() {
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    std::vector<T> in = make_field<T>(field::adversarial, rank, 9001);
    for (std::size_t i = 0; i < in.size(); ++i)
        if (std::isnan(in[i]) || i % 997 == 0)
            in[i] = std::copysign(std::numeric_limits<T>::quiet_NaN(), rank % 2 == 0 ? T{1} : T{-1});
    for (const reduction op : {reduction::sum, reduction::min, reduction::max})
        for (const std::string_view payload :
             {"raw", "per_hop:fle", "pipelined:fle", "homomorphic", "quantised", "fused"})
            for (const bound limit : {bound::lossless(), bound::abs(1e-3)}) {
                const std::string row = "recursive_doubling/" + std::string(payload);
                const std::string what = row + ", adversarial, " + std::to_string(limit.value) + ", operation " +
                                         std::to_string(static_cast<int>(op));
                const std::vector<T> out = reduce(in, op, MPI_COMM_WORLD, options_for(row, limit), what);
                check_same_bytes(bytes_of(out), MPI_COMM_WORLD, what);
                if (op == reduction::sum || payload == "raw" || payload.ends_with(":fle")) continue;
                const std::vector<T> other = reduce(in, op, reversed, options_for(row, limit), what);
                check(hash(bytes_of(out)) == hash(bytes_of(other)), what + ": other bits in another order of ranks");
            }
    MPI_Comm_free(&reversed);
}

/// Even and odd ranks reduce at the same time, with different counts and rows.
void check_sub_communicators() {
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    const int ranks = size_of(half);
    const std::size_t elements = rank % 2 == 0 ? 10000 : 4321;
    const std::string_view row = rank % 2 == 0 ? "fused" : "homomorphic";
    const std::vector<float> in = make_field<float>(field::smooth, rank_in(half), elements);
    const std::vector<float> out = reduce(in, reduction::sum, half, options_for(row, bound::abs(1e-4)), "half");
    check_same_bytes(bytes_of(out), half, "sub-communicator");
    check_promise(out, reference<float>(field::smooth, ranks, elements), ranks, 1, ranks == 1 ? 0 : 1e-4,
                  accumulator::exact, "sub-communicator");
    MPI_Comm_free(&half);
}

/// Values beyond the reach of the bound travel uncompressed. Where their sum rounds, the order of the ranks decides the
/// bits, and every rank that gets one of these sums says so.
void check_roundings_are_told() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    constexpr std::size_t at = 40000;
    for (const float lowest : {1e23F, 1e10F})  // beside 1e30: the bits of a double reach one of them
        for (const std::string_view row : {"hzccl", "homcomp", "homcomp_f", "recursive_doubling/fused"})
            for (const bool rooted : {false, true}) {
                if (rooted && row.starts_with("recursive")) continue;
                std::vector<float> in = make_field<float>(field::smooth, rank, count);
                if (rank == 0) in[at] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(1e30F) & 0xFFFF0000U);
                if (rank == ranks - 1 && ranks > 1) in[at] = lowest;
                std::vector<float> out(count);
                const auto call = rooted ? collective_call<float>::reduce(in, out, reduction::sum, 0)
                                         : collective_call<float>::allreduce(in, out, reduction::sum);
                const auto done = run(call, MPI_COMM_WORLD, options_for(row, bound::abs(1e-4)));
                const std::string what = std::string(row) + (rooted ? " reduce of " : " allreduce of ") +
                                         std::to_string(lowest) + " and 1e30";
                check(done.ok(), what + ": " + done.error().message());
                if (!done.ok()) continue;
                const bool has_it = ranks > 1 && (!rooted || rank == 0);
                check(done->exact_sums == !(has_it && lowest < 1e20F),
                      what + ": the report says " + (done->exact_sums ? "exact" : "rounded"));
                if (!rooted) check_same_bytes(bytes_of(out), MPI_COMM_WORLD, what);
            }
}

}  // namespace

void bits_are_reproducible() {
    for (const field kind : {field::smooth, field::noise, field::offset}) {
        check_bits<float>(kind, reduction::sum);
        check_bits<double>(kind, reduction::avg);
    }
    check_both_sides<float>();
    check_both_sides<double>();
    check_roundings_are_told();
    check_sub_communicators();
}

}  // namespace laconic::test
