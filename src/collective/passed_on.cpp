// SPDX-License-Identifier: BSD-3-Clause
// MPI's call, and its request.
#include "collective/passed_on.hpp"

#include <new>
#include <string>

#include "collective/registry.hpp"
#include "mpi/error.hpp"

namespace laconic::collective {

void passed_on::begin(bool blocking) {
    over_ = false;
    blocking_ = blocking;
    if (blocking) return;
    if (const int code = call_.issue(comm_, &request_); code != MPI_SUCCESS) finish(code);
}

bool passed_on::block() {
    if (over_ || !blocking_) return false;
    finish(call_.issue(comm_, nullptr));
    return true;
}

bool passed_on::advance() {
    if (over_ || blocking_) return false;
    int done = 0;
    const int code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done != 0) finish(code);
    return over_;
}

result<collective_report> passed_on::outcome() {
    if (!ended_.ok()) return ended_;
    collective_report report;
    report.algorithm = "stock";
    return report;
}

void passed_on::finish(int code) {
    over_ = true;
    ended_ = {};
    if (code == MPI_SUCCESS) return;
    try {
        ended_ = mpi::to_status(code, "MPI's " + std::string(name_of(call_.op)));
    } catch (const std::bad_alloc&) {
        ended_ = no_memory();
    }
}

}  // namespace laconic::collective
