// SPDX-License-Identifier: BSD-3-Clause
// Engines alltoallw and neighbor: one datatype for each pair of ranks, one collective of MPI for each field.
#include <algorithm>

#include "redistribute/exchange/datatypes.hpp"

namespace laconic::redistribute {
namespace {

/// Moves the streams of one field after the other; MPI's call blocks, and pieces are there when it is over.
class collective_engine : public engine {
public:
    collective_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming)
        : channel_(setup.channel),
          outgoing_(outgoing),
          incoming_(incoming),
          types_(setup.channel, setup.element.bytes) {}

    [[nodiscard]] status start(run_context& run) override {
        run_ = &run;
        field_ = 0;
        for (const stream* each : outgoing_) run.report->message_bytes += static_cast<std::uint64_t>(each->bytes());
        run.report->wire_bytes = run.report->message_bytes;
        return {};
    }

    [[nodiscard]] result<step> advance() override {
        if (status bad = move(run_->arrays.in[field_], run_->arrays.out[field_]); !bad.ok()) return bad;
        for (const stream* each : incoming_)
            for (const part& piece : each->parts) run_->arrivals->arrived(piece.patch, piece.rows.bytes());
        return ++field_ == run_->arrays.in.size() ? step::done : step::moved;
    }

    [[nodiscard]] bool blocks() const noexcept override { return true; }

protected:
    /// One field.
    [[nodiscard]] virtual status move(const std::byte* in, std::byte* out) = 0;

    mpi::channel& channel_;
    streams outgoing_, incoming_;
    datatypes types_;

private:
    run_context* run_ = nullptr;
    std::size_t field_ = 0;
};

class alltoallw_engine final : public collective_engine {
public:
    using collective_engine::collective_engine;

    [[nodiscard]] status prepare() override {
        if (status bad = fill(outgoing_, out_); !bad.ok()) return bad;
        return fill(incoming_, in_);
    }

private:
    struct side {
        std::vector<int> counts, displacements;
        std::vector<MPI_Datatype> types;
    };

    [[nodiscard]] status fill(const streams& all, side& made) {
        const auto ranks = static_cast<std::size_t>(channel_.size());
        made.counts.assign(ranks, 0);
        made.displacements.assign(ranks, 0);
        made.types.assign(ranks, MPI_BYTE);
        for (const stream* each : all) {
            const auto type = types_.of(*each);
            if (!type) return type.error();
            made.counts[static_cast<std::size_t>(each->peer)] = 1;
            made.types[static_cast<std::size_t>(each->peer)] = *type;
        }
        return {};
    }

    [[nodiscard]] status move(const std::byte* in, std::byte* out) override {
        return channel_.check(
            MPI_Alltoallw(in, out_.counts.data(), out_.displacements.data(), out_.types.data(), out, in_.counts.data(),
                          in_.displacements.data(), in_.types.data(), channel_.comm()),
            "MPI_Alltoallw");
    }

    side out_, in_;
};

class neighbor_engine final : public collective_engine {
public:
    using collective_engine::collective_engine;

    ~neighbor_engine() override {
        if (graph_ != MPI_COMM_NULL && mpi::check_running().ok()) MPI_Comm_free(&graph_);
    }

    [[nodiscard]] status prepare() override {
        if (status bad = fill(outgoing_, out_); !bad.ok()) return bad;
        if (status bad = fill(incoming_, in_); !bad.ok()) return bad;
        const auto peers = [](const streams& all) {
            std::vector<int> made;
            for (const stream* each : all) made.push_back(each->peer);
            made.reserve(1);  // an address even where there is nobody
            return made;
        };
        from_ = peers(incoming_);
        to_ = peers(outgoing_);
        alike_.assign(std::max({from_.size(), to_.size(), std::size_t{1}}), 1);
        return {};
    }

    [[nodiscard]] status meet() override {
        return channel_.check(MPI_Dist_graph_create_adjacent(channel_.comm(), static_cast<int>(from_.size()),
                                                             from_.data(), alike_.data(), static_cast<int>(to_.size()),
                                                             to_.data(), alike_.data(), MPI_INFO_NULL, 0, &graph_),
                              "MPI_Dist_graph_create_adjacent");
    }

private:
    struct side {
        std::vector<int> counts;
        std::vector<MPI_Aint> displacements;
        std::vector<MPI_Datatype> types;
    };

    [[nodiscard]] status fill(const streams& all, side& made) {
        for (const stream* each : all) {
            const auto type = types_.of(*each);
            if (!type) return type.error();
            made.types.push_back(*type);
        }
        made.types.reserve(1);
        made.counts.assign(std::max<std::size_t>(all.size(), 1), 1);
        made.displacements.assign(std::max<std::size_t>(all.size(), 1), 0);
        return {};
    }

    [[nodiscard]] status move(const std::byte* in, std::byte* out) override {
        return channel_.check(
            MPI_Neighbor_alltoallw(in, out_.counts.data(), out_.displacements.data(), out_.types.data(), out,
                                   in_.counts.data(), in_.displacements.data(), in_.types.data(), graph_),
            "MPI_Neighbor_alltoallw");
    }

    side out_, in_;
    std::vector<int> from_, to_, alike_;  // ranks, and as many weights
    MPI_Comm graph_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<engine> make_alltoallw(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    return std::make_unique<alltoallw_engine>(setup, outgoing, incoming);
}
std::unique_ptr<engine> make_neighbor(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    return std::make_unique<neighbor_engine>(setup, outgoing, incoming);
}

}  // namespace laconic::redistribute
