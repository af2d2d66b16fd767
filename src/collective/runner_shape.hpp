// SPDX-License-Identifier: BSD-3-Clause
// How the memory of a run is divided. A payload and a job flow in; numbers of rows and slots flow out, and their bytes.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/arithmetic.hpp"
#include "collective/runner.hpp"

namespace laconic::collective {

struct runner::shape {
    // Bundles have requests and memory of their own.
    std::size_t receives = 0, sends = 0, sent_slots = 0, states;
    std::size_t boxes_in = 0, boxes_out = 0;
    std::size_t receives_of_box = 0;
    int slots;
    std::size_t slot_bytes, bundles_bytes, tables_bytes, pool_bytes, private_bytes;

    shape(const payload& carrier, const job& work) noexcept
        : states(work.steps().kept_pieces > 0 ? work.lanes() * work.steps().pieces : 0) {
        using mpi::workspace;
        const program& steps = work.steps();
        const std::size_t part_bytes = carrier.wire_bound(work.largest());
        slot_bytes = workspace::rounded(work.coalesces() ? coalesced::slot_bytes(part_bytes) : part_bytes);
        bundles_bytes = work.bundled() ? bundles::memory_for(steps, slot_bytes) : 0;
        if (!work.bundled()) {
            receives = work.lanes() + 2;
            sends = (steps.sends_ahead ? work.lanes() * steps.to.size() : work.lanes()) + steps.most_to + 4;
            sent_slots = steps.sends_ahead ? work.lanes() * steps.sending + steps.most_to + 6 : sends;
        }
        std::size_t unwritten_slots = 0;
        if (work.coalesces()) {
            boxes_in = steps.incoming.size();
            boxes_out = steps.outgoing.size();
            const auto passes_on = [](const step& now) { return now.finishes && now.to_count > 0; };
            if (std::any_of(steps.steps.begin(), steps.steps.end(), passes_on)) {
                // In place of sends, more of which are there than lanes: no more memory than where they travel alone.
                unwritten_slots = most_unwritten;
                sends -= most_unwritten;
                sent_slots = sends;
            }
            // One of each box, and one box may take all others.
            receives_of_box = receives;
            receives = boxes_in == 0 ? 0 : receives + boxes_in - 1;
        }
        // The step in work holds up to three beside those: what came, what was kept, what it makes.
        slots = static_cast<int>(receives + sent_slots + unwritten_slots + work.lanes() * steps.kept_pieces + 3);
        tables_bytes = (work.coalesces() ? 0 : workspace::table_bytes<receive>(receives)) +
                       workspace::table_bytes<coalesced::inbox::receive>(boxes_in * receives_of_box) +
                       workspace::table_bytes<coalesced::inbox>(boxes_in) +
                       workspace::table_bytes<coalesced::outbox>(boxes_out) + workspace::table_bytes<send>(sends) +
                       workspace::table_bytes<kept>(states);
        pool_bytes = workspace::rounded(slot_pool::bytes_for(slot_bytes, slots));
        private_bytes = workspace::rounded(carrier.private_bytes(work.largest()));
    }

    [[nodiscard]] std::size_t all() const noexcept { return tables_bytes + pool_bytes + private_bytes + bundles_bytes; }
};

}  // namespace laconic::collective
