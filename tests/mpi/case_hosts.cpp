// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are nodes in earnest: LACONIC_TEST_HOSTS, "0,1,0" say, the host of each rank, flows in; the nodes that are
// found there, and every row with a hierarchy over them, are checked. It runs only when named, on emulated hosts
// (tests/netbed/test_nodes.py): on one machine all ranks are one node.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "collective/execution.hpp"
#include "collective/hierarchy.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace laconic::collective;

const MPI_Comm world = MPI_COMM_WORLD;

constexpr std::size_t short_count = 5000;  // also raw it takes messages

/// The host of each rank; empty where the variable says none.
std::vector<int> told_hosts() {
    const char* const text = std::getenv("LACONIC_TEST_HOSTS");
    std::vector<int> hosts;
    std::string_view left = text == nullptr ? "" : text;
    while (!left.empty()) {
        int host = 0;
        const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), host);
        if (error != std::errc{} || (end != left.data() + left.size() && *end != ',')) return {};
        hosts.push_back(host);
        left.remove_prefix(std::min(left.size(), static_cast<std::size_t>(end - left.data()) + 1));
    }
    return hosts;
}

/// What follows from the hosts, not from anything that MPI or laconic found out.
struct expected_nodes {
    int nodes = 0;
    int lanes = 0, largest = 0;
    std::vector<int> leaders;         ///< of each rank
    std::vector<int> inside, across;  ///< ranks of this rank's host; ranks with its number on theirs

    expected_nodes(const std::vector<int>& hosts, int me) {
        const auto host_of = [&](int rank) { return hosts[static_cast<std::size_t>(rank)]; };
        // Ranks of the same host before a rank.
        const auto number_of = [&](int rank) { return std::count(hosts.begin(), hosts.begin() + rank, host_of(rank)); };
        const std::set<int> all(hosts.begin(), hosts.end());
        nodes = static_cast<int>(all.size());
        lanes = static_cast<int>(hosts.size());
        for (const int host : all) {
            const auto members = static_cast<int>(std::count(hosts.begin(), hosts.end(), host));
            lanes = std::min(lanes, members);
            largest = std::max(largest, members);
        }
        for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
            const auto first = std::find(hosts.begin(), hosts.end(), host_of(rank));
            leaders.push_back(static_cast<int>(first - hosts.begin()));
            if (host_of(rank) == host_of(me)) inside.push_back(rank);
            if (number_of(me) < lanes && number_of(rank) == number_of(me)) across.push_back(rank);
        }
    }
};

bool is_team(const team& found, const std::vector<int>& wanted, int me) {
    if (found.size != static_cast<int>(wanted.size())) return false;
    for (int k = 0; k < found.size; ++k)
        if (found.on_channel(k) != wanted[static_cast<std::size_t>(k)]) return false;
    return found.size == 0 || found.on_channel(found.rank) == me;
}

void check_nodes(const mpi::channel& channel, const hierarchy& found, const expected_nodes& wanted) {
    check(channel.nodes().count == wanted.nodes,
          "the channel sees " + std::to_string(channel.nodes().count) + " nodes, not " + std::to_string(wanted.nodes));
    check(std::ranges::equal(channel.leaders(), wanted.leaders), "the channel sees other leaders");
    check(nodes_of(channel, 0) == base::node_sizes{wanted.nodes, wanted.largest, wanted.lanes},
          "nodes that share memory, or their sizes");
    check(found.nodes == wanted.nodes,
          "the hierarchy has " + std::to_string(found.nodes) + " nodes, not " + std::to_string(wanted.nodes));
    check(found.lanes == wanted.lanes,
          "the hierarchy has " + std::to_string(found.lanes) + " lanes, not " + std::to_string(wanted.lanes));
    check(found.leaders == wanted.leaders, "the hierarchy has other leaders");
    check(is_team(found.inside, wanted.inside, channel.rank()), "the ranks inside are not those of the host");
    check(is_team(found.across, wanted.across, channel.rank()), "the ranks across are not those of the lane");
    check(found.shares, "the ranks of a host share memory");
}

bool has_root(operation op) {
    return op == operation::reduce || op == operation::bcast || op == operation::gather || op == operation::scatter;
}
bool has_counts(operation op) {
    return op != operation::allreduce && op != operation::reduce && op != operation::bcast;
}

/// What it did inside the node and across nodes.
void check_report(const scenario& what, const collective_report& report, const hierarchy& levels) {
    const std::string sent = what.text() + ": " + std::to_string(report.messages) + " messages of ";
    const bool has_values = what.count > 0 || what.varying;
    const node_traffic way = !has_values || levels.inside.size == 1 ? node_traffic::none
                             : what.shared_memory                   ? node_traffic::memory
                                                                    : node_traffic::messages;
    check(report.inside == way, what.text() + ": values went another way inside the node");
    const bool sends = levels.has_lane() || !what.shared_memory;
    if (!sends) check(report.messages == 0, sent + "a rank without a lane");
    // Otherwise roots and empty parts decide who has something to say.
    const bool all_have = !has_root(what.op) && !what.varying && what.count >= short_count;
    if (sends && all_have) check(report.messages > 0, sent + "a rank with a part");
}

/// Every root in turn where calls are short, one where they are long.
void check_row(const scenario& row, const hierarchy& levels, std::size_t& turn) {
    const int ranks = size_of(world);
    scenario what = row;
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, short_count, std::size_t{150001}}) {
        what.count = count;
        const int calls = has_root(row.op) && count == short_count ? ranks : 1;
        for (int call = 0; call < calls; ++call) {
            ++turn;
            what.root = has_root(row.op) ? static_cast<int>(turn) % ranks : 0;
            // At other intervals than counts and roots, so that each meets each.
            what.in_place = turn / 5 % 2 == 1;
            what.shared_memory = turn % 3 != 0;
            const auto report = check_scenario<float>(what);
            if (report) check_report(what, *report, levels);
        }
    }
}

void check_rows(const hierarchy& levels) {
    std::size_t turn = 0;
    for (const algorithm& row : algorithms()) {
        if (row.what.schedule != schedule_kind::hierarchical) continue;
        for (const bool raw : {false, true})
            for (const bool varying : {false, true}) {
                if (varying && !has_counts(row.op)) continue;
                scenario what;
                what.op = row.op;
                what.algorithm = raw ? "hierarchical/raw" : row.name;
                if (!raw) what.limit = bound::abs(1e-3);
                what.varying = varying;
                check_row(what, levels, turn);
            }
    }
}

}  // namespace

void hosts_are_nodes() {
    const std::vector<int> hosts = told_hosts();
    const auto channel = collective::usable_channel(world);
    check(channel.ok(), "channel: " + channel.error().message());
    const bool told = hosts.size() == static_cast<std::size_t>(size_of(world));
    check(told, "LACONIC_TEST_HOSTS has to name the host of each rank");
    if (!told || !channel.ok()) return;
    const hierarchy levels = make_hierarchy(**channel, 0, true);
    check_nodes(**channel, levels, expected_nodes(hosts, rank_in(world)));
    check_rows(levels);
}

}  // namespace laconic::test
