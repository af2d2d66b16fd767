// SPDX-License-Identifier: BSD-3-Clause
// From spans to MPI's arguments; sums of 16-bit types, which MPI does not know.
#include "collective/stock.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

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

/// Whether parts lie where MPI's int displacements do not reach: they travel side by side then.
bool packs_in(const geometry& call) noexcept { return !fits_int(call.in_displacements); }
bool packs_out(const geometry& call) noexcept { return !fits_int(call.out_displacements); }

std::size_t sum_of(std::span<const std::size_t> counts) noexcept {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

bool is_short_enough(const geometry& call) noexcept {
    // What MPI is told: of equal parts the count of one, in lists all of them.
    std::size_t in = call.in_count;
    std::size_t out = call.out_count;
    switch (call.op) {
        case operation::allgather:
        case operation::gather: out = 0; break;
        case operation::scatter: in = 0; break;
        case operation::reduce:
            if (!call.is_root()) out = 0;
            break;
        case operation::alltoall: in = out = call.varying ? 0 : in / static_cast<std::size_t>(call.ranks); break;
        case operation::reduce_scatter:  // Open MPI adds up the parts as ints
            if (call.varying) out = 0;
            break;
        default: break;
    }
    if (packs_in(call) || packs_out(call)) {
        if (!call.in_counts.empty()) in = sum_of(call.in_counts);
        if (!call.out_counts.empty()) out = sum_of(call.out_counts);
    }
    return in <= longest_int && out <= longest_int && fits_int(call.in_counts) && fits_int(call.out_counts);
}

/// Elements that this rank sends at least.
double least_sent(const geometry& call) noexcept {
    const double p = call.ranks;
    const auto all = static_cast<double>(call.buffer_count());
    const auto others = [&] {
        if (!call.varying) return (p - 1) / p * all;
        return static_cast<double>(sum_of(call.in_counts) - call.in_counts[static_cast<std::size_t>(call.rank)]);
    };
    switch (call.op) {
        case operation::allreduce: return 2 * (p - 1) / p * all;
        case operation::reduce: return call.is_root() ? 0 : all;
        case operation::bcast: return call.is_root() ? all : 0;
        case operation::gather: return call.is_root() ? 0 : static_cast<double>(call.in_count);
        case operation::scatter: return call.is_root() ? others() : 0;
        case operation::alltoall: return others();
        default: return (p - 1) / p * all;
    }
}

/// Whether a rank's part is where it belongs in the array of all parts. Elsewhere in it, in a gap between parts, it is
/// an array of its own.
bool is_own_part(const void* part, const void* all, const geometry& call, std::span<const std::size_t> displacements,
                 std::size_t part_bytes, std::size_t width) {
    if (part == nullptr || all == nullptr) return false;
    const auto me = static_cast<std::size_t>(call.rank);
    const std::size_t before = call.varying ? displacements[me] * width : me * part_bytes;
    return reinterpret_cast<std::uintptr_t>(part) == reinterpret_cast<std::uintptr_t>(all) + before;
}

/// A rank's own array lies in the gap in front of all parts. Open MPI's nonblocking functions take two equal addresses
/// for MPI_IN_PLACE: they hear of the array of all parts from its second element on.
template <class Byte>
Byte* tell_apart(std::vector<int>& displacements, Byte* all, std::size_t width) noexcept {
    // Empty parts alone may lie at 0.
    for (int& first : displacements) first = std::max(first - 1, 0);
    return all + width;
}

}  // namespace

status fits_mpi(const geometry& call) {
    if (is_short_enough(call)) return {};
    return {errc::unsupported,
            "a count of this call is beyond 2^31 - 1, which MPI's own function cannot take; use "
            "another algorithm, e.g. ring_raw"};
}

std::size_t reach_of(const geometry& call) noexcept {
    return is_short_enough(call) ? call.buffer_count() : std::max(call.buffer_count(), longest_int + 1);
}

cell stock_or_raw(const geometry& call) noexcept {
    if (call.buffer_count() <= longest_int) return {};
    const bool ring = call.op <= operation::allgather || call.op == operation::bcast;
    return {ring ? schedule_kind::ring : schedule_kind::pairwise, payload_kind::raw, codec_id::raw};
}

stock_call::~stock_call() {
    if (own_op_ && mpi::check_running().ok()) MPI_Op_free(&call_.combine);
    release();
}

void stock_call::release() noexcept {
    // MPI may still read and write all this.
    if (started_) call_.abandon();
    if (copy_ == nullptr) return;
    if (started_) copy_->bytes.abandon();
    copy_->in_use = false;
    copy_ = nullptr;
}

status stock_call::start() {
    started_ = true;
    return channel_->check(call_.issue(channel_->comm(), &request_), "MPI collective");
}

result<bool> stock_call::test() {
    int done = 0;
    if (auto bad = channel_->check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI collective"); !bad.ok())
        return bad;
    return done != 0;
}

status stock_call::borrow(std::size_t size_bytes) {
    copy_ = call_store::of(*channel_).memory().borrow();
    if (copy_ == nullptr) return no_memory();
    if (!copy_->bytes.reserve(size_bytes).ok()) return no_memory();
    copied_bytes_ = size_bytes;
    return {};
}

/// Parts that lie too far apart: those to be sent are copied now, those that come are spread at the end.
/// in_place   an exchange that overwrites what it sends
status stock_call::pack(const geometry& call, const void* in, std::size_t width, bool in_place) {
    const bool takes = in_place || packs_in(call);
    const std::size_t in_bytes = takes ? sum_of(call.in_counts) * width : 0;
    const std::size_t out_bytes = packs_out(call) ? sum_of(call.out_counts) * width : 0;
    // Never 0: to some of Open MPI's functions two equal addresses are an exchange in place.
    const std::size_t before = mpi::workspace::rounded(std::max(in_bytes, width));
    if (auto bad = borrow(before + out_bytes); !bad.ok()) return bad;
    std::byte* const memory = copy_->bytes.bytes().data();
    const auto side_by_side = [](std::span<const std::size_t> counts) {
        std::vector<int> first = to_ints(counts);
        std::exclusive_scan(first.begin(), first.end(), first.begin(), 0);
        return first;
    };
    if (takes) {
        call_.in = memory;
        call_.in_displacements = side_by_side(call.in_counts);
        std::size_t at = 0;
        for (std::size_t k = 0; k < call.in_counts.size(); ++k) {
            const std::size_t size_bytes = call.in_counts[k] * width;
            if (size_bytes == 0) continue;
            std::memcpy(memory + at, static_cast<const std::byte*>(in) + call.in_displacements[k] * width, size_bytes);
            at += size_bytes;
        }
    }
    if (packs_out(call)) {
        if (call_.in == MPI_IN_PLACE) call_.in = in;
        call_.out = memory + before;
        call_.out_displacements = side_by_side(call.out_counts);
        packed_out_ = true;
    }
    return {};
}

void stock_call::unpack(const geometry& call, void* out, std::size_t width) const noexcept {
    const auto* from = static_cast<const std::byte*>(call_.out);
    for (std::size_t k = 0; k < call.out_counts.size(); ++k) {
        const std::size_t size_bytes = call.out_counts[k] * width;
        if (size_bytes > 0)
            std::memcpy(static_cast<std::byte*>(out) + call.out_displacements[k] * width, from, size_bytes);
        from += size_bytes;
    }
}

/// MPI moves 16-bit elements as integers; operations of the program know them by their own type.
status stock_call::set_type(const geometry& call, element_type type, reduction combine, MPI_Op custom) {
    const bool ours = size_of(type) == 2 && combine != reduction::custom;
    call_.type = ours ? MPI_UINT16_T : mpi::type_of(type);
    if (call_.type == MPI_DATATYPE_NULL) return no_memory();
    // Kept for the next call: a persistent one has the same.
    if (own_op_) return {};
    if (!ours || !is_reduction(call.op)) {
        call_.combine = combine == reduction::custom ? custom : op_of(combine);
        return {};
    }
    MPI_User_function* const function =
        type == element_type::f16 ? half_function<half>(combine) : half_function<bfloat16>(combine);
    status made = channel_->check(MPI_Op_create(function, 1, &call_.combine), "MPI_Op_create");
    own_op_ = made.ok();
    return made;
}

void stock_call::set_counts(const geometry& call) {
    const int in_count = static_cast<int>(call.in_count);
    const int out_count = static_cast<int>(call.out_count);
    switch (call.op) {
        case operation::allgather:
        case operation::gather: call_.in_count = call_.out_count = in_count; break;
        case operation::scatter: call_.in_count = call_.out_count = out_count; break;
        case operation::alltoall:
            call_.in_count = call_.out_count = static_cast<int>(call.in_count / static_cast<std::size_t>(call.ranks));
            break;
        default: call_.in_count = in_count, call_.out_count = out_count; break;
    }
    if (!call.varying) return;
    call_.in_counts = to_ints(call.in_counts);
    call_.in_displacements = to_ints(call.in_displacements);
    call_.out_counts = to_ints(call.op == operation::reduce_scatter ? call.in_counts : call.out_counts);
    call_.out_displacements = to_ints(call.out_displacements);
}

status stock_call::prepare(mpi::channel& channel, const geometry& call, element_type type, reduction combine,
                           MPI_Op custom, const void* in, void* out) {
    if (auto bad = fits_mpi(call); !bad.ok()) return bad;
    release();
    channel_ = &channel;
    copied_bytes_ = 0;
    started_ = packed_out_ = false;
    call_.op = call.op;
    call_.varying = call.varying;
    call_.root = call.root;
    if (auto bad = set_type(call, type, combine, custom); !bad.ok()) return bad;
    set_counts(call);
    const std::size_t width = size_of(type);
    // Where the values are, or belong, already.
    // Ranks without values say so, too: in place or not, MPI's alltoallv has other messages.
    const bool same = in == out && in != nullptr;
    const bool gathers = call.op == operation::allgather || call.op == operation::gather;
    const bool in_place =
        call.writes() &&
        (gathers ? is_own_part(in, out, call, call.out_displacements, call.in_count * width, width) : same);
    const bool kept = call.op == operation::scatter && call.is_root() &&
                      is_own_part(out, in, call, call.in_displacements, call.out_count * width, width);
    call_.in = in_place && call.op != operation::scatter ? MPI_IN_PLACE : in;
    call_.out = kept ? MPI_IN_PLACE : out;
    const bool spoils_reduce = call.op == operation::reduce && call.root != 0 && !reduces_in_place_anywhere;
    // An exchange in place: Open MPI 4.1.4 was seen to mix up parts beyond its eager limit from 8 ranks on.
    const bool packs = packs_in(call) || packs_out(call);
    const bool exchanges_in_place = in_place && call.op == operation::alltoall;
    if (!packs && (exchanges_in_place || (in_place && spoils_reduce))) {
        const std::size_t size_bytes = call.in_count * width;
        if (auto bad = borrow(size_bytes); !bad.ok()) return bad;
        if (size_bytes > 0) std::memcpy(copy_->bytes.bytes().data(), in, size_bytes);
        call_.in = copy_->bytes.bytes().data();
    }
    if (!call.varying) return {};
    if (packs) return pack(call, in, width, exchanges_in_place);
    if (same && gathers && !in_place && call.in_count > 0)
        call_.out = tell_apart(call_.out_displacements, static_cast<std::byte*>(out), width);
    if (same && call.op == operation::scatter && !kept && call.out_count > 0)
        call_.in = tell_apart(call_.in_displacements, static_cast<const std::byte*>(in), width);
    return {};
}

template <class T>
void stock_call::finish(const geometry& call, unsigned divisor, std::span<T> out, collective_report& report) noexcept {
    started_ = false;
    if (packed_out_) unpack(call, out.data(), sizeof(T));
    release();
    report.workspace_bytes = copied_bytes_;
    const bool listed = call.varying && call.op == operation::reduce_scatter;
    const std::size_t mine = listed ? call.in_counts[static_cast<std::size_t>(call.rank)] : out.size();
    if (divisor != 1 && call.writes()) divide_elements<T>(out.data(), mine, divisor);
    report.sent_bytes = report.raw_bytes = static_cast<std::uint64_t>(std::llround(least_sent(call) * sizeof(T)));
    report.messages = 1;
}

template void stock_call::finish(const geometry&, unsigned, std::span<float>, collective_report&) noexcept;
template void stock_call::finish(const geometry&, unsigned, std::span<double>, collective_report&) noexcept;
template void stock_call::finish(const geometry&, unsigned, std::span<half>, collective_report&) noexcept;
template void stock_call::finish(const geometry&, unsigned, std::span<bfloat16>, collective_report&) noexcept;

}  // namespace laconic::collective
