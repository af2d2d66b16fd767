// SPDX-License-Identifier: BSD-3-Clause
// The short way of a blocking call that MPI's own function serves and before which no rank has to speak: a call flows
// in, MPI does it. Short buffers take it, for which every microsecond counts; what it does not take goes the way of an
// execution, with the same result.
#pragma once

#include "collective/call_store.hpp"
#include "collective/geometry.hpp"
#include "collective/stock.hpp"
#include "laconic/collective.hpp"

namespace laconic::collective {

template <class T>
class direct_call {
public:
    /// What they refer to stays the caller's.
    direct_call(mpi::channel& channel, const collective_call<T>& call, const collective_options& options) noexcept
        : channel_(channel), call_(call), options_(options) {}

    /// Whether it is such a call; if so, it has had its turn. Otherwise nothing has happened.
    /// Precondition: no collective that was started is under way in this process.
    [[nodiscard]] bool claim();
    /// Precondition: claim().
    [[nodiscard]] result<collective_report> run();

private:
    /// For the calls like this one that follow.
    void keep(call_store& store, std::uint64_t sent_bytes) const noexcept;

    mpi::channel& channel_;
    const collective_call<T>& call_;
    const collective_options& options_;
    geometry geometry_;
    stock_call stock_;
    std::optional<cell> row_;  // of all calls of its kind
};

}  // namespace laconic::collective
