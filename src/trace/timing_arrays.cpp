// SPDX-License-Identifier: BSD-3-Clause
// Times collected call by call, put in the order that the method wants, and handed out again.
#include "trace/timing_arrays.hpp"

#include <algorithm>
#include <numeric>

#include "trace/timing_methods.hpp"
#include "trace/zfp_times.hpp"

namespace laconic::trace {

status check_arrays(const timing_options& options) {
    const bool zfp = options.method == timing_method::zfp || options.method == timing_method::zfp_clustered;
    return options.mode == timing_mode::lossy && zfp ? load_zfp() : status();
}

status timing_arrays::write(bytes& out, const timing_options& options) const {
    std::vector<std::size_t> ends;
    std::vector<std::uint64_t> durations, gaps;
    const bool by_terminal = clustered(options);
    if (by_terminal) {
        durations.resize(durations_.size());
        gaps.resize(gaps_.size());
        std::vector<std::size_t> order(terminals_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [this](std::size_t a, std::size_t b) { return terminals_[a] < terminals_[b]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            durations[i] = durations_[order[i]];
            gaps[i] = gaps_[order[i]];
            const std::uint32_t terminal = terminals_[order[i]];
            if (ends.size() <= terminal) ends.resize(terminal + 1, i);
            ends[terminal] = i + 1;
        }
        put_varint(out, ends.size());
        for (std::size_t i = 0; i < ends.size(); ++i) put_varint(out, ends[i] - (i == 0 ? 0 : ends[i - 1]));
    }
    write_channel(out, by_terminal ? durations : durations_, ends, options);
    write_channel(out, by_terminal ? gaps : gaps_, ends, options);
    return {};
}

status timing_arrays::read(wire_reader& in, const timing_options& options, std::uint64_t calls) {
    next_.assign(1, 0);
    if (clustered(options)) {
        const std::size_t terminals = in.count();
        std::uint64_t end = 0;
        next_.clear();
        for (std::size_t i = 0; i < terminals && !in.failed(); ++i) {
            next_.push_back(static_cast<std::size_t>(end));
            end += in.below(most_timed_calls);
            if (end > calls) return damaged_times();
            ends_.push_back(static_cast<std::size_t>(end));
        }
        if (in.failed() || end != calls) return damaged_times();
    }
    if (status bad = read_channel(in, calls, ends_, options, durations_); !bad.ok()) return bad;
    if (status bad = read_channel(in, calls, ends_, options, gaps_); !bad.ok()) return bad;
    return durations_.size() == calls && gaps_.size() == calls ? status() : damaged_times();
}

bool timing_arrays::next(const timing_options& options, std::uint32_t terminal, std::uint64_t& duration,
                         std::uint64_t& gap) {
    const std::size_t of = clustered(options) ? terminal : 0;
    if (of >= next_.size() || next_[of] >= (clustered(options) ? ends_[of] : durations_.size())) return false;
    const std::size_t at = next_[of]++;
    duration = durations_[at];
    gap = gaps_[at];
    return true;
}

}  // namespace laconic::trace
