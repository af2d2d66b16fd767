// SPDX-License-Identifier: BSD-3-Clause
// When each call began and how long it took: starts and durations flow in call by call, a timing block flows out; with
// the calls of the same rank beside it (their signatures decide the contexts) the block gives the times back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

enum class timing_mode : std::uint8_t {
    none = 0,      ///< no times at all
    mean = 1,      ///< statistics per signature only
    lossless = 2,  ///< every nanosecond, through zstd
    lossy = 3,     ///< every duration and every gap within a relative error
};

/// How lossy times are coded. The first is ours; the others are those of Wang et al. ("Near-Lossless MPI Tracing"), to
/// compare with.
enum class timing_method : std::uint8_t {
    position = 0,
    cfg = 1,
    hist = 2,
    sz = 3,
    zfp = 4,
    sz_clustered = 5,
    zfp_clustered = 6
};

struct timing_options {
    timing_mode mode = timing_mode::mean;
    timing_method method = timing_method::position;
    double relative = 0.1;  ///< lossy: |restored - recorded| <= relative * recorded

    [[nodiscard]] bool keeps_calls() const noexcept { return mode >= timing_mode::lossless; }
    /// returns invalid_argument  lossy and not 1e-6 <= relative <= 0.5
    ///         unsupported       this build lacks the library that the mode or method needs
    [[nodiscard]] status check() const;
};

[[nodiscard]] std::string_view name_of(timing_method method) noexcept;
/// The method of this name; `position` for any other.
[[nodiscard]] timing_method timing_method_of(std::string_view name) noexcept;

/// Channels: durations; and gaps, from the end of one call to the start of the next (lossy: overlaps count as 0).
class timing_writer {
public:
    explicit timing_writer(const timing_options& options);
    timing_writer(const timing_writer&) = delete;
    timing_writer& operator=(const timing_writer&) = delete;
    ~timing_writer();

    /// `terminal` as the recorder's table numbers it: by first occurrence since begin_part().
    void add(std::uint32_t terminal, std::uint64_t start_ns, std::uint64_t duration_ns);
    void begin_part();
    /// The block of everything so far; more may follow.
    [[nodiscard]] result<bytes> finish() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

struct call_time {
    std::uint64_t start_ns = 0, duration_ns = 0;
};

/// The times out of a block, one call at a time.
class timing_reader {
public:
    /// returns corrupt, unsupported
    [[nodiscard]] static result<timing_reader> open(view block);
    timing_reader(timing_reader&&) noexcept;
    timing_reader& operator=(timing_reader&&) noexcept;
    ~timing_reader();

    [[nodiscard]] std::uint64_t calls() const noexcept;
    [[nodiscard]] const timing_options& options() const noexcept;
    /// The times of the next call, whose signature is `signature`; starts by the recorder's clock.
    /// returns corrupt  the block has no more, or makes no sense
    [[nodiscard]] result<call_time> next(view signature);

private:
    struct state;
    explicit timing_reader(std::unique_ptr<state> inner);
    std::unique_ptr<state> state_;
};

}  // namespace laconic::trace
