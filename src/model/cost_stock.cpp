// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own call: the best of the classic uncompressed algorithms (Thakur, Rabenseifner, Gropp 2005), whose
// formulas papers/004 (2.1) to (2.3) repeat, times the factor that was measured. A question flows in, its cost flows
// out.
#include "model/ledger.hpp"

namespace laconic::model {
namespace {

/// `steps` latencies, `sent` bytes in turn, `added` bytes summed while they arrive: an MPI library is not assumed to be
/// clumsy, the measured factor says how clumsy it is.
cost classic(const context& in, const link& over, double steps, double sent, double added) noexcept {
    cost one;
    one.latency_s = steps * (over.alpha_s + over.overhead_s);
    one.wire_s = sent * over.beta_s_per_byte;
    one.combine_s = in.add_s(added);
    const double hands = one.combine_s + in.slowdown * sent * over.processor_s_per_byte;
    one.total_s = one.latency_s + std::max(one.wire_s, hands);
    // Moving bytes counts as latency where it lasts longer than the wire, so that the parts cover the whole.
    one.latency_s = std::max(one.latency_s, one.total_s - one.wire_s - one.combine_s);
    return one;
}

/// The steps of a tree or of recursive doubling in which all `size` bytes move each time.
cost doubling(const context& in, double size, bool adds) noexcept {
    cost all;
    double distance = 1;
    for (int i = doublings(in.ranks); i > 0; --i, distance *= 2) {
        const cost one = classic(in, in.tree(distance), 1, size, adds ? size : 0);
        all.latency_s += one.latency_s;
        all.wire_s += one.wire_s;
        all.combine_s += one.combine_s;
        all.total_s += one.total_s;
    }
    return all;
}

/// All messages at once: one latency, the processor's share in each of `count` messages.
cost linear(const context& in, const link& over, double count, double sent, double added) noexcept {
    cost one = classic(in, over, 1, sent, added);
    one.latency_s += (count - 1) * over.overhead_s;
    one.total_s += (count - 1) * over.overhead_s;
    return one;
}

cost less(const cost& a, const cost& b) noexcept { return b.total_s < a.total_s ? b : a; }

}  // namespace

cost estimate_classic(const machine& where, const question& what) noexcept {
    if (what.ranks < 2) return {};
    const context in(where, what, cell{});
    const double p = in.ranks, n = in.bytes, most = n * (p - 1) / p, steps = doublings(p);
    const link next = in.next();
    // A chain of segments of 128 KiB, the pipelines of Open MPI and MPICH; it adds while it moves.
    const double segment = std::min(n, 131072.0);
    const auto chain = [&](bool adds) {
        cost one = classic(in, next, p - 1, n + (p - 2) * segment, 0);
        one.combine_s = adds ? in.add_s(segment) : 0;
        one.total_s += one.combine_s;
        return one;
    };
    switch (what.op) {
        case operation::allreduce:
            // (2.3), and (2.2) with the latency of recursive halving and doubling.
            return less(doubling(in, n, true), classic(in, next, 2 * steps, 2 * most, most));
        case operation::reduce:
            return less(less(doubling(in, n, true), classic(in, next, 2 * steps, 2 * most, most)), chain(true));
        case operation::bcast:
            return less(less(doubling(in, n, false), classic(in, next, steps + p - 1, 2 * most, 0)), chain(false));
        case operation::reduce_scatter:
            return less(classic(in, next, steps, most, most), linear(in, in.all(), p - 1, most, most));
        case operation::allgather: return less(classic(in, next, steps, most, 0), linear(in, in.all(), p - 1, most, 0));
        case operation::gather:
        case operation::scatter:
            return less(classic(in, in.star(), steps, most, 0), linear(in, in.star(), p - 1, most, 0));
        case operation::alltoall:
            // Bruck, and straight.
            return less(classic(in, in.all(), steps, steps * n / 2, 0), linear(in, in.all(), p - 1, most, 0));
    }
    return impossible;
}

cost estimate_stock(const machine& where, const question& what) noexcept {
    cost one = estimate_classic(where, what);
    const double factor = where.stock_of(what.op).at(static_cast<double>(what.bytes));
    for (double* const part : {&one.total_s, &one.latency_s, &one.wire_s, &one.combine_s}) *part *= factor;
    return one;
}

}  // namespace laconic::model
