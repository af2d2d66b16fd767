// SPDX-License-Identifier: BSD-3-Clause
// Allgather, gather, scatter, bcast and alltoall: a prepared question flows in, the sum of the schedule's steps flows
// out. Sources: papers/004 (2.1), (5.1), (5.2) and the binomial tree after (5.2); papers/000 (C-Coll) section III.
#include "model/ledger.hpp"

namespace laconic::model {
namespace {

class movement {
public:
    movement(const context& in, ledger& out) noexcept : in_(in), out_(out), payload_(in.payload) {}

    /// (2.1), (5.1), (5.2) with what travels compressed: every block goes all the way round.
    void ring_allgather() noexcept { ring_allgather(in_.ranks, in_.bytes, in_.next()); }
    void ring_allgather(double ranks, double n, const link& over) noexcept {
        const double block = n / ranks;
        work busy;
        if (payload_ == payload_kind::per_hop) {
            busy.compress = compress(block);
            busy.decompress = all_blocks(ranks) * decompress(block);
        } else if (payload_ == payload_kind::once) {
            busy.compress = compress(block) / (ranks - 1);
            busy.decompress = all_blocks(ranks) * decompress(block);
        }
        out_.step(ranks - 1, over, block, wire(block), busy);
        if (payload_ != payload_kind::raw) out_.fill(block, {compress(block), 0, 0, 0});
    }

    /// Pieces of a node's ranks pass around the nodes, one ring for each local rank; every node shares what came.
    void hierarchical_allgather() noexcept {
        const double n = in_.bytes, share = n / in_.fewest;
        out_.alone({0, 0, 0, in_.copy_s(in_.piece())});
        hand_over(2 * in_.piece());
        if (in_.nodes > 1) ring_allgather(in_.nodes, share, in_.lanes_between_nodes());
        through_memory(in_.local > 1 ? share + n : n);
    }

    /// Segments follow each other from the root through all ranks. The root decodes its own streams as the others do,
    /// so that all end with the same values: it works most.
    void chain_bcast() noexcept { chain_bcast(in_.ranks, in_.bytes, in_.next()); }
    void chain_bcast(double ranks, double n, const link& over) noexcept {
        work root, leaf;
        if (payload_ != payload_kind::raw) {
            root.compress = compress(n);
            leaf.decompress = decompress(n);
        }
        out_.chain(ranks - 1, over, n, {}, [&](double k) {
            hop_load load{wire(n), {}, {}};
            if (payload_ == payload_kind::per_hop) load.busy = load.delays = root + leaf;
            if (payload_ == payload_kind::once) {
                // Streams are sent on before they are decoded.
                load.busy = k < 2 ? root + leaf : leaf;
                if (k < 2) load.delays = root;
            }
            return load;
        });
        // Per hop, the last link has it.
        if (payload_ == payload_kind::once) out_.alone((1 / in_.segments(n)) * leaf);
    }

    /// The root deals out parts to its node, which pass through the nodes one beside the other; every node shares them.
    void hierarchical_bcast() noexcept {
        const double n = in_.bytes, r = in_.local, share = n / in_.fewest;
        if (r > 1) through_memory(n + share);
        if (in_.nodes > 1) chain_bcast(in_.nodes, share, in_.lanes_between_nodes());
        if (r > 1) through_memory(share + n);
    }

    /// After (5.2): log2 p messages, one compression at the root, one decompression at the leaf.
    void tree_bcast() noexcept {
        const double n = in_.bytes;
        work busy;
        if (payload_ == payload_kind::per_hop) busy = {compress(n), 0, decompress(n), 0};
        if (payload_ == payload_kind::once) {
            // The root compresses segments while the first message leaves; a leaf decodes while the last one arrives.
            out_.fill(n, {compress(n), 0, decompress(n), 0});
        }
        const int rounds = doublings(in_.ranks);
        double distance = power_below(in_.ranks - 1);
        for (int i = 0; i < rounds; ++i, distance /= 2) {
            work now = busy;
            if (payload_ == payload_kind::once && i == 0) now.compress += compress(n);
            if (payload_ == payload_kind::once && i == rounds - 1) now.decompress += decompress(n);
            out_.step(1, in_.tree(distance), n, wire(n), now);
        }
    }

    /// Towards the root: messages of 1, 2, 4, ... blocks; the root receives (p - 1)/p of the result.
    void tree_gather() noexcept {
        const double p = in_.ranks, block = in_.piece();
        double reach = 1;
        for (int i = doublings(p); i > 0; --i, reach *= 2) {
            const double blocks = std::min(reach, p - reach);
            work busy;
            if (payload_ == payload_kind::per_hop) busy = {compress(blocks * block), 0, decompress(blocks * block), 0};
            if (payload_ == payload_kind::once) {
                if (reach < 2) busy.compress = compress(block);
                busy.decompress = decompress(blocks * block);
            }
            if (payload_ == payload_kind::raw) busy.copy = in_.copy_s(blocks * block);
            out_.step(1, in_.tree(reach), blocks * block, wire(blocks * block), busy);
        }
    }

    /// From the root: half of the ranks' blocks first; every block is compressed once, at the root.
    void tree_scatter() noexcept {
        const double p = in_.ranks, block = in_.piece();
        double reach = power_below(p - 1);
        for (int i = doublings(p); i > 0; --i, reach /= 2) {
            const double blocks = std::min(reach, p - reach);
            work busy;
            if (payload_ == payload_kind::per_hop) busy = {compress(blocks * block), 0, decompress(blocks * block), 0};
            if (payload_ == payload_kind::once) {
                busy.compress = compress(blocks * block);
                if (reach < 2) busy.decompress = decompress(block);
            }
            out_.step(1, in_.tree(reach), blocks * block, wire(blocks * block), busy);
        }
    }

    /// In round t everybody passes what it has, 2^t blocks at most, 2^t ranks on; its own block is compressed once.
    void tree_allgather() noexcept {
        const double p = in_.ranks, block = in_.piece();
        for (double reach = 1; reach < p; reach *= 2) {
            const double blocks = std::min(reach, p - reach), size = blocks * block;
            // Of what is sent again and again the form stays.
            const double made = reach < 2                           ? 1
                                : payload_ == payload_kind::per_hop ? std::max(0.0, blocks - reach / 2)
                                                                    : 0;
            const double decoded = reach < 2 ? blocks + 1 : blocks;
            work busy;
            if (payload_ != payload_kind::raw) busy = {compress(made * block), 0, decompress(decoded * block), 0};
            out_.step(1, in_.shift(reach), size, wire(size), busy);
        }
    }

    /// Straight from source to destination. `sends`, `receives`: blocks of the busiest rank, which the others wait for;
    /// `makes`, `reads`: blocks that it compresses and decompresses.
    void straight(const link& over, double makes, double sends, double receives, double reads) noexcept {
        const double block = in_.piece();
        work busy;
        if (payload_ != payload_kind::raw) busy = {makes * compress(block), 0, reads * decompress(block), 0};
        const double blocks = std::max(sends, receives);
        out_.step(1, over, blocks * block, wire(blocks * block), busy);
    }

    /// What precedes all messages: the range of the values of the rank that has most.
    void find_range() noexcept {
        const bool is_gathered = in_.what.op == operation::allgather || in_.what.op == operation::gather;
        if (payload_ != payload_kind::raw) out_.alone({in_.scan_s(is_gathered ? in_.piece() : in_.bytes), 0, 0, 0});
    }
    /// A part that goes nowhere is copied to where it belongs.
    void copy_own_piece() noexcept {
        const operation op = in_.what.op;
        if (op == operation::alltoall || op == operation::gather || op == operation::scatter)
            out_.alone({0, 0, 0, in_.copy_s(in_.piece())});
    }

    /// Pieces go straight to the ranks of the root's node, to each those of its lane; the root collects them there.
    void hierarchical_gather() noexcept {
        const double share = in_.bytes / in_.fewest;
        out_.alone({0, 0, 0, in_.copy_s(in_.piece())});
        hand_over(2 * in_.piece());
        straight_between_nodes(share / in_.nodes, 1, in_.nodes - 1, in_.nodes - 1);
        through_memory(in_.local > 1 ? share + in_.bytes : in_.bytes);
    }

    /// The same the other way: each rank of the root's node compresses what its lane sends.
    void hierarchical_scatter() noexcept {
        const double share = in_.bytes / in_.fewest;
        through_memory(in_.local > 1 ? in_.bytes + share : in_.bytes);
        straight_between_nodes(share / in_.nodes, in_.nodes - 1, in_.nodes - 1, 1);
        hand_over(2 * in_.piece());
        out_.alone({0, 0, 0, in_.copy_s(in_.piece())});
    }

    /// Everybody hands each lane's rank of the node what it has for that lane; the lanes exchange. What comes in lands
    /// where it belongs, unless some of it is for ranks without a lane, or all of it stays in the node.
    void hierarchical_alltoall() noexcept {
        const double n = in_.bytes, part = in_.local * n / in_.fewest;
        through_memory(in_.local > 1 ? n + part : n);
        straight_between_nodes(part / in_.nodes, in_.nodes - 1, in_.nodes - 1, in_.nodes - 1);
        if (in_.nodes < 2) out_.alone({0, 0, 0, in_.copy_s(n)});
        hand_over(part + n);
    }

private:
    /// Copies of the busiest rank, and the rounds in which the node's ranks wait for each other.
    void through_memory(double bytes) noexcept {
        const link inside{in_.where.intra.alpha_s, in_.where.intra.beta_s_per_byte, in_.where.intra.overhead_s};
        out_.alone({0, 0, 0, in_.copy_s(bytes)});
        if (in_.local > 1) out_.wait(2 * doublings(in_.local), inside);
    }
    /// Where nodes differ in size, ranks of the larger ones have no lane.
    void hand_over(double bytes) noexcept {
        if (in_.local > in_.fewest) through_memory(bytes);
    }
    /// What one lane's busiest rank makes, sends and receives of sections.
    void straight_between_nodes(double section, double makes, double sends, double receives) noexcept {
        if (in_.nodes < 2) return;
        work busy;
        if (payload_ != payload_kind::raw) busy = {makes * compress(section), 0, receives * decompress(section), 0};
        const double size = std::max(sends, receives) * section;
        out_.step(1, in_.lanes_between_nodes(), size, wire(size), busy);
    }
    /// All blocks over those of the others: the own one is decoded, too, or a rank would end with other values.
    static double all_blocks(double ranks) noexcept { return ranks / (ranks - 1); }
    double wire(double size) const noexcept { return size * in_.fraction(1); }
    double compress(double size) const noexcept { return in_.codec_s(work_kind::compress, size, 1); }
    double decompress(double size) const noexcept { return in_.codec_s(work_kind::decompress, size, 1); }

    const context& in_;
    ledger& out_;
    payload_kind payload_;
};

}  // namespace

cost movement_cost(const context& in, const cell& how) noexcept {
    if (how.payload != payload_kind::raw && how.payload != payload_kind::per_hop && how.payload != payload_kind::once)
        return impossible;
    const double others = in.ranks - 1;
    ledger out(in);
    movement run(in, out);
    run.find_range();
    if (how.schedule != schedule_kind::hierarchical) run.copy_own_piece();
    const auto shape = [&](schedule_kind schedule, operation op) {
        return how.schedule == schedule && in.what.op == op;
    };
    if (shape(schedule_kind::ring, operation::allgather)) {
        run.ring_allgather();
    } else if (shape(schedule_kind::ring, operation::bcast)) {
        run.chain_bcast();
    } else if (shape(schedule_kind::binomial, operation::bcast)) {
        run.tree_bcast();
    } else if (shape(schedule_kind::hierarchical, operation::bcast)) {
        run.hierarchical_bcast();
    } else if (shape(schedule_kind::hierarchical, operation::allgather)) {
        run.hierarchical_allgather();
    } else if (shape(schedule_kind::hierarchical, operation::gather)) {
        run.hierarchical_gather();
    } else if (shape(schedule_kind::hierarchical, operation::scatter)) {
        run.hierarchical_scatter();
    } else if (shape(schedule_kind::hierarchical, operation::alltoall)) {
        run.hierarchical_alltoall();
    } else if (shape(schedule_kind::binomial, operation::gather)) {
        run.tree_gather();
    } else if (shape(schedule_kind::binomial, operation::scatter)) {
        run.tree_scatter();
    } else if (shape(schedule_kind::binomial, operation::allgather)) {
        run.tree_allgather();
    } else if (shape(schedule_kind::pairwise, operation::gather)) {
        run.straight(in.star(), 1, 1, others, others);
    } else if (shape(schedule_kind::pairwise, operation::scatter)) {
        run.straight(in.star(), others, others, 1, 1);
    } else if (shape(schedule_kind::pairwise, operation::allgather)) {
        // Compressed once, although it is sent to all.
        run.straight(in.all(), 1, others, others, in.ranks);
    } else if (shape(schedule_kind::pairwise, operation::alltoall)) {
        run.straight(in.all(), others, others, others, others);
    } else {
        return impossible;
    }
    return out.sum();
}

}  // namespace laconic::model
