// SPDX-License-Identifier: BSD-3-Clause
// The ring schedule: who sends which range to whom, and when. A payload and a layout flow in; messages flow around
// the ring, and the payload writes the result. The schedule knows no codec.
#pragma once

#include <cstdint>

#include "collective/payload.hpp"
#include "collective/ring_layout.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

struct ring_traffic {
    std::uint64_t sent_bytes = 0;
    std::uint64_t messages = 0;
    std::uint64_t sent_values = 0;
    double wait_s = 0;
};

/// Memory that run_ring() needs from the channel's workspace.
[[nodiscard]] std::size_t ring_memory(const payload& carrier, const ring_layout& layout) noexcept;

/// Runs a whole allreduce. Collective over the channel.
///
/// Precondition: the workspace holds ring_memory() bytes; the channel has at least two ranks.
/// returns ok; mpi (the channel is then broken); or the payload's failure here, or `corrupt` when another rank's
///         payload failed. No rank is left waiting after a payload's failure.
[[nodiscard]] status run_ring(mpi::channel& channel, payload& carrier, const ring_layout& layout,
                              ring_traffic& traffic);

}  // namespace laconic::collective
