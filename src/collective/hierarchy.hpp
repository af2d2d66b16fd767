// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a node, and across nodes: who shares memory with whom flows in, this rank's two teams flow out, and the
// memory of its node. No communicators are made, so that nothing blocks: a team is a list of ranks of one channel.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/node_sizes.hpp"
#include "base/shared_memory.hpp"
#include "collective/lending.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

/// Ranks that run a program among themselves, in their order.
struct team {
    int rank = 0;            ///< this rank's number in the team
    int size = 0;            ///< 0: this rank is in no such team
    std::vector<int> ranks;  ///< of the channel; empty: all of them

    [[nodiscard]] int on_channel(int member) const noexcept {
        return ranks.empty() ? member : ranks[static_cast<std::size_t>(member)];
    }
};

/// Cut into `lanes` parts, an array is reduced inside each node, local rank k ending with part k; the k-th local ranks
/// of all nodes reduce part k among themselves; then the ranks of a node share the parts. Where there is a root, its
/// node deals out the parts, or collects them. Where every rank has a piece of its own, the pieces of the k-th, the
/// (lanes + k)-th, ... local ranks of all nodes are part k.
struct hierarchy {
    team inside;
    team across;               ///< size 0 on ranks that no lane is for
    std::vector<int> leaders;  ///< of each rank of the channel the first one of its node
    std::vector<int> lane_of;  ///< of each rank of the channel
    std::vector<int> anchors;  ///< of each rank of the channel the one of its node that its lane is for
    std::vector<int> by_lane;  ///< the ranks of the channel by lanes, in a lane by anchors: as `across` has the nodes
    int lanes = 1;             ///< the smallest node's ranks
    int nodes = 1;
    int largest_node = 1;  ///< its ranks

    bool shares = false;         ///< the ranks of every node share memory indeed, and some node has several
    bool met = false;            ///< whether it has been settled if they use it
    base::shared_memory memory;  ///< empty: raw messages instead
    std::uint64_t rounds = 0;    ///< that the memory has seen, see node_stage
    std::uint64_t drawn = 0;     ///< calls use the memory one after the other, in the order in which they drew
    std::uint64_t ended = 0;

    [[nodiscard]] bool has_inside(int rank) const noexcept {
        return leaders[static_cast<std::size_t>(rank)] == inside.on_channel(0);
    }
    [[nodiscard]] bool has_lane() const noexcept { return inside.rank < lanes; }
    /// Number in `across` of the member from a rank's node. Precondition: across.size > 0.
    [[nodiscard]] int across_from(int rank) const noexcept;
};

/// Nodes of so many consecutive ranks each; 0: those that share memory.
[[nodiscard]] base::node_sizes nodes_of(const mpi::channel& channel, unsigned ranks_per_node) noexcept;

/// The hierarchy of any nodes.
/// leaders   of each rank the first one of its node
/// sharing   of each rank the first one that it shares memory with
[[nodiscard]] hierarchy make_hierarchy(std::span<const int> leaders, int rank, std::span<const int> sharing);
/// The hierarchy of a channel with nodes of so many consecutive ranks; 0: nodes are ranks that share memory.
[[nodiscard]] hierarchy make_hierarchy(const mpi::channel& channel, unsigned ranks_per_node, bool may_share);

/// Makes the memory of the nodes, without blocking. Where one rank cannot see its node's memory no node uses any.
class meeting {
public:
    meeting() = default;
    meeting(const meeting&) = delete;
    meeting& operator=(const meeting&) = delete;
    ~meeting() {
        if (request_ != MPI_REQUEST_NULL) never_free(letter_);
    }

    /// Local: has room for what start() exchanges. May throw bad_alloc.
    void reserve(const mpi::channel& channel) {
        letter_ = std::make_unique<letter>();
        letter_->addresses.resize(static_cast<std::size_t>(channel.size()));
    }
    /// Collective over the channel, in the order of its collectives. Precondition: reserve(); levels.shares, not
    /// levels.met.
    [[nodiscard]] status start(mpi::channel& channel, hierarchy& levels);
    /// False while messages are on their way; true when levels.met.
    [[nodiscard]] result<bool> test();

private:
    /// What travels.
    struct letter {
        std::vector<base::shared_memory::address> addresses;
        int opened = 0;
    };
    void create_memory() noexcept;
    [[nodiscard]] bool open_memory() noexcept;

    mpi::channel* channel_ = nullptr;
    hierarchy* levels_ = nullptr;
    std::unique_ptr<letter> letter_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool told_ = false;  // addresses are there
};

}  // namespace laconic::collective
