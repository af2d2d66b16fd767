// SPDX-License-Identifier: BSD-3-Clause
// A machine as the cost model sees it: latencies, bandwidths and rates of arithmetic, measured by `laconic calibrate`
// or built in. Plain numbers without pointers, so that one rank can read a file and broadcast the bytes to the others.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "laconic/status.hpp"
#include "model/cell.hpp"

namespace laconic::model {

/// Time of a step in which every rank sends one message and receives one, by the message's size, when the network was
/// idle before. Between sizes it changes linearly.
struct step_fit {
    static constexpr std::size_t most = 10;
    std::size_t rows = 0;            ///< 0: not measured
    std::array<double, most> bytes;  ///< ascending, >= 1
    std::array<double, most> seconds;
};

/// One kind of way between two ranks. A message of n bytes takes alpha + n beta (papers/004, section 2.5) where `steps`
/// does not know better.
struct level {
    double alpha_s = 0;          ///< latency
    double beta_s_per_byte = 0;  ///< of a rank that sends and receives, as a ring does, while all others do the same
    double overhead_s = 0;       ///< what sending and receiving one message costs a rank's processor
    double exchange_factor = 1;  ///< time in which pairs of ranks exchange messages / time of the ring: 1 to 2
    /// Processor time of a rank for a byte sent and a byte received: time in which it does nothing else.
    double processor_s_per_byte = 0;
    /// What a rank may send at once after a pause, as shaped links between nodes allow (token buckets); only what is
    /// beyond takes beta.
    double burst_bytes = 0;
    step_fit steps{};

    /// A step with one message each way, the network idle before.
    [[nodiscard]] double step_s(double size_bytes) const noexcept;
};

/// What a codec does. The last four exist for fle alone.
enum class work_kind : std::size_t { compress, decompress, add, fused, quantise, add_integers };
inline constexpr std::size_t work_count = 6;
inline constexpr std::array<std::string_view, work_count> work_names{"compress", "decompress", "add",
                                                                     "fused",    "quantise",   "add_integers"};

/// Rates of a codec on one core, in bytes of original data per second, by compression ratio.
struct codec_rates {
    static constexpr std::size_t most = 10;
    std::size_t rows = 0;                                          ///< 0: this codec is not there
    double size_factor = 1;                                        ///< compressed size / that of fle, same data
    std::array<double, most> ratio;                                ///< ascending, >= 1
    std::array<std::array<double, most>, work_count> bytes_per_s;  ///< [work][row]; 0: it cannot do that

    /// Seconds per byte of original data whose compressed size is `fraction` of the original, in (0, 1].
    /// Linear in the fraction between rows, constant beyond the first and the last; infinite when there is no rate.
    [[nodiscard]] double seconds_per_byte(work_kind work, double fraction) const noexcept;
};

/// Measured time / time by formula, per size of the buffer. Between sizes the factor changes linearly in the logarithm
/// of the size.
struct size_fit {
    static constexpr std::size_t most = 10;
    std::size_t rows = 0;            ///< 0: factor 1
    std::array<double, most> bytes;  ///< ascending, >= 1
    std::array<double, most> factor;

    [[nodiscard]] double at(double size_bytes) const noexcept;
};

/// How a row compares with its formula.
struct row_fit {
    operation op = operation::allreduce;
    cell what;
    size_fit factor;
};

/// Codecs that have rates, in the order of machine::codecs.
inline constexpr std::array rated_codecs{codec_id::fle, codec_id::szx, codec_id::zfp_abs, codec_id::zfp_rate};
inline constexpr std::array<std::string_view, rated_codecs.size()> rated_names{"fle", "szx", "zfp_abs", "zfp_rate"};

struct machine {
    level intra, inter;               ///< between ranks of one node, between nodes
    double host_beta_s_per_byte = 0;  ///< of all ranks of a node together, one direction
    double cores = 0;             ///< of a node, for its ranks alone; less than 1 where nodes share them; 0: any number
    double add_bytes_per_s = 0;   ///< a[i] += b[i], bytes of a
    double copy_bytes_per_s = 0;  ///< memcpy
    double scan_bytes_per_s = 0;  ///< the pass that finds the range of the values
    double lanes_raw = 32;  ///< messages of a rank on their way at a time, uncompressed rows: at most, see lanes_of()
    double lanes_compressed = 8;  ///< compressed rows
    double eager_bytes = 131072;  ///< see segment_bytes_of()
    double thread_gain = 0.5;     ///< what each further thread of a codec adds to the first one's speed, 0 to 1
    double call_s = 0;            ///< what a compressed call costs besides messages: checks, buffers, requests
    double call_raw_s = 0;        ///< an own call without compression
    double message_s = 0;         ///< compressed rows: of a message, besides level::overhead_s and the codec's rates
    std::array<codec_rates, rated_codecs.size()> codecs{};
    std::array<size_fit, operation_count> stock{};  ///< to the best uncompressed schedule of the model
    double calibrated_nodes = 0;                    ///< of the ranks that timed all this; 0: not known
    static constexpr std::size_t most_rows = 80;
    std::size_t fitted_rows = 0;
    std::array<row_fit, most_rows> rows{};  ///< the first fitted_rows are there

    /// Precondition: op is an operation.
    [[nodiscard]] const size_fit& stock_of(operation op) const noexcept { return stock[static_cast<std::size_t>(op)]; }
    /// Measured / by formula, of a row with buffers of that size: 1 where the row was not measured, or on one node and
    /// the question is of several, or the other way round.
    [[nodiscard]] double row_factor(operation op, const cell& what, int nodes, double size_bytes) const noexcept;
    /// Whether the row was timed, and on as many nodes: one, or several.
    [[nodiscard]] bool has_timed(operation op, const cell& what, int nodes) const noexcept;
    /// On exactly as many nodes, and with buffers as long.
    [[nodiscard]] bool has_timed_such(operation op, const cell& what, int nodes, double size_bytes) const noexcept;
    /// nullptr for a codec without rates (raw).
    [[nodiscard]] const codec_rates* rates_of(codec_id codec) const noexcept;
};
static_assert(std::is_trivially_copyable_v<machine>, "ranks broadcast machines as bytes");

/// The machine that is assumed where none was calibrated: 100 Gbit/s between nodes, codecs as measured on two cores of
/// an AMD Zen 4 (docs/guide/cost-model.md says where each number comes from).
[[nodiscard]] const machine& default_machine() noexcept;

/// Reads TOML text; `name` stands for it in messages. What the text leaves out is as in default_machine().
/// returns invalid_argument, with the line, the value and the remedy, when it is no TOML, names an unknown key or holds
/// a
///         value that is out of range
[[nodiscard]] result<machine> parse_machine(std::string_view text, const std::string& name);

/// parse_machine() of a file; io when it cannot be read.
[[nodiscard]] result<machine> load_machine(const std::string& path);

/// TOML text that parse_machine() reads as the same machine, to six digits, but for tables without rows: these come
/// back as they are built in. Every line of `comment` stands on top as a comment.
[[nodiscard]] std::string to_toml(const machine& what, std::string_view comment);

/// floor(log2 x) + (x / 2^floor - 1): exact at powers of two, else below log2 x by less than 0.09. Basic operations
/// only, so that every rank on every processor gets the same bits. Precondition: x >= 1, finite.
[[nodiscard]] double log2_piecewise(double x) noexcept;

}  // namespace laconic::model
