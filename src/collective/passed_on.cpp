// SPDX-License-Identifier: BSD-3-Clause
// MPI's call, and its request.
#include "collective/passed_on.hpp"

#include <new>
#include <string>
#include <utility>

#include "collective/registry.hpp"
#include "mpi/error.hpp"

namespace laconic::collective {

void passed_on::begin(bool blocking) {
    blocking_ = blocking;
    over_ = false;
    agreed_ = !word_;
    ended_ = local_ = {};
    if (word_) word_->begin(blocking);
    // Now, and not when the ranks have agreed: the program may use its communicator for other collectives by then.
    if (!blocking) local_ = issue();
    if (agreed_ && !local_.ok()) over_ = true, ended_ = std::move(local_);
}

/// Begins MPI's call. One of an earlier start may still wait for ranks that have made another call of it.
status passed_on::issue() noexcept {
    int done = 1;
    int code = MPI_SUCCESS;
    if (request_ != MPI_REQUEST_NULL) code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    if (done == 0) code = MPI_ERR_PENDING;
    if (code == MPI_SUCCESS) code = call_.issue(comm_, &request_);
    return status_of(code);
}

/// Returns whether something has moved.
bool passed_on::agree() {
    call_shape shape;
    shape.op = call_.op;
    shape.passed_on = true;
    bool moved = false;
    if (auto told = word_->advance(shape, local_, moved)) {
        agreed_ = told->ok();
        over_ = !agreed_;
        ended_ = *std::move(told);
    }
    return moved;
}

bool passed_on::block() {
    if (over_ || !blocking_ || !agreed_) return false;
    finish(call_.issue(comm_, nullptr));
    return true;
}

bool passed_on::advance() {
    if (over_) return false;
    if (!agreed_) return agree();
    if (blocking_) return false;
    int done = 0;
    const int code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done != 0) finish(code);
    return over_;
}

result<collective_report> passed_on::outcome() {
    if (!ended_.ok()) return std::move(ended_);
    collective_report report;
    report.algorithm = "stock";
    return report;
}

void passed_on::finish(int code) {
    over_ = true;
    ended_ = status_of(code);
}

status passed_on::status_of(int code) const noexcept {
    if (code == MPI_SUCCESS) return {};
    try {
        return mpi::to_status(code, "MPI's " + std::string(name_of(call_.op)));
    } catch (const std::bad_alloc&) {
        return no_memory();
    }
}

}  // namespace laconic::collective
