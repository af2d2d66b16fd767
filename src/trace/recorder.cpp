// SPDX-License-Identifier: BSD-3-Clause
// Recording one rank: signature table, grammar, times.
#include "trace/recorder.hpp"

#include <new>

#include "trace/model.hpp"
#include "trace/one_rank.hpp"

namespace laconic::trace {

recorder::recorder(recorder_options options) : options_(options) {}

void recorder::call(view signature, std::uint64_t /*start_ns*/, std::uint64_t duration_ns) noexcept {
    if (!state_.ok()) return;
    try {
        const terminal number = table_.number_of(signature);
        if (options_.statistics) {
            if (number == times_.size()) times_.emplace_back();
            times_[number].add(duration_ns);
        }
        grammar_.add(number);
        ++calls_;
    } catch (const std::bad_alloc&) {
        state_ = {errc::out_of_memory, "no memory to record further calls; lower the memory bound or trace less"};
    }
}

void recorder::set_rank(std::uint32_t rank, std::uint32_t ranks) noexcept {
    options_.rank = rank;
    options_.ranks = ranks;
}

std::size_t recorder::bytes_used() const noexcept {
    return table_.bytes_used() + grammar_.bytes_used() + times_.capacity() * sizeof(times_[0]);
}

result<rank_trace> recorder::finish() const try {
    recorded_rank all;
    all.rank = options_.rank;
    all.ranks = options_.ranks;
    all.rules = grammar_.rules();
    all.signature = [this](std::uint32_t number) { return table_.signature(number); };
    if (options_.statistics) all.times = [this](std::uint32_t number) { return times_[number]; };
    return rank_trace{encoded(fitted(core_of(all)))};
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory to put the trace of this rank together");
}

}  // namespace laconic::trace
