// SPDX-License-Identifier: BSD-3-Clause
// What the targets share: a fuzzer's bytes flow in, as numbers and as buffers of exactly their size; what does not hold
// ends the program, so that the fuzzer and the replay notice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "codec/element.hpp"
#include "laconic/arithmetic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Ends the program with the place and the engine when `condition` does not hold.
#define LACONIC_HOLDS(condition)                                                  \
    do {                                                                          \
        if (!(condition)) laconic::fuzz::give_up(#condition, __FILE__, __LINE__); \
    } while (false)

namespace laconic::fuzz {

using codec::with_element;

using bytes = std::vector<std::byte>;
using view = std::span<const std::byte>;

[[noreturn]] inline void give_up(const char* what, const char* file, int line) {
    const auto engine = engine_name();
    std::fprintf(stderr, "\n%s:%d: does not hold on engine %.*s: %s\n", file, line, static_cast<int>(engine.size()),
                 engine.data(), what);
    std::abort();
}

/// Arrays beyond this are inspected and not decoded: two spans of threads, and no more time than that takes.
inline constexpr std::uint64_t most_values = (std::uint64_t{1} << 16) + 4096;

/// Where bytes lie, for the C face, which refuses NULL also where there are none.
template <class Bytes>
const std::byte* address_of(const Bytes& data) noexcept {
    static const std::byte nothing{};
    return data.empty() ? &nothing : reinterpret_cast<const std::byte*>(data.data());
}

/// Takes numbers from the front of an input; zeros behind its end.
class reader {
public:
    reader(const std::uint8_t* data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <class V>
    V take() noexcept {
        V value{};
        const std::size_t n = std::min(size_, sizeof value);
        if (n > 0) std::memcpy(&value, data_, n);
        data_ += n;
        size_ -= n;
        return value;
    }
    /// Up to `n` bytes in a buffer of their own.
    bytes take_bytes(std::size_t n) {
        n = std::min(n, size_);
        const auto* const from = reinterpret_cast<const std::byte*>(data_);
        bytes taken(from, from + n);
        data_ += n;
        size_ -= n;
        return taken;
    }
    bytes rest() { return take_bytes(size_); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

/// What a call gave: a code, and bytes when it is ok.
struct outcome {
    errc code = errc::ok;
    bytes data;

    [[nodiscard]] bool ok() const noexcept { return code == errc::ok; }
    bool operator==(const outcome&) const = default;
};

inline bool same(const outcome& a, const outcome& b) { return a == b; }

/// Runs body(name) on every engine of this machine, the portable one first, and leaves that one in use.
template <class Body>
void on_every_engine(Body body) {
    for (const std::string_view name : available_engines()) {
        LACONIC_HOLDS(use_engine(name).ok());
        body(name);
    }
    LACONIC_HOLDS(use_engine("scalar").ok());
}

/// What body() gives on the portable engine; all others must give the same.
template <class Body>
auto same_on_every_engine(Body body) {
    LACONIC_HOLDS(use_engine("scalar").ok());
    const auto expected = body();
    on_every_engine([&](std::string_view name) {
        if (name != "scalar") LACONIC_HOLDS(body() == expected);
    });
    return expected;
}

/// A frame's values as bytes, from a buffer of exactly their size.
inline outcome decoded(view frame, element_type type, std::size_t count, const run_options& run = {}) {
    return with_element(type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> values(count);
        const status done = decompress(frame, std::span<T>(values), run);
        if (!done.ok()) return outcome{done.code(), {}};
        const auto* const from = reinterpret_cast<const std::byte*>(values.data());
        return outcome{errc::ok, bytes(from, from + count * sizeof(T))};
    });
}

/// Runs a call that writes a frame to a buffer of exactly `capacity` bytes.
template <class Call>
outcome written(std::size_t capacity, Call call) {
    bytes out(capacity);
    const result<std::size_t> size = call(std::span<std::byte>(out));
    if (!size) return {size.error().code(), {}};
    LACONIC_HOLDS(*size <= capacity);
    out.resize(*size);
    out.shrink_to_fit();
    return {errc::ok, std::move(out)};
}

/// The values of an array of bytes.
template <class T>
std::vector<T> values_in(const bytes& data) {
    std::vector<T> values(data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
    return values;
}

}  // namespace laconic::fuzz
