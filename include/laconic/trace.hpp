// SPDX-License-Identifier: BSD-3-Clause
// Traces of MPI programs: a file (or what a crashed program left of one) flows in; how many calls which rank made,
// every call with all its arguments and, if they were kept, its times flow out. No MPI is needed.
//
// All functions are local, thread-safe as long as each object is used by one thread at a time, and refuse damaged bytes
// with a status. Nothing is unfolded in memory that is short in the file: a trace of 10^9 calls opens like one of ten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laconic/status.hpp"

namespace laconic {

/// Statistics of the durations of calls; the histogram's bin 0 holds what took less than 1 ns, bin b what took 2^(b-1)
/// to below 2^b ns.
struct call_durations {
    std::uint64_t count = 0;  ///< 0: no times were kept
    std::uint64_t sum_ns = 0, min_ns = 0, max_ns = 0;
    std::vector<std::uint64_t> histogram;
};

struct trace_facts {
    std::uint32_t ranks = 0;        ///< of the job
    std::uint32_t ranks_there = 0;  ///< whose calls the trace holds: fewer after a crash
    std::uint64_t calls = 0;        ///< of all ranks together
    std::uint64_t signatures = 0;   ///< that are stored: calls that differ otherwise than by an expression of the rank
    std::uint64_t grammars = 0;     ///< classes of ranks whose calls differ in numbers only
    std::uint64_t rules = 0, expressions = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t core_bytes = 0;    ///< signatures and grammars: all but times and texts
    std::uint64_t timing_bytes = 0;  ///< times of single calls
    std::string timing;              ///< "none", "mean", "lossless", "lossy"
    std::string timing_method;       ///< of lossy times, e.g. "position"; else empty
    bool complete = true;            ///< false: written by a program that did not come to its end
    std::vector<std::pair<std::string, std::string>> texts;  ///< what the recorder noted, by key
};

/// One function over all ranks.
struct function_summary {
    std::uint32_t function = 0;  ///< number in the table of functions
    std::uint64_t calls = 0;
    std::uint64_t signatures = 0;
    call_durations durations;
};

struct trace_call {
    /// The call as docs/format/trace-signature.md describes it; lives until the next call is read.
    std::span<const std::byte> signature;
    bool timed = false;
    std::uint64_t start_ns = 0, duration_ns = 0;
};

/// The number of the function that a signature begins with; 0 for bytes that are none.
[[nodiscard]] std::uint32_t function_of(std::span<const std::byte> signature) noexcept;

class trace_file;

/// The calls of one rank in their order. It keeps what it needs of the trace.
class trace_calls {
public:
    trace_calls(trace_calls&&) noexcept;
    trace_calls& operator=(trace_calls&&) noexcept;
    ~trace_calls();

    /// All there are, read or not.
    [[nodiscard]] std::uint64_t count() const noexcept;
    [[nodiscard]] bool at_end() const noexcept;
    /// The next call. Precondition: !at_end(). Amortised O(bytes of the signature).
    /// returns corrupt  a signature longer than 2^24 numbers, or times that do not belong to the calls
    [[nodiscard]] result<trace_call> next();

private:
    friend class trace_file;
    struct state;
    explicit trace_calls(std::unique_ptr<state> inner);
    std::unique_ptr<state> state_;
};

class trace_file {
public:
    /// A trace file, a part file, or a directory of part files, which are read as they lie, of programs that still run
    /// or have crashed.
    /// returns io             the system refuses to read it
    ///         corrupt, truncated, unsupported  as parse()
    ///         mismatch       part files of different jobs
    [[nodiscard]] static result<trace_file> open(const std::string& path);
    /// The bytes of a trace file or of a part file; they are copied.
    /// returns corrupt        damaged, or no trace
    ///         truncated      it ends within its table of calls
    ///         unsupported    a format version or a compression that this build does not know
    ///         out_of_memory
    [[nodiscard]] static result<trace_file> parse(std::span<const std::byte> file);

    [[nodiscard]] const trace_facts& facts() const noexcept;
    /// Ranks whose calls are there, ascending.
    [[nodiscard]] std::vector<std::uint32_t> ranks() const;
    /// By number of calls, most first. O(rules * classes), or * ranks where loops turn differently from rank to rank.
    [[nodiscard]] std::vector<function_summary> functions() const;
    /// returns invalid_argument  the trace has no such rank
    ///         corrupt           its timing block is damaged
    [[nodiscard]] result<trace_calls> calls_of(std::uint32_t rank) const;

    struct state;  ///< private to the library
    [[nodiscard]] const state& inner() const noexcept { return *state_; }

private:
    explicit trace_file(std::shared_ptr<const state> inner) : state_(std::move(inner)) {}
    std::shared_ptr<const state> state_;
};

/// Where two traces part, not counting times.
struct trace_difference {
    bool equal = true;
    std::uint32_t rank = 0;  ///< the first that differs
    std::uint64_t call = 0;  ///< its first call that differs, from 0
    std::string text;        ///< one sentence
};
/// returns corrupt  a trace contradicts itself
/// cost     ranks of equal grammars and numbers are compared without unfolding them; else O(calls up to the difference)
[[nodiscard]] result<trace_difference> difference(const trace_file& a, const trace_file& b);

}  // namespace laconic
