// SPDX-License-Identifier: BSD-3-Clause
// Teams, and the memory of a node: its first rank creates it, an allgather tells where, and a second small collective
// whether all have found it.
#include "collective/hierarchy.hpp"

#include <algorithm>
#include <new>
#include <tuple>

#include "collective/node_board.hpp"

namespace laconic::collective {

base::node_sizes nodes_of(const mpi::channel& channel, unsigned ranks_per_node) noexcept {
    if (ranks_per_node == 0) return channel.nodes();
    const int ranks = channel.size();
    const int each = static_cast<int>(std::min(ranks_per_node, static_cast<unsigned>(ranks)));
    const int count = (ranks + each - 1) / each;
    return {count, each, ranks - (count - 1) * each};
}

int hierarchy::across_from(int rank) const noexcept {
    const auto leader_of = [&](int member) { return leaders[static_cast<std::size_t>(member)]; };
    const auto found = std::find_if(across.ranks.begin(), across.ranks.end(),
                                    [&](int one) { return leader_of(one) == leader_of(rank); });
    return static_cast<int>(found - across.ranks.begin());
}

namespace {

/// local   of each rank its number in its node
void deal_lanes(hierarchy& made, const std::vector<int>& local) {
    const auto ranks = static_cast<int>(local.size());
    const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
    // Of each node the ranks that lanes are for; no more than there are ranks at all.
    std::vector<int> number_of(local.size(), 0);
    std::vector<int> first(static_cast<std::size_t>(made.nodes) * at(made.lanes), 0);
    int nodes = 0;
    const auto place = [&](int rank) -> int& {
        const int node = number_of[at(made.leaders[at(rank)])];
        return first[at(node) * at(made.lanes) + at(made.lane_of[at(rank)])];
    };
    for (int rank = 0; rank < ranks; ++rank) {
        if (made.leaders[at(rank)] == rank) number_of[at(rank)] = nodes++;
        made.lane_of.push_back(local[at(rank)] % made.lanes);
        if (local[at(rank)] < made.lanes) place(rank) = rank;
        made.anchors.push_back(place(rank));
        made.by_lane.push_back(rank);
    }
    std::sort(made.by_lane.begin(), made.by_lane.end(), [&](int a, int b) {
        return std::tuple(made.lane_of[at(a)], made.anchors[at(a)], a) <
               std::tuple(made.lane_of[at(b)], made.anchors[at(b)], b);
    });
}

}  // namespace

hierarchy make_hierarchy(std::span<const int> leaders, int rank, std::span<const int> sharing) {
    // Members of every node so far, counted at its first rank.
    std::vector<int> members(leaders.size(), 0);
    std::vector<int> local(members.size(), 0);
    hierarchy made;
    made.leaders.assign(leaders.begin(), leaders.end());
    bool truly = true;
    for (std::size_t at = 0; at < leaders.size(); ++at) {
        const auto node = static_cast<std::size_t>(leaders[at]);
        local[at] = members[node]++;
        truly = truly && sharing[at] == sharing[node];
    }
    const base::node_sizes sizes = base::sizes_of(members);
    made.nodes = sizes.count;
    made.lanes = sizes.smallest;
    made.largest_node = sizes.largest;
    const auto me = static_cast<std::size_t>(rank);
    const bool has_lane = local[me] < made.lanes;
    for (std::size_t at = 0; at < leaders.size(); ++at) {
        const auto other = static_cast<int>(at);
        if (leaders[at] == leaders[me]) made.inside.ranks.push_back(other);
        if (!has_lane || local[at] != local[me]) continue;
        if (at == me) made.across.rank = static_cast<int>(made.across.ranks.size());
        made.across.ranks.push_back(other);
    }
    deal_lanes(made, local);
    made.inside.rank = local[me];
    made.inside.size = static_cast<int>(made.inside.ranks.size());
    made.across.size = static_cast<int>(made.across.ranks.size());
    made.shares = truly && made.largest_node > 1;
    return made;
}

hierarchy make_hierarchy(const mpi::channel& channel, unsigned ranks_per_node, bool may_share) {
    const std::span<const int> sharing = channel.leaders();
    const int each = static_cast<int>(std::min(ranks_per_node, static_cast<unsigned>(channel.size())));
    std::vector<int> leaders(sharing.begin(), sharing.end());
    for (int rank = 0; each > 0 && rank < channel.size(); ++rank)
        leaders[static_cast<std::size_t>(rank)] = rank / each * each;
    hierarchy made = make_hierarchy(leaders, channel.rank(), sharing);
    made.shares = made.shares && may_share;
    return made;
}

status meeting::start(mpi::channel& channel, hierarchy& levels) {
    channel_ = &channel;
    levels_ = &levels;
    told_ = false;
    std::fill(letter_->addresses.begin(), letter_->addresses.end(), base::shared_memory::address{});
    base::shared_memory::address& mine = letter_->addresses[static_cast<std::size_t>(channel.rank())];
    if (levels.inside.rank == 0 && levels.inside.size > 1) {
        // Where there is none the others find out.
        create_memory();
        mine = levels.memory.where();
    }
    static_assert(sizeof mine == 3 * sizeof(std::int64_t));
    return channel.check(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, letter_->addresses.data(), 3, MPI_INT64_T,
                                        channel.comm(), &request_),
                         "MPI_Iallgather");
}

void meeting::create_memory() noexcept try {
    if (auto made = base::shared_memory::create(node_board::bytes_for(levels_->inside.size)); made.ok())
        levels_->memory = std::move(*made);
} catch (const std::bad_alloc&) {
    // No words for why there is none.
}

bool meeting::open_memory() noexcept try {
    if (levels_->inside.size == 1) return true;
    if (levels_->inside.rank == 0) return !levels_->memory.bytes().empty();
    const int leader = levels_->inside.ranks.front();
    auto opened = base::shared_memory::open(letter_->addresses[static_cast<std::size_t>(leader)],
                                            node_board::bytes_for(levels_->inside.size));
    if (opened.ok()) levels_->memory = std::move(*opened);
    return opened.ok();
} catch (const std::bad_alloc&) {
    return false;
}

result<bool> meeting::test() {
    int over = 0;
    if (auto done = channel_->check(MPI_Test(&request_, &over, MPI_STATUS_IGNORE), "MPI collective"); !done.ok())
        return done;
    if (over == 0) return false;
    if (!told_) {
        told_ = true;
        letter_->opened = open_memory() ? 1 : 0;
        const int code =
            MPI_Iallreduce(MPI_IN_PLACE, &letter_->opened, 1, MPI_INT, MPI_MIN, channel_->comm(), &request_);
        if (auto done = channel_->check(code, "MPI_Iallreduce"); !done.ok()) return done;
        return false;
    }
    levels_->memory.seal();
    if (letter_->opened == 0) levels_->memory = {};
    levels_->met = true;
    return true;
}

}  // namespace laconic::collective
