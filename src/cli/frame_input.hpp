// SPDX-License-Identifier: BSD-3-Clause
// A file of concatenated frames: a path flows in, checked frames flow out one at a time, of which one is in memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/files.hpp"
#include "cli/input_file.hpp"
#include "cli/progress.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {

/// Throws a data failure that names the file, and the frame if it is not the only one, where what comes is no frame or
/// one of another element type than those before. Hostile bytes cannot make it hold more memory than twice what came.
class frame_input {
public:
    /// `doing` is what the progress bar says; "" for no bar.
    frame_input(const std::string& path, std::string_view doing);

    /// Goes on to the next frame; false behind the last one. What follows a frame has begun like a frame when it is
    /// handed out.
    [[nodiscard]] bool next();
    /// Whether the current frame is the last.
    [[nodiscard]] bool at_end() const noexcept { return ahead_bytes_ == 0; }

    [[nodiscard]] const std::string& path() const noexcept { return in_.path(); }
    [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_.bytes(); }
    [[nodiscard]] const frame_info& about() const noexcept { return about_; }
    /// Frames handed out so far.
    [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
    /// "'wave.lac'", or "frame 3 of 'wave.lac'" where there are several.
    [[nodiscard]] std::string name_of_frame() const;
    /// Ends the command: this frame cannot be used.
    [[noreturn]] void refuse(const status& why) const;

private:
    void look_ahead();
    [[nodiscard]] progress* bar() noexcept { return has_bar_ ? &shown_ : nullptr; }

    input_file in_;
    progress shown_;
    bool has_bar_;
    buffer frame_;
    frame_info about_;
    std::uint64_t frames_ = 0;
    std::array<std::byte, 64> ahead_{};  ///< the next frame's beginning
    std::size_t ahead_bytes_ = 0;
    std::uint64_t ahead_size_ = 0;  ///< of the whole next frame
};

}  // namespace laconic::cli
