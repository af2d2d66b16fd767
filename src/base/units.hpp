// SPDX-License-Identifier: BSD-3-Clause
// Text to numbers and back, for everything a person types: byte sizes ("64M"), error bounds ("1e-3"), rates
// ("12.5GB/s") and times ("1.5us") come in as text from a flag, a variable or a file; a number or a sentence that names
// the text and the remedy goes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laconic/status.hpp"

namespace laconic::base {

/// Reads a byte size: a whole number, optionally followed by K, M, G or T (or KiB, MiB, GiB, TiB; any case), all
/// powers of 1024, or by B for plain bytes.
/// returns invalid_argument for anything else, "64MB" included: people disagree about what MB means; and for sizes
///         of 2^63 bytes and more.
[[nodiscard]] result<std::uint64_t> parse_bytes(std::string_view text);

/// The shortest text that parse_bytes() reads back as `bytes`: "64M", "256K", "1000".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// `bytes` for people, three significant digits, powers of 1024: "812 B", "1.19 MiB", "64.0 MiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// Reads an error bound: a finite decimal number >= 0 and nothing after it.
/// returns invalid_bound otherwise.
[[nodiscard]] result<double> parse_bound(std::string_view text);

/// Reads a rate, in bytes per second: a number > 0 with B/s or bit/s and, before it, nothing, k (or K), M, G or T for
/// powers of 1000, or Ki, Mi, Gi or Ti for powers of 1024: "12.5GB/s", "100Gbit/s", "800MiB/s", "1e9B/s". returns
/// invalid_argument otherwise; for "Gb/s", too, which people read in two ways.
[[nodiscard]] result<double> parse_rate(std::string_view text);

/// Reads a time, in seconds: a number >= 0 with s, ms, us or ns: "1.5us".
/// returns invalid_argument otherwise.
[[nodiscard]] result<double> parse_time(std::string_view text);

/// `seconds` for people, three significant digits: "1.50 us", "12.3 ms", "4.56 s"; "0 s".
[[nodiscard]] std::string human_time(double seconds);

/// The shortest text that reads back as exactly `value`.
[[nodiscard]] std::string format_real(double value);

}  // namespace laconic::base
