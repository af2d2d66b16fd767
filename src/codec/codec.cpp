// SPDX-License-Identifier: BSD-3-Clause
// The public codec: arrays and frames in, frames, arrays and descriptions out.
#include "laconic/codec.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.hpp"
#include "codec/engine.hpp"
#include "codec/float_environment.hpp"
#include "codec/frame.hpp"
#include "codec/layout.hpp"

namespace laconic {
namespace {

using namespace codec;
using base::format_real;

template <class T>
const std::byte* bytes_of(std::span<const T> values) noexcept {
    return reinterpret_cast<const std::byte*>(values.data());
}

status check_bound(bound limit) {
    if (std::isfinite(limit.value) && limit.value >= 0) return {};
    return {errc::invalid_bound,
            "the error bound is " + format_real(limit.value) + "; give a finite number > 0, or 0 for lossless"};
}

/// Raw blocks beyond this share are worth a second look at the step.
constexpr std::uint64_t tolerable_raw_share = 1024;

template <class T>
struct encoded {
    step_choice<T> choice;
    encode_report report;
};

template <class T>
encoded<T> encode_with(std::span<const T> values, const step_choice<T>& choice, sink out) noexcept {
    return {choice, current_kernels<T>().encode(bytes_of(values), values.size(), choice.contribution, out)};
}

/// Absolute bound: no look at the data before encoding. Only when its integers turn out to be beyond the reach of the
/// step, or many blocks went raw, the magnitude is measured and the array encoded again if that calls for a smaller
/// step; whichever is shorter stays.
template <class T>
encoded<T> encode_absolute(std::span<const T> values, double e, double max_abs, sink out) noexcept {
    const step_choice<T> choice = choose_step<T>(e, max_abs);
    if (max_abs >= 0 || e == 0) return encode_with(values, choice, out);
    step_choice<T> trial = choice;
    trial.contribution.reach = static_cast<std::uint64_t>(integer_limits<T>::contribution);
    const encoded<T> first = encode_with(values, trial, out);
    const bool in_reach = first.report.magnitude <= choice.contribution.reach;
    if (in_reach && first.report.raw_blocks * tolerable_raw_share <= blocks_in(values.size())) return first;
    const step_choice<T> better = choose_step<T>(e, static_cast<double>(range_of(values).max_abs));
    if (in_reach && better.contribution.step == choice.contribution.step) return first;
    const encoded<T> second = encode_with(values, better, out);
    return !in_reach || second.report.bytes < first.report.bytes ? second : encode_with(values, choice, out);
}

template <class T>
encoded<T> encode_relative(std::span<const T> values, double lambda, double& e, sink out) noexcept {
    const value_range<T> range = range_of(values);
    e = resolve_bound(bound::rel(lambda), static_cast<double>(range.min), static_cast<double>(range.max));
    const auto choice = range.min == range.max ? choose_constant_step(range.min)
                                               : choose_step<T>(e, static_cast<double>(range.max_abs));
    return encode_with(values, choice, out);
}

std::size_t frame_overhead(std::size_t count) noexcept { return frame_header_bytes + table_bytes(count); }

template <class T>
status check_type(const frame_header& header) {
    if (header.type == element_type_of<T>::value) return {};
    return {errc::mismatch, std::string("the frame holds ") + (header.type == element_type::f32 ? "f32" : "f64") +
                                ", the array is " + (sizeof(T) == 4 ? "f32" : "f64")};
}

status check_count(std::uint64_t frame, std::uint64_t array) {
    if (frame == array) return {};
    return {errc::mismatch,
            "the frame holds " + std::to_string(frame) + " elements, the other operand " + std::to_string(array)};
}

/// A frame that holds `count` elements of T.
template <class T>
result<parsed_frame> parse_for(std::span<const std::byte> frame, std::size_t count) {
    auto parsed = parse_frame(frame);
    if (!parsed) return parsed.error();
    if (status bad = check_type<T>(parsed->header); !bad.ok()) return bad;
    if (status bad = check_count(parsed->header.count, count); !bad.ok()) return bad;
    return parsed;
}

/// Header of a sum. Fails when the number of contributions no longer fits its field.
result<frame_header> sum_header(const frame_header& a, std::uint64_t magnitude, std::uint32_t contributions) {
    const auto limit = static_cast<std::uint64_t>(a.type == element_type::f32 ? integer_limits<float>::sum
                                                                              : integer_limits<double>::sum);
    frame_header sum = a;
    // The kernels keep larger integers out of the sum.
    sum.magnitude = std::min(a.magnitude + magnitude, limit);
    sum.contributions = a.contributions + contributions;
    if (sum.contributions < contributions)
        return status{errc::unsupported, "the sum would have more than 2^32 - 1 contributions"};
    return sum;
}

template <class T>
result<std::size_t> add_frames(const parsed_frame& a, const parsed_frame& b, std::span<const std::byte> whole_a,
                               std::span<std::byte> out) {
    auto header = sum_header(a.header, b.header.magnitude, b.header.contributions);
    if (!header) return header.error();
    const auto count = static_cast<std::size_t>(a.header.count);
    sequence left{a.payload.data(), a.payload.size(), a.table};
    if (whole_a.data() == out.data()) {
        // Its table is about to be overwritten, so it is compared beforehand.
        if (auto sound = census(a.header.type, a.payload, count, a.table); !sound) return sound.error();
        left = move_to_end(a.payload, out);
    }
    std::byte* const table = out.data() + frame_header_bytes;
    sum_report report;
    const stream_fault fault = current_kernels<T>().add(
        left, {b.payload.data(), b.payload.size(), b.table}, count, static_cast<T>(a.header.step),
        a.header.magnitude + b.header.magnitude, {table + table_bytes(count), table}, report);
    if (fault != stream_fault::none) return explain(fault);
    header->payload_bytes = report.bytes;
    header->exact = a.header.exact && b.header.exact && report.exact;
    header->checksummed = a.header.checksummed || b.header.checksummed;
    return seal_frame(*header, out.data());
}

}  // namespace

std::size_t compress_bound(element_type type, std::size_t count) noexcept {
    return frame_overhead(count) + bare_bound(type, count);
}

std::size_t sum_bound(element_type type, std::size_t count) noexcept {
    return frame_overhead(count) + bare_sum_bound(type, count);
}

template <class T>
result<std::size_t> compress(std::span<const T> values, bound limit, std::span<std::byte> out,
                             const frame_options& options) {
    const float_environment standard;
    if (status bad = check_bound(limit); !bad.ok()) return bad;
    const std::size_t need = compress_bound(element_type_of<T>::value, values.size());
    if (out.size() < need) return too_small(out.size(), need);
    std::byte* const table = out.data() + frame_header_bytes;
    const sink to{table + table_bytes(values.size()), table};
    double e = limit.value;
    const encoded<T> done = limit.kind == bound_kind::relative ? encode_relative(values, limit.value, e, to)
                                                               : encode_absolute(values, e, options.max_abs, to);
    frame_header header;
    header.type = element_type_of<T>::value;
    header.checksummed = options.checksum;
    header.count = values.size();
    header.step = static_cast<double>(done.choice.contribution.step);
    header.contribution_bound = e;
    header.magnitude = done.report.magnitude;
    header.payload_bytes = done.report.bytes;
    return seal_frame(header, out.data());
}

template <class T>
status decompress(std::span<const std::byte> frame, std::span<T> values) {
    const float_environment standard;
    auto parsed = parse_for<T>(frame, values.size());
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    return explain(current_kernels<T>().decode({parsed->payload.data(), parsed->payload.size(), parsed->table},
                                               {static_cast<T>(header.step), 1, header.magnitude},
                                               reinterpret_cast<std::byte*>(values.data()), values.size()));
}

result<frame_info> inspect(std::span<const std::byte> frame) {
    const float_environment standard;
    auto parsed = parse_frame(frame);
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    auto counted = census(header.type, parsed->payload, static_cast<std::size_t>(header.count), parsed->table);
    if (!counted) return counted.error();
    frame_info info;
    info.version = frame_version;
    info.type = header.type;
    info.count = header.count;
    info.bound = header.contribution_bound * header.contributions;
    info.step = header.step;
    info.contributions = header.contributions;
    info.magnitude = header.magnitude;
    info.frame_bytes = frame.size();
    info.blocks = counted->blocks;
    info.zero_blocks = counted->zero_blocks;
    info.raw_blocks = counted->raw_blocks;
    info.exact_sums = header.exact && counted->exact;
    info.checksummed = header.checksummed;
    return info;
}

result<std::size_t> add(std::span<const std::byte> a, std::span<const std::byte> b, std::span<std::byte> out) {
    const float_environment standard;
    auto left = parse_frame(a);
    if (!left) return left.error();
    auto right = parse_frame(b);
    if (!right) return right.error();
    const frame_header& l = left->header;
    const frame_header& r = right->header;
    if (l.type != r.type) return status{errc::mismatch, "one frame holds f32, the other f64"};
    if (status bad = check_count(l.count, r.count); !bad.ok()) return bad;
    if (l.step != r.step || l.contribution_bound != r.contribution_bound)
        return status{errc::mismatch, "the frames have steps " + format_real(l.step) + " and " + format_real(r.step) +
                                          " (bounds " + format_real(l.contribution_bound) + " and " +
                                          format_real(r.contribution_bound) +
                                          "); compress both with the same absolute bound and maximum magnitude"};
    const std::size_t need = sum_bound(l.type, static_cast<std::size_t>(l.count));
    if (out.size() < need) return too_small(out.size(), need);
    return l.type == element_type::f32 ? add_frames<float>(*left, *right, a, out)
                                       : add_frames<double>(*left, *right, a, out);
}

template <class T>
result<std::size_t> add(std::span<const T> values, std::span<const std::byte> frame, std::span<std::byte> out) {
    const float_environment standard;
    auto parsed = parse_for<T>(frame, values.size());
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    const std::size_t need = sum_bound(header.type, values.size());
    if (out.size() < need) return too_small(out.size(), need);
    quantiser<T> how = choose_step<T>(header.contribution_bound, -1).contribution;
    how.step = static_cast<T>(header.step);
    how.inverse = T{1} / how.step;
    how.reach = reach_of(how.step, how.limit);

    std::byte* const table = out.data() + frame_header_bytes;
    sum_report report;
    const stream_fault fault = current_kernels<T>().add_values(
        bytes_of(values), values.size(), how, {parsed->payload.data(), parsed->payload.size(), parsed->table},
        header.magnitude, {table + table_bytes(values.size()), table}, report);
    if (fault != stream_fault::none) return explain(fault);
    auto sum = sum_header(header, report.magnitude, 1);
    if (!sum) return sum.error();
    sum->payload_bytes = report.bytes;
    sum->exact = header.exact && report.exact;
    return seal_frame(*sum, out.data());
}

template <class T>
value_range<T> range_of(std::span<const T> values) noexcept {
    const float_environment standard;
    value_range<T> found;
    current_kernels<T>().range(bytes_of(values), values.size(), found);
    return found;
}

template result<std::size_t> compress(std::span<const float>, bound, std::span<std::byte>, const frame_options&);
template result<std::size_t> compress(std::span<const double>, bound, std::span<std::byte>, const frame_options&);
template status decompress(std::span<const std::byte>, std::span<float>);
template status decompress(std::span<const std::byte>, std::span<double>);
template result<std::size_t> add(std::span<const float>, std::span<const std::byte>, std::span<std::byte>);
template result<std::size_t> add(std::span<const double>, std::span<const std::byte>, std::span<std::byte>);
template value_range<float> range_of(std::span<const float>) noexcept;
template value_range<double> range_of(std::span<const double>) noexcept;

}  // namespace laconic
