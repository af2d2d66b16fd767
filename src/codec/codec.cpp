// SPDX-License-Identifier: BSD-3-Clause
// Arrays to frames and back: the step is chosen, the codec named in the header does its work, the frame is sealed.
#include "laconic/codec.hpp"

#include "codec/float_environment.hpp"
#include "codec/frame_parts.hpp"
#include "codec/payload_codec.hpp"
#include "codec/spans.hpp"

namespace laconic {
namespace {

using namespace codec;

/// Raw blocks beyond this share are worth a second look at the step.
constexpr std::uint64_t tolerable_raw_share = 1024;

template <class T>
struct encoded {
    step_choice<T> choice;
    span_outcome report;
};

template <class T>
class encode_job final : public span_job {
public:
    encode_job(std::span<const T> values, const quantiser<T>& how) noexcept : values_(values), how_(how) {}
    span_outcome run(unsigned, std::size_t first, std::size_t count, sink out) noexcept override {
        const encode_report seen = current_kernels<T>().encode(bytes_of(values_) + first * sizeof(T), count, how_, out);
        span_outcome outcome;
        outcome.bytes = seen.bytes;
        outcome.magnitude = seen.magnitude;
        outcome.raw_blocks = seen.raw_blocks;
        return outcome;
    }

private:
    std::span<const T> values_;
    const quantiser<T>& how_;
};

template <class T>
encoded<T> encode_with(std::span<const T> values, const step_choice<T>& choice, const run_options& run,
                       sink out) noexcept {
    encode_job<T> job(values, choice.contribution);
    const std::size_t most = bare_bound(element_type_of<T>::value, span_values);
    return {choice, write_spans(job, values.size(), most, run, out)};
}

/// Absolute bound: no look at the data before encoding. Only when its integers turn out to be beyond the reach of the
/// step, or many blocks went raw, the magnitude is measured and the array encoded again if that calls for a smaller
/// step; whichever is shorter stays.
template <class T>
encoded<T> encode_absolute(std::span<const T> values, double e, const frame_options& options, sink out) noexcept {
    const std::uint32_t row = usable_row(options.row_length);
    step_choice<T> choice = choose_step<T>(e, options.max_abs);
    choice.contribution.row = row;
    if (options.max_abs >= 0 || e == 0) return encode_with(values, choice, options.run, out);
    step_choice<T> trial = choice;
    trial.contribution.reach = static_cast<std::uint64_t>(integer_limits<T>::contribution);
    const encoded<T> first = encode_with(values, trial, options.run, out);
    const bool in_reach = first.report.magnitude <= choice.contribution.reach;
    const bool well = in_reach && first.report.raw_blocks * tolerable_raw_share <= blocks_in(values.size());
    if (first.report.cancelled || well) return first;
    step_choice<T> better = choose_step<T>(e, static_cast<double>(range_of(values).max_abs));
    better.contribution.row = row;
    if (in_reach && better.contribution.step == choice.contribution.step) return first;
    const encoded<T> second = encode_with(values, better, options.run, out);
    if (second.report.cancelled || !in_reach || second.report.bytes < first.report.bytes) return second;
    return encode_with(values, choice, options.run, out);
}

/// A relative bound, or a type whose own rounding must be known beforehand: the range comes first.
template <class T>
encoded<T> encode_ranged(std::span<const T> values, bound limit, double& e, const frame_options& options,
                         sink out) noexcept {
    auto choice = choose_ranged_step(values, limit, options.max_abs, e);
    choice.contribution.row = usable_row(options.row_length);
    return encode_with(values, choice, options.run, out);
}

template <class T>
result<std::size_t> compress_fle(std::span<const T> values, bound limit, std::span<std::byte> out,
                                 const frame_options& options) {
    std::byte* const table = out.data() + frame_header_bytes;
    const sink to{table + table_bytes(codec_id::fle, values.size()), table};
    double e = limit.value;
    const bool look_first = limit.kind == bound_kind::relative || (sizeof(T) == 2 && e > 0);
    const encoded<T> done =
        look_first ? encode_ranged(values, limit, e, options, to) : encode_absolute(values, e, options, to);
    if (status bad = explain(done.report); !bad.ok()) return bad;
    frame_header header;
    header.type = element_type_of<T>::value;
    header.checksummed = options.checksum;
    header.count = values.size();
    header.step = static_cast<double>(done.choice.contribution.step);
    header.contribution_bound = sizeof(T) == 2 ? done.choice.contribution_bound : e;
    header.magnitude = done.report.magnitude;
    header.row = done.choice.contribution.row;
    header.payload_bytes = done.report.bytes;
    return seal_frame(header, out.data());
}

/// The other codecs write one payload and know nothing of steps.
template <class T>
result<std::size_t> compress_other(std::span<const T> values, bound limit, std::span<std::byte> out,
                                   const frame_options& options) {
    frame_header header;
    header.codec = options.codec;
    header.type = element_type_of<T>::value;
    header.checksummed = options.checksum;
    header.count = values.size();
    header.step = options.codec == codec_id::zfp_rate ? options.rate : 0;
    header.contribution_bound = limit.value;
    if (limit.kind == bound_kind::relative) {
        const value_range<T> range = range_of(values);
        header.contribution_bound =
            resolve_bound(limit, static_cast<double>(range.min), static_cast<double>(range.max));
    }
    if (options.codec == codec_id::zfp_rate || options.codec == codec_id::raw) header.contribution_bound = 0;
    auto bytes = write_payload(values, header, options.run, out.subspan(frame_header_bytes));
    if (!bytes) return bytes.error();
    header.payload_bytes = *bytes;
    return seal_frame(header, out.data());
}

template <class T>
class decode_job final : public span_job {
public:
    decode_job(const sequence& from, const restore_rule<T>& how, std::span<T> values) noexcept
        : from_(from), how_(how), values_(values) {}
    span_outcome run(unsigned thread, std::size_t first, std::size_t count, sink) noexcept override {
        span_outcome outcome;
        const sequence part = from_[thread].part(first, count, values_.size());
        std::byte* const to = reinterpret_cast<std::byte*>(values_.data()) + first * sizeof(T);
        bool exact = true;  // inspect() tells
        outcome.bytes = part.size;
        outcome.fault = part.bytes == nullptr && count > 0 ? stream_fault::corrupt
                                                           : current_kernels<T>().decode(part, how_, to, count, exact);
        return outcome;
    }

private:
    chunk_walkers from_;
    const restore_rule<T>& how_;
    std::span<T> values_;
};

}  // namespace

std::size_t compress_bound(element_type type, std::size_t count, codec_id codec) noexcept {
    if (codec != codec_id::fle) return frame_header_bytes + payload_bound(codec, type, count);
    return frame_header_bytes + table_bytes(codec, count) + bare_bound(type, count);
}

template <class T>
result<std::size_t> compress(std::span<const T> values, bound limit, std::span<std::byte> out,
                             const frame_options& options) {
    const float_environment standard;
    if (status bad = check_bound(limit); !bad.ok()) return bad;
    if (status bad = check_codec(options.codec, element_type_of<T>::value, options.rate); !bad.ok()) return bad;
    const std::size_t need = compress_bound(element_type_of<T>::value, values.size(), options.codec);
    if (out.size() < need) return too_small(out.size(), need);
    return options.codec == codec_id::fle ? compress_fle(values, limit, out, options)
                                          : compress_other(values, limit, out, options);
}

template <class T>
status decompress(std::span<const std::byte> frame, std::span<T> values, const run_options& run) {
    const float_environment standard;
    auto parsed = parse_for<T>(frame, values.size());
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    if (header.codec != codec_id::fle) return read_payload(header, parsed->payload, values, run);
    const restore_rule<T> how{static_cast<real_type<T>>(header.step), 1, header.magnitude, header.row};
    decode_job<T> job(sequence_of(*parsed), how, values);
    return explain(read_spans(job, values.size(), run));
}

result<frame_info> inspect(std::span<const std::byte> frame) {
    const float_environment standard;
    auto parsed = parse_frame(frame);
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    frame_info info;
    info.version = frame_version;
    info.codec = header.codec;
    info.type = header.type;
    info.count = header.count;
    info.bound = header.contribution_bound * header.contributions;
    info.step = header.step;
    info.row_length = header.row;
    info.contributions = header.contributions;
    info.magnitude = header.magnitude;
    info.frame_bytes = frame.size();
    info.checksummed = header.checksummed;
    info.exact_sums = header.exact;
    if (header.codec != codec_id::fle) {
        if (status bad = check_payload(header, parsed->payload); !bad.ok()) return bad;
        return info;
    }
    auto counted = census(header.type, parsed->payload, static_cast<std::size_t>(header.count), parsed->table);
    if (!counted) return counted.error();
    info.blocks = counted->blocks;
    info.zero_blocks = counted->zero_blocks;
    info.raw_blocks = counted->raw_blocks;
    info.exact_sums &= counted->exact;
    return info;
}

template <class T>
value_range<T> range_of(std::span<const T> values) noexcept {
    const float_environment standard;
    value_range<T> found;
    current_kernels<T>().range(bytes_of(values), values.size(), found);
    return found;
}

#define LACONIC_INSTANTIATE(T)                                                                                    \
    template result<std::size_t> compress(std::span<const T>, bound, std::span<std::byte>, const frame_options&); \
    template status decompress(std::span<const std::byte>, std::span<T>, const run_options&);                     \
    template value_range<T> range_of(std::span<const T>) noexcept;

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic
