// SPDX-License-Identifier: BSD-3-Clause
// What the golden files are made of and judged by: bytes of files flow in, what the library says of them flows out; and
// frames put together by hand, byte by byte, from a header and a payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "laconic/arithmetic.hpp"

namespace laconic::golden {

using bytes = std::vector<std::byte>;

struct file {
    std::string name;  ///< without ".lac"; malformed ones start with "malformed/"
    bytes content;
};

/// What a reader must make of a file.
struct verdict {
    errc code = errc::ok;
    element_type type = element_type::f32;
    std::uint64_t count = 0;  ///< elements of all frames
    std::uint64_t frames = 0;
    std::uint64_t contributions = 0;  ///< of the first frame, as row_length
    std::uint64_t row_length = 0;
    std::uint64_t hash = 0;  ///< XXH3-64 of the elements, little-endian
};

[[nodiscard]] std::string_view name_of(element_type type) noexcept;

/// The frames of a file, cut where their headers say; what is left of a damaged one is the last.
[[nodiscard]] std::vector<std::span<const std::byte>> frames_of(std::span<const std::byte> content);

/// Decompresses a file frame by frame, on the current engine.
[[nodiscard]] verdict judge(std::span<const std::byte> content);

/// One frame's elements, little-endian, or why not. `type` and `count` need not be those of the frame.
[[nodiscard]] result<bytes> decoded(std::span<const std::byte> frame, element_type type, std::size_t count,
                                    const run_options& run = {});

/// index.json of these files, as README.md describes it.
[[nodiscard]] std::string index_of(const std::vector<file>& files);

/// Every file of version 1: frames as the library writes them, and forged ones that it could have been sent.
[[nodiscard]] std::vector<file> valid_files();
[[nodiscard]] std::vector<file> forged_files();
/// Each check of docs/format/stream.md violated once.
[[nodiscard]] std::vector<file> malformed_files();
/// `count` small random frames, and as many damaged ones.
[[nodiscard]] std::vector<file> random_files(std::uint64_t seed, std::size_t count);

/// A number generator that gives the same on every platform, unlike the distributions of the standard library.
class splitmix {
public:
    explicit splitmix(std::uint64_t seed) noexcept : state_(seed) {}
    std::uint64_t operator()() noexcept {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27) * 0x94D049BB133111EBU;
        return z ^ z >> 31;
    }
    std::uint64_t below(std::uint64_t n) noexcept { return (*this)() % n; }
    /// In [-1, 1).
    double unit() noexcept { return static_cast<double>(static_cast<std::int64_t>((*this)()) >> 11) * 0x1p-52; }

private:
    std::uint64_t state_;
};

/// An array by name, made without libm: the same bits everywhere.
template <class T>
[[nodiscard]] std::vector<T> make_field(const std::string& name, std::size_t n, std::uint64_t seed = 1);
[[nodiscard]] std::span<const char* const> field_names() noexcept;

template <class T>
[[nodiscard]] bytes compressed(const std::vector<T>& values, bound limit, const frame_options& options = {}) {
    bytes out(compress_bound(element_type_of<T>::value, values.size(), options.codec));
    out.resize(compress(std::span<const T>(values), limit, std::span(out), options).value());
    return out;
}

/// add, subtract, minimum or maximum.
using pair_function = result<std::size_t> (*)(std::span<const std::byte>, std::span<const std::byte>,
                                              std::span<std::byte>, const run_options&);
[[nodiscard]] bytes combined(pair_function what, const bytes& a, const bytes& b);
[[nodiscard]] bytes scaled(const bytes& frame, std::int32_t factor);

/// A frame by hand: fields as in the page, payload and table as given.
struct forge {
    std::uint8_t codec = 1;
    std::uint8_t type = 1;
    std::uint8_t flags = 0;
    std::uint64_t count = 0;
    double step = 1;
    double limit = 0;
    std::uint64_t magnitude = 0;
    std::uint32_t contributions = 1;
    std::uint32_t row_length = 0;
    bytes payload;
    std::vector<std::uint32_t> table{0};
    bool checksum = false;

    [[nodiscard]] bytes frame() const;

    template <class V>
    forge& put(V value) {
        append(&value, sizeof value);
        return *this;
    }
    forge& words(std::initializer_list<std::uint32_t> values) {
        for (const std::uint32_t value : values) put(value);
        return *this;
    }

private:
    void append(const void* from, std::size_t size);
};

/// `content` with `value` written at `offset`.
template <class V>
[[nodiscard]] bytes patched(bytes content, std::size_t offset, V value) {
    static_assert(std::is_trivially_copyable_v<V>);
    std::memcpy(content.data() + offset, &value, sizeof value);
    return content;
}

}  // namespace laconic::golden
