// SPDX-License-Identifier: BSD-3-Clause
// Arrays larger than memory: values are pushed in pieces of any size and leave as a sequence of frames, one after the
// other; bytes are pulled from such a sequence and leave as values. One frame is held in memory at a time.
// docs/format/stream.md, "Concatenated frames", specifies the bytes.
//
// A writer or reader belongs to one thread at a time. After a failure every further call returns that failure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "laconic/codec.hpp"

namespace laconic {

/// Takes all of the bytes, or says why not.
using byte_sink = std::function<status(std::span<const std::byte>)>;
/// Fills the front of the span; returns how many bytes it put there, 0 at the end.
using byte_source = std::function<result<std::size_t>(std::span<std::byte>)>;

/// Size of the whole frame that begins with these bytes, of which it needs 64: truncated, or corrupt or unsupported
/// where the bytes are no beginning of a frame.
[[nodiscard]] result<std::uint64_t> frame_size(std::span<const std::byte> beginning);

/// Values in a frame of a frame_writer, unless it is told otherwise.
inline constexpr std::size_t default_segment_values = std::size_t{1} << 22;

/// Compresses values as they come.
///
/// limit           an absolute bound, or lossless: a relative one is refused by the first push() with invalid_bound,
/// since
///                 the range is not known before the end (range_of() in a first pass gives an absolute one)
/// options         as for compress(); progress counts within one frame
/// segment_values  values in a frame, the last one has what remains; memory is about three times its size
template <class T>
class frame_writer {
public:
    frame_writer(bound limit, byte_sink sink, frame_options options = {},
                 std::size_t segment_values = default_segment_values);

    /// Adds values at the end of the array. Errors: those of compress() and of the sink, out_of_memory.
    [[nodiscard]] status push(std::span<const T> values);
    /// Writes what remains; an array of no values becomes one frame. Nothing may follow.
    [[nodiscard]] status finish();

    [[nodiscard]] std::uint64_t values_in() const noexcept { return values_in_; }
    [[nodiscard]] std::uint64_t bytes_out() const noexcept { return bytes_out_; }

private:
    status write_segment(std::span<const T> values);
    status note(status outcome);

    bound limit_;
    byte_sink sink_;
    frame_options options_;
    std::size_t segment_values_;
    std::vector<T> pending_;
    std::vector<std::byte> frame_;
    std::uint64_t values_in_ = 0, bytes_out_ = 0;
    bool finished_ = false;
    status failed_;
};

/// Decompresses a sequence of frames as their bytes come. Hostile input cannot make it hold more than the bytes that it
/// was given and the values of one frame, which take up to 410 times the frame.
template <class T>
class frame_reader {
public:
    explicit frame_reader(byte_source source, run_options run = {});

    /// Fills `values` from the front; returns how many were there, fewer than asked for only at the end.
    /// Errors: those of decompress() and of the source, truncated inside a frame, out_of_memory.
    [[nodiscard]] result<std::size_t> pull(std::span<T> values);

    [[nodiscard]] std::uint64_t frames_in() const noexcept { return frames_in_; }

private:
    result<bool> next_frame();
    status fill(std::size_t bytes);
    status note(status outcome);

    byte_source source_;
    run_options run_;
    std::vector<std::byte> frame_;
    std::size_t filled_ = 0;
    std::vector<T> values_;
    std::size_t taken_ = 0;
    std::uint64_t frames_in_ = 0;
    status failed_;
};

}  // namespace laconic
