// SPDX-License-Identifier: BSD-3-Clause
// Raw bytes in, frames out. What fits into one segment becomes one frame; the rest goes segment by segment, as a
// frame_writer does it, with a bound that was made absolute in a first pass over the file.
#include "cli/compress_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "codec/element.hpp"
#include "codec/fle.hpp"

namespace laconic::cli {
namespace {

[[noreturn]] void refuse(const input_file& in, const status& why) {
    fail_data(fmt::format("cannot compress '{}': {}", in.path(), why.context()));
}

/// Compresses segments one after the other, in memory of its own, and keeps the totals and the bar.
template <class T>
class segment_writer {
public:
    segment_writer(const input_file& in, output_file& out, const compress_settings& settings, std::uint64_t total_bytes)
        : in_(in), out_(out), settings_(settings), options_(settings.frame), shown_("compressing", total_bytes) {
        options_.run.progress = [](void* self, const progress_info& now) {
            auto& writer = *static_cast<segment_writer*>(self);
            writer.shown_.reach(writer.totals_.raw_bytes + now.values * sizeof(T));
            return true;
        };
        options_.run.progress_user = this;
    }
    segment_writer(const segment_writer&) = delete;
    segment_writer& operator=(const segment_writer&) = delete;

    void write(std::span<const T> values, bound limit, double max_abs) {
        const std::size_t room = compress_bound(settings_.type, values.size(), options_.codec);
        // The first segment is the longest.
        if (frame_.size() < room) frame_ = buffer(room);
        options_.max_abs = max_abs;
        const result<std::size_t> size = compress(values, limit, frame_.bytes(), options_);
        if (!size) refuse(in_, size.error());
        const auto frame = std::span<const std::byte>(frame_.bytes()).first(*size);
        out_.write(frame);
        totals_.raw_bytes += values.size_bytes();
        totals_.frame_bytes += *size;
        ++totals_.frames;
        if (settings_.count_blocks) count_blocks(frame);
    }
    [[nodiscard]] const compress_totals& totals() const noexcept { return totals_; }

private:
    void count_blocks(std::span<const std::byte> frame) {
        const result<frame_info> about = inspect(frame);
        if (!about) refuse(in_, about.error());
        totals_.bound = std::max(totals_.bound, about->bound);
        totals_.blocks += about->blocks;
        totals_.raw_blocks += about->raw_blocks;
    }

    const input_file& in_;
    output_file& out_;
    const compress_settings& settings_;
    frame_options options_;
    progress shown_;
    buffer frame_;
    compress_totals totals_;
};

template <class T>
compress_totals one_frame(const input_file& in, output_file& out, const compress_settings& settings, buffer raw) {
    check_array_size(in.path(), raw.size(), settings.type);
    segment_writer<T> writer(in, out, settings, raw.size());
    writer.write(raw.as<T>(), settings.limit, settings.frame.max_abs);
    return writer.totals();
}

struct whole_range {
    double min = 0, max = 0, max_abs = 0;
};

/// Reads all of the input, `work` at a time.
template <class T>
whole_range measure(input_file& in, buffer& work) {
    progress shown("measuring", in.size().value_or(0));
    whole_range whole;
    bool any = false;
    while (const std::size_t size = in.read(work.bytes(), &shown)) {
        const std::span<const T> values = work.as<T>().first(size / sizeof(T));
        const value_range<T> part = range_of(values);
        // Without a finite value there is no range, and 0 may lie outside that of the others.
        if (part.nonfinite == values.size()) continue;
        const auto min = static_cast<double>(part.min), max = static_cast<double>(part.max);
        whole.min = any ? std::min(whole.min, min) : min;
        whole.max = any ? std::max(whole.max, max) : max;
        whole.max_abs = std::max(whole.max_abs, static_cast<double>(part.max_abs));
        any = true;
    }
    return whole;
}

/// `raw` holds the first segment. Its memory serves for all others.
template <class T>
compress_totals many_frames(input_file& in, output_file& out, const compress_settings& settings, buffer raw) {
    if (in.size()) check_array_size(in.path(), *in.size(), settings.type);
    bound limit = settings.limit;
    double max_abs = settings.frame.max_abs;
    std::size_t size = raw.size();
    if (limit.kind == bound_kind::relative) {
        if (!in.size())
            fail_data(
                fmt::format("'{}' is a pipe and longer than one segment of {}: --rel needs the range of the whole "
                            "array; give --abs, a file, or a larger --segment",
                            in.path(), base::format_bytes(settings.segment_bytes)));
        in.rewind();
        const whole_range range = measure<T>(in, raw);
        in.rewind();
        size = in.read(raw.bytes());
        // A constant array is constant in every segment, for which the codec has something better than a bound of 0.
        if (range.min < range.max) {
            limit = bound::abs(codec::resolve_bound(limit, range.min, range.max));
            // With the magnitude of the whole array all segments get the step that one frame of it would have.
            max_abs = range.max_abs;
        }
    }
    segment_writer<T> writer(in, out, settings, in.size().value_or(0));
    for (; size > 0; size = in.read(raw.bytes())) {
        check_array_size(in.path(), writer.totals().raw_bytes + size, settings.type);
        writer.write(std::span<const T>(raw.as<T>()).first(size / sizeof(T)), limit, max_abs);
    }
    return writer.totals();
}

}  // namespace

compress_totals compress_stream(input_file& in, output_file& out, const compress_settings& settings) {
    const std::uint64_t segment = settings.segment_bytes / size_of(settings.type) * size_of(settings.type);
    buffer raw;
    {
        progress shown("reading", in.size().value_or(0));
        in.append(raw, static_cast<std::size_t>(segment), &shown);
    }
    return codec::with_element(settings.type, [&](auto zero) {
        using T = decltype(zero);
        return in.at_end() ? one_frame<T>(in, out, settings, std::move(raw))
                           : many_frames<T>(in, out, settings, std::move(raw));
    });
}

}  // namespace laconic::cli
