// SPDX-License-Identifier: BSD-3-Clause
// What was waited for is remembered here until its owner tests it again. SMPI gives every rank its own copy of these
// variables.
#define LACONIC_SCALE_REAL_MPI
#include "smpi_waiting.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace laconic::scale {
namespace {

std::vector<MPI_Request*> in_vain;
std::vector<std::pair<MPI_Request*, MPI_Status>> over_already;
std::span<MPI_Request> all_in_vain;

}  // namespace

int scale_test(MPI_Request* request, int* over, MPI_Status* status) {
    const auto known =
        std::find_if(over_already.begin(), over_already.end(), [&](const auto& one) { return one.first == request; });
    if (known != over_already.end()) {
        *over = 1;
        if (status != MPI_STATUS_IGNORE) *status = known->second;
        over_already.erase(known);
        return MPI_SUCCESS;
    }
    if (*request == MPI_REQUEST_NULL) {
        *over = 1;
        return MPI_SUCCESS;
    }
    const int code = MPI_Test(request, over, status);
    const auto listed = std::find(in_vain.begin(), in_vain.end(), request);
    if (*over != 0 && listed != in_vain.end()) in_vain.erase(listed);
    if (*over == 0 && listed == in_vain.end()) in_vain.push_back(request);
    return code;
}

int scale_get_status(MPI_Request* request, int* over) {
    MPI_Status status{};
    const int code = scale_test(request, over, &status);
    if (*over != 0) over_already.emplace_back(request, status);
    return code;
}

int scale_finish(MPI_Request* request, MPI_Status* status) {
    int over = 0;
    const int code = scale_test(request, &over, status);
    return code == MPI_SUCCESS && over == 0 ? MPI_Wait(request, status) : code;
}

int scale_testall(int count, MPI_Request* requests, int* over, MPI_Status* statuses) {
    const int code = MPI_Testall(count, requests, over, statuses);
    all_in_vain = *over == 0 ? std::span(requests, static_cast<std::size_t>(count)) : std::span<MPI_Request>();
    return code;
}

int scale_yield() {
    if (all_in_vain.empty()) return sched_yield();
    // The next test finds them over.
    const std::span<MPI_Request> all = std::exchange(all_in_vain, {});
    return MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
}

int scale_iallreduce(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, comm);
}

bool scale_wait() {
    if (in_vain.empty()) return false;
    std::vector<MPI_Request> handles;
    for (const MPI_Request* request : in_vain) handles.push_back(*request);
    int first = MPI_UNDEFINED;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(handles.size()), handles.data(), &first, &status);
    if (first == MPI_UNDEFINED) return false;
    MPI_Request* const done = in_vain[static_cast<std::size_t>(first)];
    *done = MPI_REQUEST_NULL;
    over_already.emplace_back(done, status);
    in_vain.erase(in_vain.begin() + first);
    return true;
}

void forget() { in_vain.clear(); }

}  // namespace laconic::scale
