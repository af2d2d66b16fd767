// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes frame headers: bytes in, checked fields out, and back.
#include "codec/frame.hpp"

#include <xxhash.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "base/units.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

constexpr std::array<unsigned char, 4> magic{'l', 'a', 'c', 'n'};
constexpr unsigned flag_inexact = 1;
constexpr unsigned flag_checksum = 2;

// Offsets of the header's fields.
constexpr std::size_t at_version = 4;
constexpr std::size_t at_codec = 5;
constexpr std::size_t at_type = 6;
constexpr std::size_t at_flags = 7;
constexpr std::size_t at_count = 8;
constexpr std::size_t at_step = 16;
constexpr std::size_t at_bound = 24;
constexpr std::size_t at_magnitude = 32;
constexpr std::size_t at_contributions = 40;
constexpr std::size_t at_row = 44;
constexpr std::size_t at_payload_bytes = 48;
constexpr std::size_t at_checksum = 56;

/// XXH3-64 over the header up to the checksum and everything behind it.
std::uint64_t checksum_of(const std::byte* frame, std::size_t bytes) noexcept {
    const std::uint64_t head = XXH3_64bits(frame, at_checksum);
    return XXH3_64bits_withSeed(frame + frame_header_bytes, bytes - frame_header_bytes, head);
}

status corrupt(std::string what) { return {errc::corrupt, std::move(what)}; }

}  // namespace

bool is_step_of(element_type type, double step) noexcept {
    const bool fits = type == element_type::f64 || static_cast<double>(static_cast<float>(step)) == step;
    return step > 0 && std::isfinite(step) && fits;
}

std::size_t table_bytes(codec_id codec, std::uint64_t count) noexcept {
    if (codec != codec_id::fle) return 0;
    return static_cast<std::size_t>((count / chunk_values + (count % chunk_values != 0)) * table_entry_bytes);
}

namespace {

/// What only fle's header must fulfil.
status check_fle(const frame_header& header) {
    if (!is_step_of(header.type, header.step))
        return corrupt("step " + base::format_real(header.step) +
                       " in the header; it must be positive, finite and of the element type");
    if (header.row != usable_row(header.row))
        return corrupt("row length " + std::to_string(header.row) + " in the header; it must be 0 or 32 to 2047");
    const auto limit = header.type == element_type::f64 ? sum_limit<double>(header.row) : sum_limit<float>(header.row);
    if (header.magnitude > static_cast<std::uint64_t>(limit) || header.contributions == 0)
        return corrupt("magnitude or number of contributions in the header is out of range");
    return {};
}

/// What the headers of all other codecs must fulfil.
status check_other(const frame_header& header) {
    const bool step_fits = header.codec == codec_id::zfp_rate ? header.step > 0 && header.step <= 64 : header.step == 0;
    if (!step_fits || header.magnitude != 0 || header.contributions != 1 || header.row != 0 || !header.exact)
        return corrupt("fields of the header that the codec does not have are set");
    return {};
}

status check_sizes(const frame_header& header, std::size_t frame_bytes) {
    const std::size_t body = frame_bytes - frame_header_bytes;
    const auto size = std::to_string(frame_bytes);
    const bool is_fle = header.codec == codec_id::fle;
    // Every chunk of fle takes at least its head, which bounds the count before it is multiplied with anything; other
    // codecs check counts themselves, against what their payload can hold.
    const bool too_many = is_fle ? header.count / chunk_values > body / (least_chunk_bytes<float> + table_entry_bytes)
                                 : header.count > std::uint64_t{1} << 58;
    const std::size_t table = too_many ? 0 : table_bytes(header.codec, header.count);
    if (too_many || table > body || header.payload_bytes > body - table)
        return {errc::truncated, "the frame has " + size + " bytes; its header asks for " +
                                     std::to_string(header.count) + " elements in " +
                                     std::to_string(header.payload_bytes) + " payload bytes"};
    if (header.payload_bytes != body - table)
        return corrupt("the frame has " + size + " bytes, more than its header accounts for");
    if (is_fle &&
        header.payload_bytes > bare_sum_bound(header.type, static_cast<std::size_t>(header.count)) - slack_bytes)
        return corrupt("the payload is larger than " + std::to_string(header.count) + " elements can take");
    return {};
}

}  // namespace

namespace {

status unknown_codec(unsigned number) {
    const auto numbered = [](const codec_description& row) {
        return std::to_string(static_cast<unsigned>(row.id)) + " (" + std::string(row.name) + ")";
    };
    return {errc::unsupported, "codec number " + std::to_string(number) + "; this build knows " +
                                   numbered(codecs().front()) + " to " + numbered(codecs().back())};
}

/// The header, checked in itself but not against the bytes behind it.
result<frame_header> parse_header(std::span<const std::byte> frame) {
    if (frame.size() < frame_header_bytes)
        return status{errc::truncated, "the frame has " + std::to_string(frame.size()) +
                                           " bytes; its header alone takes " + std::to_string(frame_header_bytes)};
    const std::byte* const at = frame.data();
    if (std::memcmp(at, magic.data(), magic.size()) != 0)
        return corrupt("the data do not start with 'lacn': not a laconic frame");
    const auto byte_at = [at](std::size_t offset) { return std::to_integer<unsigned>(at[offset]); };
    if (byte_at(at_version) != frame_version)
        return status{errc::unsupported, "frame version " + std::to_string(byte_at(at_version)) +
                                             "; this build reads version " + std::to_string(frame_version)};
    if (find_codec(static_cast<codec_id>(byte_at(at_codec))) == nullptr) return unknown_codec(byte_at(at_codec));
    const unsigned type = byte_at(at_type);
    if (type < 1 || type > 4)
        return status{errc::unsupported,
                      "element type " + std::to_string(type) + "; known are 1 (f32), 2 (f64), 3 (f16) and 4 (bf16)"};
    const unsigned flags = byte_at(at_flags);
    if ((flags & ~(flag_inexact | flag_checksum)) != 0) return corrupt("reserved bits of the header are set");

    frame_header header;
    header.codec = static_cast<codec_id>(byte_at(at_codec));
    header.type = static_cast<element_type>(type);
    header.exact = (flags & flag_inexact) == 0;
    header.checksummed = (flags & flag_checksum) != 0;
    header.count = load_as<std::uint64_t>(at + at_count);
    header.step = load_as<double>(at + at_step);
    header.contribution_bound = load_as<double>(at + at_bound);
    header.magnitude = load_as<std::uint64_t>(at + at_magnitude);
    header.contributions = load_as<std::uint32_t>(at + at_contributions);
    header.row = load_as<std::uint32_t>(at + at_row);
    header.payload_bytes = load_as<std::uint64_t>(at + at_payload_bytes);

    if (!(header.contribution_bound >= 0) || !std::isfinite(header.contribution_bound))
        return corrupt("bound " + base::format_real(header.contribution_bound) + " in the header");
    if (status bad = header.codec == codec_id::fle ? check_fle(header) : check_other(header); !bad.ok()) return bad;
    return header;
}

}  // namespace

result<std::uint64_t> announced_size(std::span<const std::byte> beginning) {
    auto header = parse_header(beginning);
    if (!header) return header.error();
    constexpr std::uint64_t absurd = std::uint64_t{1} << 60;
    if (header->count > absurd || header->payload_bytes > absurd)
        return corrupt("the header announces " + std::to_string(header->count) + " elements in " +
                       std::to_string(header->payload_bytes) + " payload bytes");
    return frame_header_bytes + table_bytes(header->codec, header->count) + header->payload_bytes;
}

result<parsed_frame> parse_frame(std::span<const std::byte> frame) {
    auto checked = parse_header(frame);
    if (!checked) return checked.error();
    parsed_frame parsed;
    parsed.header = *checked;
    const frame_header& header = parsed.header;
    const std::byte* const at = frame.data();
    if (status bad = check_sizes(header, frame.size()); !bad.ok()) return bad;
    if (header.checksummed && checksum_of(at, frame.size()) != load_as<std::uint64_t>(at + at_checksum))
        return corrupt("the checksum does not match: the frame was damaged");
    if (!header.checksummed && load_as<std::uint64_t>(at + at_checksum) != 0)
        return corrupt("a checksum is stored but not announced");

    const std::size_t table = table_bytes(header.codec, header.count);
    parsed.table = at + frame_header_bytes;
    parsed.payload = frame.subspan(frame_header_bytes + table);
    return parsed;
}

std::size_t seal_frame(const frame_header& header, std::byte* frame) noexcept {
    std::memset(frame, 0, frame_header_bytes);
    std::memcpy(frame, magic.data(), magic.size());
    frame[at_version] = static_cast<std::byte>(frame_version);
    frame[at_codec] = static_cast<std::byte>(header.codec);
    frame[at_type] = static_cast<std::byte>(header.type);
    frame[at_flags] =
        static_cast<std::byte>((header.exact ? 0U : flag_inexact) | (header.checksummed ? flag_checksum : 0U));
    store_as(frame + at_count, header.count);
    store_as(frame + at_step, header.step);
    store_as(frame + at_bound, header.contribution_bound);
    store_as(frame + at_magnitude, header.magnitude);
    store_as(frame + at_contributions, header.contributions);
    store_as(frame + at_row, header.row);
    store_as(frame + at_payload_bytes, header.payload_bytes);
    const std::size_t bytes =
        frame_header_bytes + table_bytes(header.codec, header.count) + static_cast<std::size_t>(header.payload_bytes);
    if (header.checksummed) store_as(frame + at_checksum, checksum_of(frame, bytes));
    return bytes;
}

}  // namespace laconic::codec
