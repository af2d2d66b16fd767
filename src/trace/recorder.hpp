// SPDX-License-Identifier: BSD-3-Clause
// What a process records: the calls of one rank flow in, signature and times; a core for the merge and a timing block
// flow out when the program ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "trace/call_statistics.hpp"
#include "trace/grammar.hpp"
#include "trace/signature_table.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

struct recorder_options {
    std::uint32_t rank = 0, ranks = 1;  ///< in MPI_COMM_WORLD; set_rank() may still change them
    bool statistics = true;             ///< count, mean, extremes and histogram of each signature's durations
};

struct rank_trace {
    bytes core;  ///< for merge()
};

/// One thread at a time. After a first trouble (see state()) calls are no longer recorded and the program goes on.
class recorder {
public:
    explicit recorder(recorder_options options);

    /// Precondition: the signature is not empty. Known signatures in a regular loop: no allocation.
    void call(view signature, std::uint64_t start_ns, std::uint64_t duration_ns) noexcept;
    void set_rank(std::uint32_t rank, std::uint32_t ranks) noexcept;
    [[nodiscard]] const status& state() const noexcept { return state_; }
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
    [[nodiscard]] std::size_t bytes_used() const noexcept;

    /// Everything recorded so far; recording may go on.
    [[nodiscard]] result<rank_trace> finish() const;

private:
    recorder_options options_;
    signature_table table_;
    grammar grammar_;
    std::vector<call_statistics> times_;
    std::uint64_t calls_ = 0;
    status state_;
};

}  // namespace laconic::trace
