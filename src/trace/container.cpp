// SPDX-License-Identifier: BSD-3-Clause
// Sections of trace files: writing, checking, reading.
#include "trace/container.hpp"

#include <xxhash.h>

#include <cstring>

#include "trace/model.hpp"
#include "trace/zstd_bytes.hpp"

namespace laconic::trace {
namespace {

constexpr char magic[5] = {'l', 'a', 'c', 't', 1};
constexpr int level = 19;  // what is to be deflated here is small

enum section : std::uint8_t { core_section = 1, facts_section = 2, timing_section_type = 3, last_section = 0x7f };
constexpr std::uint8_t is_deflated = 1;
/// Types from here on may be skipped by readers that do not know them.
constexpr std::uint8_t skippable = 0x80;

void put_section(bytes& out, std::uint8_t type, view payload, bool deflate) {
    const std::size_t from = out.size();
    const auto shorter = deflate ? deflated(payload, level) : std::nullopt;
    put_word(out, type);
    put_word(out, static_cast<std::uint8_t>(shorter ? is_deflated : 0));
    if (shorter) put_varint(out, payload.size());
    put_block(out, shorter ? view(*shorter) : payload);
    put_word(out, std::uint64_t{XXH3_64bits(out.data() + from, out.size() - from)});
}

view as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

result<bytes> file_of(view core, const file_facts& facts) {
    if (const auto read = decoded(core); !read) return read.error();
    bytes out;
    put_bytes(out, std::as_bytes(std::span(magic)));
    put_section(out, core_section, core, true);
    if (facts.empty()) return out;
    bytes payload;
    for (const auto& [key, value] : facts) {
        put_block(payload, as_bytes(key));
        put_block(payload, as_bytes(value));
    }
    put_section(out, facts_section, payload, true);
    return out;
}

bytes timing_section(std::uint32_t rank, view timing) {
    bytes payload;
    put_varint(payload, rank);
    put_bytes(payload, timing);
    bytes out;
    // Timing blocks are as short as they get.
    put_section(out, timing_section_type, payload, false);
    return out;
}

bytes end_section() {
    bytes out;
    put_section(out, last_section, {}, false);
    return out;
}

result<file_parts> parts_of(view file) {
    wire_reader in(file);
    const view start = in.take(sizeof magic);
    if (start.empty() || std::memcmp(start.data(), magic, 4) != 0)
        return status(errc::corrupt, "these bytes are no trace: they do not begin with 'lact'");
    if (start[4] != static_cast<std::byte>(magic[4]))
        return status(errc::unsupported, "the trace has format version " +
                                             std::to_string(static_cast<unsigned>(start[4])) +
                                             "; this build reads version 1");
    file_parts made;
    bool has_core = false;
    while (in.left() > 0 && !made.complete) {
        const std::size_t from = file.size() - in.left();
        const auto type = in.word<std::uint8_t>();
        const auto flags = in.word<std::uint8_t>();
        const std::uint64_t size = (flags & is_deflated) != 0 ? in.varint() : 0;
        const view block = in.block();
        const std::size_t bytes_before_sum = file.size() - in.left() - from;
        const auto checksum = in.word<std::uint64_t>();
        if (in.failed()) {
            if (has_core) break;
            return status(errc::truncated, "the trace ends before its table of calls does");
        }
        if (XXH3_64bits(file.data() + from, bytes_before_sum) != checksum)
            return status(errc::corrupt, "the checksum of the section at byte " + std::to_string(from) +
                                             " of the trace does not match");
        const std::uint64_t section_bytes = bytes_before_sum + 8;
        bytes payload;
        if (type == core_section || type == facts_section) {
            if ((flags & is_deflated) != 0) {
                auto whole = inflated(block, size);
                if (!whole) return whole.error();
                payload = std::move(*whole);
            } else {
                payload.assign(block.begin(), block.end());
            }
        }
        switch (type) {
            case core_section:
                if (has_core) return status(errc::corrupt, "the trace has two tables of calls");
                has_core = true;
                made.core = std::move(payload);
                made.core_bytes = section_bytes;
                break;
            case facts_section: {
                wire_reader facts(payload);
                while (facts.left() > 0) {
                    std::string key = text_of(facts.block());
                    made.facts.emplace_back(std::move(key), text_of(facts.block()));
                }
                if (facts.failed()) return status(errc::corrupt, "the facts of the trace are damaged");
                break;
            }
            case timing_section_type: {
                wire_reader timing(block);
                const auto rank = static_cast<std::uint32_t>(timing.below(std::uint64_t{1} << 32));
                if (timing.failed()) return status(errc::corrupt, "a timing section of the trace is damaged");
                made.timing.push_back({rank, timing.take(timing.left())});
                made.timing_bytes += section_bytes;
                break;
            }
            case last_section: made.complete = true; break;
            default:
                if (type < skippable)
                    return status(errc::unsupported, "the trace has a section of type " + std::to_string(type) +
                                                         ", which this build does not know; use a newer laconic");
        }
    }
    if (!has_core) return status(errc::truncated, "the trace has no table of calls");
    if (made.complete && in.left() > 0) return status(errc::corrupt, "the trace goes on behind its end");
    return made;
}

}  // namespace laconic::trace
