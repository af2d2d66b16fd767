// SPDX-License-Identifier: BSD-3-Clause
// Decompress, combine, compress. Where every hop recompresses final values it usually gets the same bytes again; where
// it does not, the bytes that came are passed on, so that errors do not grow and all ranks end with the same bits.
#include "collective/payload_coded.hpp"

#include <algorithm>
#include <cstring>

#include "codec/frame.hpp"
#include "codec/payload_codec.hpp"
#include "collective/elements.hpp"

namespace laconic::collective {
namespace {

/// What C-Coll compresses between two looks at its messages; a chunk of fle is 2048 values.
constexpr std::size_t pipeline_values = 6144;

template <class T>
codec::frame_header header_of(const piece_codec& codec, std::size_t count, double limit) {
    codec::frame_header header;
    header.codec = codec.codec;
    header.type = element_type_of<T>::value;
    header.count = count;
    header.step = codec.codec == codec_id::zfp_rate ? codec.rate : 0;
    header.contribution_bound = codec.codec == codec_id::zfp_rate ? 0 : limit;
    return header;
}

}  // namespace

template <class T>
std::size_t payload_coded<T>::portion(std::size_t count) const noexcept {
    return when_ == recoding::in_chunks ? std::min(count, pipeline_values) : count;
}

template <class T>
std::size_t payload_coded<T>::wire_bound(std::size_t count) const noexcept {
    const auto bound = [&](std::size_t values) {
        return codec_.codec == codec_id::fle ? codec::bare_bound(element_type_of<T>::value, values)
                                             : codec::payload_bound(codec_.codec, element_type_of<T>::value, values);
    };
    if (when_ != recoding::in_chunks || count == 0) return bound(count);
    const std::size_t portions = (count + pipeline_values - 1) / pipeline_values;
    return portions * (sizeof(std::uint32_t) + bound(std::min(count, pipeline_values)));
}

template <class T>
message payload_coded<T>::begin(part piece, std::span<std::byte> scratch) {
    return encode(data_.local(piece), scratch);
}

template <class T>
message payload_coded<T>::combine(part piece, const operands& what) {
    const std::size_t count = piece.in.count;
    const std::span<T> partial = values(0, count);
    if (!decode(what.received, partial)) return {};
    std::span<const T> ours = data_.local(piece);
    if (!what.state.empty()) {
        const std::span<T> held = values(1, count);
        if (!decode(what.state, held)) return {};
        ours = held;
    }
    {
        const stopwatch watch(times_.combine_s);
        data_.combine(partial.data(), partial.data(), ours.data(), count);
    }
    return encode(partial, what.scratch);
}

template <class T>
message payload_coded<T>::relay(part piece, std::span<const std::byte> received, std::span<std::byte> scratch,
                                bool finishes) {
    if (when_ != recoding::every_hop) return {received, home::received, false};
    const std::span<T> decoded = finishes ? data_.result(piece) : values(0, piece.out.count);
    if (!decode(received, decoded)) return {};
    message passed_on = encode(decoded, scratch);
    if (!std::ranges::equal(passed_on.bytes, received)) passed_on = {received, home::received, false};
    if (finishes && data_.divisor != 1) divide_elements<T>(decoded.data(), decoded.size(), data_.divisor);
    passed_on.finished = finishes;
    return passed_on;
}

template <class T>
void payload_coded<T>::finish(part piece, std::span<const std::byte> final_message) {
    const std::span<T> result = data_.result(piece);
    if (decode(final_message, result) && data_.divisor != 1)
        divide_elements<T>(result.data(), result.size(), data_.divisor);
}

template <class T>
bool payload_coded<T>::decode(std::span<const std::byte> from, std::span<T> to) {
    const stopwatch watch(times_.decompress_s);
    status done;
    if (when_ != recoding::in_chunks) {
        done = decode_portion(from, to);
    } else {
        for (std::size_t at = 0; at < to.size() && done.ok(); at += pipeline_values) {
            std::uint32_t size = 0;
            if (from.size() >= sizeof size) std::memcpy(&size, from.data(), sizeof size);
            if (from.size() < sizeof size + size) {
                done = {errc::truncated, "a message ends in the middle of a portion"};
                break;
            }
            done = decode_portion(from.subspan(sizeof size, size),
                                  to.subspan(at, std::min(pipeline_values, to.size() - at)));
            from = from.subspan(sizeof size + size);
            poll();
        }
        if (done.ok() && !from.empty()) done = {errc::corrupt, "a message is longer than its portions"};
    }
    const bool ok = done.ok();
    if (!ok) this->fail(std::move(done));
    return ok;
}

template <class T>
message payload_coded<T>::encode(std::span<const T> from, std::span<std::byte> scratch) {
    const stopwatch watch(times_.compress_s);
    std::size_t used = 0;
    const std::size_t each = portion(from.size());
    for (std::size_t at = 0; at < from.size(); at += each) {
        const bool framed = when_ == recoding::in_chunks;
        const std::size_t start = used + (framed ? sizeof(std::uint32_t) : 0);
        const auto size = encode_portion(from.subspan(at, std::min(each, from.size() - at)), scratch.subspan(start));
        if (!size) {
            this->fail(size.error());
            return {};
        }
        const auto length = static_cast<std::uint32_t>(*size);
        if (framed) std::memcpy(scratch.data() + used, &length, sizeof length);
        used = start + *size;
        if (framed) poll();
    }
    return {scratch.first(used), home::scratch, false};
}

template <class T>
result<std::size_t> payload_coded<T>::encode_portion(std::span<const T> from, std::span<std::byte> to) {
    if (codec_.codec == codec_id::fle) return codec::encode<T>(from, plan_.how, to).bytes;
    return codec::write_payload<T>(from, header_of<T>(codec_, from.size(), plan_.contribution_bound), {}, to);
}

template <class T>
status payload_coded<T>::decode_portion(std::span<const std::byte> from, std::span<T> to) {
    if (codec_.codec == codec_id::fle) return codec::decode<T>(from, plan_.how.step, plan_.magnitude, to);
    codec::frame_header header = header_of<T>(codec_, to.size(), plan_.contribution_bound);
    header.payload_bytes = from.size();
    return codec::read_payload<T>(header, from, to, {});
}

template class payload_coded<float>;
template class payload_coded<double>;
template class payload_coded<half>;
template class payload_coded<bfloat16>;

}  // namespace laconic::collective
