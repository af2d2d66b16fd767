// SPDX-License-Identifier: BSD-3-Clause
// What is kept with a communicator between calls, so that a call like an earlier one allocates nothing: programs,
// memory, and hierarchies.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collective/agreement.hpp"
#include "collective/calls_under_way.hpp"
#include "collective/hierarchy.hpp"
#include "collective/job.hpp"
#include "collective/known_calls.hpp"
#include "collective/lane_runs.hpp"
#include "collective/lending.hpp"
#include "collective/message_shares.hpp"
#include "collective/program.hpp"
#include "model/machine.hpp"
#include "model/recollection.hpp"
#include "model/select.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

/// Counts that ranks have told each other.
struct told_counts {
    /// gatherv, scatterv: of all ranks' parts. alltoallv: of each rank of the node what it sends to every rank, then
    /// what it gets from every rank; none without a hierarchy. Empty where counts follow from the call.
    std::vector<std::size_t> counts;
    std::vector<std::size_t> own;        ///< what this rank tells
    std::vector<std::size_t> sent_here;  ///< of each rank what it sends to this one: alltoallv with options.check
    std::vector<int> lengths;            ///< for MPI_Ialltoallv
};

/// Memory of one call at a time.
struct call_memory {
    mpi::workspace bytes;
    std::vector<place> places;
    lane_layout layout;  ///< of a call over a hierarchy
    told_counts told;
    bool in_use = false;
};

/// Why a channel takes no more calls.
[[nodiscard]] inline status broken() {
    return {errc::mpi,
            "an earlier collective on this communicator failed on its way, or was wrong and not waited for before "
            "others followed; use a new communicator"};
}

class call_store final : public mpi::channel::attachment {
public:
    /// May throw bad_alloc.
    explicit call_store(const mpi::channel& channel) {
        everybody_.rank = channel.rank(), everybody_.size = channel.size();
    }
    ~call_store() override {
        if (letter_->in_use) never_free(letter_);
    }
    void close() noexcept override {}

    /// The store of a channel. Precondition: the channel is usable_channel()'s.
    [[nodiscard]] static call_store& of(mpi::channel& channel) noexcept {
        return static_cast<call_store&>(*channel.attached());
    }

    /// All ranks of the channel.
    [[nodiscard]] const team& everybody() const noexcept { return everybody_; }
    [[nodiscard]] std::shared_ptr<const program> program_for(operation op, schedule_kind schedule, int root,
                                                             const team& who);

    [[nodiscard]] lending<call_memory>& memory() noexcept { return memory_; }
    /// For what ranks agree on: one call at a time does, that whose turn it is.
    [[nodiscard]] agreement_letter& letter() noexcept { return *letter_; }

    /// Counts the calls of the communicator, the same on all ranks: from it follow tags of their own
    /// (calls_under_way.hpp).
    [[nodiscard]] std::uint64_t next_call() noexcept {
        return vacant_ == no_call ? calls_++ : std::exchange(vacant_, no_call);
    }
    /// That call was none here: arguments were wrong, no other rank has heard of it, and now the program does. The next
    /// one is made in its place and has its number, also where others have been started since. False: that is so for
    /// another one already.
    [[nodiscard]] bool take_back_call(std::uint64_t number) noexcept {
        if (calls_ == number + 1)
            calls_ = number;
        else if (vacant_ == no_call)
            vacant_ = number;
        else
            return false;
        return true;
    }

    [[nodiscard]] calls_under_way& under_way() noexcept { return under_way_; }

    // MPI matches its collectives by their order on the communicator, so calls take turns: a call draws a number when
    // it begins, and uses MPI's collectives only from when all before it have ended their turns.
    // A call that was wrong, and whose turn went by, is to be made again before others draw theirs: one that the
    // program begins before it knows would meet another call of the others.
    [[nodiscard]] std::uint64_t draw_turn(mpi::channel& channel) noexcept {
        if (under_way_.turns_gone_by() > 0) channel.desert();
        return turns_drawn_++;
    }
    /// Whether no turn has been drawn since that one.
    [[nodiscard]] bool is_last_turn(std::uint64_t number) const noexcept { return number + 1 == turns_drawn_; }
    [[nodiscard]] bool is_turn(std::uint64_t number) const noexcept { return number == turns_ended_; }
    void end_turn() noexcept { ++turns_ended_; }
    /// A call that is over before another begins.
    void pass_turn() noexcept { static_cast<void>(next_call()), ++turns_drawn_, ++turns_ended_; }
    /// Whether all turns drawn have ended.
    [[nodiscard]] bool is_idle() const noexcept { return turns_drawn_ == turns_ended_; }

    /// Started calls have to move while others go on: from the first one on, MPI's blocking functions are not used.
    void forbid_blocking() noexcept { may_block_ = false; }
    [[nodiscard]] bool may_block() const noexcept { return may_block_; }

    /// Made at its first use. Null when there is no memory for it.
    [[nodiscard]] hierarchy* levels(const mpi::channel& channel, unsigned ranks_per_node, bool may_share) noexcept;

    /// What runs a call of so many bytes without a word between the ranks, whatever it holds (model::select_unasked);
    /// nothing where it is worth asking. Calls of a kind and a class of sizes are decided once.
    [[nodiscard]] std::optional<cell> unasked(operation op, std::uint64_t bytes, const model::machine& where, int ranks,
                                              const base::node_sizes& nodes, std::size_t segment_bytes,
                                              unsigned threads);

    /// What runs calls that were found sound, whatever they hold, without a word between the ranks.
    [[nodiscard]] known_calls& known() noexcept { return known_; }
    [[nodiscard]] const known_calls& known() const noexcept { return known_; }

    /// How well messages of calls like these shrank.
    [[nodiscard]] message_shares& shares() noexcept { return shares_; }

    /// How `auto` fared with calls like these, asked and told in the order of the turns.
    [[nodiscard]] model::recollection& decisions() noexcept { return decisions_; }
    /// What runs calls without loss: what each rank can work out anew by itself, so not all need to remember the same.
    [[nodiscard]] model::recollection& lossless() noexcept { return lossless_; }
    /// After a call that all ranks have refused, with the same code: they may have looked at it in different ways, and
    /// must remember alike.
    void refused(errc code) noexcept {
        decisions_ = {};
        if (code == errc::out_of_memory) shares_.give_up();
    }

    /// Machines that all ranks are known to read alike: what `auto` decides by before the ranks have spoken.
    [[nodiscard]] bool knows_machine(const std::string& path) const noexcept {
        return path.empty() || std::find(machines_.begin(), machines_.end(), path) != machines_.end();
    }
    /// Memory for a machine that ranks are about to agree on.
    [[nodiscard]] status expect_machine(const std::string& path);
    /// Precondition: expect_machine(), of the same turn.
    void remember_expected_machine() noexcept {
        if (!knows_machine(expected_machine_)) machines_.push_back(std::move(expected_machine_));
    }

private:
    struct known_size {
        operation op = operation::allreduce;
        const model::machine* where = nullptr;
        base::node_sizes nodes;
        std::size_t segment_bytes = 0;
        unsigned threads = 1;
        std::uint64_t asked_from = 0;
        std::array<std::optional<cell>, model::most_size_classes> unasked;
    };
    [[nodiscard]] known_size& size_of(const model::question& what, const base::node_sizes& nodes,
                                      const model::machine& where);
    struct known_program {
        operation op;
        schedule_kind schedule;
        int root, rank, ranks;
        std::shared_ptr<const program> steps;
    };
    struct known_levels {
        unsigned ranks_per_node;
        bool may_share;
        std::unique_ptr<hierarchy> levels;
    };

    static constexpr std::uint64_t no_call = ~std::uint64_t{0};

    // What a short call looks at, side by side.
    std::uint64_t calls_ = 0, vacant_ = no_call, turns_drawn_ = 0, turns_ended_ = 0;
    bool may_block_ = true;
    known_calls known_;
    team everybody_;
    std::vector<known_program> programs_;
    lending<call_memory> memory_;
    std::unique_ptr<agreement_letter> letter_ = std::make_unique<agreement_letter>();
    std::vector<known_levels> levels_;
    std::vector<known_size> sizes_;
    known_size spare_size_;
    calls_under_way under_way_;
    message_shares shares_;
    model::recollection decisions_, lossless_;
    std::vector<std::string> machines_;
    std::string expected_machine_;
};

}  // namespace laconic::collective
