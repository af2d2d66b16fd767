// SPDX-License-Identifier: BSD-3-Clause
// A gatherv, a scatterv or an alltoallv whose ranks tell each other their counts, which MPI's arguments do not say: in
// a hierarchy ranks that move each other's elements have to know them, and options.check compares them. Every rank's
// own flow in, those that it needs flow out, and whether they fit.
#pragma once

#include <mpi.h>

#include "collective/call_store.hpp"
#include "collective/geometry.hpp"
#include "collective/hierarchy.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

class counting {
public:
    ~counting() { release(); }

    /// Local: has room for what start() exchanges. May throw bad_alloc.
    /// levels   null: there is no hierarchy
    /// checks   whether all counts are compared: otherwise those of an alltoallv only inside the nodes
    void reserve(mpi::channel& channel, const geometry& shape, const hierarchy* levels, bool checks);
    /// Collective over the channel, in the order of its collectives. Precondition: reserve().
    [[nodiscard]] status start();
    /// False while messages are on their way.
    [[nodiscard]] result<bool> test();

    /// ok, or what does not fit: the root's counts are not those of the ranks, or what ranks have for each other
    /// differs. Precondition: test() said true.
    [[nodiscard]] status verdict() const;
    [[nodiscard]] std::span<const std::size_t> counts() const noexcept { return memory_->told.counts; }
    void release() noexcept;

private:
    [[nodiscard]] int start_in_nodes(told_counts& told);
    [[nodiscard]] status verdict_in_node() const;
    [[nodiscard]] status verdict_on_exchange() const;

    mpi::channel* channel_ = nullptr;
    const hierarchy* levels_ = nullptr;
    geometry shape_;
    call_memory* memory_ = nullptr;
    MPI_Request request_ = MPI_REQUEST_NULL;
    MPI_Request compared_ = MPI_REQUEST_NULL;  // of an alltoallv that checks
};

}  // namespace laconic::collective
