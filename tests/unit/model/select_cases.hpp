// SPDX-License-Identifier: BSD-3-Clause
// What tests of decisions choose from and are asked.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "collective/registry.hpp"
#include "model/select.hpp"

namespace laconic::model::tests {

inline std::vector<cell> rows_of(operation op) {
    std::vector<cell> rows;
    for (const collective::algorithm& row : collective::algorithms())
        if (static_cast<int>(row.op) == static_cast<int>(op) && row.what.schedule != collective::schedule_kind::chosen)
            rows.push_back(row.what);
    return rows;
}

/// Random machines and questions, from shared memory to the slowest network.
class spread {
public:
    machine any_machine() {
        machine m = default_machine();
        m.calibrated_nodes = whole(0, 2);
        m.inter = {between(1e-7, 1e-3), 1 / between(1e7, 1e11), between(1e-8, 1e-6), between(1, 2)};
        m.intra = {between(1e-7, 1e-5), 1 / between(1e9, 1e11), between(1e-8, 1e-6), between(1, 2)};
        m.host_beta_s_per_byte = m.inter.beta_s_per_byte * between(0.1, 1);
        m.cores = whole(0, 64);
        m.thread_gain = between(0.1, 1);
        for (size_fit& fit : m.stock) fit.factor[0] = between(0.9, 4);
        for (std::size_t op = 0; op < operation_count; ++op)
            for (const cell& row : rows_of(static_cast<operation>(op)))
                if (row.payload == payload_kind::raw && row.schedule != schedule_kind::stock && whole(0, 3) > 0)
                    add_timed(m, static_cast<operation>(op), row, between(0.8, 1.2));
        return m;
    }
    question any_question() {
        question what;
        what.op = static_cast<operation>(whole(0, operation_count - 1));
        what.bytes = static_cast<std::uint64_t>(between(1, 1e9));
        what.ranks = whole(2, 600);
        what.nodes = whole(1, what.ranks);
        what.ratio = between(1, 100);
        what.growth_bits = between(0.01, 1);
        what.threads = static_cast<unsigned>(whole(1, 8));
        what.segment_bytes = std::uint64_t{1} << whole(12, 22);
        return what;
    }

private:
    double between(double low, double high) {
        return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random_));
    }
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    std::mt19937 random_{7};
};

}  // namespace laconic::model::tests
