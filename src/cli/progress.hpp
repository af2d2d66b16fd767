// SPDX-License-Identifier: BSD-3-Clause
// A progress bar: byte counts flow in, one self-overwriting line on standard error flows out, only on a terminal and
// only once the work has taken two seconds, so that quick commands and logs stay clean.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace laconic::cli {

class progress {
public:
    /// total_bytes 0 means unknown (a pipe): the line then shows what has passed and how fast.
    progress(std::string_view what, std::uint64_t total_bytes);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    void advance(std::uint64_t bytes) { reach(done_bytes_ + bytes); }
    /// So much is done in all; work that starts again may go back.
    void reach(std::uint64_t done_bytes);

private:
    using clock = std::chrono::steady_clock;
    [[nodiscard]] std::string line(double elapsed_s) const;

    std::string what_;
    std::uint64_t total_bytes_;
    std::uint64_t done_bytes_ = 0;
    clock::time_point started_ = clock::now();
    clock::time_point next_draw_;
    bool on_terminal_;
    bool drawn_ = false;
};

}  // namespace laconic::cli
