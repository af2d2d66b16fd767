// SPDX-License-Identifier: BSD-3-Clause
// Frames put together by hand, one for every check of docs/format/stream.md that it violates.
#include <bit>
#include <cmath>

#include "forging.hpp"

namespace laconic::golden {
namespace {

class malformed {
public:
    std::vector<file> files;

    void put(const std::string& name, bytes content) { files.push_back({"malformed/" + name, std::move(content)}); }
    /// A field of a valid frame overwritten.
    template <class V>
    void field(const std::string& name, std::size_t offset, V value, const forge& from = plain()) {
        put(name, patched(from.frame(), offset, value));
    }
};

void break_headers(malformed& m) {
    using u8 = std::uint8_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    m.field("magic", 0, u8{'L'});
    m.field("version_0", 4, u8{0});
    m.field("version_2", 4, u8{2});
    forge copy;
    copy.codec = 5;
    copy.step = 0;
    m.field("codec_0", 5, u8{0}, copy);
    m.field("codec_6", 5, u8{6}, copy);
    m.field("codec_255", 5, u8{255}, copy);
    m.field("type_0", 6, u8{0});
    m.field("type_5", 6, u8{5});
    m.field("flags_4", 7, u8{4});
    m.field("flags_128", 7, u8{128});
    m.field("count_0", 8, u64{0});
    m.field("count_more_codes", 8, u64{257});
    m.field("count_next_chunk", 8, u64{2049});
    m.field("count_most", 8, ~u64{0});
    m.field("step_zero", 16, 0.0);
    m.field("step_negative", 16, -0.5);
    m.field("step_infinite", 16, HUGE_VAL);
    m.field("step_nan", 16, std::bit_cast<double>(0x7FF8000000000000U));
    m.field("step_too_long", 16, 1 + 0x1p-24);
    m.field("step_too_large", 16, 0x1p128);
    m.field("step_too_small", 16, 0x1p-150);
    m.field("bound_negative", 24, -1.0);
    m.field("bound_infinite", 24, HUGE_VAL);
    m.field("bound_nan", 24, std::bit_cast<double>(0x7FF8000000000000U));
    m.field("magnitude", 32, u64{1} << 30);
    m.field("contributions", 40, u32{0});
    m.field("row_31", 44, u32{31});
    m.field("row_2048", 44, u32{2048});
    forge rows = plain();
    rows.row_length = 32;
    m.field("magnitude_rows", 32, u64{1} << 28, rows);
    m.field("payload_bytes_more", 48, u64{20});
    m.field("payload_bytes_most", 48, ~u64{0});
    m.field("payload_bytes_less", 48, u64{12});
    m.field("checksum_unannounced", 56, u64{1});
    forge sealed = plain();
    sealed.checksum = true;
    m.field("checksum_wrong", 56, u64{1}, sealed);
    m.field("checksum_of_header", 24, 0.25, sealed);
    m.field("checksum_of_payload", 75, u8{1}, sealed);
    forge empty;
    empty.checksum = true;
    empty.table.clear();
    m.field("checksum_of_nothing", 24, 0.25, empty);
}

void break_wide_headers(malformed& m) {
    forge f;
    f.type = 2;
    f.table.clear();
    m.field("magnitude_f64", 32, std::uint64_t{1} << 61, f);
    f.row_length = 32;
    m.field("magnitude_f64_rows", 32, std::uint64_t{1} << 59, f);
    for (const std::uint8_t type : {std::uint8_t{3}, std::uint8_t{4}}) {
        f = {};
        f.type = type;
        f.table.clear();
        const std::string name(name_of(static_cast<element_type>(type)));
        m.field("step_too_long_" + name, 16, 1 + 0x1p-24, f);
        m.field("magnitude_" + name, 32, std::uint64_t{1} << 30, f);
    }
}

void break_raw_codec(malformed& m) {
    forge f;
    f.codec = 5;
    f.step = 0;
    f.count = 2;
    f.words({0x3F800000, 0x40000000});
    m.field("raw_codec_flags", 7, std::uint8_t{1}, f);
    m.field("raw_codec_count", 8, std::uint64_t{1}, f);
    m.field("raw_codec_count_more", 8, std::uint64_t{3}, f);
    m.field("raw_codec_count_most", 8, std::uint64_t{1} << 62, f);
    m.field("raw_codec_step", 16, 1.0, f);
    m.field("raw_codec_magnitude", 32, std::uint64_t{1}, f);
    m.field("raw_codec_contributions_0", 40, std::uint32_t{0}, f);
    m.field("raw_codec_contributions_2", 40, std::uint32_t{2}, f);
    m.field("raw_codec_row", 44, std::uint32_t{100}, f);
    f.payload.pop_back();
    m.put("raw_codec_odd_payload", f.frame());
}

void break_ends(malformed& m) {
    const bytes whole = plain().frame();
    for (const std::size_t size : {0U, 4U, 63U, 64U, 67U, 68U, 72U, 76U, 83U})
        m.put("cut_" + std::to_string(size), {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    bytes longer = whole;
    longer.push_back(std::byte{0});
    m.put("trailing_byte", longer);
    longer = whole;
    longer.insert(longer.end(), whole.begin(), whole.begin() + 64);
    m.put("second_frame_cut", longer);
    longer.resize(whole.size());
    forge another;
    another.type = 2;
    another.table.clear();
    const bytes other = another.frame();
    longer.insert(longer.end(), other.begin(), other.end());
    m.put("second_frame_of_another_type", longer);
}

/// A payload that ends early, with a header that knows it, or late.
void break_payload_ends(malformed& m) {
    const auto cut = [&m](const std::string& name, forge f, std::size_t size) {
        f.payload.resize(size);
        m.put(name, f.frame());
    };
    cut("payload_empty", plain(), 0);
    cut("payload_cut_in_base", plain(), 2);
    cut("payload_cut_before_codes", plain(), 4);
    cut("payload_cut_in_codes", plain(), 6);
    cut("payload_cut_before_planes", plain(), 8);
    cut("payload_cut_in_planes", plain(), 15);
    cut("payload_longer", plain(), 20);
    cut("payload_too_large", plain(), 4000);
    cut("payload_cut_before_rates", with_signs(1), 8);
    cut("payload_cut_in_padding", with_signs(1), 11);
    cut("payload_cut_before_mask", with_signs(1), 16);
    cut("payload_cut_in_mask", with_signs(1), 19);
    const forge wide = mixed<double>(1, 2, {1.0, 2.0});
    cut("payload_cut_before_flags", wide, 12);
    cut("payload_cut_in_flags", wide, 14);
    cut("payload_cut_before_wide", wide, 16);
    cut("payload_cut_in_wide", wide, 31);
    forge raw = plain();
    raw.count = 2;
    raw.payload.clear();
    raw.words({0, 14, 1, 2});
    cut("payload_cut_in_raw", raw, 15);
    forge nothing;
    nothing.table.clear();
    cut("payload_of_nothing", nothing, 4);
}

void break_chunks(malformed& m) {
    const auto rate = [&m](const std::string& name, std::uint32_t word, std::uint8_t type = 1) {
        forge f;
        f.type = type;
        f.count = 32;
        f.magnitude = 1;
        if (type == 2)
            f.put(std::uint64_t{0});
        else
            f.put(std::uint32_t{0});
        f.words({15, word});
        // Enough for what any of these would read.
        f.payload.resize(f.payload.size() + 4 * (word & 0x3FU) + ((word & 0xC0U) == 0x80U ? 128 : 0) +
                         ((word & 0xC0U) == 0x40U ? 4 : 0) + ((word & 0xC0U) == 0xC0U ? 4 + 32 * 8 : 0));
        m.put(name, f.frame());
    };
    rate("rate_plain_0", 0);
    rate("rate_plain_13", 13);
    rate("rate_raw", 0x80);
    rate("rate_raw_with_planes", 0x81);
    rate("rate_plain_33", 33);
    rate("rate_signed_33", 0x40 | 33);
    rate("rate_mixed_33", 0xC0 | 33);
    rate("rate_f16_plain_33", 33, 3);
    rate("rate_bf16_signed_63", 0x40 | 63, 4);
    rate("rate_f64_raw", 0x80, 2);
    rate("rate_padding_1", 0x00000140 | 14);
    rate("rate_padding_3", 0x01000040 | 14);

    m.field("code_unused", 72, std::uint8_t{0x12});
    m.field("code_unused_last", 75, std::uint8_t{0x10});
    m.field("table_entry_0", 64, std::uint32_t{1});
    m.put("flags_unknown", mixed<double>(1, 4, {1.0}).frame());
    m.put("flags_unknown_high", mixed<double>(1, 0x80000002, {1.0}).frame());
    forge held = mixed<double>(1, 2, {1.0});
    held.payload[8] = std::byte{0xC1};
    held.payload.insert(held.payload.begin() + 12, 4, std::byte{0});
    m.put("held_with_planes", held.frame());

    forge two = plain();
    two.count = 2049;
    two.table = {0, 9};
    two.payload.clear();
    for (unsigned word = 0; word < 9; ++word) two.put(std::uint32_t{0});
    two.words({0, 0});
    m.field("table_entry_1", 68, std::uint32_t{8}, two);
    m.field("table_entry_1_high", 68, std::uint32_t{0x80000009}, two);
    m.field("table_without_second", 8, std::uint64_t{2048}, two);
}

/// Zeros in more chunks than one thread takes at a time, and damage in the last ones.
void break_far_chunks(malformed& m) {
    constexpr std::uint32_t chunks = 80;
    constexpr std::uint32_t words = 9;
    forge far;
    far.count = std::uint64_t{chunks} * 2048;
    far.table.clear();
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) far.table.push_back(chunk * words);
    far.payload.resize(std::size_t{4} * chunks * words);
    const std::size_t payload_at = 64 + std::size_t{4} * chunks;
    m.field("far_table_entry", 64 + 4 * 75, std::uint32_t{75 * words - 1}, far);
    m.field("far_codes", payload_at + 4 * (70 * words + 1), std::uint32_t{15}, far);
    m.field("far_codes_in_first_span", payload_at + 4 * (10 * words + 1), std::uint32_t{15}, far);
    far.payload.resize(far.payload.size() - 4);
    m.put("far_payload_cut", far.frame());
    far.payload.resize(far.payload.size() + 8);
    m.put("far_payload_longer", far.frame());
}

}  // namespace

std::vector<file> malformed_files() {
    malformed m;
    break_headers(m);
    break_wide_headers(m);
    break_raw_codec(m);
    break_ends(m);
    break_payload_ends(m);
    break_chunks(m);
    break_far_chunks(m);
    return std::move(m.files);
}

}  // namespace laconic::golden
