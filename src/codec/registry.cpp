// SPDX-License-Identifier: BSD-3-Clause
// The table of codecs, and the way to the payloads of those other than fle: a row here is all that the rest of the code
// knows of them.
#include <array>
#include <string>

#include "base/units.hpp"
#include "codec/frame_parts.hpp"
#include "codec/payload_codec.hpp"
#include "codec/raw.hpp"
#include "codec/szx/szx.hpp"
#include "codec/zfp.hpp"

namespace laconic {
namespace codec {
namespace {

#if defined(LACONIC_HAVE_ZFP)
constexpr bool has_zfp = true;
#else
constexpr bool has_zfp = false;
#endif

constexpr std::array table{
    codec_description{codec_id::fle, "fle", "quantise, predict, bit-planes; frames can be added compressed", true, true,
                      true},
    codec_description{codec_id::szx, "szx",
                      "constant blocks and truncated residuals in chunks of 5120 (PIPE-SZx's idea)", true, false, true},
    codec_description{codec_id::zfp_abs, "zfp_abs", "libzfp, fixed accuracy, one-dimensional", true, false, has_zfp},
    codec_description{codec_id::zfp_rate, "zfp_rate", "libzfp, fixed rate, one-dimensional: no error bound", false,
                      false, has_zfp},
    codec_description{codec_id::raw, "raw", "a copy", true, false, true},
};

/// Between the callback of the public interface and that of the codecs.
bool pass_on(void* context, std::uint64_t done, std::uint64_t total, std::uint64_t bytes) {
    const auto& run = *static_cast<const run_options*>(context);
    return run.progress(run.progress_user, {done, total, bytes});
}
progress watch_of(const run_options& run) noexcept {
    if (run.progress == nullptr) return {};
    return {pass_on, const_cast<run_options*>(&run)};
}

result<std::size_t> size_of_payload(const result<coding_report>& done) {
    if (!done) return done.error();
    if (done->cancelled) return cancelled();
    return done->bytes;
}
status outcome_of(const result<coding_report>& done) {
    if (!done) return done.error();
    return done->cancelled ? cancelled() : status{};
}

status wrong_type(codec_id codec, element_type type) {
    return {errc::unsupported, "codec " + std::string(find_codec(codec)->name) + " takes f32 and f64, not " +
                                   std::string(name_of(type)) + "; use fle or raw, or convert the array to float"};
}

}  // namespace

status check_codec(codec_id codec, element_type type, double rate) {
    const codec_description* const row = find_codec(codec);
    if (row == nullptr || !row->available)
        return {errc::unsupported, "codec " +
                                       (row == nullptr ? "number " + std::to_string(static_cast<unsigned>(codec))
                                                       : std::string(row->name)) +
                                       " is not part of this build; `laconic info --codecs` lists what is"};
    const bool any_type = codec == codec_id::fle || codec == codec_id::raw;
    if (!any_type && size_of(type) == 2) return wrong_type(codec, type);
    const auto most = static_cast<double>(8 * size_of(type));
    if (codec == codec_id::zfp_rate && !(rate > 0 && rate <= most))
        return {errc::invalid_argument, "the rate is " + base::format_real(rate) +
                                            " bits per value; give more than 0 and at most " + base::format_real(most)};
    return {};
}

std::size_t payload_bound(codec_id codec, element_type type, std::size_t count) noexcept {
    switch (codec) {
        case codec_id::szx: return szx_bound(type, count);
        case codec_id::zfp_abs: return zfp_abs_bound(type, count);
        case codec_id::zfp_rate: return zfp_rate_bound(type, count, static_cast<double>(8 * size_of(type)));
        default: return raw_bound(type, count);
    }
}

template <class T>
result<std::size_t> write_payload(std::span<const T> values, const frame_header& header, const run_options& run,
                                  std::span<std::byte> out) {
    const progress watch = watch_of(run);
    if constexpr (sizeof(T) != 2) {
        switch (header.codec) {
            case codec_id::szx: return size_of_payload(szx_encode(values, header.contribution_bound, out, watch));
            case codec_id::zfp_abs:
                return size_of_payload(zfp_abs_encode(values, header.contribution_bound, out, watch));
            case codec_id::zfp_rate: return size_of_payload(zfp_rate_encode(values, header.step, out, watch));
            default: break;
        }
    }
    return size_of_payload(raw_encode(values, out, watch));
}

template <class T>
status read_payload(const frame_header& header, std::span<const std::byte> payload, std::span<T> values,
                    const run_options& run) {
    if (status bad = check_payload(header, payload); !bad.ok()) return bad;
    const progress watch = watch_of(run);
    if constexpr (sizeof(T) != 2) {
        switch (header.codec) {
            case codec_id::szx: return outcome_of(szx_decode(payload, values, watch));
            case codec_id::zfp_abs: return outcome_of(zfp_abs_decode(payload, values, watch));
            case codec_id::zfp_rate: return outcome_of(zfp_rate_decode(payload, values, watch));
            default: break;
        }
    }
    return outcome_of(raw_decode(payload, values, watch));
}

status check_payload(const frame_header& header, std::span<const std::byte> payload) {
    if (status bad = check_codec(header.codec, header.type, header.step); !bad.ok()) return bad;
    const std::uint64_t bytes = payload.size();
    const std::size_t width = size_of(header.type);
    // The payload is complete, or the frame would have been refused; so the header contradicts itself.
    if (header.codec == codec_id::raw)
        return explain(bytes == header.count * width ? stream_fault::none : stream_fault::corrupt);
    // No codec here stores more than 64 values a byte, or more bytes than its bound.
    if (header.count / 64 > bytes) return explain(stream_fault::truncated);
    if (bytes > payload_bound(header.codec, header.type, static_cast<std::size_t>(header.count)))
        return explain(stream_fault::corrupt);
    return {};
}

#define LACONIC_INSTANTIATE(T)                                                                              \
    template result<std::size_t> write_payload(std::span<const T>, const frame_header&, const run_options&, \
                                               std::span<std::byte>);                                       \
    template status read_payload(const frame_header&, std::span<const std::byte>, std::span<T>, const run_options&);

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace codec

std::span<const codec_description> codecs() noexcept { return codec::table; }

const codec_description* find_codec(codec_id id) noexcept {
    for (const codec_description& row : codec::table)
        if (row.id == id) return &row;
    return nullptr;
}

result<codec_id> codec_named(std::string_view name) {
    std::string known;
    for (const codec_description& row : codec::table) {
        if (row.name == name) return row.id;
        known.append(known.empty() ? "" : ", ").append(row.name);
    }
    return status{errc::invalid_argument, "there is no codec '" + std::string(name) + "'; use " + known};
}

}  // namespace laconic
