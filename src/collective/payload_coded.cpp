// SPDX-License-Identifier: BSD-3-Clause
// Decompress, combine, compress. Where every hop recompresses final values it usually gets the same bytes again; where
// it does not, the bytes that came are passed on, so that errors do not grow and all ranks end with the same bits.
#include "collective/payload_coded.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <thread>

#include "codec/frame.hpp"
#include "codec/payload_codec.hpp"
#include "collective/elements.hpp"
#include "model/cell.hpp"

namespace laconic::collective {
namespace {

using model::pipeline_values;

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

/// The portion that `from` begins with, behind its size; null when `from` ends before it does.
std::span<const std::byte> first_portion(std::span<const std::byte> from) noexcept {
    std::uint32_t size = 0;
    if (from.size() < sizeof size) return {};
    std::memcpy(&size, from.data(), sizeof size);
    if (from.size() - sizeof size < size) return {};
    return from.subspan(sizeof size, size);
}

/// The values of a part of the portions.
template <class V>
std::span<V> values_of(std::span<V> all, std::size_t portions, unsigned part, unsigned parts) noexcept {
    const auto first = [&](std::size_t k) { return std::min(all.size(), portions * k / parts * pipeline_values); };
    return all.subspan(first(part), first(part + 1) - first(part));
}

}  // namespace

template <class T>
std::size_t payload_coded<T>::portion_bound(std::size_t values) const noexcept {
    return codec_.codec == codec_id::fle ? codec::bare_bound(element_type_of<T>::value, values)
                                         : codec::payload_bound(codec_.codec, element_type_of<T>::value, values);
}

template <class T>
std::size_t payload_coded<T>::framed_bound() const noexcept {
    return sizeof(std::uint32_t) + portion_bound(pipeline_values);
}

template <class T>
unsigned payload_coded<T>::parts_of(std::size_t portions) const noexcept {
    return crew_.parts_for(portions, codec_.codec == codec_id::fle ? codec::crew::least_chunks / 3 : 1);
}

template <class T>
std::size_t payload_coded<T>::chunks_in(std::size_t portions) const noexcept {
    const bool zfp = codec_.codec == codec_id::zfp_abs || codec_.codec == codec_id::zfp_rate;
    return 3 * portions * (zfp ? 50 : codec_.codec == codec_id::fle ? 1 : 4);
}

template <class T>
std::size_t payload_coded<T>::wire_bound(std::size_t count) const noexcept {
    if (when_ != recoding::in_chunks || count == 0) return portion_bound(count);
    return base::divide_up(count, pipeline_values) *
           (sizeof(std::uint32_t) + portion_bound(std::min(count, pipeline_values)));
}

template <class T>
std::size_t payload_coded<T>::private_bytes(std::size_t count) const noexcept {
    const std::size_t values = 2 * count * sizeof(T);
    if (crew_.threads() == 1) return values;
    const std::size_t portions = base::divide_up(count, pipeline_values);
    if (when_ == recoding::in_chunks) return values + (portions + parts_of(portions)) * framed_bound();
    if (codec_.codec != codec_id::fle) return values;
    return values + codec::crew::memory_for(crew_.threads(), element_type_of<T>::value, count);
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
        const auto [a, b] = in_order<const T>(partial.data(), ours.data(), what.ours_first);
        data_.combine(partial.data(), a, b, count);
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
        const unsigned parts = parts_of(base::divide_up(to.size(), pipeline_values));
        if (parts > 1 && decode_together(from, to, parts)) return true;
        done = decode_portions(from, to, true);
        if (done.ok() && !from.empty()) done = {errc::corrupt, "a message is longer than its portions"};
    }
    const bool ok = done.ok();
    if (!ok) this->fail(std::move(done));
    return ok;
}

template <class T>
status payload_coded<T>::decode_portions(std::span<const std::byte>& from, std::span<T> to, bool polls) {
    for (std::size_t at = 0; at < to.size(); at += pipeline_values) {
        const std::span<const std::byte> portion = first_portion(from);
        if (portion.data() == nullptr) return {errc::corrupt, "a message ends in the middle of a portion"};
        const std::span<T> values = to.subspan(at, std::min(pipeline_values, to.size() - at));
        if (auto bad = decode_portion(portion, values); !bad.ok()) return bad;
        from = from.subspan(sizeof(std::uint32_t) + portion.size());
        if (polls) poll();
    }
    return {};
}

template <class T>
message payload_coded<T>::encode(std::span<const T> from, std::span<std::byte> scratch) {
    const stopwatch watch(times_.compress_s);
    if (when_ != recoding::in_chunks) {
        const auto size = encode_portion(from, scratch);
        if (size) return {scratch.first(*size), home::scratch, false};
        this->fail(size.error());
        return {};
    }
    const unsigned parts = parts_of(base::divide_up(from.size(), pipeline_values));
    if (parts > 1)
        if (const std::size_t size = encode_together(from, scratch, parts); size > 0)
            return {scratch.first(size), home::scratch, false};
    const auto size = encode_portions(from, scratch, true);
    if (size) return {scratch.first(*size), home::scratch, false};
    this->fail(size.error());
    return {};
}

template <class T>
result<std::size_t> payload_coded<T>::encode_portions(std::span<const T> from, std::span<std::byte> to, bool polls) {
    std::size_t used = 0;
    for (std::size_t at = 0; at < from.size(); at += pipeline_values) {
        const std::size_t start = used + sizeof(std::uint32_t);
        const auto values = from.subspan(at, std::min(pipeline_values, from.size() - at));
        const auto size = encode_portion(values, to.subspan(start));
        if (!size) return size.error();
        const auto length = static_cast<std::uint32_t>(*size);
        std::memcpy(to.data() + used, &length, sizeof length);
        used = start + *size;
        if (polls) poll();
    }
    return used;
}

/// As codec/crew.cpp: the caller's part is the first one and lies where it belongs.
template <class T>
std::size_t payload_coded<T>::encode_together(std::span<const T> from, std::span<std::byte> to,
                                              unsigned parts) noexcept {
    const std::size_t portions = base::divide_up(from.size(), pipeline_values);
    const std::size_t room = base::divide_up(portions, std::size_t{parts}) * framed_bound();
    std::array<std::size_t, codec::most_parts> sizes{};
    const auto caller = std::this_thread::get_id();
    std::size_t end = 0;
    unsigned straight = 0;
    crew_.each(parts, chunks_in(portions), [&](unsigned part) noexcept {
        const bool mine = std::this_thread::get_id() == caller;
        const auto where = mine ? to.subspan(end) : memory_.subspan(part * room, room);
        try {
            const auto size = encode_portions(values_of(from, portions, part, parts), where, mine);
            sizes[part] = size ? *size : 0;
        } catch (const std::bad_alloc&) {
            sizes[part] = 0;
        }
        if (mine) end += sizes[part], ++straight;
    });
    std::size_t all = 0;
    for (unsigned part = 0; part < parts; ++part) {
        if (sizes[part] == 0) return 0;
        if (part >= straight) std::memcpy(to.data() + all, memory_.data() + part * room, sizes[part]);
        all += sizes[part];
    }
    return all;
}

template <class T>
bool payload_coded<T>::decode_together(std::span<const std::byte> from, std::span<T> to, unsigned parts) noexcept {
    const std::size_t portions = base::divide_up(to.size(), pipeline_values);
    std::array<std::span<const std::byte>, codec::most_parts> begins;
    unsigned next = 0;
    for (std::size_t portion = 0; portion < portions; ++portion) {
        while (next < parts && portions * next / parts == portion) begins[next++] = from;
        const std::span<const std::byte> bytes = first_portion(from);
        if (bytes.data() == nullptr) return false;
        from = from.subspan(sizeof(std::uint32_t) + bytes.size());
    }
    if (!from.empty()) return false;
    std::array<bool, codec::most_parts> sound{};
    const auto caller = std::this_thread::get_id();
    crew_.each(parts, chunks_in(portions), [&](unsigned part) noexcept {
        try {
            std::span<const std::byte> rest = begins[part];
            sound[part] =
                decode_portions(rest, values_of(to, portions, part, parts), std::this_thread::get_id() == caller).ok();
        } catch (const std::bad_alloc&) {
            sound[part] = false;
        }
    });
    return std::all_of(sound.begin(), sound.begin() + parts, [](bool one) { return one; });
}

template <class T>
result<std::size_t> payload_coded<T>::encode_portion(std::span<const T> from, std::span<std::byte> to) {
    // Portions of a pipeline are divided among the threads as they are.
    const bool alone = when_ == recoding::in_chunks;
    if (codec_.codec == codec_id::fle)
        return alone ? codec::encode<T>(from, plan_.how, to).bytes : codec::encode<T>(from, plan_.how, to, crew_).bytes;
    return codec::write_payload<T>(from, header_of<T>(codec_, from.size(), plan_.contribution_bound), {}, to);
}

template <class T>
status payload_coded<T>::decode_portion(std::span<const std::byte> from, std::span<T> to) {
    if (codec_.codec == codec_id::fle)
        return when_ == recoding::in_chunks ? codec::decode<T>(from, plan_.how.step, plan_.magnitude, to)
                                            : codec::decode<T>(from, plan_.how.step, plan_.magnitude, to, 1, crew_);
    codec::frame_header header = header_of<T>(codec_, to.size(), plan_.contribution_bound);
    header.payload_bytes = from.size();
    return codec::read_payload<T>(header, from, to, {});
}

template class payload_coded<float>;
template class payload_coded<double>;
template class payload_coded<half>;
template class payload_coded<bfloat16>;

}  // namespace laconic::collective
