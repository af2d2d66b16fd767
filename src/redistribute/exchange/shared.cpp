// SPDX-License-Identifier: BSD-3-Clause
// Engine shared: chunks flow through the rings of a node, what leaves the node through batched messages. Slots are
// small enough to stay in a processor's cache between the two ranks. Where the sender's array is its exchange's own,
// the receiver reads it there, and the sender waits until it has.
#include <algorithm>

#include "redistribute/exchange/engine.hpp"
#include "redistribute/exchange/node_arrays.hpp"
#include "redistribute/exchange/node_rings.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic::redistribute {
namespace {

class shared_engine final : public engine {
public:
    shared_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming)
        : setup_(setup), rings_(*setup.rings) {
        const std::span<const int> leaders = setup.channel.leaders();
        several_nodes_ = std::any_of(leaders.begin(), leaders.end(), [&](int each) { return each != leaders.front(); });
        streams far_out, far_in;
        split(outgoing, out_, far_out, true);
        split(incoming, in_, far_in, false);
        if (several_nodes_) {
            engine_setup far = setup;
            far.staging_bytes -= std::min(far.staging_bytes, rings_bytes());
            far_ = make_batched(far, far_out, far_in);
        }
    }

    [[nodiscard]] status prepare() override { return far_ != nullptr ? far_->prepare() : status{}; }

    [[nodiscard]] status meet() override { return far_ != nullptr ? far_->meet() : status{}; }

    [[nodiscard]] std::size_t ways() const noexcept override {
        return several_nodes_ ? batched_ways(setup_.options) : 1;
    }
    void use(std::size_t way) noexcept override {
        if (far_ != nullptr) far_->use(way);
    }

    // What goes by messages may be on its way before ranks agree; what goes through the memory of a node waits.
    [[nodiscard]] bool opens() const noexcept override { return several_nodes_; }
    [[nodiscard]] status open(run_context& run, bool ready) override {
        return far_ != nullptr ? far_->open(run, ready) : status{};
    }
    [[nodiscard]] result<bool> open_more() override { return far_ != nullptr ? far_->open_more() : false; }
    [[nodiscard]] status decline() override { return far_ != nullptr ? far_->decline() : status{}; }

    [[nodiscard]] status start(run_context& run) override {
        run_ = &run;
        for (flow& each : out_) begin(each, setup_.arrays == nullptr ? passage::slots : offer(each));
        for (flow& each : in_) begin(each, setup_.arrays == nullptr ? passage::slots : passage::unknown);
        near_left_ = out_.size() + in_.size();
        far_done_ = far_ == nullptr;
        far_fault_ = {};
        for (const flow& each : out_) {
            const auto bytes = static_cast<std::uint64_t>(each.bytes->bytes());
            run.report->shared_bytes += bytes;
            if (each.how == passage::straight) run.report->straight_bytes += bytes;
        }
        return far_done_ ? status{} : far_->start(run);
    }

    [[nodiscard]] result<step> advance() override {
        bool moved = false;
        if (!far_done_) {
            const result<step> far = heard(far_->advance());
            if (!far) return far.error();
            moved = *far != step::waiting;
        }
        if (near_left_ > 0) {
            for (flow& each : out_) moved |= send(each);
            for (flow& each : in_) moved |= receive(each);
        }
        if (near_left_ == 0 && far_done_) {
            if (!far_fault_.ok()) return told([&] { return far_fault_; });
            return step::done;
        }
        if (moved) return step::moved;
        return far_done_ ? wait_in_mpi() : step::waiting;
    }

    [[nodiscard]] result<step> wait() override {
        if (near_left_ > 0 || far_done_) return engine::wait();
        return heard(far_->wait());
    }

    void abandon() noexcept override {
        if (far_ != nullptr) far_->abandon();
    }

    [[nodiscard]] std::size_t staging_bytes() const noexcept override {
        return rings_bytes() + (far_ != nullptr ? far_->staging_bytes() : 0);
    }

private:
    /// How a flow's bytes go in this run: its sender decides.
    enum class passage : std::uint8_t { unknown, slots, straight };
    struct flow {
        const stream* bytes;
        node_rings::ring way;
        node_arrays::view sender;  // receiving
        std::int64_t chunks, done;
        std::size_t pieces_done = 0;
        passage how = passage::slots;
        bool over = false;
    };

    static void begin(flow& each, passage how) noexcept {
        each.done = 0;
        each.pieces_done = 0;
        each.how = how;
        each.over = false;
    }
    void end(flow& each) noexcept {
        each.over = true;
        --near_left_;
    }

    /// What the far part says. A fault that is none of MPI's is kept until the near part is through: others wait for
    /// it.
    [[nodiscard]] result<step> heard(result<step> far) {
        if (far.code() == errc::mpi) return far;
        if (!far) far_fault_ = told([&] { return far.error(); });
        far_done_ = !far || *far == step::done;
        // The end is advance()'s to tell.
        return far_done_ ? step::moved : *far;
    }

    /// Tells the receiver of a run where it finds what it gets.
    passage offer(const flow& to) const noexcept {
        bool own = true;
        for (std::size_t i = 0; i < run_->arrays.in.size(); ++i)
            own = own && run_->arrays.in[i] == setup_.arrays->field(i).data();
        std::atomic<std::uint64_t>& offered = to.way.counters->offered;
        const std::uint64_t runs = offered.load(std::memory_order_relaxed) / 2 + 1;
        const bool straight = own && setup_.arrays->is_seen();
        offered.store(2 * runs + (straight ? 1 : 0), std::memory_order_release);
        return straight ? passage::straight : passage::slots;
    }

    /// Whoever waits for other ranks' memory has to call MPI all the same: it moves what the program itself has sent,
    /// without which others may never come to their run, and it sees ranks that are gone.
    [[nodiscard]] result<step> wait_in_mpi() const {
        int found = 0;
        const int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, setup_.channel.comm(), &found, MPI_STATUS_IGNORE);
        if (status bad = setup_.channel.check(code, "MPI_Iprobe"); !bad.ok()) return bad;
        return step::waiting;
    }

    void split(const streams& all, std::vector<flow>& near, streams& far, bool outgoing) const {
        const int me = setup_.channel.rank();
        for (const stream* each : all)
            if (rings_.has(each->peer))
                near.push_back(
                    {each, outgoing ? rings_.between(me, each->peer) : rings_.between(each->peer, me),
                     setup_.arrays != nullptr && !outgoing ? setup_.arrays->of(each->peer) : node_arrays::view{},
                     chunks_of(*each, slot_bytes()), 0});
            else
                far.push_back(each);
    }
    /// Of the rings that this rank fills.
    [[nodiscard]] std::size_t rings_bytes() const noexcept {
        return out_.size() * node_rings::slots * rings_.slot_bytes();
    }
    [[nodiscard]] std::int64_t slot_bytes() const noexcept { return static_cast<std::int64_t>(rings_.slot_bytes()); }
    [[nodiscard]] std::byte* slot(const flow& where, std::uint64_t number) const noexcept {
        return where.way.slots + number % node_rings::slots * rings_.slot_bytes();
    }

    bool send(flow& to) noexcept {
        node_rings::head& counters = *to.way.counters;
        if (to.over) return false;
        if (to.how == passage::straight || to.done == to.chunks) {
            // The next offer must not come before the receiver has seen this one.
            if (counters.taken.load(std::memory_order_acquire) != counters.offered.load(std::memory_order_relaxed))
                return false;
            end(to);
            return true;
        }
        const std::uint64_t written = counters.written.load(std::memory_order_relaxed);
        if (counters.read.load(std::memory_order_acquire) + node_rings::slots <= written) return false;
        pack(*to.bytes, run_->arrays, chunk_at(*to.bytes, slot_bytes(), to.done), slot(to, written), stores::cached);
        counters.written.store(written + 1, std::memory_order_release);
        if (++to.done == to.chunks && setup_.arrays == nullptr) end(to);
        return true;
    }

    /// About as much as a slot holds, then others have their turn.
    bool read_straight(flow& from) noexcept {
        const auto& pieces = from.bytes->straight;
        const auto fields = static_cast<std::size_t>(from.bytes->fields);
        for (std::int64_t bytes = 0; bytes < slot_bytes() && from.pieces_done < pieces.size(); ++from.pieces_done) {
            const placed_piece& piece = pieces[from.pieces_done];
            for (std::size_t i = 0; i < fields; ++i)
                copy_piece(piece.rows, from.sender.first_field + i * from.sender.field_stride, run_->arrays.out[i],
                           setup_.unpacking);
            const std::int64_t of_all = piece.rows.bytes() * from.bytes->fields;
            run_->arrivals->arrived(piece.patch, of_all);
            bytes += of_all;
        }
        if (from.pieces_done < pieces.size()) return true;
        node_rings::head& counters = *from.way.counters;
        counters.taken.store(counters.offered.load(std::memory_order_relaxed), std::memory_order_release);
        end(from);
        return true;
    }

    bool receive(flow& from) noexcept {
        node_rings::head& counters = *from.way.counters;
        if (from.over) return false;
        if (from.how == passage::unknown) {
            const std::uint64_t offered = counters.offered.load(std::memory_order_acquire);
            if (offered / 2 == counters.taken.load(std::memory_order_relaxed) / 2) return false;
            from.how = offered % 2 != 0 ? passage::straight : passage::slots;
            if (from.how == passage::slots) counters.taken.store(offered, std::memory_order_release);
        }
        if (from.how == passage::straight) return read_straight(from);
        const std::uint64_t read = counters.read.load(std::memory_order_relaxed);
        if (counters.written.load(std::memory_order_acquire) <= read) return false;
        unpack(*from.bytes, run_->arrays, chunk_at(*from.bytes, slot_bytes(), from.done), slot(from, read),
               setup_.unpacking, *run_->arrivals);
        counters.read.store(read + 1, std::memory_order_release);
        if (++from.done == from.chunks) end(from);
        return true;
    }

    engine_setup setup_;
    node_rings& rings_;
    bool several_nodes_ = false;
    std::vector<flow> out_, in_;
    std::unique_ptr<engine> far_;
    run_context* run_ = nullptr;
    std::size_t near_left_ = 0;  // flows with chunks left
    bool far_done_ = true;
    status far_fault_;
};

}  // namespace

std::unique_ptr<engine> make_shared(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    return std::make_unique<shared_engine>(setup, outgoing, incoming);
}

}  // namespace laconic::redistribute
