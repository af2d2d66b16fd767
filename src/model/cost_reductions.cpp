// SPDX-License-Identifier: BSD-3-Clause
// Allreduce, reduce and reduce_scatter: a prepared question flows in, the sum of the schedule's steps flows out.
//
// The formulas are those of papers/004 in its notation: p ranks, n bytes, blocks B of n/p, c_B, d_B, h_B seconds to
// compress, decompress, add a block. Where that text slips, the code does what is right:
//   (5.1), (5.2)  write n for what travels per step; it is the compressed block, B / ratio.
//   (6.3)         cites (5.4) for hZCCL's reduce-scatter; it is (5.5). The difference (p - 1) c_B also needs equal h_B.
//   (6.4)         counts p qp_B, although one pass over n bytes costs less, and the first block needs no integers of
//   its
//                 own: it travels compressed.
//   (7.1)         decompresses p - 1 blocks; it is p, because every rank decodes its own block as well, or the ranks
//   would
//                 end with different values.
//   (7.2)         has log2(p - 1) steps; it is floor(log2 p), and n beta is of compressed bytes. Its extra h is the
//   fold of
//                 ranks beyond a power of two, whose two messages (n in, n out) it leaves out; powers of two need
//                 neither.
// And for all of them: a sum over k ranks compresses less than one contribution, see context::fraction().
#include "model/ledger.hpp"

namespace laconic::model {
namespace {

bool keeps_streams(payload_kind payload) noexcept {
    return payload == payload_kind::homomorphic || payload == payload_kind::quantised || payload == payload_kind::fused;
}

class reduction {
public:
    reduction(const context& in, ledger& out) noexcept : in_(in), out_(out), payload_(in.payload) {}

    /// (2.2) first half, (5.4), (5.5), (6.2), (6.4): `ranks` ranks reduce `size` bytes whose values already sum over
    /// `weight` contributions. `decode`: each rank ends with the values of its block, not with a stream.
    void ring_reduce_scatter(double ranks, double size, double weight, const link& over, bool decode) noexcept {
        const double block = size / ranks, total = weight * ranks;
        prepare(size, weight);
        // The last sum is a message like all others, also where nobody gets it.
        work tail;
        if (decode)
            tail =
                keeps_streams(payload_) ? decompress(block, total) : compress(block, total) + decompress(block, total);
        each_octave(ranks - 1, [&](double steps, double k) {
            work busy = hop(block, weight * k, weight * (k + 1), weight);
            // The block that starts the ring is compressed although nothing was received; per hop, step k counts it.
            if (k < 2 && keeps_streams(payload_)) busy = busy + compress(block, weight);
            busy = busy + (1 / (ranks - 1)) * tail;
            out_.step(steps, over, block, block * in_.fraction(weight * k), busy);
        });
        if (payload_ != payload_kind::raw) out_.fill(block, compress(block, weight));
        out_.fill(block, tail);
    }

    /// (2.1), (5.2): the second half of an allreduce. A stream goes on as it is; C-Coll's result is compressed once.
    void ring_allgather(double ranks, double size, double total, const link& over) noexcept {
        const double block = size / ranks;
        work busy;
        if (payload_ == payload_kind::per_hop) {
            busy = compress(block, total) + (ranks / (ranks - 1)) * decompress(block, total);
        } else if (payload_ == payload_kind::pipelined) {
            busy = (1 / (ranks - 1)) * compress(block, total) + (ranks / (ranks - 1)) * decompress(block, total);
        } else if (keeps_streams(payload_)) {
            busy = (ranks / (ranks - 1)) * decompress(block, total);
        }
        out_.step(ranks - 1, over, block, block * in_.fraction(total), busy);
    }

    /// (2.3), (7.2): everything to partners at doubling distances; ranks beyond a power of two fold in and out.
    void recursive_doubling() noexcept {
        const double n = in_.bytes, core = power_below(in_.ranks);
        double holds = start(n, n);
        // Without ranks to fold in, the own values have been compressed to be sent.
        bool values = core < in_.ranks;
        if (core < in_.ranks) holds = meet(in_.tree(1), n, holds, values);
        for (double distance = 1; distance < core; distance *= 2)
            holds = meet(in_.exchange(distance), n, holds, values);
        finish(n, n, core < in_.ranks);
    }

    /// Recursive halving, then doubling (Rabenseifner; Thakur et al.): 2 log2 p messages, 2 n (p - 1)/p bytes.
    void rabenseifner() noexcept {
        const double n = in_.bytes, core = power_below(in_.ranks), total = in_.ranks;
        // Half of the array is sent first; homomorphic sums need the other half compressed as well.
        const bool whole = core < in_.ranks || payload_ == payload_kind::homomorphic;
        double holds = start(n, whole ? n : n / 2);
        bool values = true;
        if (core < in_.ranks) holds = meet(in_.tree(1), n, holds, values);
        double part = n / 2;
        for (double distance = core / 2; distance >= 1; distance /= 2, part /= 2)
            holds = meet(in_.exchange(distance), part, holds, values);
        for (double distance = 1; distance < core; distance *= 2) {
            part *= 2;
            // What comes in the last step goes no further, but to those who were folded in.
            work busy;
            if (!keeps_streams(payload_)) busy = decompress(part, total);
            const bool goes_on = 2 * distance < core || core < in_.ranks;
            if (payload_ == payload_kind::per_hop && goes_on) busy = busy + compress(part, total);
            out_.step(1, in_.exchange(distance), part, part * in_.fraction(total), busy);
        }
        finish(n, keeps_streams(payload_) ? n : n / core, core < in_.ranks);
    }

    /// A tree of sums. The root ends with values, unless a bcast takes the stream on.
    void binomial_reduce(bool decode) noexcept {
        const double n = in_.bytes;
        double holds = start(n, n);
        bool values = true;
        double distance = 1;
        for (int i = doublings(in_.ranks); i > 0; --i, distance *= 2)
            holds = std::min(meet(in_.tree(distance), n, holds, values), in_.ranks);
        if (decode) out_.alone(decompress(n, in_.ranks));
    }

    /// Down the tree again, for an allreduce.
    void binomial_bcast() noexcept {
        const double n = in_.bytes, total = in_.ranks;
        // The root sends to a rank at every step; on the longest way to a leaf fewer ranks pass on what they have.
        const int deepest = doublings(power_below(in_.ranks));
        double distance = power_below(in_.ranks - 1);
        for (int i = doublings(in_.ranks); i > 0; --i, distance /= 2) {
            work busy;
            if (payload_ == payload_kind::per_hop && i <= deepest) busy = decompress(n, total);
            if (payload_ == payload_kind::per_hop && i <= deepest && i > 1) busy = busy + compress(n, total);
            out_.step(1, in_.tree(distance), n, n * in_.fraction(total), busy);
        }
        if (payload_ == payload_kind::pipelined || keeps_streams(payload_)) out_.alone(decompress(n, total));
    }

    /// Segments pass from the last rank to the root, each rank adding its own.
    void chain_reduce() noexcept { chain_reduce(in_.ranks, in_.bytes, 1, in_.next()); }
    /// Of `n` bytes, by `ranks` ranks whose values already sum over `weight` contributions.
    void chain_reduce(double ranks, double n, double weight, const link& over) noexcept {
        prepare(n, weight);
        if (keeps_streams(payload_)) out_.fill(n, compress(n, weight));
        const work finale = decompress(n, weight * ranks);
        out_.chain(ranks - 1, over, n, finale, [&](double k) {
            const work busy = hop(n, weight * k, weight * (k + 1), weight);
            return hop_load{n * in_.fraction(weight * k), busy, busy};
        });
    }

    /// Each rank sends every owner its part, and adds what it receives to its own.
    void pairwise_reduce_scatter() noexcept {
        const double p = in_.ranks, block = in_.piece(), others = p - 1;
        prepare(in_.bytes, 1);
        work busy = others * compress(block, 1);
        if (!keeps_streams(payload_)) {
            // Sums are messages, too: what is added to, and what is the result, was compressed and is decompressed.
            busy = busy + others * (compress(block, 1) + 2 * decompress(block, 1));
            busy.combine += others * in_.add_s(block);
        } else {
            busy = busy + decompress(block, p);
            busy = busy + hop(block, 1, 2, 1);
            each_octave(others - 1, [&](double steps, double k) {
                busy.combine += steps * in_.codec_s(work_kind::add, block, k + 2);
            });
        }
        out_.step(1, in_.all(), others * block, others * block * in_.fraction(1), busy);
    }

    /// ArGM (papers/004, section 6.3): raw inside a node through shared memory, one ring between nodes for each local
    /// rank.
    void hierarchical() noexcept {
        const double n = in_.bytes, r = in_.local, share = n / in_.fewest, weight = in_.node_weight;
        const link inside{in_.where.intra.alpha_s, in_.where.intra.beta_s_per_byte, in_.where.intra.overhead_s};
        if (r > 1) {
            work busy;
            busy.copy = in_.copy_s(n);
            busy.combine = (r - 1) * in_.add_s(share);
            out_.alone(busy);
            out_.wait(2 * doublings(r), inside);
        }
        const bool rooted = in_.what.op == operation::reduce;
        if (in_.nodes > 1 && rooted) chain_reduce(in_.nodes, share, weight, in_.lanes_between_nodes());
        if (in_.nodes > 1 && !rooted) {
            ring_reduce_scatter(in_.nodes, share, weight, in_.lanes_between_nodes(), false);
            ring_allgather(in_.nodes, share, weight * in_.nodes, in_.lanes_between_nodes());
        }
        if (r > 1) {
            work busy;
            busy.copy = in_.copy_s(share) + in_.copy_s(n);
            out_.alone(busy);
            out_.wait(2 * doublings(r), inside);
        }
    }

    /// Pieces are put in order and added through memory; rings between nodes for each local rank; ranks that a larger
    /// node has beyond those get their pieces from a neighbour.
    void hierarchical_reduce_scatter() noexcept {
        const double n = in_.bytes, r = in_.local, share = n / in_.fewest;
        const link inside{in_.where.intra.alpha_s, in_.where.intra.beta_s_per_byte, in_.where.intra.overhead_s};
        const auto through_memory = [&](const work& busy) {
            out_.alone(busy);
            if (r > 1) out_.wait(2 * doublings(r), inside);
        };
        through_memory({0, (r - 1) * in_.add_s(share), 0, in_.copy_s(n)});
        if (in_.nodes > 1) ring_reduce_scatter(in_.nodes, share, in_.node_weight, in_.lanes_between_nodes(), true);
        if (r > in_.fewest) through_memory({0, 0, 0, 2 * in_.copy_s(in_.piece())});
        out_.alone({0, 0, 0, in_.copy_s(in_.piece())});
    }

private:
    work compress(double size, double contributions) const noexcept {
        work one;
        if (payload_ != payload_kind::raw) one.compress = in_.codec_s(work_kind::compress, size, contributions);
        return one;
    }
    work decompress(double size, double contributions) const noexcept {
        work one;
        if (payload_ != payload_kind::raw) one.decompress = in_.codec_s(work_kind::decompress, size, contributions);
        return one;
    }

    /// What precedes all messages: the range of the values, and the integers of `quantised`.
    void prepare(double size, double weight) noexcept {
        work busy;
        if (payload_ != payload_kind::raw) busy.compress = in_.scan_s(size);
        if (payload_ == payload_kind::quantised) busy.compress += in_.codec_s(work_kind::quantise, size, weight);
        out_.alone(busy);
    }

    /// Work of a step in which a sum over `received` arrives and local values (over `own`) make it one over `after`.
    work hop(double size, double received, double after, double own) const noexcept {
        work busy;
        switch (payload_) {
            case payload_kind::homomorphic:
                busy = compress(size, own);
                busy.combine = in_.codec_s(work_kind::add, size, after);
                break;
            case payload_kind::quantised: busy.combine = in_.codec_s(work_kind::add_integers, size, after); break;
            case payload_kind::fused: busy.combine = in_.codec_s(work_kind::fused, size, after); break;
            default: busy = compress(size, received) + decompress(size, received); busy.combine = in_.add_s(size);
        }
        return busy;
    }

    /// Before the first exchange of a schedule in which whole arrays meet: what is sent is compressed. Returns the
    /// contributions that an array holds.
    double start(double size, double sent) noexcept {
        prepare(size, 1);
        out_.alone(compress(sent, 1));
        return 1;
    }

    /// `size` bytes of two arrays over `holds` contributions each meet: one exchange and one sum. Local values are
    /// there only the first time; then what is here is compressed, too. Returns the contributions of the sum.
    double meet(const link& over, double size, double holds, bool& values) noexcept {
        const double after = std::min(2 * holds, in_.ranks);
        work busy;
        if (!keeps_streams(payload_)) {
            busy = hop(size, holds, after, holds);
            if (!values) busy = busy + decompress(size, holds);
        } else if (values && payload_ == payload_kind::fused) {
            busy.combine = in_.codec_s(work_kind::fused, size, after);
        } else if (values && payload_ == payload_kind::quantised) {
            busy.combine = in_.codec_s(work_kind::add_integers, size, after);
        } else {
            busy.combine = in_.codec_s(work_kind::add, size, after);
        }
        values = false;
        out_.step(1, over, size, size * in_.fraction(holds), busy);
        return after;
    }

    /// The last `left` bytes as values; ranks that were folded in get all of the result, as it is sent.
    void finish(double size, double left, bool folded) noexcept {
        const double total = in_.ranks;
        if (folded) out_.step(1, in_.tree(1), size, size * in_.fraction(total), {});
        out_.alone(decompress(folded ? size : left, total));
    }

    const context& in_;
    ledger& out_;
    payload_kind payload_;
};

}  // namespace

cost reduction_cost(const context& in, const cell& how) noexcept {
    if (how.payload == payload_kind::once) return impossible;
    if (keeps_streams(how.payload) && how.codec != codec_id::fle) return impossible;
    const bool allreduce = in.what.op == operation::allreduce;
    ledger out(in);
    reduction run(in, out);
    switch (how.schedule) {
        case schedule_kind::ring:
            if (in.what.op == operation::reduce) {
                run.chain_reduce();
                break;
            }
            run.ring_reduce_scatter(in.ranks, in.bytes, 1, in.next(), !allreduce);
            if (allreduce) run.ring_allgather(in.ranks, in.bytes, in.ranks, in.next());
            break;
        case schedule_kind::recursive_doubling:
            if (!allreduce) return impossible;
            run.recursive_doubling();
            break;
        case schedule_kind::rabenseifner:
            if (!allreduce) return impossible;
            run.rabenseifner();
            break;
        case schedule_kind::binomial:
            if (in.what.op == operation::reduce_scatter) return impossible;
            run.binomial_reduce(!allreduce);
            if (allreduce) run.binomial_bcast();
            break;
        case schedule_kind::pairwise:
            if (in.what.op != operation::reduce_scatter) return impossible;
            run.pairwise_reduce_scatter();
            break;
        case schedule_kind::hierarchical:
            if (in.what.op == operation::reduce_scatter)
                run.hierarchical_reduce_scatter();
            else
                run.hierarchical();
            break;
        default: return impossible;
    }
    return out.sum();
}

}  // namespace laconic::model
