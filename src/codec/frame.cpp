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
constexpr unsigned codec_fle = 1;
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
constexpr std::size_t at_reserved = 44;
constexpr std::size_t at_payload_bytes = 48;
constexpr std::size_t at_checksum = 56;

/// XXH3-64 over the header up to the checksum and everything behind it.
std::uint64_t checksum_of(const std::byte* frame, std::size_t bytes) noexcept {
    const std::uint64_t head = XXH3_64bits(frame, at_checksum);
    return XXH3_64bits_withSeed(frame + frame_header_bytes, bytes - frame_header_bytes, head);
}

status corrupt(std::string what) { return {errc::corrupt, std::move(what)}; }

}  // namespace

std::size_t table_bytes(std::uint64_t count) noexcept {
    return static_cast<std::size_t>((count / chunk_values + (count % chunk_values != 0)) * table_entry_bytes);
}

result<parsed_frame> parse_frame(std::span<const std::byte> frame) {
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
    if (byte_at(at_codec) != codec_fle)
        return status{errc::unsupported,
                      "codec number " + std::to_string(byte_at(at_codec)) + "; this build knows 1 (fle)"};
    const unsigned type = byte_at(at_type);
    if (type != 1 && type != 2)
        return status{errc::unsupported, "element type " + std::to_string(type) + "; known are 1 (f32) and 2 (f64)"};
    const unsigned flags = byte_at(at_flags);
    if ((flags & ~(flag_inexact | flag_checksum)) != 0 || load_as<std::uint32_t>(at + at_reserved) != 0)
        return corrupt("reserved bits of the header are set");

    parsed_frame parsed;
    frame_header& header = parsed.header;
    header.type = static_cast<element_type>(type);
    header.exact = (flags & flag_inexact) == 0;
    header.checksummed = (flags & flag_checksum) != 0;
    header.count = load_as<std::uint64_t>(at + at_count);
    header.step = load_as<double>(at + at_step);
    header.contribution_bound = load_as<double>(at + at_bound);
    header.magnitude = load_as<std::uint64_t>(at + at_magnitude);
    header.contributions = load_as<std::uint32_t>(at + at_contributions);
    header.payload_bytes = load_as<std::uint64_t>(at + at_payload_bytes);

    const bool step_fits =
        header.type == element_type::f64 || static_cast<double>(static_cast<float>(header.step)) == header.step;
    if (!(header.step > 0) || !std::isfinite(header.step) || !step_fits)
        return corrupt("step " + base::format_real(header.step) +
                       " in the header; it must be positive, finite and of the "
                       "element type");
    if (!(header.contribution_bound >= 0) || !std::isfinite(header.contribution_bound))
        return corrupt("bound " + base::format_real(header.contribution_bound) + " in the header");
    const auto limit = header.type == element_type::f32 ? integer_limits<float>::sum : integer_limits<double>::sum;
    if (header.magnitude > static_cast<std::uint64_t>(limit) || header.contributions == 0)
        return corrupt("magnitude or number of contributions in the header is out of range");

    const std::size_t body = frame.size() - frame_header_bytes;
    // Every chunk takes at least its base and rate bytes, which bounds the count before it is multiplied with anything.
    if (header.count / chunk_values > body / (chunk_blocks + table_entry_bytes) || table_bytes(header.count) > body ||
        header.payload_bytes > body - table_bytes(header.count))
        return status{errc::truncated, "the frame has " + std::to_string(frame.size()) +
                                           " bytes; its header asks for " + std::to_string(header.count) +
                                           " elements in " + std::to_string(header.payload_bytes) + " payload bytes"};
    if (header.payload_bytes != body - table_bytes(header.count))
        return corrupt("the frame has " + std::to_string(frame.size()) + " bytes, more than its header accounts for");
    if (header.payload_bytes > bare_sum_bound(header.type, static_cast<std::size_t>(header.count)) - slack_bytes)
        return corrupt("the payload is larger than " + std::to_string(header.count) + " elements can take");
    if (header.checksummed && checksum_of(at, frame.size()) != load_as<std::uint64_t>(at + at_checksum))
        return corrupt("the checksum does not match: the frame was damaged");
    if (!header.checksummed && load_as<std::uint64_t>(at + at_checksum) != 0)
        return corrupt("a checksum is stored but not announced");

    parsed.table = at + frame_header_bytes;
    parsed.payload = frame.subspan(frame_header_bytes + table_bytes(header.count));
    return parsed;
}

std::size_t seal_frame(const frame_header& header, std::byte* frame) noexcept {
    std::memset(frame, 0, frame_header_bytes);
    std::memcpy(frame, magic.data(), magic.size());
    frame[at_version] = static_cast<std::byte>(frame_version);
    frame[at_codec] = static_cast<std::byte>(codec_fle);
    frame[at_type] = static_cast<std::byte>(header.type);
    frame[at_flags] =
        static_cast<std::byte>((header.exact ? 0U : flag_inexact) | (header.checksummed ? flag_checksum : 0U));
    store_as(frame + at_count, header.count);
    store_as(frame + at_step, header.step);
    store_as(frame + at_bound, header.contribution_bound);
    store_as(frame + at_magnitude, header.magnitude);
    store_as(frame + at_contributions, header.contributions);
    store_as(frame + at_payload_bytes, header.payload_bytes);
    const std::size_t bytes =
        frame_header_bytes + table_bytes(header.count) + static_cast<std::size_t>(header.payload_bytes);
    if (header.checksummed) store_as(frame + at_checksum, checksum_of(frame, bytes));
    return bytes;
}

}  // namespace laconic::codec
