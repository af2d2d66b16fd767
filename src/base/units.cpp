// SPDX-License-Identifier: BSD-3-Clause
// Byte sizes, bounds, rates and times: characters in, numbers out, and the way back. Locale-independent on purpose: a
// German desktop must read the same configuration as a cluster.
#include "base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace laconic::base {
namespace {

constexpr std::string_view prefixes = "KMGT";

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// The power of two a suffix stands for, or -1.
int shift_of(std::string_view suffix) noexcept {
    if (suffix.empty() || (suffix.size() == 1 && upper(suffix[0]) == 'B')) return 0;
    const auto position = prefixes.find(upper(suffix[0]));
    if (position == std::string_view::npos) return -1;
    const bool bare = suffix.size() == 1;
    const bool binary = suffix.size() == 3 && upper(suffix[1]) == 'I' && upper(suffix[2]) == 'B';
    return bare || binary ? 10 * (static_cast<int>(position) + 1) : -1;
}

status bad_size(std::string_view text) {
    return {errc::invalid_argument,
            "'" + std::string(text) +
                "' is not a byte size; give a whole number, or one with K, M, G or T for powers "
                "of 1024, for example 256K or 64M"};
}

/// A finite number >= 0 at the front of the text, which loses it.
bool takes_number(std::string_view& text, double& value) noexcept {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    text = {rest, static_cast<std::size_t>(end - rest)};
    return error == std::errc{} && std::isfinite(value) && !std::signbit(value);
}

/// `value`, three significant digits.
std::string three_digits(double value) {
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    std::array<char, 64> buffer{};
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    return {buffer.data(), error == std::errc{} ? end : buffer.data()};
}

}  // namespace

result<std::uint64_t> parse_bytes(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{}) return bad_size(text);
    const int shift = shift_of({rest, static_cast<std::size_t>(end - rest)});
    if (shift < 0) return bad_size(text);
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (number > (limit >> shift)) return bad_size(text);
    return number << shift;
}

std::string format_bytes(std::uint64_t bytes) {
    std::size_t power = 0;
    while (bytes != 0 && bytes % 1024 == 0 && power < prefixes.size()) {
        bytes /= 1024;
        ++power;
    }
    std::string text = std::to_string(bytes);
    if (power > 0) text += prefixes[power - 1];
    return text;
}

std::string human_bytes(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " B";
    auto scaled = static_cast<double>(bytes);
    std::size_t power = 0;
    // 1023.5 and up would print as 1024 or 1.02e+03 of the smaller unit.
    while (scaled >= 1023.5 && power < prefixes.size()) {
        scaled /= 1024;
        ++power;
    }
    std::string text = three_digits(scaled);
    text += ' ';
    text += prefixes[power - 1];
    text += "iB";
    return text;
}

result<double> parse_bound(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // A bound too small for double underflows: reading it as 0 would silently ask for lossless.
    if (error != std::errc{} || rest != end || !std::isfinite(value) || std::signbit(value))
        return status{errc::invalid_bound,
                      "'" + std::string(text) + "' is not an error bound; give a finite number >= 0, for example 1e-3"};
    return value;
}

result<double> parse_rate(std::string_view text) {
    const status bad{errc::invalid_argument, "'" + std::string(text) +
                                                 "' is not a rate; give a number > 0 with B/s or bit/s, for example "
                                                 "12.5GB/s or 100Gbit/s"};
    double value = 0;
    std::string_view unit = text;
    if (!takes_number(unit, value) || !(value > 0)) return bad;
    double bits = 1;
    if (unit.ends_with("bit/s")) {
        unit.remove_suffix(5);
        bits = 8;
    } else if (unit.ends_with("B/s")) {
        unit.remove_suffix(3);
    } else {
        return bad;
    }
    double scale = 1;
    if (!unit.empty()) {
        const auto position = prefixes.find(upper(unit[0]));
        const bool binary = unit.size() == 2 && unit[1] == 'i';
        // m would be milli.
        if (position == std::string_view::npos || unit[0] == 'm' || (unit.size() != 1 && !binary)) return bad;
        for (std::size_t i = 0; i <= position; ++i) scale *= binary ? 1024 : 1000;
    }
    value = value * scale / bits;
    return std::isnormal(value) ? result<double>(value) : bad;
}

result<double> parse_time(std::string_view text) {
    struct unit_of_time {
        std::string_view name;
        double per_second;
    };
    constexpr std::array units{unit_of_time{"s", 1}, unit_of_time{"ms", 1e3}, unit_of_time{"us", 1e6},
                               unit_of_time{"ns", 1e9}};
    double value = 0;
    std::string_view unit = text;
    if (takes_number(unit, value))
        for (const unit_of_time& one : units)
            if (unit == one.name) return value / one.per_second;
    return status{errc::invalid_argument, "'" + std::string(text) +
                                              "' is not a time; give a number >= 0 with s, ms, us or ns, for example "
                                              "1.5us"};
}

std::string human_time(double seconds) {
    if (seconds == 0) return "0 s";
    if (seconds < 999.5e-9) return three_digits(seconds * 1e9) + " ns";
    if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
    if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
    return three_digits(seconds) + " s";
}

std::string format_real(double value) {
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), error == std::errc{} ? end : buffer.data()};
}

}  // namespace laconic::base
