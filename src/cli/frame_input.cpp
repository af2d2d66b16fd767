// SPDX-License-Identifier: BSD-3-Clause
// Bytes in, frames out: each header says how much belongs to its frame, and is believed only as far as bytes come.
#include "cli/frame_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "codec/element.hpp"
#include "laconic/streaming.hpp"

namespace laconic::cli {

frame_input::frame_input(const std::string& path, std::string_view doing)
    : in_(path), shown_(doing, in_.size().value_or(0)), has_bar_(!doing.empty()) {}

std::string frame_input::name_of_frame() const {
    return frames_ <= 1 && at_end() ? fmt::format("'{}'", path()) : fmt::format("frame {} of '{}'", frames_, path());
}

void frame_input::refuse(const status& why) const {
    fail_data(fmt::format("{} is no usable frame: {}", name_of_frame(), why.message()));
}

void frame_input::look_ahead() {
    ahead_bytes_ = in_.read(ahead_, bar());
    if (ahead_bytes_ == 0 && frames_ > 0) return;
    const result<std::uint64_t> size = frame_size(std::span<const std::byte>(ahead_).first(ahead_bytes_));
    if (!size) {
        ++frames_;
        ahead_bytes_ = 0;
        refuse(size.error());
    }
    ahead_size_ = *size;
}

bool frame_input::next() {
    if (frames_ == 0) look_ahead();
    if (at_end()) return false;
    ++frames_;
    const element_type type_before = about_.type;
    frame_.truncate(0);
    frame_.resize(ahead_bytes_);
    std::copy_n(ahead_.begin(), ahead_bytes_, frame_.bytes().begin());
    // Announced sizes stay below 2^62, and there are more bytes to come than the header only where it is whole.
    if (ahead_size_ > ahead_bytes_) in_.append(frame_, static_cast<std::size_t>(ahead_size_ - ahead_bytes_), bar());
    const result<frame_info> about = inspect(frame_.bytes());
    if (!about) {
        ahead_bytes_ = 0;
        refuse(about.error());
    }
    about_ = *about;
    if (frames_ > 1 && about_.type != type_before)
        fail_data(fmt::format("frame {} of '{}' holds {} and the frames before hold {}: they are no one array", frames_,
                              path(), codec::name_of(about_.type), codec::name_of(type_before)));
    look_ahead();
    return true;
}

}  // namespace laconic::cli
