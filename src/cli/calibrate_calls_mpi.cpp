// SPDX-License-Identifier: BSD-3-Clause
// Small calls of own rows, of few messages and of many: what they take longer than the messages and the codec do is the
// cost of a call and of a message.
#include <mpi.h>

#include <algorithm>
#include <array>

#include "cli/bench_tools.hpp"
#include "cli/calibrate_network_mpi.hpp"
#include "cli/calibrate_times_mpi.hpp"
#include "cli/row_times.hpp"
#include "laconic/collective.hpp"
#include "model/cost.hpp"
#include "mpi/eager.hpp"

namespace laconic::cli {
namespace {

constexpr std::size_t array_values = 2048;
constexpr double least_seconds = 0.1;

/// A row of allreduce, and how many messages of a rank follow each other.
struct small_call {
    const char* name;
    model::cell what;
    double messages;
};

/// Median of the slowest rank's times.
double time_row(const small_call& row, double seconds) {
    std::vector<float> in(array_values), out(array_values);
    for (std::size_t i = 0; i < array_values; ++i) in[i] = static_cast<float>(i % 97) + 0.01F * static_cast<float>(i);
    collective_options options;
    options.algorithm = row.name;
    options.limit = bound::abs(0.1);
    options.bound_scope = scope::contribution;
    const auto once = [&] {
        return time_together(MPI_COMM_WORLD, [&] {
            const auto done = allreduce<float>(in, out, reduction::sum, MPI_COMM_WORLD, options);
            if (!done) fail_data(done.error().context());
        });
    };
    // The first call makes connections and memory.
    static_cast<void>(once());
    const int rounds = static_cast<int>(std::clamp(std::max(seconds, least_seconds) / once(), 9.0, 500.0));
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) times.push_back(once());
    return median(times);
}

}  // namespace

void measure_calls(const topology& where, const network_settings& settings, model::machine& found) {
    found.eager_bytes = mpi::eager_bytes;
    found.call_s = found.call_raw_s = found.message_s = 0;
    const double p = where.ranks;
    double power = 1, steps = 0;
    for (; 2 * power <= p; power *= 2) ++steps;
    if (power < p) steps += 2;
    using enum model::schedule_kind;
    const std::array rows{
        small_call{"recursive_doubling", {recursive_doubling, model::payload_kind::homomorphic, codec_id::fle}, steps},
        small_call{"homcomp_f", {ring, model::payload_kind::fused, codec_id::fle}, 2 * (p - 1)},
        small_call{"ring_raw", {ring, model::payload_kind::raw, codec_id::raw}, 2 * (p - 1)}};
    std::array<double, rows.size()> extra{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        model::question what;
        what.bytes = array_values * sizeof(float);
        what.ranks = where.ranks;
        what.nodes = where.nodes;
        what.ratio = 4;
        extra[i] = time_row(rows[i], settings.seconds_per_size) - model::estimate(found, what, rows[i].what).total_s;
    }
    const double more = rows[1].messages - rows[0].messages;
    if (more > 0) found.message_s = std::max(0.0, (extra[1] - extra[0]) / more);
    found.call_raw_s = std::max(0.0, extra[2]);
    found.call_s = std::max(0.0, extra[0] - found.message_s * rows[0].messages);
}

}  // namespace laconic::cli
