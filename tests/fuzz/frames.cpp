// SPDX-License-Identifier: BSD-3-Clause
// Walks and repairs frames. Written from docs/format/stream.md; of the codec's own code it uses the sizes of blocks and
// the sealing of headers.
#include "frames.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "codec/layout.hpp"

namespace laconic::fuzz {
namespace {

using namespace codec;
__extension__ using wide_integer = __int128;

template <class V>
V load_at(view from, std::size_t offset) noexcept {
    V value{};
    if (offset < from.size()) std::memcpy(&value, from.data() + offset, std::min(sizeof value, from.size() - offset));
    return value;
}

/// The deltas that w planes hold.
std::array<std::int64_t, block_values> deltas_in(const std::byte* planes, unsigned width) noexcept {
    std::array<std::int64_t, block_values> deltas{};
    for (unsigned p = 0; p < width; ++p) {
        const auto plane = load_as<std::uint32_t>(planes + std::size_t{4} * p);
        for (std::size_t lane = 0; lane < block_values; ++lane) {
            const std::int64_t bit = plane >> lane & 1U;
            const std::int64_t weight = std::int64_t{1} << p;
            deltas[lane] += p + 1 == width ? -(bit * weight) : bit * weight;
        }
    }
    return deltas;
}

/// The smallest width that fits.
unsigned width_of(const std::array<std::int64_t, block_values>& deltas) noexcept {
    unsigned width = 0;
    for (const std::int64_t delta : deltas) {
        const auto bits = static_cast<std::uint64_t>(delta < 0 ? ~delta : delta);
        if (delta != 0) width = std::max(width, static_cast<unsigned>(std::bit_width(bits)) + 1);
    }
    return width;
}

template <class T>
class integer_walk {
public:
    explicit integer_walk(view frame) : frame_(frame), header_(fields_of(frame)) {}

    integers_found run() {
        const std::byte* at = frame_.data() + frame_header_bytes + table_bytes(codec_id::fle, header_.count);
        for (std::uint64_t first = 0; first < header_.count; first += chunk_values)
            at = chunk(at, static_cast<std::size_t>(std::min<std::uint64_t>(chunk_values, header_.count - first)));
        found_.honest = found_.magnitude <= header_.magnitude;
        return found_;
    }

private:
    const std::byte* chunk(const std::byte* at, std::size_t count) {
        q_ = load_as<typename integer_limits<T>::base_type>(at);
        const bool based = q_ != 0;
        const std::byte* const codes = at + base_bytes<T>;
        const std::size_t blocks = blocks_in(count);
        const std::byte* rate_bytes = codes + code_bytes(blocks);
        std::size_t extended = 0;
        std::array<unsigned, chunk_blocks> rates{};
        for (std::size_t block = 0; block < blocks; ++block) {
            const unsigned code = std::to_integer<unsigned>(codes[block / 2]) >> (block % 2 * 4) & 15U;
            rates[block] = code == code_raw ? kind_raw : code;
            if (code == code_extended) rates[block] = std::to_integer<unsigned>(rate_bytes[extended++]);
        }
        at = rate_bytes + extension_bytes(extended);
        std::array<wide_integer, chunk_values> chain{};
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t lanes = std::min(block_values, count - block * block_values);
            const unsigned kind = rates[block] & kind_mask;
            const unsigned width = rates[block] & width_mask;
            const bool held = kind == kind_raw || (kind == kind_mixed &&
                                                   (load_as<std::uint32_t>(at + std::size_t{4} * width) & mixed_held));
            found_.has_raw_parts |= kind == kind_raw || kind == kind_mixed;
            if (held && block == 0 && based) found_.tidy = false;
            const std::uint32_t zeros = held ? 0 : integers(at, width, block, lanes, chain);
            if (kind == kind_signed) found_.tidy &= (load_as<std::uint32_t>(at + std::size_t{4} * width) & ~zeros) == 0;
            if (kind == kind_mixed) wide_values(at + std::size_t{4} * width + 4, lanes);
            at += block_bytes<T>(rates[block], lanes);
        }
        return at;
    }

    /// Returns the lanes whose integer is 0.
    std::uint32_t integers(const std::byte* planes, unsigned width, std::size_t block, std::size_t lanes,
                           std::array<wide_integer, chunk_values>& chain) {
        const auto deltas = deltas_in(planes, width);
        if (block == 0 && deltas[0] != 0) found_.tidy = false;
        found_.tidy &= width_of(deltas) == width;
        std::uint32_t zeros = 0;
        for (std::size_t lane = 0; lane < block_values; ++lane) {
            const std::size_t i = block * block_values + lane;
            if (lane >= lanes) {
                found_.tidy &= deltas[lane] == 0;
                continue;
            }
            chain[i] = deltas[lane];
            if (header_.row != 0 && i >= header_.row) chain[i] += chain[i - header_.row];
            q_ += chain[i];
            const wide_integer size = q_ < 0 ? -q_ : q_;
            const auto most = static_cast<wide_integer>(~std::uint64_t{0});
            found_.magnitude = std::max(found_.magnitude, static_cast<std::uint64_t>(size < most ? size : most));
            zeros |= static_cast<std::uint32_t>(q_ == 0) << lane;
        }
        return zeros;
    }

    /// Writers leave canonical NaN, and of two parts the high one is the sum's rounding.
    void wide_values(const std::byte* at, std::size_t lanes) noexcept {
        for (std::size_t lane = 0; lane < lanes; ++lane, at += wide_bytes<T>) {
            const auto high = load_as<double>(at);
            if constexpr (wide_bytes<T> == 16) {
                const auto low = load_as<double>(at + 8);
                found_.tidy &= std::isfinite(high) ? high + low == high : load_as<std::uint64_t>(at + 8) == 0;
            }
        }
    }

    view frame_;
    frame_header header_;
    integers_found found_;
    wide_integer q_ = 0;
};

/// Copies from damaged bytes, zeros behind their end.
class donor {
public:
    explicit donor(view from) noexcept : from_(from) {}
    void append(bytes& to, std::size_t n) {
        const std::size_t have = std::min(n, from_.size());
        to.insert(to.end(), from_.begin(), from_.begin() + static_cast<std::ptrdiff_t>(have));
        to.resize(to.size() + n - have);
        from_ = from_.subspan(have);
    }

private:
    view from_;
};

/// The nearest rate byte that may follow code 15.
template <class T>
unsigned allowed_rate(unsigned rate) noexcept {
    if ((rate & kind_mask) == kind_raw) rate |= kind_mixed;
    if (sizeof(T) != 8 && (rate & width_mask) > 32) rate &= kind_mask | 31U;
    return code_of(rate) == code_extended ? rate : rate + widest_short_code + 1;
}

/// Deltas of 0 where writers leave them: first in a chunk, and behind the last element.
void clear_lanes(std::byte* planes, unsigned width, bool first, std::size_t lanes) noexcept {
    std::uint32_t kept = lanes == block_values ? ~0U : (1U << lanes) - 1;
    if (first) kept &= ~1U;
    for (unsigned p = 0; p < width; ++p, planes += 4) store_as(planes, load_as<std::uint32_t>(planes) & kept);
}

/// One chunk of `count` values at the end of `out`.
template <class T>
void append_chunk(donor& from, std::size_t count, bool tidy, bytes& out) {
    from.append(out, base_bytes<T>);
    const std::size_t codes = out.size();
    const std::size_t blocks = blocks_in(count);
    from.append(out, code_bytes(blocks));
    for (std::size_t block = blocks; block < code_bytes(blocks) * 2; ++block)
        out[codes + block / 2] &= block % 2 == 0 ? std::byte{0xF0} : std::byte{0x0F};
    std::array<unsigned, chunk_blocks> rates{};
    std::size_t extended = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        const unsigned code = std::to_integer<unsigned>(out[codes + block / 2]) >> (block % 2 * 4) & 15U;
        rates[block] = code == code_raw ? kind_raw : code;
        extended += code == code_extended;
    }
    std::size_t next = out.size();
    from.append(out, extension_bytes(extended));
    for (std::size_t block = 0; block < blocks; ++block) {
        if (rates[block] != code_extended) continue;
        rates[block] = allowed_rate<T>(std::to_integer<unsigned>(out[next]));
        out[next++] = static_cast<std::byte>(rates[block]);
    }
    for (; next < out.size(); ++next) out[next] = std::byte{0};
    for (std::size_t block = 0; block < blocks; ++block) {
        const std::size_t start = out.size();
        const std::size_t lanes = std::min(block_values, count - block * block_values);
        from.append(out, block_bytes<T>(rates[block], lanes));
        const unsigned width = rates[block] & width_mask;
        if (tidy) clear_lanes(out.data() + start, width, block == 0, lanes);
        if ((rates[block] & kind_mask) != kind_mixed) continue;
        std::byte* const flags = out.data() + start + std::size_t{4} * width;
        store_as(flags, load_as<std::uint32_t>(flags) & (width == 0 ? mixed_inexact | mixed_held : mixed_inexact));
    }
}

template <class T>
bytes repaired_fle(view damaged, frame_header header, const repairs& how) {
    header.count = std::min(header.count, how.most_count);
    header.row = usable_row(header.row);
    if (header.contributions == 0) header.contributions = 1;
    if (sizeof(T) != 8) header.step = static_cast<double>(static_cast<float>(header.step));
    if (!(header.step > 0) || !std::isfinite(header.step)) header.step = 0x1p-7;
    header.magnitude = std::min(header.magnitude, static_cast<std::uint64_t>(sum_limit<T>(header.row)));

    const std::size_t body = frame_header_bytes + table_bytes(codec_id::fle, header.count);
    donor from(damaged.subspan(std::min(body, damaged.size())));
    bytes chunks, table;
    std::uint64_t done = 0;
    while (done < header.count) {
        const std::uint64_t n = std::min<std::uint64_t>(chunk_values, header.count - done);
        const std::size_t start = chunks.size();
        append_chunk<T>(from, static_cast<std::size_t>(n), how.honest, chunks);
        if (frame_header_bytes + table.size() + table_entry_bytes + chunks.size() > how.most_bytes) {
            chunks.resize(start);
            break;
        }
        table.resize(table.size() + table_entry_bytes);
        store_as(table.data() + table.size() - table_entry_bytes, chunk_entry(static_cast<std::ptrdiff_t>(start)));
        done += n;
    }
    header.count = done;
    header.payload_bytes = chunks.size();
    bytes frame(frame_header_bytes + table.size() + chunks.size());
    std::copy(table.begin(), table.end(), frame.begin() + frame_header_bytes);
    std::copy(chunks.begin(), chunks.end(), frame.end() - static_cast<std::ptrdiff_t>(chunks.size()));
    seal_frame(header, frame.data());
    if (how.honest) {
        header.magnitude =
            std::min(integer_walk<T>(frame).run().magnitude, static_cast<std::uint64_t>(sum_limit<T>(header.row)));
        seal_frame(header, frame.data());
    }
    return frame;
}

}  // namespace

frame_header fields_of(view frame) noexcept {
    frame_header header;
    header.codec = static_cast<codec_id>(load_at<std::uint8_t>(frame, 5));
    header.type = static_cast<element_type>(load_at<std::uint8_t>(frame, 6));
    header.exact = (load_at<std::uint8_t>(frame, 7) & 1U) == 0;
    header.checksummed = (load_at<std::uint8_t>(frame, 7) & 2U) != 0;
    header.count = load_at<std::uint64_t>(frame, 8);
    header.step = load_at<double>(frame, 16);
    header.contribution_bound = load_at<double>(frame, 24);
    header.magnitude = load_at<std::uint64_t>(frame, 32);
    header.contributions = load_at<std::uint32_t>(frame, 40);
    header.row = load_at<std::uint32_t>(frame, 44);
    header.payload_bytes = load_at<std::uint64_t>(frame, 48);
    return header;
}

integers_found integers_of(view frame) {
    return with_element(fields_of(frame).type, [&](auto zero) { return integer_walk<decltype(zero)>(frame).run(); });
}

bytes repaired(view damaged, const repairs& how) {
    frame_header header = fields_of(damaged);
    const codec_description* const known = find_codec(header.codec);
    if (known == nullptr || !known->available) header.codec = codec_id::fle;
    if (static_cast<unsigned>(header.type) - 1U > 3U)
        header.type = static_cast<element_type>(1 + static_cast<unsigned>(header.type) % 4);
    if (!(header.contribution_bound >= 0) || !std::isfinite(header.contribution_bound)) header.contribution_bound = 1;
    if (header.codec == codec_id::fle)
        return with_element(header.type, [&](auto zero) { return repaired_fle<decltype(zero)>(damaged, header, how); });

    // Of other codecs' payloads only raw's size is known here.
    bytes frame(damaged.begin(),
                damaged.begin() + static_cast<std::ptrdiff_t>(std::min(damaged.size(), how.most_bytes)));
    frame.resize(std::max(frame.size(), frame_header_bytes));
    header.exact = true;
    header.magnitude = 0;
    header.contributions = 1;
    header.row = 0;
    const bool has_rate = header.codec == codec_id::zfp_rate;
    if (!has_rate) header.step = 0;
    if (has_rate && !(header.step > 0 && header.step <= 64)) header.step = 8;
    if (header.codec == codec_id::raw) {
        header.count = (frame.size() - frame_header_bytes) / size_of(header.type);
        frame.resize(frame_header_bytes + header.count * size_of(header.type));
    }
    header.payload_bytes = frame.size() - frame_header_bytes;
    seal_frame(header, frame.data());
    return frame;
}

}  // namespace laconic::fuzz
