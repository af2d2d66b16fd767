// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on frames: headers are matched, spans of chunks go through the engine's loops, a new frame is sealed.
#include "laconic/arithmetic.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/units.hpp"
#include "codec/float_environment.hpp"
#include "codec/frame_parts.hpp"
#include "codec/spans.hpp"

namespace laconic {
namespace {

using namespace codec;
using base::format_real;

enum class operation : std::uint8_t { sum, difference, minimum, maximum };

status check_pair(const frame_header& a, const frame_header& b) {
    if (status bad = only_fle(a); !bad.ok()) return bad;
    if (status bad = only_fle(b); !bad.ok()) return bad;
    if (a.type != b.type)
        return {errc::mismatch, "one frame holds " + std::string(codec::name_of(a.type)) + ", the other " +
                                    std::string(codec::name_of(b.type))};
    if (status bad = check_count(a.count, b.count); !bad.ok()) return bad;
    if (a.row != b.row)
        return {errc::mismatch, "the frames have row lengths " + std::to_string(a.row) + " and " +
                                    std::to_string(b.row) + "; compress both with the same"};
    if (a.step == b.step && a.contribution_bound == b.contribution_bound) return {};
    return {errc::mismatch, "the frames have steps " + format_real(a.step) + " and " + format_real(b.step) +
                                " (bounds " + format_real(a.contribution_bound) + " and " +
                                format_real(b.contribution_bound) +
                                "); compress both with the same absolute bound and maximum magnitude"};
}

std::uint64_t most_magnitude(const frame_header& header) noexcept {
    return static_cast<std::uint64_t>(header.type == element_type::f64 ? sum_limit<double>(header.row)
                                                                       : sum_limit<float>(header.row));
}

/// Header of a result. The kernels keep integers beyond the type's limit out of it.
result<frame_header> result_header(const frame_header& a, std::uint64_t magnitude, std::uint64_t contributions) {
    frame_header result = a;
    result.magnitude = std::min(magnitude, most_magnitude(a));
    if (contributions > ~std::uint32_t{0})
        return status{errc::unsupported, "the result would have more than 2^32 - 1 contributions"};
    result.contributions = static_cast<std::uint32_t>(contributions);
    return result;
}

span_outcome outcome_of(stream_fault fault, const sum_report& report) noexcept {
    span_outcome outcome;
    outcome.fault = fault;
    outcome.bytes = report.bytes;
    outcome.exact = report.exact;
    outcome.magnitude = report.magnitude;
    return outcome;
}

bool is_lost(const sequence& part, std::size_t count) noexcept { return part.bytes == nullptr && count > 0; }

template <class T>
class pair_job final : public span_job {
public:
    pair_job(operation what, const sequence& a, const sequence& b, std::size_t count, const sum_rule<T>& how) noexcept
        : what_(what), a_(a), b_(b), count_(count), how_(how) {}
    span_outcome run(unsigned thread, std::size_t first, std::size_t count, sink out) noexcept override {
        const sequence a = a_[thread].part(first, count, count_);
        const sequence b = b_[thread].part(first, count, count_);
        if (is_lost(a, count) || is_lost(b, count)) return outcome_of(stream_fault::corrupt, {});
        const kernels<T>& engine = current_kernels<T>();
        sum_report report;
        stream_fault fault = stream_fault::none;
        switch (what_) {
            case operation::sum: fault = engine.add(a, b, count, how_, out, report); break;
            case operation::difference: fault = engine.subtract(a, b, count, how_, out, report); break;
            case operation::minimum: fault = engine.extreme(a, b, count, false, how_, out, report); break;
            case operation::maximum: fault = engine.extreme(a, b, count, true, how_, out, report); break;
        }
        return outcome_of(fault, report);
    }

private:
    operation what_;
    chunk_walkers a_, b_;
    std::size_t count_;
    const sum_rule<T>& how_;
};

template <class T>
class scale_job final : public span_job {
public:
    scale_job(const sequence& a, std::int32_t factor, std::size_t count, const sum_rule<T>& how) noexcept
        : a_(a), factor_(factor), count_(count), how_(how) {}
    span_outcome run(unsigned thread, std::size_t first, std::size_t count, sink out) noexcept override {
        const sequence a = a_[thread].part(first, count, count_);
        if (is_lost(a, count)) return outcome_of(stream_fault::corrupt, {});
        sum_report report;
        return outcome_of(current_kernels<T>().scale(a, factor_, count, how_, out, report), report);
    }

private:
    chunk_walkers a_;
    std::int32_t factor_;
    std::size_t count_;
    const sum_rule<T>& how_;
};

template <class T>
class fuse_job final : public span_job {
public:
    fuse_job(std::span<const T> values, const quantiser<T>& how, const sequence& b, std::uint64_t magnitude) noexcept
        : values_(values), how_(how), b_(b), magnitude_(magnitude) {}
    span_outcome run(unsigned thread, std::size_t first, std::size_t count, sink out) noexcept override {
        const sequence b = b_[thread].part(first, count, values_.size());
        if (is_lost(b, count)) return outcome_of(stream_fault::corrupt, {});
        sum_report report;
        return outcome_of(current_kernels<T>().add_values(bytes_of(values_) + first * sizeof(T), count, how_, b,
                                                          magnitude_, out, report),
                          report);
    }

private:
    std::span<const T> values_;
    const quantiser<T>& how_;
    chunk_walkers b_;
    std::uint64_t magnitude_;
};

/// Where the chunks of a result go.
sink sink_of(const frame_header& header, std::span<std::byte> out) noexcept {
    std::byte* const table = out.data() + frame_header_bytes;
    return {table + table_bytes(codec_id::fle, header.count), table};
}

/// The chunks of an operand; one that lies where the result goes is moved out of its way, table and all.
sequence operand(const parsed_frame& a, std::span<const std::byte> whole, std::span<std::byte> out) noexcept {
    if (whole.data() != out.data()) return sequence_of(a);
    const std::size_t table = table_bytes(codec_id::fle, a.header.count);
    std::byte* const moved_table = out.data() + out.size() - table;
    std::byte* const moved = moved_table - a.payload.size();
    // The later part first: it may lie where the earlier one comes from.
    std::byte* const old_table = out.data() + frame_header_bytes;
    std::memmove(moved, a.payload.data(), a.payload.size());
    std::memcpy(moved_table, old_table, table);
    return {moved, a.payload.size(), moved_table};
}

result<std::size_t> finish(frame_header& header, const span_outcome& done, std::span<std::byte> out) {
    if (status bad = explain(done); !bad.ok()) return bad;
    header.payload_bytes = done.bytes;
    header.exact &= done.exact;
    return seal_frame(header, out.data());
}

template <class T>
result<std::size_t> combine_frames(operation what, const parsed_frame& a, const parsed_frame& b,
                                   std::span<const std::byte> whole_a, std::span<std::byte> out,
                                   const run_options& run) {
    const bool adds = what == operation::sum || what == operation::difference;
    const std::uint64_t magnitude =
        adds ? a.header.magnitude + b.header.magnitude : std::max(a.header.magnitude, b.header.magnitude);
    const std::uint64_t contributions = adds ? std::uint64_t{a.header.contributions} + b.header.contributions
                                             : std::max(a.header.contributions, b.header.contributions);
    auto header = result_header(a.header, magnitude, contributions);
    if (!header) return header.error();
    header->exact &= b.header.exact;
    header->checksummed |= b.header.checksummed;
    const sequence left = operand(a, whole_a, out);
    const auto count = static_cast<std::size_t>(a.header.count);
    const sum_rule<T> how{static_cast<real_type<T>>(a.header.step), a.header.row, magnitude};
    pair_job<T> job(what, left, sequence_of(b), count, how);
    return finish(*header,
                  write_spans(job, count, bare_sum_bound(a.header.type, span_values), run, sink_of(*header, out)), out);
}

result<std::size_t> combine(operation what, std::span<const std::byte> a, std::span<const std::byte> b,
                            std::span<std::byte> out, const run_options& run) {
    const float_environment standard;
    auto left = parse_frame(a);
    if (!left) return left.error();
    auto right = parse_frame(b);
    if (!right) return right.error();
    if (status bad = check_pair(left->header, right->header); !bad.ok()) return bad;
    const std::size_t need = sum_bound(left->header.type, static_cast<std::size_t>(left->header.count));
    if (out.size() < need) return too_small(out.size(), need);
    return with_element(left->header.type,
                        [&](auto zero) { return combine_frames<decltype(zero)>(what, *left, *right, a, out, run); });
}

template <class T>
result<std::size_t> scale_frame(const parsed_frame& a, std::int32_t factor, std::span<const std::byte> whole,
                                std::span<std::byte> out, const run_options& run) {
    const auto size = static_cast<std::uint64_t>(std::abs(std::int64_t{factor}));
    // Neither 2^61 * 2^31 nor the number of contributions may wrap.
    const std::uint64_t limit = most_magnitude(a.header);
    const std::uint64_t magnitude =
        size != 0 && a.header.magnitude > 2 * limit / size ? 2 * limit : a.header.magnitude * size;
    auto header = result_header(a.header, magnitude, a.header.contributions * std::max<std::uint64_t>(size, 1));
    if (!header) return header.error();
    const auto count = static_cast<std::size_t>(a.header.count);
    const sum_rule<T> how{static_cast<real_type<T>>(a.header.step), a.header.row, magnitude};
    scale_job<T> job(operand(a, whole, out), factor, count, how);
    return finish(*header,
                  write_spans(job, count, bare_sum_bound(a.header.type, span_values), run, sink_of(*header, out)), out);
}

template <class T>
result<std::size_t> fuse_frame(std::span<const T> values, const parsed_frame& b, std::span<std::byte> out,
                               const run_options& run) {
    const frame_header& header = b.header;
    const auto how = quantiser_of<T>(static_cast<real_type<T>>(header.step), header.contribution_bound, header.row);
    fuse_job<T> job(values, how, sequence_of(b), header.magnitude);
    const span_outcome done =
        write_spans(job, values.size(), bare_sum_bound(header.type, span_values), run, sink_of(header, out));
    auto sum = result_header(header, header.magnitude + done.magnitude, std::uint64_t{header.contributions} + 1);
    if (!sum) return sum.error();
    return finish(*sum, done, out);
}

}  // namespace

std::size_t sum_bound(element_type type, std::size_t count) noexcept {
    // The second table is room for that of an operand that is moved out of the way.
    return frame_header_bytes + 2 * table_bytes(codec_id::fle, count) + bare_sum_bound(type, count);
}

result<std::size_t> add(std::span<const std::byte> a, std::span<const std::byte> b, std::span<std::byte> out,
                        const run_options& run) {
    return combine(operation::sum, a, b, out, run);
}
result<std::size_t> subtract(std::span<const std::byte> a, std::span<const std::byte> b, std::span<std::byte> out,
                             const run_options& run) {
    return combine(operation::difference, a, b, out, run);
}
result<std::size_t> minimum(std::span<const std::byte> a, std::span<const std::byte> b, std::span<std::byte> out,
                            const run_options& run) {
    return combine(operation::minimum, a, b, out, run);
}
result<std::size_t> maximum(std::span<const std::byte> a, std::span<const std::byte> b, std::span<std::byte> out,
                            const run_options& run) {
    return combine(operation::maximum, a, b, out, run);
}

result<std::size_t> scale(std::span<const std::byte> frame, std::int32_t factor, std::span<std::byte> out,
                          const run_options& run) {
    const float_environment standard;
    auto parsed = parse_frame(frame);
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    if (status bad = only_fle(header); !bad.ok()) return bad;
    const std::size_t need = sum_bound(header.type, static_cast<std::size_t>(header.count));
    if (out.size() < need) return too_small(out.size(), need);
    return with_element(header.type,
                        [&](auto zero) { return scale_frame<decltype(zero)>(*parsed, factor, frame, out, run); });
}

result<std::size_t> negate(std::span<const std::byte> frame, std::span<std::byte> out, const run_options& run) {
    return scale(frame, -1, out, run);
}

template <class T>
result<std::size_t> add(std::span<const T> values, std::span<const std::byte> frame, std::span<std::byte> out,
                        const run_options& run) {
    const float_environment standard;
    auto parsed = parse_for<T>(frame, values.size());
    if (!parsed) return parsed.error();
    if (status bad = only_fle(parsed->header); !bad.ok()) return bad;
    const std::size_t need = sum_bound(parsed->header.type, values.size());
    if (out.size() < need) return too_small(out.size(), need);
    return fuse_frame(values, *parsed, out, run);
}

#define LACONIC_INSTANTIATE(T)                                                                             \
    template result<std::size_t> add(std::span<const T>, std::span<const std::byte>, std::span<std::byte>, \
                                     const run_options&);
LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic
