// SPDX-License-Identifier: BSD-3-Clause
// One rule for each operation.
#include "collective/c_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "mpi/channel.hpp"
#include "mpi/error.hpp"

namespace laconic::collective {
namespace {

/// Elements that no array has: as doubles they would not fit in memory that has addresses.
constexpr std::size_t absurd = SIZE_MAX / 32;

status absurd_count(std::size_t count) {
    return {errc::invalid_argument,
            "a count of " + std::to_string(count) +
                " elements, or a multiple of it, is beyond all memory; give what the buffer has"};
}

bool is_root(const c_call& call, const c_position& at) noexcept {
    return at.between ? call.root == MPI_ROOT : call.root == at.rank;
}

result<c_lists> lists_of(const c_side& side, int length, bool displaced, const char* name) {
    if (side.counts == nullptr || (displaced && side.displacements == nullptr))
        return status{errc::invalid_argument, std::string(name) + " has no list of counts" +
                                                  (displaced ? " or displacements" : "") +
                                                  "; give an array with an entry for each rank"};
    const auto entries = static_cast<std::size_t>(length);
    return c_lists{{side.counts, entries}, {side.displacements, displaced ? entries : 0}};
}

/// Elements of an array with a part for each rank.
result<std::size_t> whole(const c_side& side, const c_lists& lists, bool varying, int ranks) {
    const auto p = static_cast<std::size_t>(ranks);
    if (!varying) {
        if (side.count > absurd / p) return absurd_count(side.count);
        return side.count * p;
    }
    std::size_t size = 0;
    std::size_t before = 0;
    for (std::size_t k = 0; k < p; ++k) {
        const std::size_t count = lists.counts[k];
        const std::size_t first = lists.displacements.empty() ? before : lists.displacements[k];
        if (count > absurd || first > absurd) return absurd_count(std::max(count, first));
        // Empty parts may have their place anywhere.
        if (count != 0) size = std::max(size, first + count);
        before += count;
    }
    return size;
}

/// Where MPI has MPI_IN_PLACE.
status check_in_place(const c_call& call, bool root) {
    const bool everywhere = call.op == operation::allreduce || call.op == operation::reduce_scatter ||
                            call.op == operation::allgather || call.op == operation::alltoall;
    const bool at_root = (call.op == operation::reduce || call.op == operation::gather) && root;
    const bool ignored = call.op == operation::bcast || (call.op == operation::scatter && !root);
    const char* wrong = nullptr;
    if (call.in.data == MPI_IN_PLACE && !everywhere && !at_root && !ignored) wrong = "sendbuf";
    const bool written = (call.op != operation::reduce && call.op != operation::gather) || root;
    if (call.out.data == MPI_IN_PLACE && written && !(call.op == operation::scatter && root)) wrong = "recvbuf";
    if (wrong == nullptr) return {};
    return {errc::invalid_argument, std::string(wrong) +
                                        " is MPI_IN_PLACE, which this rank of this collective cannot "
                                        "have; give a buffer"};
}

/// What outlives the caller's lists.
void keep(c_lists& lists, std::vector<std::size_t>& kept) {
    for (auto* const list : {&lists.counts, &lists.displacements}) {
        const std::size_t first = kept.size();
        kept.insert(kept.end(), list->begin(), list->end());
        *list = std::span<const std::size_t>(kept).subspan(first);
    }
}

const void* moved(const void* data, std::size_t elements, std::size_t element) noexcept {
    return static_cast<const std::byte*>(data) + elements * element;
}

}  // namespace

result<c_position> position_in(MPI_Comm comm) {
    if (auto bad = mpi::check_running(); !bad.ok()) return bad;
    if (comm == MPI_COMM_NULL) return status{errc::invalid_argument, "the communicator is MPI_COMM_NULL"};
    c_position at;
    int between = 0;
    if (const int code = MPI_Comm_test_inter(comm, &between); code != MPI_SUCCESS)
        return mpi::to_status(code, "MPI_Comm_test_inter");
    at.between = between != 0;
    MPI_Comm_rank(comm, &at.rank);
    MPI_Comm_size(comm, &at.size);
    at.others = at.size;
    if (at.between) MPI_Comm_remote_size(comm, &at.others);
    return at;
}

c_call significant(c_call call, const c_position& at) noexcept {
    const bool root = is_root(call, at);
    // Across an intercommunicator the root has one buffer only, and the rest of its group has none.
    const bool gives = !at.between || (!root && call.root != MPI_PROC_NULL);
    const bool takes = !at.between || call.root != MPI_PROC_NULL;
    const bool in_place = call.in.data == MPI_IN_PLACE;
    switch (call.op) {
        case operation::allgather:
        case operation::alltoall:
            if (in_place) call.in.count = 0;
            break;
        case operation::gather:
            if (!gives || (root && in_place)) call.in.count = 0;
            if (!root) call.out.count = 0;
            break;
        case operation::scatter:
            if (!root) call.in.count = 0;
            if (!takes || (root && (at.between || call.out.data == MPI_IN_PLACE))) call.out.count = 0;
            break;
        case operation::bcast:
        case operation::reduce:
            if (!takes) call.out.count = 0;
            break;
        default: break;
    }
    return call;
}

result<c_lists> in_lists(const c_call& call, const c_position& at) {
    const bool needed = (call.op == operation::scatter && is_root(call, at)) ||
                        (call.op == operation::alltoall && call.in.data != MPI_IN_PLACE);
    if (!call.varying || !needed) return c_lists{};
    return lists_of(call.in, at.others, true, "sendbuf");
}

result<c_lists> out_lists(const c_call& call, const c_position& at) {
    const bool sums = call.op == operation::reduce_scatter;
    const bool needed = sums || call.op == operation::allgather || call.op == operation::alltoall ||
                        (call.op == operation::gather && is_root(call, at));
    if (!call.varying || !needed) return c_lists{};
    return lists_of(call.out, sums ? at.size : at.others, !sums, "recvbuf");
}

result<c_arrays> arrays_of(const c_call& call, const c_position& at, std::size_t element,
                           std::vector<std::size_t>* kept) {
    const bool root = is_root(call, at);
    if (auto bad = check_in_place(call, root); !bad.ok()) return bad;
    const auto me = static_cast<std::size_t>(at.rank);
    const result<c_lists> in = in_lists(call, at);
    if (!in) return in.error();
    const result<c_lists> out = out_lists(call, at);
    if (!out) return out.error();
    for (const std::size_t count : {call.in.count, call.out.count})
        if (count > absurd) return absurd_count(count);

    c_arrays all{call.in.data, const_cast<void*>(call.out.data), call.in.count, call.out.count, *in, *out};
    if (kept != nullptr) {
        kept->reserve(2 * (in->counts.size() + out->counts.size()));
        keep(all.in_lists, *kept);
        keep(all.out_lists, *kept);
    }
    const bool in_place = call.in.data == MPI_IN_PLACE;
    // The rank's own part of an array with a part for each.
    const auto own_count = [&](const c_side& side, const c_lists& lists) {
        return call.varying ? lists.counts[me] : side.count;
    };
    const auto own_first = [&](const c_side& side, const c_lists& lists) {
        return call.varying ? lists.displacements[me] : side.count * me;
    };
    switch (call.op) {
        case operation::allreduce:
        case operation::reduce:
            all.in_count = call.out.count;
            if (in_place) all.in = all.out;
            if (call.op == operation::reduce && !root) all.out = nullptr, all.out_count = 0;
            return all;
        case operation::reduce_scatter: {
            const auto size = whole(call.out, all.out_lists, call.varying, at.size);
            if (!size) return size.error();
            all.in_count = *size;
            all.out_count = own_count(call.out, all.out_lists);
            if (in_place) all.in = all.out;
            // MPI calls them recvcounts, collective.hpp those of in.
            all.in_lists = all.out_lists;
            all.out_lists = {};
            return all;
        }
        case operation::allgather:
        case operation::gather: {
            if (call.op == operation::gather && !root) {
                all.out = nullptr, all.out_count = 0;
                return all;
            }
            const auto size = whole(call.out, all.out_lists, call.varying, at.size);
            if (!size) return size.error();
            all.out_count = *size;
            if (!in_place) return all;
            all.in_count = own_count(call.out, all.out_lists);
            all.in = all.in_count == 0 ? all.out : moved(all.out, own_first(call.out, all.out_lists), element);
            return all;
        }
        case operation::scatter: {
            if (!root) {
                all.in = nullptr, all.in_count = 0;
                return all;
            }
            const auto size = whole(call.in, all.in_lists, call.varying, at.size);
            if (!size) return size.error();
            all.in_count = *size;
            if (call.out.data != MPI_IN_PLACE) return all;
            all.out_count = own_count(call.in, all.in_lists);
            const std::size_t first = all.out_count == 0 ? 0 : own_first(call.in, all.in_lists);
            all.out = const_cast<void*>(moved(all.in, first, element));
            return all;
        }
        case operation::bcast:
            all.in = all.out;
            all.in_count = all.out_count;
            return all;
        case operation::alltoall: break;
    }
    const c_side& sent = in_place ? call.out : call.in;
    if (in_place) all.in = all.out, all.in_lists = all.out_lists;
    const auto in_size = whole(sent, all.in_lists, call.varying, at.size);
    if (!in_size) return in_size.error();
    const auto out_size = whole(call.out, all.out_lists, call.varying, at.size);
    if (!out_size) return out_size.error();
    all.in_count = *in_size;
    all.out_count = *out_size;
    return all;
}

}  // namespace laconic::collective
