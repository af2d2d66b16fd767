// SPDX-License-Identifier: BSD-3-Clause
// What all engines have in common: started with the arrays of a run, an engine moves the streams of one rank, a step at
// a time, and says what has arrived.
#pragma once

#include <sched.h>

#include <memory>
#include <vector>

#include "laconic/exchange.hpp"
#include "mpi/channel.hpp"
#include "redistribute/exchange/chunk.hpp"

namespace laconic::redistribute {

class node_arrays;
class node_rings;

enum class step : std::uint8_t { moved, waiting, done };

/// What a run of one rank is about.
struct run_context {
    run_arrays arrays;
    tally* arrivals = nullptr;
    exchange_report* report = nullptr;
};

class engine {
public:
    engine() = default;
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    virtual ~engine() = default;

    /// Local: takes memory and makes what is kept between runs; may throw bad_alloc. Called once.
    [[nodiscard]] virtual status prepare() { return {}; }
    /// Collective, after all ranks have prepared.
    [[nodiscard]] virtual status meet() { return {}; }
    /// Whether advance() waits inside MPI: everything else is done first.
    [[nodiscard]] virtual bool blocks() const noexcept { return false; }
    /// Ways to move that differ in speed alone: as many on all ranks.
    [[nodiscard]] virtual std::size_t ways() const noexcept { return 1; }
    /// Between runs: the way that runs take from now on, on all ranks the same; at first it is 0.
    virtual void use(std::size_t) noexcept {}
    /// Whether a run may be opened before all ranks have agreed to it: on all ranks the same.
    [[nodiscard]] virtual bool opens() const noexcept { return false; }
    /// Opens a run: something may travel, but nothing arrives in `out`. Never blocks. Then start() or decline().
    /// ready  false: the run has no arrays, and will be refused
    [[nodiscard]] virtual status open(run_context&, bool) { return {}; }
    /// Sends a little of what may travel already; false when all that has been sent, or there is no room for more.
    [[nodiscard]] virtual result<bool> open_more() { return false; }
    /// Collective, blocking: the open run is over, nothing of it is under way any more and nothing has arrived.
    [[nodiscard]] virtual status decline() { return {}; }
    /// Begins a run, or goes on with the open one; the context lives until it is over. Never blocks.
    [[nodiscard]] virtual status start(run_context& run) = 0;
    /// Moves on. After `done` nothing is under way.
    [[nodiscard]] virtual result<step> advance() = 0;
    /// Moves on when advance() had nothing to do and the caller has nothing else to do either: may wait for others.
    [[nodiscard]] virtual result<step> wait() {
        sched_yield();
        return step::waiting;
    }
    /// After an MPI error: gives up, without freeing it, what messages under way may still read or write. Nothing but
    /// the destructor comes after.
    virtual void abandon() noexcept {}
    [[nodiscard]] virtual std::size_t staging_bytes() const noexcept { return 0; }
};

/// What engines are made from. Everything in it outlives them.
struct engine_setup {
    mpi::channel& channel;
    const work& todo;
    const exchange_options& options;
    exchange_element element;
    std::size_t staging_bytes = 0;  ///< at most, for engines that can choose
    stores unpacking = stores::cached;
    node_rings* rings = nullptr;          ///< null: no two ranks share memory, or none is wanted
    const node_arrays* arrays = nullptr;  ///< null: not wanted
};
using streams = std::vector<const stream*>;
/// The ways of batched messages.
[[nodiscard]] std::size_t batched_ways(const exchange_options& options) noexcept;

// The engines. Each takes the streams that it is to move.
[[nodiscard]] std::unique_ptr<engine> make_batched(const engine_setup& setup, const streams& outgoing,
                                                   const streams& incoming);
[[nodiscard]] std::unique_ptr<engine> make_per_rank(const engine_setup& setup, const streams& outgoing,
                                                    const streams& incoming);
/// Precondition: setup.rings.
[[nodiscard]] std::unique_ptr<engine> make_shared(const engine_setup& setup, const streams& outgoing,
                                                  const streams& incoming);

[[nodiscard]] std::unique_ptr<engine> make_per_patch(const engine_setup& setup, const streams& outgoing,
                                                     const streams& incoming);
[[nodiscard]] std::unique_ptr<engine> make_alltoallw(const engine_setup& setup, const streams& outgoing,
                                                     const streams& incoming);
[[nodiscard]] std::unique_ptr<engine> make_neighbor(const engine_setup& setup, const streams& outgoing,
                                                    const streams& incoming);
/// Precondition: the MPI has partitioned messages.
[[nodiscard]] std::unique_ptr<engine> make_partitioned(const engine_setup& setup, const streams& outgoing,
                                                       const streams& incoming);

}  // namespace laconic::redistribute
