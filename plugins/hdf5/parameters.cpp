// SPDX-License-Identifier: BSD-3-Clause
// Numbers to parameters and back. They come from users and from files, so nothing about them is taken for granted.
#include "parameters.hpp"

#include <bit>
#include <cmath>
#include <string>

namespace laconic::hdf5 {
namespace {

constexpr unsigned format_version = 1;
enum position : std::size_t {
    at_version,
    at_kind,
    at_bound_low,
    at_bound_high,
    at_flags,
    at_type,
    at_count_low,
    at_count_high,
    at_fill_low,
    at_fill_high,
    at_codec,
    at_row_length
};
constexpr std::size_t at_user_codec = user_parameters;
constexpr unsigned flag_checksum = 1;
constexpr unsigned flag_fill = 2;
constexpr unsigned flag_rows = 4;
constexpr unsigned known_flags = flag_checksum | flag_fill | flag_rows;

std::uint64_t joined(unsigned low, unsigned high) noexcept { return std::uint64_t{high} << 32 | low; }
unsigned low_half(std::uint64_t bits) noexcept { return static_cast<unsigned>(bits & 0xFFFFFFFFU); }
unsigned high_half(std::uint64_t bits) noexcept { return static_cast<unsigned>(bits >> 32); }

/// 0 is the codec of those who do not ask for one.
result<codec_id> codec_of(unsigned number) {
    if (number == 0) return codec_id::fle;
    for (const codec_description& codec : codecs()) {
        if (static_cast<unsigned>(codec.id) != number) continue;
        if (!codec.keeps_bound)
            return status{errc::unsupported, "codec " + std::string(codec.name) + " keeps no error bound"};
        if (!codec.available)
            return status{errc::unsupported, "codec " + std::string(codec.name) + " is not part of this build"};
        return codec.id;
    }
    return status{errc::unsupported, "the laconic filter does not know codec " + std::to_string(number)};
}

}  // namespace

result<parameters> parameters::read(std::span<const unsigned> values) {
    const bool from_user = values.size() == user_parameters || values.size() == user_parameters_with_codec;
    if (!from_user && values.size() != stored_parameters && values.size() != all_parameters)
        return status{errc::invalid_argument, "the laconic filter takes 5 parameters or 6; see docs/guide/hdf5.md"};
    if (values[at_version] != format_version)
        return status{errc::unsupported, "the laconic filter's parameters have version " +
                                             std::to_string(values[at_version]) + "; this build knows version 1"};
    if (values[at_kind] > 1)
        return status{errc::invalid_argument, "the kind of bound is " + std::to_string(values[at_kind]) +
                                                  "; give 0 (absolute) or 1 (relative)"};
    parameters read;
    read.limit.kind = values[at_kind] == 0 ? bound_kind::absolute : bound_kind::relative;
    read.limit.value = std::bit_cast<double>(joined(values[at_bound_low], values[at_bound_high]));
    if (!std::isfinite(read.limit.value) || read.limit.value < 0)
        return status{errc::invalid_bound,
                      "the bound is negative, infinite or NaN; give the two halves of a double "
                      "> 0, or of 0 for lossless"};
    if ((values[at_flags] & ~known_flags) != 0)
        return status{errc::unsupported, "the laconic filter's flags are " + std::to_string(values[at_flags]) +
                                             "; this build knows 1 (checksum) and 4 (rows), and their sum"};
    read.checksum = (values[at_flags] & flag_checksum) != 0;
    read.rows = (values[at_flags] & flag_rows) != 0;
    unsigned codec = 0;
    if (values.size() == user_parameters_with_codec) codec = values[at_user_codec];
    if (values.size() == all_parameters) codec = values[at_codec];
    const auto known = codec_of(codec);
    if (!known) return known.error();
    read.codec = *known;
    if (from_user) return read;
    if (values[at_type] > 2)
        return status{errc::unsupported,
                      "the laconic filter does not know element type " + std::to_string(values[at_type])};
    if (values[at_type] != 0) read.type = static_cast<element_type>(values[at_type]);
    read.count = joined(values[at_count_low], values[at_count_high]);
    if ((values[at_flags] & flag_fill) != 0) read.fill = joined(values[at_fill_low], values[at_fill_high]);
    if (values.size() == all_parameters) read.row_length = values[at_row_length];
    return read;
}

parameter_values parameters::write() const noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(limit.value);
    parameter_values all;
    auto& values = all.values;
    values[at_version] = format_version;
    values[at_kind] = limit.kind == bound_kind::absolute ? 0 : 1;
    values[at_bound_low] = low_half(bits);
    values[at_bound_high] = high_half(bits);
    values[at_flags] = (checksum ? flag_checksum : 0U) | (fill ? flag_fill : 0U) | (rows ? flag_rows : 0U);
    values[at_type] = type ? static_cast<unsigned>(*type) : 0U;
    values[at_count_low] = low_half(count);
    values[at_count_high] = high_half(count);
    values[at_fill_low] = low_half(fill.value_or(0));
    values[at_fill_high] = high_half(fill.value_or(0));
    values[at_codec] = static_cast<unsigned>(codec);
    values[at_row_length] = row_length;
    if (codec == codec_id::fle && !rows) all.count = stored_parameters;
    return all;
}

}  // namespace laconic::hdf5
