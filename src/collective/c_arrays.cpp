// SPDX-License-Identifier: BSD-3-Clause
// One rule for each operation.
#include "collective/c_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

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
    if (!varying) {
        const auto p = static_cast<std::size_t>(ranks);
        if (side.count > absurd / p) return absurd_count(side.count);
        return side.count * p;
    }
    std::size_t size = 0;
    std::size_t before = 0;
    for (std::size_t k = 0; k < lists.counts.size(); ++k) {
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

/// The rank's own part of an array with a part for each: how long it is, and where.
std::size_t own_count(const c_call& call, const c_side& side, const c_lists& lists, int rank) noexcept {
    if (!call.varying) return side.count;
    return lists.counts.empty() ? 0 : lists.counts[static_cast<std::size_t>(rank)];
}
std::size_t own_first(const c_call& call, const c_side& side, const c_lists& lists, int rank) noexcept {
    const auto me = static_cast<std::size_t>(rank);
    return call.varying ? lists.displacements[me] : side.count * me;
}

/// Elements of both arrays.
/// whole_of(side, lists)   of an array with a part for each rank
template <class Whole>
void set_sizes(const c_call& call, const c_position& at, c_arrays& all, Whole whole_of) {
    const bool root = is_root(call, at);
    switch (call.op) {
        case operation::allreduce:
        case operation::reduce:
            all.in_count = call.out.count;
            if (call.op == operation::reduce && !root) all.out_count = 0;
            return;
        case operation::reduce_scatter:
            all.in_count = whole_of(call.out, all.out_lists);
            all.out_count = own_count(call, call.out, all.out_lists, at.rank);
            return;
        case operation::allgather:
        case operation::gather:
            all.out_count = 0;
            if (call.op == operation::gather && !root) return;
            all.out_count = whole_of(call.out, all.out_lists);
            if (call.in.data == MPI_IN_PLACE) all.in_count = own_count(call, call.out, all.out_lists, at.rank);
            return;
        case operation::scatter:
            all.in_count = 0;
            if (!root) return;
            all.in_count = whole_of(call.in, all.in_lists);
            if (call.out.data == MPI_IN_PLACE) all.out_count = own_count(call, call.in, all.in_lists, at.rank);
            return;
        case operation::bcast: all.in_count = all.out_count; return;
        case operation::alltoall: break;
    }
    const bool in_place = call.in.data == MPI_IN_PLACE;
    all.out_count = whole_of(call.out, all.out_lists);
    all.in_count = in_place ? all.out_count : whole_of(call.in, all.in_lists);
}

/// Where the arrays and their lists are. Precondition: set_sizes(), and nothing is wrong with the call.
void set_data(const c_call& call, const c_position& at, std::size_t element, c_arrays& all) noexcept {
    const bool root = is_root(call, at);
    const bool in_place = call.in.data == MPI_IN_PLACE;
    switch (call.op) {
        case operation::allreduce:
        case operation::reduce:
            if (in_place) all.in = all.out;
            if (call.op == operation::reduce && !root) all.out = nullptr;
            return;
        case operation::reduce_scatter:
            if (in_place) all.in = all.out;
            // MPI calls them recvcounts, collective.hpp those of in.
            all.in_lists = std::exchange(all.out_lists, {});
            return;
        case operation::allgather:
        case operation::gather:
            if (call.op == operation::gather && !root)
                all.out = nullptr;
            else if (in_place && all.in_count == 0)
                all.in = all.out;
            else if (in_place)
                all.in = moved(all.out, own_first(call, call.out, all.out_lists, at.rank), element);
            return;
        case operation::scatter:
            if (!root)
                all.in = nullptr;
            else if (call.out.data == MPI_IN_PLACE)
                all.out = const_cast<void*>(
                    moved(all.in, all.out_count == 0 ? 0 : own_first(call, call.in, all.in_lists, at.rank), element));
            return;
        case operation::bcast: all.in = all.out; return;
        case operation::alltoall:
            if (in_place) all.in = all.out, all.in_lists = all.out_lists;
            return;
    }
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

status arrays_of(const c_call& call, const c_position& at, std::size_t element, std::vector<std::size_t>* kept,
                 c_arrays& all) {
    const bool root = is_root(call, at);
    status why = check_in_place(call, root);
    const auto found = [&]<class Found>(const result<Found>& what, Found otherwise) {
        if (!what && why.ok()) why = what.error();
        return what ? *what : otherwise;
    };
    all = {call.in.data, const_cast<void*>(call.out.data), call.in.count, call.out.count, {}, {}};
    all.in_lists = found(in_lists(call, at), {});
    all.out_lists = found(out_lists(call, at), {});
    for (const std::size_t count : {call.in.count, call.out.count})
        if (count > absurd && why.ok()) why = absurd_count(count);
    if (kept != nullptr) {
        kept->reserve(2 * (all.in_lists.counts.size() + all.out_lists.counts.size()));
        keep(all.in_lists, *kept);
        keep(all.out_lists, *kept);
    }
    set_sizes(call, at, all, [&](const c_side& side, const c_lists& lists) {
        return found(whole(side, lists, call.varying, at.size), absurd);
    });
    if (why.ok()) {
        set_data(call, at, element, all);
        return why;
    }
    all.in = all.out = nullptr;
    // Without its counts an allgatherv is as long as if all parts were like this rank's.
    const auto ranks = static_cast<std::size_t>(at.size);
    if (call.op == operation::allgather && call.varying && all.out_lists.counts.empty())
        all.out_count = std::min(all.in_count, absurd / ranks) * ranks;
    return why;
}

}  // namespace laconic::collective
