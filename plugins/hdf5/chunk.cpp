// SPDX-License-Identifier: BSD-3-Clause
// Frames with fill values. Before encoding the fill value is replaced by a number that no other element decodes to, or
// else by a NaN; what that decodes to is the mark.
#include "chunk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "laconic/codec.hpp"

namespace laconic::hdf5 {
namespace {

/// Head of a chunk with a mark: this, 4 bytes 0, the mark in 8 bytes. Frames begin with "lacn".
constexpr char head_magic[8] = {'l', 'a', 'c', 'f', 0, 0, 0, 0};
constexpr std::size_t head_bytes = 16;

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// A quiet NaN that arithmetic does not make.
template <class T>
constexpr bits_of<T> nan_mark = sizeof(T) == 4 ? bits_of<T>{0x7FC1ACF1} : static_cast<bits_of<T>>(0x7FF81AC01ACF1F11);

template <class T>
bits_of<T> bits_at(const std::byte* elements, std::size_t i) noexcept {
    bits_of<T> bits;
    std::memcpy(&bits, elements + i * sizeof(T), sizeof bits);
    return bits;
}

template <class T>
void replace(std::span<std::byte> elements, bits_of<T> from, bits_of<T> to) noexcept {
    for (std::size_t i = 0; i < elements.size() / sizeof(T); ++i)
        if (bits_at<T>(elements.data(), i) == from) std::memcpy(elements.data() + i * sizeof(T), &to, sizeof to);
}

template <class T>
bool contains(std::span<const std::byte> elements, bits_of<T> bits) noexcept {
    for (std::size_t i = 0; i < elements.size() / sizeof(T); ++i)
        if (bits_at<T>(elements.data(), i) == bits) return true;
    return false;
}

/// Alignment is the codec's business.
template <class T>
std::span<const T> values_in(std::span<const std::byte> elements) noexcept {
    return {reinterpret_cast<const T*>(elements.data()), elements.size() / sizeof(T)};
}
template <class T>
std::span<T> values_in(std::span<std::byte> elements) noexcept {
    return {reinterpret_cast<T*>(elements.data()), elements.size() / sizeof(T)};
}

frame_options options_of(const parameters& how) noexcept {
    frame_options options;
    options.checksum = how.checksum;
    options.codec = how.codec;
    options.row_length = how.row_length;
    return options;
}

void write_head(std::uint64_t mark, std::span<std::byte> out) noexcept {
    std::memcpy(out.data(), head_magic, sizeof head_magic);
    std::memcpy(out.data() + sizeof head_magic, &mark, sizeof mark);
}

/// A chunk on its way into the file.
template <class T>
class filled_chunk {
public:
    filled_chunk(const parameters& how, std::span<const std::byte> elements)
        : how_(how),
          options_(options_of(how)),
          fill_(static_cast<bits_of<T>>(*how.fill)),
          elements_(elements),
          present_(contains<T>(elements, fill_)),
          memory_(std::make_unique_for_overwrite<std::byte[]>(2 * elements.size())),
          replaced_(memory_.get(), elements.size()),
          decoded_(memory_.get() + elements.size(), elements.size()) {
        replace_fill(nan_mark<T>);
        range_ = range_of(values_in<T>(std::span<const std::byte>(replaced_)));
        bound_ = how.limit.value;
        if (how.limit.kind == bound_kind::relative)
            bound_ *= static_cast<double>(range_.max) - static_cast<double>(range_.min);
    }

    /// Tries the shortest way first.
    result<std::size_t> encode(std::span<std::byte> out) {
        auto stored = present_ ? encode_below(out) : encode_plainly(out);
        if (stored && *stored == 0) stored = present_ ? encode_as_nan(out) : stored;
        if (stored && *stored == 0) stored = compress(values_in<T>(elements_), bound::lossless(), out, options_);
        return stored;
    }

private:
    // Each of these returns 0 when an element that is not the fill value would come back as if it were.

    result<std::size_t> encode_plainly(std::span<std::byte> out) {
        auto frame = compress(values_in<T>(elements_), how_.limit, out, options_);
        if (!frame || !fill_is_near()) return frame;
        if (status bad = decompress(out.first(*frame), values_in<T>(decoded_)); !bad.ok()) return bad;
        return contains<T>(decoded_, fill_) ? std::size_t{0} : *frame;
    }

    /// Puts a number just below all others in the place of the fill value: quantised like its neighbours, it costs next
    /// to nothing, wherever the fill value itself lies.
    result<std::size_t> encode_below(std::span<std::byte> out) {
        constexpr double ulps = 4.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
        const auto least = static_cast<double>(range_.min);
        // A relative bound of 0: all others are equal, or there are none; then that number itself will do.
        const double gap = bound_ > 0 ? std::max(4 * bound_, std::abs(least) * ulps) : 0;
        const bound limit = bound_ > 0 ? bound::abs(bound_) : how_.limit;
        const T below = static_cast<T>(least - gap);
        if (!std::isfinite(bound_) || !std::isfinite(below)) return std::size_t{0};
        replace_fill(std::bit_cast<bits_of<T>>(below));
        auto frame =
            compress(values_in<T>(std::span<const std::byte>(replaced_)), limit, out.subspan(head_bytes), options_);
        if (!frame) return frame;
        if (status bad = decompress(out.subspan(head_bytes, *frame), values_in<T>(decoded_)); !bad.ok()) return bad;
        const std::optional<bits_of<T>> mark = mark_in_decoded();
        if (!mark) return std::size_t{0};
        write_head(*mark, out);
        return *frame + head_bytes;
    }

    /// A NaN comes back as it is, at the price of a raw block.
    result<std::size_t> encode_as_nan(std::span<std::byte> out) {
        if (contains<T>(elements_, nan_mark<T>)) return std::size_t{0};
        replace_fill(nan_mark<T>);
        auto frame = compress(values_in<T>(std::span<const std::byte>(replaced_)), how_.limit, out.subspan(head_bytes),
                              options_);
        if (!frame) return frame;
        if (fill_is_near()) {
            if (status bad = decompress(out.subspan(head_bytes, *frame), values_in<T>(decoded_)); !bad.ok()) return bad;
            if (contains<T>(decoded_, fill_)) return std::size_t{0};
        }
        write_head(nan_mark<T>, out);
        return *frame + head_bytes;
    }

    /// What all fill values decoded to, and nothing else did.
    [[nodiscard]] std::optional<bits_of<T>> mark_in_decoded() const noexcept {
        const std::size_t count = elements_.size() / sizeof(T);
        std::size_t first = 0;
        while (bits_at<T>(elements_.data(), first) != fill_) ++first;
        const bits_of<T> mark = bits_at<T>(decoded_.data(), first);
        for (std::size_t i = 0; i < count; ++i) {
            const bits_of<T> now = bits_at<T>(decoded_.data(), i);
            if ((bits_at<T>(elements_.data(), i) == fill_) != (now == mark)) return std::nullopt;
            if (now == fill_ && now != mark) return std::nullopt;
        }
        return mark;
    }

    /// Whether a value of the chunk could be decoded to the fill value.
    [[nodiscard]] bool fill_is_near() const noexcept {
        const auto fill = static_cast<double>(std::bit_cast<T>(fill_));
        return fill >= static_cast<double>(range_.min) - 2 * bound_ &&
               fill <= static_cast<double>(range_.max) + 2 * bound_;
    }

    void replace_fill(bits_of<T> with) noexcept {
        std::copy(elements_.begin(), elements_.end(), replaced_.begin());
        replace<T>(replaced_, fill_, with);
    }

    const parameters& how_;
    frame_options options_;
    bits_of<T> fill_;
    std::span<const std::byte> elements_;
    bool present_;
    std::unique_ptr<std::byte[]> memory_;
    std::span<std::byte> replaced_;  ///< the elements with something else in the place of the fill value
    std::span<std::byte> decoded_;
    value_range<T> range_;  ///< without the fill value
    double bound_ = 0;      ///< absolute
};

template <class T>
result<std::size_t> encode_as(const parameters& how, std::span<const std::byte> elements, std::span<std::byte> out) {
    if (how.fill && how.limit.value > 0) return filled_chunk<T>(how, elements).encode(out);
    return compress(values_in<T>(elements), how.limit, out, options_of(how));
}

template <class T>
status decode_as(const parameters& how, std::span<const std::byte> stored, std::span<std::byte> elements) {
    std::optional<bits_of<T>> mark;
    if (stored.size() >= head_bytes && std::memcmp(stored.data(), head_magic, sizeof head_magic) == 0) {
        if (!how.fill) return {errc::corrupt, "a chunk marks a fill value, but the dataset has none"};
        mark = bits_at<T>(stored.data() + sizeof head_magic, 0);
        stored = stored.subspan(head_bytes);
    }
    if (status bad = decompress(stored, values_in<T>(elements)); !bad.ok()) return bad;
    if (mark) replace<T>(elements, *mark, static_cast<bits_of<T>>(*how.fill));
    return {};
}

}  // namespace

std::size_t room_for(const parameters& how) noexcept {
    return compress_bound(*how.type, static_cast<std::size_t>(how.count), how.codec) + head_bytes;
}

result<std::size_t> encode(const parameters& how, std::span<const std::byte> elements, std::span<std::byte> out) {
    return *how.type == element_type::f32 ? encode_as<float>(how, elements, out)
                                          : encode_as<double>(how, elements, out);
}

status decode(const parameters& how, std::span<const std::byte> stored, std::span<std::byte> elements) {
    return *how.type == element_type::f32 ? decode_as<float>(how, stored, elements)
                                          : decode_as<double>(how, stored, elements);
}

bool plausible(const parameters& how, std::size_t stored_bytes) noexcept {
    // Two blocks of 32 equal elements share a byte, and no codec does better.
    return how.count / 64 <= stored_bytes;
}

}  // namespace laconic::hdf5
