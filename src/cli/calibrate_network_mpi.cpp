// SPDX-License-Identifier: BSD-3-Clause
// Which ranks exchange messages for which level, and what the slowest of them found; nodes whose ranks share cores.
#include "cli/calibrate_network_mpi.hpp"

#include <mpi.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "cli/calibrate_traffic_mpi.hpp"
#include "mpi/processors.hpp"

namespace laconic::cli {
namespace {

/// Ranks that work at once take longer than one by less than this when each has a core.
constexpr double same_pace = 1.15;

int own_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// Collective over the ranks of a node: processors that any of them may run on.
int processors_of(MPI_Comm node) {
    mpi::processor_set all{};
    // Where there are more of them than bits this fails: all that there are.
    if (sched_getaffinity(0, sizeof all, reinterpret_cast<cpu_set_t*>(all.data())) != 0) all = {};
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_UINT64_T, MPI_BOR, node);
    int found = 0;
    for (const std::uint64_t word : all) found += std::popcount(word);
    return found > 0 ? found : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

/// By how much work takes longer when all ranks work than when one does.
double measure_sharing(const network_settings& settings) {
    constexpr double rounds = 64;
    double alone = 0;
    if (own_rank() == 0) {
        traffic nobody(MPI_COMM_SELF, settings);
        alone = nobody.work(rounds);
        // The least: whatever else runs here makes it longer.
        for (int again = 0; again < 4; ++again) alone = std::min(alone, nobody.work(rounds));
    }
    sleep_until_all_arrive();
    MPI_Bcast(&alone, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double sharing = traffic(MPI_COMM_WORLD, settings).work(rounds) / std::max(alone, 1e-12);
    return sharing < same_pace ? 1 : sharing;
}

void each_number(model::level& way, const std::function<void(double&)>& visit) {
    for (double* const number : {&way.alpha_s, &way.beta_s_per_byte, &way.overhead_s, &way.exchange_factor,
                                 &way.processor_s_per_byte, &way.burst_bytes})
        visit(*number);
    for (double& number : way.steps.bytes) visit(number);
    for (double& number : way.steps.seconds) visit(number);
}

/// Runs `body` on ranks with a colour, those of a colour in a communicator in the order of `key`, while the others
/// sleep; all ranks then know the slowest's numbers.
void in_groups(bool takes_part, int colour, int key, model::level& found, double& other,
               const std::function<void(MPI_Comm)>& body) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? colour : MPI_UNDEFINED, key, &comm);
    if (takes_part) {
        body(comm);
        MPI_Comm_free(&comm);
    }
    sleep_until_all_arrive();
    MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    each_number(found,
                [](double& number) { MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); });
    MPI_Allreduce(MPI_IN_PLACE, &found.steps.rows, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

}  // namespace

std::vector<int> topology::on_node(int node) const {
    std::vector<int> found;
    for (int rank = 0; rank < ranks; ++rank)
        if (node_of[static_cast<std::size_t>(rank)] == node) found.push_back(rank);
    return found;
}

base::node_sizes topology::sizes() const {
    std::vector<int> members(static_cast<std::size_t>(nodes), 0);
    for (const int node : node_of) ++members[static_cast<std::size_t>(node)];
    return base::sizes_of(members);
}

std::optional<int> topology::crowded() const {
    for (int node = 0; node < nodes; ++node)
        if (std::cmp_greater(on_node(node).size(), processors[static_cast<std::size_t>(node)])) return node;
    return std::nullopt;
}

topology find_topology() {
    topology found;
    const int rank = own_rank();
    MPI_Comm_size(MPI_COMM_WORLD, &found.ranks);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    int leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, node);
    const int processors = processors_of(node);
    MPI_Comm_free(&node);
    found.node_of.resize(static_cast<std::size_t>(found.ranks));
    MPI_Allgather(&leader, 1, MPI_INT, found.node_of.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> leaders = found.node_of;
    std::sort(leaders.begin(), leaders.end());
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
    found.nodes = static_cast<int>(leaders.size());
    for (int& of : found.node_of)
        of = static_cast<int>(std::lower_bound(leaders.begin(), leaders.end(), of) - leaders.begin());
    std::vector<int> of_ranks(found.node_of.size());
    MPI_Allgather(&processors, 1, MPI_INT, of_ranks.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (const int leader_rank : leaders) found.processors.push_back(of_ranks[static_cast<std::size_t>(leader_rank)]);
    return found;
}

void sleep_until_all_arrive() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) return;
        const timespec pause{0, 200'000};
        nanosleep(&pause, nullptr);
    }
}

network_found measure_network(const topology& where, const network_settings& settings, model::machine& found) {
    network_found done;
    const int node = where.node_of[static_cast<std::size_t>(own_rank())];
    const std::vector<int> mates = where.on_node(node);
    const auto local = static_cast<int>(std::find(mates.begin(), mates.end(), own_rank()) - mates.begin());
    const base::node_sizes sizes = where.sizes();
    // A node has as many cores as keep its ranks at the pace of one alone: less than one where nodes are emulated.
    const double sharing = measure_sharing(settings);
    const auto online = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
    const auto usable = static_cast<double>(where.processors[static_cast<std::size_t>(node)]);
    double cores = sharing <= 1 ? online : sizes.largest / sharing;
    // Where there are enough for all ranks, processors that none of them is bound to are the node's, too.
    cores = std::min(cores, static_cast<double>(mates.size()) > usable ? usable : online);
    MPI_Allreduce(&cores, &found.cores, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    const model::level nothing{0, 0, 0, 0, 0, 0, {}};
    double unused = 0;
    if (sizes.largest > 1) {
        found.intra = nothing;
        in_groups(mates.size() > 1, node, local, found.intra, unused, [&](MPI_Comm comm) {
            traffic all(comm, settings);
            all.circles(static_cast<int>(mates.size()));
            all.measure_level(found.intra, false);
        });
        found.intra.processor_s_per_byte /= sharing;
        done.intra = true;
    }
    if (where.nodes > 1) {
        found.inter = nothing;
        found.host_beta_s_per_byte = 0;
        in_groups(local == 0, 0, node, found.inter, unused, [&](MPI_Comm comm) {
            traffic leaders(comm, settings);
            leaders.circles(where.nodes);
            leaders.measure_level(found.inter, true);
        });
        found.inter.processor_s_per_byte /= sharing;
        model::level same = nothing;
        const int flows = sizes.smallest;
        in_groups(local < flows, 0, local * where.nodes + node, same, found.host_beta_s_per_byte, [&](MPI_Comm comm) {
            traffic all(comm, settings);
            all.circles(where.nodes);
            found.host_beta_s_per_byte = all.stream(traffic::segment) / (flows * static_cast<double>(traffic::segment));
        });
        // Of one rank nothing but noise is between the two.
        if (flows == 1) found.host_beta_s_per_byte = found.inter.beta_s_per_byte;
        done.inter = true;
    }
    return done;
}

}  // namespace laconic::cli
