// SPDX-License-Identifier: BSD-3-Clause
// A call that is MPI's alone: what laconic does not compress flows through to MPI, on the caller's communicator.
#pragma once

#include <utility>

#include "collective/execution.hpp"
#include "collective/mpi_call.hpp"

namespace laconic::collective {

class passed_on final : public execution_base {
public:
    passed_on(mpi_call call, MPI_Comm comm) : call_(std::move(call)), comm_(comm) {}
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
    void finish(int code);

    mpi_call call_;
    MPI_Comm comm_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool blocking_ = false;
    bool over_ = true;
    status ended_;
};

}  // namespace laconic::collective
