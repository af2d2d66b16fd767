// SPDX-License-Identifier: BSD-3-Clause
// What a process records: the calls of one rank flow in, signature and times; a core for the merge and the times of
// single calls flow out when the program ends, and at any moment what came so far is in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "trace/duration_table.hpp"
#include "trace/grammar.hpp"
#include "trace/part_file.hpp"
#include "trace/signature_table.hpp"
#include "trace/timing.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

struct recorder_options {
    std::uint32_t rank = 0, ranks = 1;  ///< in MPI_COMM_WORLD; set_rank() may still change them
    timing_options timing;
    /// "": in memory only. Else files `part_path`.0000.part, .0001.part ... hold what was recorded (part_file.hpp).
    std::string part_path;
    /// Table, grammar and statistics may take so much; then a part is sealed and the next begins with empty ones. A
    /// sealed part stays in memory in the form of finish(), a few bytes per signature, or less in progressions.
    std::size_t memory_bytes = std::size_t{256} << 20;
};

struct rank_trace {
    bytes core;    ///< for merge()
    bytes timing;  ///< for timing_section(); empty unless times of single calls are kept
};

/// One thread at a time. After a first trouble (see state()) calls are no longer recorded and the program goes on.
class recorder {
public:
    /// returns io             the part file cannot be made
    ///         invalid_argument  rank >= ranks, or a relative error outside its domain
    ///         out_of_memory
    [[nodiscard]] static result<std::unique_ptr<recorder>> make(recorder_options options);

    /// Precondition: the signature is not empty. `start_ns` by a clock that does not go back. A known signature in a
    /// regular loop costs a hash and two comparisons, and allocates nothing.
    void call(view signature, std::uint64_t start_ns, std::uint64_t duration_ns) noexcept;
    /// Precondition: rank < ranks.
    void set_rank(std::uint32_t rank, std::uint32_t ranks) noexcept;
    [[nodiscard]] const status& state() const noexcept { return state_; }
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
    [[nodiscard]] std::size_t bytes_used() const noexcept;

    /// Everything recorded so far; recording may go on.
    [[nodiscard]] result<rank_trace> finish() const;
    /// Removes the part files, once what finish() gave is in a file of its own; recording ends.
    void remove_parts() noexcept;
    /// In the child of a fork: forgets the files, which are the parent's, and records no more.
    void abandon() noexcept;

private:
    explicit recorder(recorder_options options);
    void note(std::uint32_t number, bool fresh, view signature);
    void write_checkpoint(bool sealed);
    void seal();
    [[nodiscard]] std::string part_name(std::size_t part) const;
    [[nodiscard]] core part_core() const;

    recorder_options options_;
    std::unique_ptr<signature_table> table_;
    std::unique_ptr<grammar> grammar_;
    std::unique_ptr<duration_table> durations_;
    std::unique_ptr<timing_writer> timing_;  ///< null unless times of single calls are kept
    part_file part_;
    std::vector<bytes> sealed_;
    std::uint64_t calls_ = 0;
    std::uint64_t calls_in_part_ = 0;
    status state_;
};

}  // namespace laconic::trace
