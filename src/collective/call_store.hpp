// SPDX-License-Identifier: BSD-3-Clause
// What is kept with a communicator between calls, so that a call like an earlier one allocates nothing: programs,
// memory, and the communicators of the hierarchy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/job.hpp"
#include "collective/program.hpp"
#include "model/machine.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

/// Memory of one call at a time.
struct call_memory {
    mpi::workspace bytes;
    std::vector<place> places;
    bool in_use = false;
};

/// Ranks of a node, and one communicator across nodes for each of the first `lanes` local ranks.
struct hierarchy {
    mpi::channel* inside = nullptr;
    mpi::channel* across = nullptr;  ///< null on ranks that no lane is for
    int lanes = 1;                   ///< the smallest node's ranks
    int nodes = 1;
};

class call_store final : public mpi::channel::attachment {
public:
    ~call_store() override;
    void close() noexcept override;

    /// The store of a channel, made at its first use; null when there is no memory for it.
    [[nodiscard]] static call_store* of(mpi::channel& channel) noexcept;

    [[nodiscard]] std::shared_ptr<const program> program_for(operation op, schedule_kind schedule, int root,
                                                             const mpi::channel& channel);
    /// Memory that nobody uses now; give it back with in_use = false. Null when there is none.
    [[nodiscard]] call_memory* borrow() noexcept;
    [[nodiscard]] std::size_t held_bytes() const noexcept;

    /// Counts the calls of the communicator, the same on all ranks: from it follow tags of their own.
    [[nodiscard]] std::uint64_t next_call() noexcept { return calls_++; }

    // MPI matches its collectives by their order on the communicator, so calls take turns: a call draws a number when
    // it begins, and uses MPI's collectives only from when all before it have ended their turns.
    [[nodiscard]] std::uint64_t draw_turn() noexcept { return turns_drawn_++; }
    [[nodiscard]] bool is_turn(std::uint64_t number) const noexcept { return number == turns_ended_; }
    void end_turn() noexcept { ++turns_ended_; }

    /// Started calls have to move while others go on: from the first one on, MPI's blocking functions are not used.
    void forbid_blocking() noexcept { may_block_ = false; }
    [[nodiscard]] bool may_block() const noexcept { return may_block_; }

    /// Whether levels() is local.
    [[nodiscard]] bool knows_levels(unsigned ranks_per_node) const noexcept;
    /// Collective over the channel at its first use for this number of ranks per node (0: those that share memory).
    [[nodiscard]] result<const hierarchy*> levels(mpi::channel& channel, unsigned ranks_per_node);

    /// Buffers below this size are MPI's, whatever they hold (model::smallest_interesting_bytes).
    [[nodiscard]] std::uint64_t interesting_bytes(operation op, const model::machine& where, int ranks, int nodes,
                                                  std::size_t segment_bytes);

private:
    struct known_size {
        operation op;
        const model::machine* where;
        int nodes;
        std::size_t segment_bytes;
        std::uint64_t bytes;
    };
    struct known_program {
        operation op;
        schedule_kind schedule;
        int root;
        std::shared_ptr<const program> steps;
    };
    struct known_levels {
        unsigned ranks_per_node;
        MPI_Comm inside = MPI_COMM_NULL, across = MPI_COMM_NULL;
        hierarchy levels;
    };

    std::vector<known_program> programs_;
    std::vector<std::unique_ptr<call_memory>> memory_;
    std::vector<std::unique_ptr<known_levels>> levels_;
    std::vector<known_size> sizes_;
    std::uint64_t calls_ = 0, turns_drawn_ = 0, turns_ended_ = 0;
    bool may_block_ = true;
};

}  // namespace laconic::collective
