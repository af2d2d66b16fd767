// SPDX-License-Identifier: BSD-3-Clause
// How long the messages of a run came out: their lengths flow in, one that stands for them flows out.
#pragma once

namespace laconic::collective {

class message_lengths {
public:
    void add(double bytes) noexcept {
        squares_ += bytes * bytes;
        cubes_ += bytes * bytes * bytes;
    }
    /// Messages count by the squares of their bytes: the few that carry most of what travels, and would have to ask
    /// first if they were longer, are what all wait for, however many short ones there are (docs/adr/0021). 0: none.
    [[nodiscard]] double typical() const noexcept { return squares_ > 0 ? cubes_ / squares_ : 0; }

private:
    double squares_ = 0, cubes_ = 0;
};

}  // namespace laconic::collective
