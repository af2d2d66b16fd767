// SPDX-License-Identifier: BSD-3-Clause
// A call that is MPI's alone: what laconic does not compress flows through to MPI, on the caller's communicator. Under
// options.check the ranks first agree that it is MPI's on all of them.
#pragma once

#include <optional>
#include <utility>

#include "collective/execution.hpp"
#include "collective/mpi_call.hpp"
#include "collective/word_in_turn.hpp"

namespace laconic::collective {

class passed_on final : public execution_base {
public:
    /// checked   the channel to agree on; null: without a word
    passed_on(mpi_call call, MPI_Comm comm, mpi::channel* checked) : call_(std::move(call)), comm_(comm) {
        if (checked != nullptr) word_.emplace(*checked);
    }
    passed_on(const passed_on&) = delete;
    passed_on& operator=(const passed_on&) = delete;
    ~passed_on() override {
        if (request_ != MPI_REQUEST_NULL) call_.abandon();
    }

    void begin(bool blocking) override;
    bool advance() override;
    bool block() override;
    [[nodiscard]] bool over() const noexcept override { return over_; }
    [[nodiscard]] result<collective_report> outcome() override;
    void waited(double) noexcept override {}

private:
    [[nodiscard]] status issue() noexcept;
    bool agree();
    void finish(int code);
    [[nodiscard]] status status_of(int code) const noexcept;

    mpi_call call_;
    MPI_Comm comm_;
    std::optional<word_in_turn> word_;
    bool agreed_ = true;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool blocking_ = false;
    bool over_ = true;
    status local_;  // why this rank cannot make it, for the others to hear
    status ended_;
};

}  // namespace laconic::collective
