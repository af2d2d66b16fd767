// SPDX-License-Identifier: BSD-3-Clause
// One call to MPI for each operation, in two forms.
#include "collective/stock.hpp"

#include <algorithm>
#include <limits>

#include "collective/elements.hpp"

namespace laconic::collective {
namespace {

constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());

std::vector<int> to_ints(std::span<const std::size_t> list) {
    std::vector<int> ints;
    for (const std::size_t number : list) ints.push_back(static_cast<int>(number));
    return ints;
}

/// MPI knows no 16-bit floating-point types.
template <class T, reduction Combine>
void combine_half(void* in, void* inout, int* count, MPI_Datatype*) {
    combine_elements<T>(Combine, inout, inout, in, static_cast<std::size_t>(*count));
}
template <class T>
MPI_User_function* half_function(reduction combine) noexcept {
    switch (combine) {
        case reduction::prod: return combine_half<T, reduction::prod>;
        case reduction::min: return combine_half<T, reduction::min>;
        case reduction::max: return combine_half<T, reduction::max>;
        default: return combine_half<T, reduction::sum>;
    }
}

MPI_Op op_of(reduction combine) noexcept {
    switch (combine) {
        case reduction::prod: return MPI_PROD;
        case reduction::min: return MPI_MIN;
        case reduction::max: return MPI_MAX;
        default: return MPI_SUM;
    }
}

bool lies_in(const void* part, const void* whole, std::size_t count, MPI_Datatype type) {
    int size = 0;
    MPI_Type_size(type, &size);
    const auto first = reinterpret_cast<std::uintptr_t>(whole);
    const auto at = reinterpret_cast<std::uintptr_t>(part);
    return part != nullptr && whole != nullptr && at >= first && at < first + count * static_cast<std::size_t>(size);
}

}  // namespace

bool fits_int(const geometry& call) noexcept {
    for (const auto& list : {call.in_counts, call.in_displacements, call.out_counts, call.out_displacements})
        for (const std::size_t number : list)
            if (number > most) return false;
    return call.in_count <= most && call.out_count <= most;
}

stock_call::~stock_call() {
    if (own_op_) MPI_Op_free(&op_);
}

status stock_call::prepare(const geometry& call, element_type type, reduction combine, const void* in, void* out) {
    if (!fits_int(call))
        return {errc::unsupported,
                "a count of this call is beyond 2^31 - 1, which MPI's own function cannot take; use "
                "another algorithm, e.g. ring/raw"};
    call_ = call;
    in_ = in;
    out_ = out;
    const bool narrow = type == element_type::f16 || type == element_type::bf16;
    type_ = narrow ? MPI_UINT16_T : type == element_type::f32 ? MPI_FLOAT : MPI_DOUBLE;
    if (is_reduction(call.op) && narrow && !own_op_) {
        MPI_Op_create(type == element_type::f16 ? half_function<half>(combine) : half_function<bfloat16>(combine), 1,
                      &op_);
        own_op_ = true;
    } else if (!own_op_) {
        op_ = op_of(combine);
    }
    if (call.varying) {
        in_counts_ = to_ints(call.in_counts);
        in_displacements_ = to_ints(call.in_displacements);
        out_counts_ = to_ints(call.out_counts);
        out_displacements_ = to_ints(call.out_displacements);
    }
    return {};
}

int stock_call::issue(MPI_Comm comm, MPI_Request* request) {
    return is_reduction(call_.op) ? issue_reduction(comm, request) : issue_movement(comm, request);
}

int stock_call::issue_reduction(MPI_Comm comm, MPI_Request* request) {
    const bool in_place = in_ == out_ && call_.writes() && call_.in_count > 0;
    const void* const from = in_place ? MPI_IN_PLACE : in_;
    const int count = static_cast<int>(call_.in_count);
    const int part = static_cast<int>(call_.out_count);
    switch (call_.op) {
        case operation::allreduce:
            return request == nullptr ? MPI_Allreduce(from, out_, count, type_, op_, comm)
                                      : MPI_Iallreduce(from, out_, count, type_, op_, comm, request);
        case operation::reduce:
            return request == nullptr ? MPI_Reduce(from, out_, count, type_, op_, call_.root, comm)
                                      : MPI_Ireduce(from, out_, count, type_, op_, call_.root, comm, request);
        default: break;
    }
    if (!call_.varying)
        return request == nullptr ? MPI_Reduce_scatter_block(from, out_, part, type_, op_, comm)
                                  : MPI_Ireduce_scatter_block(from, out_, part, type_, op_, comm, request);
    return request == nullptr ? MPI_Reduce_scatter(from, out_, in_counts_.data(), type_, op_, comm)
                              : MPI_Ireduce_scatter(from, out_, in_counts_.data(), type_, op_, comm, request);
}

int stock_call::issue_movement(MPI_Comm comm, MPI_Request* request) {
    const int in = static_cast<int>(call_.in_count);
    const int out = static_cast<int>(call_.out_count);
    const int part = in / call_.ranks;
    const bool now = request == nullptr;
    // The rank's own part of the whole is where its values are, or belong, already.
    const void* const from = call_.writes() && lies_in(in_, out_, call_.out_count, type_) ? MPI_IN_PLACE : in_;
    switch (call_.op) {
        case operation::bcast:
            return now ? MPI_Bcast(out_, in, type_, call_.root, comm)
                       : MPI_Ibcast(out_, in, type_, call_.root, comm, request);
        case operation::allgather:
            if (!call_.varying)
                return now ? MPI_Allgather(from, in, type_, out_, in, type_, comm)
                           : MPI_Iallgather(from, in, type_, out_, in, type_, comm, request);
            return now ? MPI_Allgatherv(from, in, type_, out_, out_counts_.data(), out_displacements_.data(), type_,
                                        comm)
                       : MPI_Iallgatherv(from, in, type_, out_, out_counts_.data(), out_displacements_.data(), type_,
                                         comm, request);
        case operation::gather:
            if (!call_.varying)
                return now ? MPI_Gather(from, in, type_, out_, in, type_, call_.root, comm)
                           : MPI_Igather(from, in, type_, out_, in, type_, call_.root, comm, request);
            return now ? MPI_Gatherv(from, in, type_, out_, out_counts_.data(), out_displacements_.data(), type_,
                                     call_.root, comm)
                       : MPI_Igatherv(from, in, type_, out_, out_counts_.data(), out_displacements_.data(), type_,
                                      call_.root, comm, request);
        case operation::scatter: {
            void* const to = call_.is_root() && lies_in(out_, in_, call_.in_count, type_) ? MPI_IN_PLACE : out_;
            if (!call_.varying)
                return now ? MPI_Scatter(in_, out, type_, to, out, type_, call_.root, comm)
                           : MPI_Iscatter(in_, out, type_, to, out, type_, call_.root, comm, request);
            return now ? MPI_Scatterv(in_, in_counts_.data(), in_displacements_.data(), type_, to, out, type_,
                                      call_.root, comm)
                       : MPI_Iscatterv(in_, in_counts_.data(), in_displacements_.data(), type_, to, out, type_,
                                       call_.root, comm, request);
        }
        default: break;
    }
    const void* const source = in_ == out_ && in > 0 ? MPI_IN_PLACE : in_;
    if (!call_.varying)
        return now ? MPI_Alltoall(source, part, type_, out_, part, type_, comm)
                   : MPI_Ialltoall(source, part, type_, out_, part, type_, comm, request);
    return now ? MPI_Alltoallv(source, in_counts_.data(), in_displacements_.data(), type_, out_, out_counts_.data(),
                               out_displacements_.data(), type_, comm)
               : MPI_Ialltoallv(source, in_counts_.data(), in_displacements_.data(), type_, out_, out_counts_.data(),
                                out_displacements_.data(), type_, comm, request);
}

}  // namespace laconic::collective
