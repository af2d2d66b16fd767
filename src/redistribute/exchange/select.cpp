// SPDX-License-Identifier: BSD-3-Clause
// A rule, not a measurement: ranks that measured would have to agree, and between shared memory and messages there is
// little doubt (docs/guide/redistribute.md).
#include "redistribute/exchange/select.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "redistribute/exchange/neighbor_fault.hpp"

namespace laconic {
namespace {

constexpr std::array<std::string_view, 8> names{"auto",      "shared",    "batched",  "per_rank",
                                                "per_patch", "alltoallw", "neighbor", "partitioned"};

}  // namespace

std::string_view name_of(exchange_engine engine) noexcept {
    return names[static_cast<std::size_t>(engine) % names.size()];
}

result<exchange_engine> engine_named(std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<exchange_engine>(found - names.begin());
    return status(errc::invalid_argument, "no exchange engine '" + std::string(name) +
                                              "'; use auto, shared, batched, per_rank, per_patch, alltoallw, neighbor "
                                              "or partitioned");
}

namespace redistribute {

exchange_engine chosen_engine(const exchange_options& options, const node_rings* rings) noexcept {
    if (options.engine != exchange_engine::automatic) return options.engine;
    return rings != nullptr ? exchange_engine::shared : exchange_engine::batched;
}

bool wants_rings(const exchange_options& options) noexcept {
    return options.shared_memory &&
           (options.engine == exchange_engine::automatic || options.engine == exchange_engine::shared);
}

namespace {

/// Of the library that runs, which need not be the one that this was compiled for.
std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

/// The MPICH whose header this was compiled with, as its digits; 0 for other MPIs.
#ifdef MPICH_NUMVERSION
constexpr long header_version = MPICH_NUMVERSION;
#else
constexpr long header_version = 0;
#endif

}  // namespace

status check_engine(const exchange_options& options) {
    const std::string name(name_of(options.engine));
    if (options.engine == exchange_engine::neighbor) {
        std::string fault = neighbor_fault(library_version(), header_version);
        if (!fault.empty()) return {errc::unsupported, std::move(fault)};
    }
    switch (options.engine) {
        case exchange_engine::partitioned:
            if (MPI_VERSION < 4)
                return {errc::unsupported, "engine partitioned needs MPI 4, this MPI is of version " +
                                               std::to_string(MPI_VERSION) + "; use engine batched"};
            [[fallthrough]];
        case exchange_engine::per_patch:
        case exchange_engine::alltoallw:
        case exchange_engine::neighbor:
            if (options.limit.value > 0)
                return {errc::unsupported,
                        "engine " + name + " does not compress; use auto, batched or per_rank, or bound 0"};
            return {};
        default: return {};
    }
}

std::unique_ptr<engine> make_engine(exchange_engine which, const engine_setup& setup) {
    streams outgoing, incoming;
    for (const stream& each : setup.todo.outgoing) outgoing.push_back(&each);
    for (const stream& each : setup.todo.incoming) incoming.push_back(&each);
    auto* make = make_batched;
    switch (which) {
        case exchange_engine::shared: make = setup.rings != nullptr ? make_shared : make_batched; break;
        case exchange_engine::per_rank: make = make_per_rank; break;
        case exchange_engine::per_patch: make = make_per_patch; break;
        case exchange_engine::alltoallw: make = make_alltoallw; break;
        case exchange_engine::neighbor: make = make_neighbor; break;
        case exchange_engine::partitioned: make = make_partitioned; break;
        default: break;
    }
    return make(setup, outgoing, incoming);
}

}  // namespace redistribute
}  // namespace laconic
