// SPDX-License-Identifier: BSD-3-Clause
// The parts that making and testing golden files share: judging, hashing, forging, fields.
#include "golden.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>

namespace laconic::golden {
namespace {

constexpr std::size_t header_bytes = 64;

template <class V>
V load(std::span<const std::byte> from, std::size_t offset) {
    V value;
    std::memcpy(&value, from.data() + offset, sizeof value);
    return value;
}

template <class T>
result<bytes> decoded_as(std::span<const std::byte> frame, std::size_t count, const run_options& run) {
    std::vector<T> values(count);
    if (status bad = decompress(frame, std::span<T>(values), run); !bad.ok()) return bad;
    bytes raw(count * sizeof(T));
    if (count > 0) std::memcpy(raw.data(), values.data(), raw.size());
    return raw;
}

}  // namespace

std::string_view name_of(element_type type) noexcept {
    constexpr std::array<std::string_view, 5> names{"none", "f32", "f64", "f16", "bf16"};
    return names[static_cast<std::size_t>(type)];
}

std::vector<std::span<const std::byte>> frames_of(std::span<const std::byte> content) {
    std::vector<std::span<const std::byte>> frames;
    do {
        std::size_t size = content.size();
        if (size >= header_bytes) {
            const auto count = load<std::uint64_t>(content, 8);
            const auto payload = load<std::uint64_t>(content, 48);
            const std::uint64_t table = content[5] == std::byte{1} ? (count / 2048 + (count % 2048 != 0)) * 4 : 0;
            const std::size_t body = size - header_bytes;
            if (count < (std::uint64_t{1} << 40) && table <= body && payload <= body - table)
                size = header_bytes + static_cast<std::size_t>(table + payload);
        }
        frames.push_back(content.first(size));
        content = content.subspan(size);
    } while (!content.empty());
    return frames;
}

result<bytes> decoded(std::span<const std::byte> frame, element_type type, std::size_t count, const run_options& run) {
    switch (type) {
        case element_type::f64: return decoded_as<double>(frame, count, run);
        case element_type::f16: return decoded_as<half>(frame, count, run);
        case element_type::bf16: return decoded_as<bfloat16>(frame, count, run);
        default: return decoded_as<float>(frame, count, run);
    }
}

verdict judge(std::span<const std::byte> content) {
    verdict found;
    bytes all;
    for (const auto frame : frames_of(content)) {
        const auto info = inspect(frame);
        if (!info) return {.code = info.error().code()};
        if (found.frames > 0 && info->type != found.type) return {.code = errc::mismatch};
        auto raw = decoded(frame, info->type, static_cast<std::size_t>(info->count));
        if (!raw) return {.code = raw.error().code()};
        all.insert(all.end(), raw->begin(), raw->end());
        found.type = info->type;
        found.count += info->count;
        if (found.frames++ > 0) continue;
        found.contributions = info->contributions;
        found.row_length = info->row_length;
    }
    found.hash = XXH3_64bits(all.data(), all.size());
    return found;
}

std::string index_of(const std::vector<file>& files) {
    std::string text = "[\n";
    for (const file& one : files) {
        const verdict is = judge(one.content);
        std::array<char, 320> line;
        if (is.code != errc::ok) {
            std::snprintf(line.data(), line.size(), R"( {"file": "%s.lac", "status": "%s"})", one.name.c_str(),
                          std::string(laconic::name_of(is.code)).c_str());
        } else {
            std::snprintf(line.data(), line.size(),
                          R"( {"file": "%s.lac", "status": "ok", "type": "%s", "count": %)" PRIu64
                          R"(, "frames": %)" PRIu64 R"(, "contributions": %)" PRIu64 R"(, "row_length": %)" PRIu64
                          R"(, "xxh3_64": "%016)" PRIx64 R"("})",
                          one.name.c_str(), std::string(name_of(is.type)).c_str(), is.count, is.frames,
                          is.contributions, is.row_length, is.hash);
        }
        text += line.data();
        text += &one == &files.back() ? "\n" : ",\n";
    }
    return text + "]\n";
}

bytes combined(pair_function what, const bytes& a, const bytes& b) {
    const frame_info info = inspect(a).value();
    bytes out(sum_bound(info.type, static_cast<std::size_t>(info.count)));
    out.resize(what(a, b, out, {}).value());
    return out;
}

bytes scaled(const bytes& frame, std::int32_t factor) {
    const frame_info info = inspect(frame).value();
    bytes out(sum_bound(info.type, static_cast<std::size_t>(info.count)));
    out.resize(scale(frame, factor, out).value());
    return out;
}

void forge::append(const void* from, std::size_t size) {
    payload.resize(payload.size() + size);
    std::memcpy(payload.data() + payload.size() - size, from, size);
}

bytes forge::frame() const {
    bytes out(header_bytes);
    const auto set = [&out](std::size_t offset, auto value) { std::memcpy(out.data() + offset, &value, sizeof value); };
    std::memcpy(out.data(), "lacn\1", 5);
    set(5, codec);
    set(6, type);
    set(7, static_cast<std::uint8_t>(flags | (checksum ? 2 : 0)));
    set(8, count);
    set(16, step);
    set(24, limit);
    set(32, magnitude);
    set(40, contributions);
    set(44, row_length);
    set(48, std::uint64_t{payload.size()});
    if (codec == 1 && !table.empty()) {
        out.resize(header_bytes + 4 * table.size());
        std::memcpy(out.data() + header_bytes, table.data(), 4 * table.size());
    }
    out.insert(out.end(), payload.begin(), payload.end());
    if (checksum) {
        const std::uint64_t head = XXH3_64bits(out.data(), 56);
        const std::uint64_t hash = XXH3_64bits_withSeed(out.data() + header_bytes, out.size() - header_bytes, head);
        std::memcpy(out.data() + 56, &hash, sizeof hash);
    }
    return out;
}

namespace {

template <class T>
struct format {
    using bits = std::uint16_t;
    static constexpr unsigned fraction = std::is_same_v<T, half> ? 10 : 7;
};
template <>
struct format<float> {
    using bits = std::uint32_t;
    static constexpr unsigned fraction = 23;
};
template <>
struct format<double> {
    using bits = std::uint64_t;
    static constexpr unsigned fraction = 52;
};

/// Bits that arithmetic seldom gives: NaN with payloads, infinities, -0.0, the largest and smallest numbers.
template <class T>
T odd_value(std::uint64_t which) {
    using bits = typename format<T>::bits;
    constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
    constexpr auto quiet = static_cast<bits>(bits{1} << (format<T>::fraction - 1));
    constexpr auto infinity = static_cast<bits>(static_cast<bits>(sign - 1) & static_cast<bits>(~(2 * quiet - 1U)));
    const std::array<bits, 9> odd{static_cast<bits>(infinity | quiet),
                                  static_cast<bits>(infinity | quiet | 5U),
                                  static_cast<bits>(infinity | 1U),
                                  static_cast<bits>(sign | infinity | quiet),
                                  infinity,
                                  static_cast<bits>(sign | infinity),
                                  sign,
                                  static_cast<bits>(infinity - 1U),
                                  1};
    return std::bit_cast<T>(odd[which % odd.size()]);
}

/// Parabolic arcs, up and down: every operation is exact or rounded once.
double arcs(double t) {
    const double whole = std::floor(t);
    const double part = t - whole;
    const double arc = 4 * part * (1 - part);
    return std::floor(whole / 2) * 2 == whole ? arc : -arc;
}

}  // namespace

std::span<const char* const> field_names() noexcept {
    static constexpr std::array names{"smooth", "noise",    "offset", "denormal", "huge",   "any_bits",  "special",
                                      "gaps",   "constant", "zeros",  "minus_0",  "spikes", "midpoints", "integers"};
    return names;
}

template <class T>
std::vector<T> make_field(const std::string& name, std::size_t n, std::uint64_t seed) {
    splitmix random(seed * 7919 + n);
    std::vector<T> x(n);
    constexpr bool narrow_range = std::is_same_v<T, half>;
    const double least = std::is_same_v<T, double> ? 0x1p-1022 : narrow_range ? 0x1p-14 : 0x1p-126;
    const double most = std::is_same_v<T, double> ? 0x1p1023 : narrow_range ? 0x1p15 : 0x1p127;
    for (std::size_t i = 0; i < n; ++i) {
        const double t = static_cast<double>(i) / 64 + static_cast<double>(seed) * 0.40625;
        const double wave = arcs(t) + 0.25 * arcs(7 * t);
        double v = wave;
        if (name == "noise") v = random.unit();
        if (name == "offset") v = 290 + 6.5 * wave;
        if (name == "denormal") v = wave * least * 0x1p-7;
        if (name == "huge") v = random.unit() * most;
        if (name == "constant") v = 3.7;
        if (name == "zeros") v = 0;
        if (name == "minus_0") v = random.below(3) == 0 ? -0.0 : random.below(2) == 0 ? 0.0 : wave * 0x1p-6;
        if (name == "spikes") v = random.below(50) == 0 ? random.unit() * 0x1p14 : wave;
        if (name == "midpoints") v = static_cast<double>(random.below(401)) * 0.125 - 25;
        if (name == "integers") v = std::floor(wave * 1000);
        if constexpr (sizeof(T) >= 4)
            x[i] = static_cast<T>(v);
        else
            x[i] = T(static_cast<float>(v));
        if (name == "any_bits") x[i] = std::bit_cast<T>(static_cast<typename format<T>::bits>(random()));
        if (name == "gaps" && random.below(40) == 0) x[i] = odd_value<T>(random.below(7));
        if (name == "special" && random.below(9) == 0) x[i] = odd_value<T>(random());
    }
    return x;
}

template std::vector<float> make_field(const std::string&, std::size_t, std::uint64_t);
template std::vector<double> make_field(const std::string&, std::size_t, std::uint64_t);
template std::vector<half> make_field(const std::string&, std::size_t, std::uint64_t);
template std::vector<bfloat16> make_field(const std::string&, std::size_t, std::uint64_t);

}  // namespace laconic::golden
