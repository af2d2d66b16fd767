// SPDX-License-Identifier: BSD-3-Clause
// A call that one rank cannot make: why flows in, and out of all ranks' calls.
#pragma once

#include <utility>

#include "collective/execution.hpp"
#include "collective/word_in_turn.hpp"

namespace laconic::collective {

/// Takes part in a call that this rank cannot even describe: the others, which agree on their arguments, get its
/// sentence instead of waiting for it. Ends with what all ranks return.
class refusal final : public execution_base {
public:
    refusal(mpi::channel& channel, status why) : word_(channel), why_(std::move(why)) {}

    void begin(bool blocking) override {
        told_.reset();
        word_.begin(blocking);
    }
    bool advance() override {
        bool moved = false;
        if (!told_) told_ = word_.advance({}, why_, moved);
        return moved;
    }
    [[nodiscard]] bool over() const noexcept override { return told_.has_value(); }
    [[nodiscard]] result<collective_report> outcome() override { return *std::move(told_); }
    void waited(double) noexcept override {}

private:
    word_in_turn word_;
    status why_;
    std::optional<status> told_;
};

}  // namespace laconic::collective
