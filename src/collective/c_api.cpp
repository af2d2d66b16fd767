// SPDX-License-Identifier: BSD-3-Clause
// The C face of the collectives: MPI's arguments flow in and become a c_call; run, started or prepared, it answers with
// an error code.
#include <algorithm>
#include <exception>
#include <memory>
#include <new>

#include "codec/c_api.hpp"
#include "collective/c_call.hpp"
#include "collective/lending.hpp"
#include "mpi/narrow_types.hpp"

struct laconic_request_handle {
    std::vector<std::size_t> lists;               // what `running` refers to
    laconic_collective_report* report = nullptr;  // the program's
    laconic::collective_request running;
};

namespace {

using namespace laconic;
using collective::c_call;

static_assert(LACONIC_NODE_NONE == static_cast<int>(node_traffic::none) &&
              LACONIC_NODE_MEMORY == static_cast<int>(node_traffic::memory) &&
              LACONIC_NODE_MESSAGES == static_cast<int>(node_traffic::messages));

status null_request() { return {errc::invalid_argument, "request is NULL; give the address of a laconic_request"}; }

/// Zeros until the call has ended well; null: nobody asked for it.
laconic_collective_report* report_of(const laconic_collective_options* options) noexcept {
    if (options == nullptr || options->report == nullptr) return nullptr;
    *options->report = {};
    return options->report;
}

laconic_audit_prediction told(const audit_prediction& from) noexcept {
    laconic_audit_prediction to{from.deviation, {}};
    std::ranges::copy(from.inside, to.inside);
    return to;
}

laconic_audit_report told(const audit_report& from) noexcept {
    static_assert(audit_report::bins == LACONIC_AUDIT_BINS);
    laconic_audit_report to{};
    to.elements = from.elements, to.nonfinite = from.nonfinite, to.violations = from.violations;
    to.bound = from.bound, to.max_error = from.max_error, to.max_share = from.max_share;
    to.mean_error = from.mean_error, to.deviation = from.deviation, to.rms_error = from.rms_error;
    std::ranges::copy(from.histogram, to.histogram);
    to.normal = told(from.normal), to.uniform = told(from.uniform);
    return to;
}

/// How it ended, told to who asked for a report.
status told(laconic_collective_report* to, const result<collective_report>& outcome) {
    if (to == nullptr || !outcome.ok()) return outcome.error();
    const collective_report& from = *outcome;
    from.algorithm.copy(to->algorithm, sizeof to->algorithm - 1);
    to->sent_bytes = from.sent_bytes, to->raw_bytes = from.raw_bytes, to->messages = from.messages;
    to->contribution_bound = from.contribution_bound, to->result_bound = from.result_bound, to->step = from.step;
    to->exact_sums = from.exact_sums ? 1 : 0;
    to->inside = static_cast<laconic_node_traffic>(from.inside);
    to->workspace_bytes = from.workspace_bytes;
    to->compress_s = from.compress_s, to->combine_s = from.combine_s;
    to->decompress_s = from.decompress_s, to->copy_s = from.copy_s, to->wait_s = from.wait_s;
    to->audited = from.audit ? 1 : 0;
    if (from.audit) to->audit = told(*from.audit);
    return {};
}

int run_c(const c_call& call, const laconic_collective_options* options) {
    laconic_collective_report* const report = report_of(options);
    return guarded([&] { return told(report, collective::run(call, options)); });
}

/// What is to be waited for, or why there is nothing. Where the others start the call they hear of the latter.
result<std::unique_ptr<laconic_request_handle>> make_handle(const c_call& call,
                                                            const laconic_collective_options* options, bool prepared) {
    try {
        auto made = std::make_unique<laconic_request_handle>();
        result<collective::task> todo = collective::make_task(call, options, made->lists);
        if (!todo) return todo.error();
        made->running = collective::request_for(std::move(*todo), prepared);
        return made;
    } catch (const std::bad_alloc&) {
        if (prepared) throw;
    }
    return collective::refuse(call, options, collective::no_memory(), false).error();
}

int request_c(const c_call& call, const laconic_collective_options* options, laconic_request* request, bool prepared) {
    laconic_collective_report* const report = report_of(options);
    return guarded([&]() -> status {
        if (request == nullptr)
            return prepared ? null_request() : collective::refuse(call, options, null_request(), false).error();
        *request = nullptr;
        auto made = make_handle(call, options, prepared);
        if (!made) return made.error();
        (*made)->report = report;
        if (!prepared)
            if (auto bad = (*made)->running.start(); !bad.ok()) return bad;
        *request = made->release();
        return {};
    });
}

status wait_for(laconic_request* request) {
    if (request == nullptr) return null_request();
    if (*request == nullptr) return {};
    if (!(*request)->running.started()) return {};
    status outcome = told((*request)->report, (*request)->running.wait());
    if (!(*request)->running.empty()) return outcome;
    delete *request;
    *request = nullptr;
    return outcome;
}

MPI_Datatype narrow_type(element_type type) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    guarded([&] {
        const result<MPI_Datatype> found = mpi::narrow_type(type);
        if (found.ok()) made = *found;
        return found.error();
    });
    return made;
}

}  // namespace

extern "C" {

MPI_Datatype laconic_half_type(void) { return narrow_type(element_type::f16); }
MPI_Datatype laconic_bfloat16_type(void) { return narrow_type(element_type::bf16); }

int laconic_start_progress_thread(void) {
    return guarded([] { return start_progress_thread(); });
}
void laconic_stop_progress_thread(void) { stop_progress_thread(); }

int laconic_start(laconic_request* request) {
    return guarded([&]() -> status {
        if (request == nullptr) return null_request();
        if (*request == nullptr) return {errc::invalid_argument, "the request is LACONIC_REQUEST_NULL"};
        if (!(*request)->running.started() && (*request)->report != nullptr) *(*request)->report = {};
        return (*request)->running.start();
    });
}

int laconic_test(laconic_request* request, int* flag) {
    return guarded([&]() -> status {
        if (request == nullptr) return null_request();
        if (flag == nullptr) return {errc::invalid_argument, "flag is NULL"};
        *flag = *request == nullptr || (*request)->running.test() ? 1 : 0;
        return *flag != 0 ? wait_for(request) : status{};
    });
}

int laconic_wait(laconic_request* request) {
    return guarded([&] { return wait_for(request); });
}

int laconic_waitall(size_t count, laconic_request* requests) {
    return guarded([&]() -> status {
        if (requests == nullptr && count > 0) return null_request();
        status first;
        for (std::size_t i = 0; i < count; ++i) {
            status outcome = wait_for(requests + i);
            if (first.ok()) first = std::move(outcome);
        }
        return first;
    });
}

int laconic_request_free(laconic_request* request) {
    return guarded([&]() -> status {
        if (request == nullptr) return null_request();
        status outcome = wait_for(request);
        delete *request;
        *request = nullptr;
        return outcome;
    });
}

// Three functions of each collective: what to call, then the parameters.
#define LACONIC_DEFINE(name, call, ...)                                                                           \
    int laconic_##name(__VA_ARGS__, const laconic_collective_options* options) { return run_c(call, options); }   \
    int laconic_i##name(__VA_ARGS__, const laconic_collective_options* options, laconic_request* request) {       \
        return request_c(call, options, request, false);                                                          \
    }                                                                                                             \
    int laconic_##name##_init(__VA_ARGS__, const laconic_collective_options* options, laconic_request* request) { \
        return request_c(call, options, request, true);                                                           \
    }

LACONIC_DEFINE(allreduce, (c_call{operation::allreduce, false, {sendbuf}, {recvbuf, count}, type, op, 0, comm}),
               const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
LACONIC_DEFINE(reduce, (c_call{operation::reduce, false, {sendbuf}, {recvbuf, count}, type, op, root, comm}),
               const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
LACONIC_DEFINE(reduce_scatter,
               (c_call{operation::reduce_scatter, true, {sendbuf}, {recvbuf, 0, recvcounts}, type, op, 0, comm}),
               const void* sendbuf, void* recvbuf, const size_t* recvcounts, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
LACONIC_DEFINE(reduce_scatter_block,
               (c_call{operation::reduce_scatter, false, {sendbuf}, {recvbuf, recvcount}, type, op, 0, comm}),
               const void* sendbuf, void* recvbuf, size_t recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm)

LACONIC_DEFINE(
    allgather,
    (c_call{operation::allgather, false, {sendbuf, sendcount}, {recvbuf, recvcount}, type, MPI_OP_NULL, 0, comm}),
    const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, MPI_Comm comm)
LACONIC_DEFINE(allgatherv,
               (c_call{operation::allgather,
                       true,
                       {sendbuf, sendcount},
                       {recvbuf, 0, recvcounts, displs},
                       type,
                       MPI_OP_NULL,
                       0,
                       comm}),
               const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts, const size_t* displs,
               MPI_Datatype type, MPI_Comm comm)
LACONIC_DEFINE(
    gather,
    (c_call{operation::gather, false, {sendbuf, sendcount}, {recvbuf, recvcount}, type, MPI_OP_NULL, root, comm}),
    const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, int root, MPI_Comm comm)
LACONIC_DEFINE(gatherv,
               (c_call{operation::gather,
                       true,
                       {sendbuf, sendcount},
                       {recvbuf, 0, recvcounts, displs},
                       type,
                       MPI_OP_NULL,
                       root,
                       comm}),
               const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts, const size_t* displs,
               MPI_Datatype type, int root, MPI_Comm comm)
LACONIC_DEFINE(
    scatter,
    (c_call{operation::scatter, false, {sendbuf, sendcount}, {recvbuf, recvcount}, type, MPI_OP_NULL, root, comm}),
    const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, int root, MPI_Comm comm)
LACONIC_DEFINE(scatterv,
               (c_call{operation::scatter,
                       true,
                       {sendbuf, 0, sendcounts, displs},
                       {recvbuf, recvcount},
                       type,
                       MPI_OP_NULL,
                       root,
                       comm}),
               const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf, size_t recvcount,
               MPI_Datatype type, int root, MPI_Comm comm)
LACONIC_DEFINE(bcast, (c_call{operation::bcast, false, {}, {buffer, count}, type, MPI_OP_NULL, root, comm}),
               void* buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm)
LACONIC_DEFINE(alltoall,
               (c_call{
                   operation::alltoall, false, {sendbuf, sendcount}, {recvbuf, recvcount}, type, MPI_OP_NULL, 0, comm}),
               const void* sendbuf, size_t sendcount, void* recvbuf, size_t recvcount, MPI_Datatype type, MPI_Comm comm)
LACONIC_DEFINE(alltoallv,
               (c_call{operation::alltoall,
                       true,
                       {sendbuf, 0, sendcounts, sdispls},
                       {recvbuf, 0, recvcounts, rdispls},
                       type,
                       MPI_OP_NULL,
                       0,
                       comm}),
               const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
               const size_t* recvcounts, const size_t* rdispls, MPI_Datatype type, MPI_Comm comm)

#undef LACONIC_DEFINE
}
