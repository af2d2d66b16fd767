// SPDX-License-Identifier: BSD-3-Clause
// From spans to MPI's arguments; sums of 16-bit types, which MPI does not know.
#include "collective/stock.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "collective/elements.hpp"
#include "mpi/narrow_types.hpp"

namespace laconic::collective {
namespace {

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

/// MPICH 4.0.2 crashes in a longer MPI_Reduce with MPI_IN_PLACE at another root than rank 0.
#ifdef MPICH_VERSION
constexpr bool reduces_in_place_anywhere = false;
#else
constexpr bool reduces_in_place_anywhere = true;
#endif

bool lies_in(const void* part, const void* whole, std::size_t size_bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(whole);
    const auto at = reinterpret_cast<std::uintptr_t>(part);
    return part != nullptr && whole != nullptr && at >= first && at < first + size_bytes;
}

}  // namespace

bool fits_mpi(const geometry& call) noexcept {
    for (const auto& list : {call.in_counts, call.in_displacements, call.out_counts, call.out_displacements})
        if (!fits_int(list)) return false;
    return call.in_count <= longest_int && call.out_count <= longest_int;
}

std::size_t reach_of(const geometry& call) noexcept {
    return fits_mpi(call) ? call.buffer_count() : std::max(call.buffer_count(), longest_int + 1);
}

cell stock_or_raw(const geometry& call) noexcept {
    if (call.buffer_count() <= longest_int) return {};
    const bool ring = call.op <= operation::allgather || call.op == operation::bcast;
    return {ring ? schedule_kind::ring : schedule_kind::pairwise, payload_kind::raw, codec_id::raw};
}

stock_call::~stock_call() {
    if (own_op_) MPI_Op_free(&call_.combine);
}

status stock_call::prepare(const geometry& call, element_type type, reduction combine, MPI_Op custom, const void* in,
                           void* out) {
    if (!fits_mpi(call))
        return {errc::unsupported,
                "a count of this call is beyond 2^31 - 1, which MPI's own function cannot take; use "
                "another algorithm, e.g. ring/raw"};
    const bool narrow = type == element_type::f16 || type == element_type::bf16;
    if (combine == reduction::custom) {
        call_.combine = custom;
    } else if (is_reduction(call.op) && narrow && !own_op_) {
        MPI_Op_create(type == element_type::f16 ? half_function<half>(combine) : half_function<bfloat16>(combine), 1,
                      &call_.combine);
        own_op_ = true;
    } else if (!own_op_) {
        call_.combine = op_of(combine);
    }
    call_.op = call.op;
    call_.varying = call.varying;
    call_.root = call.root;
    // MPI moves 16-bit elements as integers; operations of the program know them by their own type.
    call_.type = narrow && combine != reduction::custom ? MPI_UINT16_T : mpi::type_of(type);
    const std::size_t width = narrow ? 2 : type == element_type::f32 ? 4 : 8;
    // Where the values are, or belong, already.
    // Ranks without values say so, too: in place or not, MPI's alltoallv has other messages.
    const bool same = in == out && in != nullptr;
    const bool in_place = is_reduction(call.op) || call.op == operation::alltoall
                              ? same && call.writes()
                              : call.writes() && lies_in(in, out, call.out_count * width);
    const bool kept = call.op == operation::scatter && call.is_root() && lies_in(out, in, call.in_count * width);
    call_.in = in_place && call.op != operation::scatter ? MPI_IN_PLACE : in;
    call_.out = kept ? MPI_IN_PLACE : out;
    const bool spoils_reduce = call.op == operation::reduce && call.root != 0 && !reduces_in_place_anywhere;
    // An exchange in place: Open MPI 4.1.4 was seen to mix up parts beyond its eager limit from 8 ranks on.
    if (in_place && (spoils_reduce || call.op == operation::alltoall)) try {
            const auto* const first = static_cast<const std::byte*>(in);
            copy_.assign(first, first + call.in_count * width);
            call_.in = copy_.data();
        } catch (const std::bad_alloc&) {
            return {errc::out_of_memory, "no memory for a copy of what is worked on in place"};
        }
    const int in_count = static_cast<int>(call.in_count);
    const int out_count = static_cast<int>(call.out_count);
    switch (call.op) {
        case operation::allgather:
        case operation::gather: call_.in_count = call_.out_count = in_count; break;
        case operation::scatter: call_.in_count = call_.out_count = out_count; break;
        case operation::alltoall: call_.in_count = call_.out_count = in_count / call.ranks; break;
        default: call_.in_count = in_count, call_.out_count = out_count; break;
    }
    if (!call.varying) return {};
    call_.in_counts = to_ints(call.in_counts);
    call_.in_displacements = to_ints(call.in_displacements);
    call_.out_counts = to_ints(call.op == operation::reduce_scatter ? call.in_counts : call.out_counts);
    call_.out_displacements = to_ints(call.out_displacements);
    return {};
}

template <class T>
void finish_stock(const geometry& call, unsigned divisor, std::span<T> out, collective_report& report) noexcept {
    const bool listed = call.varying && call.op == operation::reduce_scatter;
    const std::size_t mine = listed ? call.in_counts[static_cast<std::size_t>(call.rank)] : out.size();
    if (divisor != 1 && call.writes()) divide_elements<T>(out.data(), mine, divisor);
    report.sent_bytes = report.raw_bytes = static_cast<std::uint64_t>(
        std::llround(sent_share(call.op, call.ranks) * static_cast<double>(call.buffer_count() * sizeof(T))));
    report.messages = 1;
}

template void finish_stock(const geometry&, unsigned, std::span<float>, collective_report&) noexcept;
template void finish_stock(const geometry&, unsigned, std::span<double>, collective_report&) noexcept;
template void finish_stock(const geometry&, unsigned, std::span<half>, collective_report&) noexcept;
template void finish_stock(const geometry&, unsigned, std::span<bfloat16>, collective_report&) noexcept;

}  // namespace laconic::collective
