// SPDX-License-Identifier: BSD-3-Clause
// From the world on: what was made of a communicator is found as soon as its members are known.
#include "trace/communicators.hpp"

#include <algorithm>
#include <deque>
#include <new>
#include <tuple>

namespace laconic::trace {
namespace {

/// One rank's part in a call that makes a communicator.
struct part {
    std::uint32_t rank;
    std::int32_t local;
    const made_comm* made;
    std::uint64_t place;  ///< of the rank in the parent
    bool other;           ///< in the parent's second group
};

/// Whether these may be all of one communicator's ranks, in this order if `ordered`. Communicators without a common
/// rank may have one id, so what was made by one call and looks the same may be several.
bool may_be_one(const std::vector<part>& parts, bool ordered) {
    std::vector<bool> taken(parts.size(), false);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const made_comm& each = *parts[i].made;
        if (each.size >= 0 && static_cast<std::uint64_t>(each.size) != parts.size()) return false;
        if (each.own_rank < 0) continue;
        const auto at = static_cast<std::uint64_t>(each.own_rank);
        if (at >= parts.size() || taken[static_cast<std::size_t>(at)] || (ordered && at != i)) return false;
        taken[static_cast<std::size_t>(at)] = true;
    }
    return true;
}

/// Ranks stand where later calls say they do, the others in the order given, in the free places. Precondition:
/// may_be_one(parts, false).
std::vector<std::uint32_t> by_evidence(const std::vector<part>& parts) {
    constexpr std::uint32_t free = no_root;
    std::vector<std::uint32_t> group(parts.size(), free);
    std::vector<std::uint32_t> rest;
    for (const part& each : parts) {
        const std::int64_t at = each.made->own_rank;
        if (at >= 0)
            group[static_cast<std::size_t>(at)] = each.rank;
        else
            rest.push_back(each.rank);
    }
    std::size_t next = 0;
    for (std::uint32_t& each : group)
        if (each == free) each = rest[next++];
    return group;
}

}  // namespace

class communicator_search {
public:
    communicator_search(communicators& found, std::map<std::uint32_t, std::vector<made_comm>> made)
        : found_(found), made_(std::move(made)) {
        for (const auto& [rank, all] : made_) {
            found_.numbers_[rank].assign(all.size() + first_local, -1);
            for (std::size_t i = 0; i < all.size(); ++i)
                children_[rank][all[i].parent].push_back(static_cast<std::int32_t>(i));
        }
    }

    void run(std::uint32_t ranks) {
        communicator world;
        world.name = "MPI_COMM_WORLD";
        for (std::uint32_t rank = 0; rank < ranks; ++rank) world.group.push_back(rank);
        communicator self;
        self.name = "MPI_COMM_SELF";
        found_.all_ = {world, self};
        members_.resize(2);
        for (auto& [rank, numbers] : found_.numbers_) {
            numbers[local_world] = 0;
            numbers[local_self] = 1;
            members_[local_world][rank] = local_world;
        }
        children_of(0);
        of_groups();
        for (const auto& [rank, all] : made_)
            for (const std::int32_t i : children_[rank][local_self])
                add(local_self, {part_of(rank, i, 0, false)}, false);
        while (!queue_.empty()) {
            const std::int32_t next = queue_.front();
            queue_.pop_front();
            children_of(next);
        }
    }

private:
    using key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::uint64_t>;

    [[nodiscard]] part part_of(std::uint32_t rank, std::int32_t i, std::uint64_t place, bool other) const {
        return {rank, i + first_local, &made_.at(rank)[static_cast<std::size_t>(i)], place, other};
    }

    void children_of(std::int32_t parent) {
        std::map<key, std::vector<part>> calls;
        const auto collect = [&](const std::vector<std::uint32_t>& group, bool other) {
            for (std::uint64_t place = 0; place < group.size(); ++place) {
                const std::uint32_t rank = group[static_cast<std::size_t>(place)];
                const auto& members = members_[static_cast<std::size_t>(parent)];
                const auto local = members.find(rank);
                if (local == members.end()) continue;
                std::map<std::pair<std::uint64_t, std::int64_t>, std::uint64_t> seen;
                for (const std::int32_t i : children_[rank][local->second]) {
                    const part each = part_of(rank, i, place, other);
                    // Calls that only some of the parent's ranks make are the same by what they give and by tag.
                    const bool by_some = each.made->function == "MPI_Comm_create_group";
                    const key of =
                        by_some ? key{1, each.made->handle, each.made->tag, seen[{each.made->handle, each.made->tag}]++}
                                : key{0, each.made->turn, 0, 0};
                    calls[of].push_back(each);
                }
            }
        };
        // all_ grows while this goes on.
        const communicator of = found_.all_[static_cast<std::size_t>(parent)];
        collect(of.group, false);
        collect(of.other, true);
        for (const auto& [turn, parts] : calls) one_call(parent, of, parts);
    }

    /// Those without a parent: the same by what they give, by their text, and by how many of these there were.
    void of_groups() {
        std::map<std::tuple<std::uint64_t, std::string, std::uint64_t>, std::vector<part>> calls;
        for (const auto& [rank, all] : made_) {
            std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> seen;
            for (const std::int32_t i : children_[rank][unknown_comm]) {
                const part each = part_of(rank, i, rank, false);
                if (each.made->function != "MPI_Comm_create_from_group") continue;
                const std::uint64_t turn = seen[{each.made->handle, each.made->text}]++;
                calls[{each.made->handle, each.made->text, turn}].push_back(each);
            }
        }
        for (const auto& [which, parts] : calls) add(-1, parts, true);
    }

    /// Splits the ranks that made the same call into the communicators that they got.
    void one_call(std::int32_t parent, const communicator& of, const std::vector<part>& parts) {
        const std::string_view function = parts.front().made->function;
        if (function == "MPI_Intercomm_create") return side(parent, parts);
        std::map<std::pair<std::uint64_t, std::vector<std::int64_t>>, std::vector<part>> groups;
        for (const part& each : parts) {
            std::vector<std::int64_t> apart;
            if (function == "MPI_Comm_split") apart = {each.made->color};
            if (function == "MPI_Cart_sub") apart = dropped_coordinates(of, each);
            groups[{each.made->handle, apart}].push_back(each);
        }
        for (auto& [which, members] : groups) {
            const bool by_key =
                function == "MPI_Comm_split" || function == "MPI_Comm_split_type" || function == "MPI_Intercomm_merge";
            if (by_key)
                std::stable_sort(members.begin(), members.end(),
                                 [](const part& a, const part& b) { return a.made->key < b.made->key; });
            // Which of two groups with the same `high` comes first is MPI's choice.
            if (function == "MPI_Intercomm_merge" && !may_be_one(members, true))
                std::stable_sort(members.begin(), members.end(), [](const part& a, const part& b) {
                    return std::pair(a.made->key, !a.other) < std::pair(b.made->key, !b.other);
                });
            add(parent, members, !by_key);
        }
    }

    static std::vector<std::int64_t> dropped_coordinates(const communicator& grid, const part& of) {
        std::vector<std::int64_t> dropped;
        if (grid.dims.size() != of.made->sides.size()) return dropped;
        std::uint64_t left = of.place;
        std::vector<std::int64_t> coordinates(grid.dims.size());
        for (std::size_t d = grid.dims.size(); d-- > 0;) {
            const auto side = static_cast<std::uint64_t>(std::max<std::int64_t>(grid.dims[d], 1));
            coordinates[d] = static_cast<std::int64_t>(left % side);
            left /= side;
        }
        for (std::size_t d = 0; d < coordinates.size(); ++d)
            if (of.made->sides[d] == 0) dropped.push_back(coordinates[d]);
        return dropped;
    }

    void add(std::int32_t parent, const std::vector<part>& members, bool evidence) {
        const made_comm& first = *members.front().made;
        communicator made;
        made.parent = parent;
        const communicator of = parent < 0 ? communicator{} : found_.all_[static_cast<std::size_t>(parent)];
        const bool copy = first.function.starts_with("MPI_Comm_dup") || first.function.starts_with("MPI_Comm_idup");
        if (!of.other.empty() && first.function != "MPI_Intercomm_merge") {
            // A copy of one with two groups has two; how others come apart is not followed.
            if (!copy) return;
            made.group = of.group;
            made.other = of.other;
        } else if (!may_be_one(members, !evidence)) {
            return;
        } else if (evidence) {
            made.group = by_evidence(members);
        } else {
            for (const part& each : members) made.group.push_back(each.rank);
        }
        if (copy) made.dims = of.dims;
        if (first.function == "MPI_Cart_create") made.dims = first.sides;
        if (first.function == "MPI_Cart_sub" && of.dims.size() == first.sides.size())
            for (std::size_t d = 0; d < of.dims.size(); ++d)
                if (first.sides[d] != 0) made.dims.push_back(of.dims[d]);
        enter(std::move(made), members, first.function);
    }

    void enter(communicator made, const std::vector<part>& members, std::string_view function) {
        const auto number = static_cast<std::int32_t>(found_.all_.size());
        made.name = std::string(function) + " " + std::to_string(number);
        found_.all_.push_back(std::move(made));
        auto& locals = members_.emplace_back();
        for (const part& each : members) {
            found_.numbers_[each.rank][static_cast<std::size_t>(each.local)] = number;
            locals[each.rank] = each.local;
        }
        queue_.push_back(number);
    }

    /// One of the two groups of MPI_Intercomm_create: it waits for the other, whose leader it names.
    void side(std::int32_t parent, const std::vector<part>& parts) {
        for (auto at = sides_.begin(); at != sides_.end(); ++at) {
            const made_comm &here = *parts.front().made, &there = *at->parts.front().made;
            if (here.handle != there.handle || here.tag != there.tag) continue;
            if (!leads(parts, at->parts) || !leads(at->parts, parts)) continue;
            communicator made;
            made.parent = at->parent;
            made.group = found_.all_[static_cast<std::size_t>(at->parent)].group;
            made.other = found_.all_[static_cast<std::size_t>(parent)].group;
            std::vector<part> members = at->parts;
            members.insert(members.end(), parts.begin(), parts.end());
            sides_.erase(at);
            return enter(std::move(made), members, "MPI_Intercomm_create");
        }
        sides_.push_back({parent, parts});
    }

    /// Whether the remote leader that `from` names is in `to`; true where that cannot be told.
    [[nodiscard]] bool leads(const std::vector<part>& from, const std::vector<part>& to) const {
        for (const part& each : from) {
            const std::int32_t peer = found_.number(each.rank, each.made->peer_comm);
            if (peer < 0) continue;
            const std::uint32_t leader = found_.world_rank(each.rank, each.made->peer_comm, each.made->remote_leader);
            if (leader == no_root) continue;
            return std::any_of(to.begin(), to.end(), [&](const part& other) { return other.rank == leader; });
        }
        return true;
    }

    struct half {
        std::int32_t parent;
        std::vector<part> parts;
    };
    communicators& found_;
    std::map<std::uint32_t, std::vector<made_comm>> made_;
    /// By rank and local number of the parent: positions in made_.
    std::map<std::uint32_t, std::map<std::int32_t, std::vector<std::int32_t>>> children_;
    /// By communicator: its number on each of its ranks.
    std::vector<std::map<std::uint32_t, std::int32_t>> members_;
    std::deque<std::int32_t> queue_;
    std::vector<half> sides_;
};

std::int32_t communicators::number(std::uint32_t rank, std::int32_t local) const noexcept {
    const auto at = numbers_.find(rank);
    if (at == numbers_.end() || local < 0 || static_cast<std::size_t>(local) >= at->second.size()) return -1;
    return at->second[static_cast<std::size_t>(local)];
}

comm_shape communicators::shape(std::uint32_t rank, std::int32_t local) const noexcept {
    const std::int32_t which = number(rank, local);
    if (which < 0) return {};
    if (which == local_self) return {1, 0};
    const communicator& of = all_[static_cast<std::size_t>(which)];
    if (which == local_world) return {of.group.size(), rank};
    for (const auto* const group : {&of.group, &of.other}) {
        const auto at = std::find(group->begin(), group->end(), rank);
        if (at == group->end()) continue;
        const auto& peers = of.other.empty() ? of.group : group == &of.group ? of.other : of.group;
        return {peers.size(), static_cast<std::uint64_t>(at - group->begin())};
    }
    return {};
}

std::uint32_t communicators::world_rank(std::uint32_t rank, std::int32_t local, std::uint32_t peer) const noexcept {
    const std::int32_t which = number(rank, local);
    if (which < 0) return no_root;
    if (which == local_self) return rank;
    const communicator& of = all_[static_cast<std::size_t>(which)];
    const bool in_other = std::find(of.other.begin(), of.other.end(), rank) != of.other.end();
    const auto& group = of.other.empty() || in_other ? of.group : of.other;
    return peer < group.size() ? group[peer] : no_root;
}

namespace {

status too_many() {
    return {errc::out_of_memory,
            "the trace makes more communicators than are followed (2^20 of a rank, 2^24 of all); "
            "read its calls one by one"};
}

status too_many_threads(std::uint32_t rank) {
    return {errc::out_of_memory,
            "more than 65536 threads of rank " + std::to_string(rank) + "; read its calls one by one"};
}

}  // namespace

result<communicators> communicators::of(const trace_file& file) {
    try {
        return found_in(file);
    } catch (const std::bad_alloc&) {
        return status{errc::out_of_memory, "no memory for the communicators of the trace; read its calls one by one"};
    }
}

result<communicators> communicators::found_in(const trace_file& file) {
    constexpr std::size_t most_threads = std::size_t{1} << 16;
    constexpr std::size_t most_of_all = std::size_t{1} << 24;
    std::size_t of_all = 0;
    communicators found;
    std::map<std::uint32_t, std::vector<made_comm>> made;
    for (const std::uint32_t rank : file.ranks()) {
        auto calls = file.calls_of(rank);
        if (!calls) return calls.error();
        rank_traffic traffic;
        rank_facts& facts = found.ranks_[rank];
        bool first = true;
        while (!calls->at_end()) {
            const auto call = calls->next();
            if (!call) return call.error();
            (void)traffic.read(call->signature);
            if (traffic.made_too_many()) return too_many();
            const std::uint64_t thread = traffic.call().thread();
            if (facts.threads.size() == most_threads && facts.threads.count(thread) == 0) return too_many_threads(rank);
            ++facts.threads[thread];
            if (!call->timed) continue;
            facts.timed = true;
            facts.first_ns = first ? call->start_ns : std::min(facts.first_ns, call->start_ns);
            facts.end_ns = std::max(facts.end_ns, call->start_ns + call->duration_ns);
            first = false;
        }
        of_all += traffic.made().size();
        if (of_all > most_of_all) return too_many();
        made[rank] = traffic.made();
    }
    communicator_search(found, std::move(made)).run(file.facts().ranks);
    return found;
}

}  // namespace laconic::trace
