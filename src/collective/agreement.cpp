// SPDX-License-Identifier: BSD-3-Clause
// Every fact travels as an order-preserving integer v together with ~v, so that one MPI_MAX yields its largest and
// its smallest value over the ranks: different values are a mismatch, and both are there to be named.
#include "collective/agreement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>

#include "collective/registry.hpp"
#include "mpi/wait.hpp"

namespace laconic::collective {
namespace {

enum fact : std::size_t {
    fact_count,
    fact_type,
    fact_op,
    fact_kind,
    fact_bound,
    fact_scope,
    fact_algorithm,
    fact_segment,
    facts
};

/// The message: facts, their complements, the value span, the worst local failure.
enum slot : std::size_t { span_min = 2 * facts, span_max, span_abs, span_any, failure_key, slots };
using packet = std::array<std::int64_t, slots>;

/// Doubles in the order of integers.
std::int64_t to_ordered(double value) noexcept {
    const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // -0.0 becomes 0.0
    return bits < 0 ? bits ^ INT64_MAX : bits;
}
double from_ordered(std::int64_t ordered) noexcept {
    return std::bit_cast<double>(ordered < 0 ? ordered ^ INT64_MAX : ordered);
}

packet pack(const call_shape& shape, const value_span& values, const status& local, int rank) noexcept {
    packet p;
    p.fill(INT64_MIN);
    if (!local.ok()) {
        // Highest code first, then lowest rank.
        p[failure_key] = (static_cast<std::int64_t>(local.code()) << 32) | (INT32_MAX - rank);
        return p;
    }
    p[failure_key] = 0;
    const std::array<std::int64_t, facts> mine{static_cast<std::int64_t>(shape.count),
                                               static_cast<std::int64_t>(shape.type),
                                               static_cast<std::int64_t>(shape.op),
                                               static_cast<std::int64_t>(shape.limit.kind),
                                               to_ordered(shape.limit.value),
                                               static_cast<std::int64_t>(shape.bound_scope),
                                               static_cast<std::int64_t>(shape.algorithm),
                                               static_cast<std::int64_t>(shape.segment_bytes)};
    for (std::size_t f = 0; f < facts; ++f) {
        p[f] = mine[f];
        p[facts + f] = ~mine[f];
    }
    if (values.any_finite) {
        p[span_any] = 1;
        p[span_min] = ~to_ordered(values.min);
        p[span_max] = to_ordered(values.max);
        p[span_abs] = to_ordered(values.max_abs);
    }
    return p;
}

std::string describe(std::size_t which, std::int64_t value) {
    std::array<char, 40> text{};
    switch (which) {
        case fact_type: return value == static_cast<std::int64_t>(element_type::f32) ? "float" : "double";
        case fact_op: return value == static_cast<std::int64_t>(reduction::sum) ? "sum" : "avg";
        case fact_kind: return value == static_cast<std::int64_t>(bound_kind::absolute) ? "absolute" : "relative";
        case fact_scope: return value == static_cast<std::int64_t>(scope::result) ? "result" : "contribution";
        case fact_algorithm: return std::string(algorithms()[static_cast<std::size_t>(value)].name);
        case fact_bound: std::snprintf(text.data(), text.size(), "%.17g", from_ordered(value)); return text.data();
        default: return std::to_string(value);
    }
}

status find_mismatch(const packet& p) {
    constexpr std::array<const char*, facts> names{"element count", "element type", "operation", "kind of bound",
                                                   "error bound",   "scope",        "algorithm", "segment size"};
    // The type first: counts of different types say little.
    for (const std::size_t f :
         {fact_type, fact_count, fact_op, fact_kind, fact_bound, fact_scope, fact_algorithm, fact_segment}) {
        const std::int64_t largest = p[f];
        const std::int64_t smallest = ~p[facts + f];
        if (largest != smallest)
            return {errc::mismatch, std::string(names[f]) + " differs between ranks: " + describe(f, smallest) +
                                        " on one, " + describe(f, largest) + " on another; give all the same"};
    }
    return {};
}

/// All ranks learn the text of the rank that failed.
status spread_failure(mpi::channel& channel, std::int64_t key, const status& local) {
    const int rank = INT32_MAX - static_cast<int>(key & INT32_MAX);
    std::array<char, 400> text{};
    if (rank == channel.rank()) local.context().copy(text.data(), text.size() - 1);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Ibcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, channel.comm(), &request);
    if (auto done = channel.check(code, "MPI_Ibcast"); !done.ok()) return done;
    if (auto done = channel.check(mpi::wait(request, MPI_STATUS_IGNORE), "MPI_Ibcast"); !done.ok()) return done;
    return {static_cast<errc>(key >> 32), "rank " + std::to_string(rank) + ": " + text.data()};
}

}  // namespace

result<value_span> agree(mpi::channel& channel, const call_shape& shape, const value_span& values,
                         const status& local) {
    packet p = pack(shape, values, local, channel.rank());
    // Nonblocking, so that waiting yields the processor where ranks outnumber cores.
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Iallreduce(MPI_IN_PLACE, p.data(), static_cast<int>(p.size()), MPI_INT64_T, MPI_MAX,
                                    channel.comm(), &request);
    if (auto done = channel.check(code, "MPI_Iallreduce"); !done.ok()) return done;
    if (auto done = channel.check(mpi::wait(request, MPI_STATUS_IGNORE), "MPI_Iallreduce"); !done.ok()) return done;

    if (p[failure_key] != 0) return spread_failure(channel, p[failure_key], local);
    if (auto differs = find_mismatch(p); !differs.ok()) return differs;
    value_span all;
    if (p[span_any] == 1)
        all = {true, from_ordered(~p[span_min]), from_ordered(p[span_max]), from_ordered(p[span_abs])};
    return all;
}

}  // namespace laconic::collective
