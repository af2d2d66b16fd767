// SPDX-License-Identifier: BSD-3-Clause
// Machines and questions whose costs can be worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "model/cost.hpp"
#include "model/machine.hpp"

namespace laconic::model::tests {

inline constexpr double ms = 1e-3;

/// alpha 1 ms, 1 MB/s everywhere, adding 10 MB/s, nothing else costs anything. fle at every ratio: compress 2 MB/s,
/// decompress 4, add 5, fused 8, quantise 20, add_integers 16.
inline machine slow_machine() {
    machine m;
    m.intra = {1e-3, 1e-6, 0, 1};
    m.inter = m.intra;
    m.host_beta_s_per_byte = 0;
    m.add_bytes_per_s = 1e7;
    m.copy_bytes_per_s = 1e300;
    m.scan_bytes_per_s = 1e300;
    m.codecs[0].rows = 1;
    m.codecs[0].ratio[0] = 1;
    const double rates[]{2e6, 4e6, 5e6, 8e6, 2e7, 1.6e7};
    for (std::size_t work = 0; work < work_count; ++work) m.codecs[0].bytes_per_s[work][0] = rates[work];
    return m;
}

/// The same with work that takes no time.
inline machine infinitely_fast(machine m) {
    m.add_bytes_per_s = 1e300;
    for (auto& rate : m.codecs[0].bytes_per_s) rate.fill(1e300);
    m.lanes_compressed = m.lanes_raw;
    return m;
}

/// The same where messages inside a node take no time, and two ranks of it that send at a time have all of its link.
inline machine machine_of_nodes() {
    machine m = slow_machine();
    m.intra = {0, 1e-300, 0, 1};
    m.host_beta_s_per_byte = 0.5e-6;
    return m;
}

inline cell fle(schedule_kind schedule, payload_kind payload) { return {schedule, payload, codec_id::fle}; }
inline cell raw(schedule_kind schedule) { return {schedule, payload_kind::raw, codec_id::raw}; }

/// Books a row as timed: as far from its formula, with buffers of any size.
inline void add_timed(machine& m, operation op, const cell& row, double factor = 1) {
    m.rows[m.fitted_rows++] = {op, row, {1, {1e6}, {factor}}};
}

/// `ranks` nodes of one rank, ratio 4, no growth, one segment per message.
inline question ask(operation op, std::uint64_t bytes, int ranks) {
    question what;
    what.op = op;
    what.bytes = bytes;
    what.ranks = ranks;
    what.nodes = ranks;
    what.ratio = 4;
    what.growth_bits = 0;
    what.segment_bytes = std::uint64_t{1} << 40;
    return what;
}

/// Without the message in which the ranks agree.
inline double time_of(const machine& m, const question& what, const cell& how) {
    const cost sum = estimate(m, what, how);
    return sum.total_s - sum.agreement_s;
}
inline void expect_time(const machine& m, const question& what, const cell& how, double seconds) {
    EXPECT_NEAR(time_of(m, what, how), seconds, 1e-9 * seconds);
}

}  // namespace laconic::model::tests
