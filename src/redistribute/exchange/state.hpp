// SPDX-License-Identifier: BSD-3-Clause
// What an exchange is made of, and how a run goes: agree, copy what stays, move what does not, tell what is complete.
#pragma once

#include <exception>

#include "redistribute/exchange/agreement.hpp"
#include "redistribute/exchange/engine.hpp"
#include "redistribute/exchange/node_arrays.hpp"
#include "redistribute/exchange/trial.hpp"

namespace laconic {

struct exchange::state {
    state(mpi::channel& where, redistribute::work what, exchange_element each, exchange_options how);

    [[nodiscard]] status run(std::span<const array_in> from, std::span<const array_out> to, exchange_element each,
                             patch_callback on_patch);
    /// Stands for run() on a rank that has nothing to run with, so that the others hear of it.
    [[nodiscard]] status refuse(const status& why);

    mpi::channel& channel;
    redistribute::work todo;
    exchange_element element;
    exchange_options options;
    exchange_engine engine = exchange_engine::automatic;
    std::unique_ptr<redistribute::node_arrays> arrays;  ///< null: not wanted
    std::unique_ptr<redistribute::engine> mover;
    redistribute::trial trying{1};
    exchange_report report;

private:
    [[nodiscard]] status go(const status& local, patch_callback on_patch);
    [[nodiscard]] status check_arrays(std::span<const array_in> from, std::span<const array_out> to,
                                      exchange_element each) const;
    [[nodiscard]] bool relative() const noexcept;
    /// Starts the agreement, and opens the run and copies until it is over.
    [[nodiscard]] status agree(const status& local, bool opens);
    [[nodiscard]] status move();
    void copy_next() noexcept;
    void tell_complete();
    void settle_bounds();

    redistribute::tally arrivals_;
    redistribute::run_agreement agreement_;
    redistribute::stores storing_;
    std::vector<const std::byte*> in_;
    std::vector<std::byte*> out_;
    std::vector<double> bounds_;
    redistribute::run_context context_;
    std::size_t copied_ = 0;    // kept pieces
    std::int64_t last_ns_ = 0;  // of the last run's moving
    patch_callback on_patch_;
    std::exception_ptr thrown_;

public:
    [[nodiscard]] redistribute::stores storing() const noexcept { return storing_; }
};

namespace redistribute {

/// That one run moves together.
inline constexpr std::size_t most_fields = 1024;

/// Stands for exchange::make() on a rank that has nothing to make one from, so that the others hear of it. Collective.
[[nodiscard]] status refuse(MPI_Comm comm, const status& why);

}  // namespace redistribute
}  // namespace laconic
