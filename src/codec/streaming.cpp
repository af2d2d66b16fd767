// SPDX-License-Identifier: BSD-3-Clause
// Sequences of frames: values in pieces flow in and frames flow out, and back.
#include "laconic/streaming.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "base/no_memory.hpp"
#include "codec/frame.hpp"

namespace laconic {
namespace {

/// Frames announce their size; memory is taken as the bytes really come.
constexpr std::size_t piece_bytes = std::size_t{16} << 20;

status no_memory() { return base::no_memory("no memory for one frame and its values"); }

}  // namespace

result<std::uint64_t> frame_size(std::span<const std::byte> beginning) { return codec::announced_size(beginning); }

template <class T>
frame_writer<T>::frame_writer(bound limit, byte_sink sink, frame_options options, std::size_t segment_values)
    : limit_(limit),
      sink_(std::move(sink)),
      options_(options),
      segment_values_(std::max<std::size_t>(1, segment_values)) {
    if (limit.kind == bound_kind::relative)
        failed_ = {errc::invalid_bound,
                   "a relative bound needs the range of the whole array, which a stream does not know; measure it "
                   "first (range_of) and give an absolute bound"};
}

template <class T>
status frame_writer<T>::note(status outcome) {
    if (!outcome.ok()) failed_ = outcome;
    return outcome;
}

template <class T>
status frame_writer<T>::write_segment(std::span<const T> values) {
    frame_.resize(compress_bound(element_type_of<T>::value, values.size(), options_.codec));
    auto size = compress(values, limit_, std::span(frame_), options_);
    if (!size) return size.error();
    bytes_out_ += *size;
    return sink_(std::span<const std::byte>(frame_).first(*size));
}

template <class T>
status frame_writer<T>::push(std::span<const T> values) {
    if (!failed_.ok()) return failed_;
    if (finished_) return {errc::invalid_argument, "push() after finish(): begin another frame_writer"};
    values_in_ += values.size();
    try {
        while (!values.empty()) {
            // Whole segments need not be gathered first.
            if (pending_.empty() && values.size() >= segment_values_) {
                if (status bad = write_segment(values.first(segment_values_)); !bad.ok()) return note(bad);
                values = values.subspan(segment_values_);
                continue;
            }
            const std::size_t n = std::min(values.size(), segment_values_ - pending_.size());
            pending_.insert(pending_.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
            values = values.subspan(n);
            if (pending_.size() < segment_values_) continue;
            if (status bad = write_segment(pending_); !bad.ok()) return note(bad);
            pending_.clear();
        }
    } catch (const std::bad_alloc&) {
        return note(no_memory());
    }
    return {};
}

template <class T>
status frame_writer<T>::finish() {
    if (!failed_.ok() || finished_) return failed_;
    finished_ = true;
    if (pending_.empty() && bytes_out_ > 0) return {};
    try {
        return note(write_segment(pending_));
    } catch (const std::bad_alloc&) {
        return note(no_memory());
    }
}

template <class T>
frame_reader<T>::frame_reader(byte_source source, run_options run) : source_(std::move(source)), run_(run) {}

template <class T>
status frame_reader<T>::note(status outcome) {
    if (!outcome.ok()) failed_ = outcome;
    return outcome;
}

/// Reads until frame_ holds `bytes`, or the input ends.
template <class T>
status frame_reader<T>::fill(std::size_t bytes) {
    while (filled_ < bytes) {
        const std::size_t piece = std::min(bytes - filled_, piece_bytes);
        if (frame_.size() < filled_ + piece) frame_.resize(filled_ + piece);
        auto got = source_(std::span(frame_).subspan(filled_, piece));
        if (!got) return got.error();
        if (*got == 0) break;
        filled_ += *got;
    }
    return {};
}

/// False at the end of the input.
template <class T>
result<bool> frame_reader<T>::next_frame() {
    filled_ = 0;
    if (status bad = fill(codec::frame_header_bytes); !bad.ok()) return bad;
    if (filled_ == 0) {
        if (frames_in_ > 0) return false;
        return status{errc::truncated, "there are no bytes, not even of a frame without elements"};
    }
    auto size = frame_size(std::span<const std::byte>(frame_).first(filled_));
    if (!size) return size.error();
    if (*size > SIZE_MAX) return status{errc::unsupported, "the frame announces " + std::to_string(*size) + " bytes"};
    if (status bad = fill(static_cast<std::size_t>(*size)); !bad.ok()) return bad;
    const auto whole = std::span<const std::byte>(frame_).first(filled_);
    auto info = inspect(whole);
    if (!info) return info.error();
    values_.resize(static_cast<std::size_t>(info->count));
    taken_ = 0;
    ++frames_in_;
    if (status bad = decompress(whole, std::span(values_), run_); !bad.ok()) return bad;
    return true;
}

template <class T>
result<std::size_t> frame_reader<T>::pull(std::span<T> values) {
    std::size_t done = 0;
    while (done < values.size()) {
        if (!failed_.ok()) return failed_;
        if (taken_ == values_.size()) {
            try {
                auto more = next_frame();
                if (!more) return note(more.error());
                if (!*more) break;
            } catch (const std::bad_alloc&) {
                return note(no_memory());
            }
            continue;
        }
        const std::size_t n = std::min(values.size() - done, values_.size() - taken_);
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(taken_), n,
                    values.begin() + static_cast<std::ptrdiff_t>(done));
        taken_ += n;
        done += n;
    }
    return done;
}

template class frame_writer<float>;
template class frame_writer<double>;
template class frame_writer<half>;
template class frame_writer<bfloat16>;
template class frame_reader<float>;
template class frame_reader<double>;
template class frame_reader<half>;
template class frame_reader<bfloat16>;

}  // namespace laconic
