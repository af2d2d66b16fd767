// SPDX-License-Identifier: BSD-3-Clause
// A hierarchy flows in, its ranks share memory when it flows out.
#pragma once

#include <sched.h>

#include "check.hpp"
#include "collective/node_stage.hpp"

namespace laconic::test {

/// Collective over the channel.
inline void meet(mpi::channel& channel, collective::hierarchy& levels) {
    collective::meeting all;
    all.reserve(channel);
    check(all.start(channel, levels).ok(), "start of a meeting");
    for (;;) {
        const auto met = all.test();
        check(met.ok(), "meeting: " + met.error().message());
        if (!met.ok() || *met) return;
        sched_yield();
    }
}

}  // namespace laconic::test
