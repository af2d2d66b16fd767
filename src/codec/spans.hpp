// SPDX-License-Identifier: BSD-3-Clause
// A long array's chunks, worked on in spans: by several threads, or by one that reports progress in between. The bytes
// are those of one pass over the whole array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/engine.hpp"

namespace laconic::codec {

inline constexpr std::size_t span_chunks = 32;
inline constexpr std::size_t span_values = span_chunks * chunk_values;

/// What came of one span, or of all.
struct span_outcome {
    stream_fault fault = stream_fault::none;
    bool cancelled = false;
    bool exact = true;
    std::size_t bytes = 0;
    std::uint64_t magnitude = 0;
    std::uint64_t raw_blocks = 0;

    void merge(const span_outcome& next) noexcept;
};

/// The chunks of a checked frame, found by way of its table; each thread walks forward with one of its own.
class chunk_walker {
public:
    chunk_walker() noexcept = default;
    explicit chunk_walker(const sequence& whole) noexcept : whole_(whole) {}
    /// The chunks of the values [first, first + count) of `total`; null bytes when the table leads out of the sequence.
    /// Precondition: `first` is a multiple of chunk_values and does not go back; unless count is total, so is count
    /// (but at the end) and the sequence has a table.
    [[nodiscard]] sequence part(std::size_t first, std::size_t count, std::size_t total) noexcept;

private:
    [[nodiscard]] std::uint64_t offset_of(std::size_t chunk) noexcept;

    sequence whole_;
    std::size_t chunk_ = 0;
    std::uint64_t offset_ = 0;
};

inline constexpr unsigned most_threads = 128;

/// One walker for each thread that may come.
class chunk_walkers {
public:
    explicit chunk_walkers(const sequence& whole) noexcept { walkers_.fill(chunk_walker(whole)); }
    chunk_walker& operator[](unsigned thread) noexcept { return walkers_[thread]; }

private:
    std::array<chunk_walker, most_threads> walkers_;
};

/// A job over the values [first, first + count) of an array: what one span reads and, for jobs that write chunks,
/// writes.
class span_job {
public:
    virtual ~span_job() = default;
    /// Called with increasing `first` by every thread, which is numbered from 0. `out` is null for jobs that write no
    /// chunks.
    virtual span_outcome run(unsigned thread, std::size_t first, std::size_t count, sink out) noexcept = 0;
};

/// How many threads write_spans() and read_spans() will really use.
[[nodiscard]] unsigned usable_threads(const run_options& how, std::size_t count) noexcept;

/// Runs a job that writes chunks to `out` (and their entries to its table).
/// most_span_bytes   worst case of one span, engines' over-writes included
[[nodiscard]] span_outcome write_spans(span_job& job, std::size_t count, std::size_t most_span_bytes,
                                       const run_options& how, sink out) noexcept;

/// Runs a job whose spans are independent.
[[nodiscard]] span_outcome read_spans(span_job& job, std::size_t count, const run_options& how) noexcept;

/// ok, or why not.
[[nodiscard]] status explain(const span_outcome& outcome);

}  // namespace laconic::codec
