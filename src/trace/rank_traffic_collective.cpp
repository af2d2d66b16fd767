// SPDX-License-Identifier: BSD-3-Clause
// Collectives of a rank: their roots, and the bytes of its buffers.
#include <algorithm>

#include "trace/rank_traffic.hpp"

namespace laconic::trace {
namespace {

constexpr std::uint64_t proc_null = 0, mpi_root = 2, first_rank = 5;
constexpr std::uint64_t in_place = 2;

std::uint64_t non_negative(std::int64_t value) { return value > 0 ? static_cast<std::uint64_t>(value) : 0; }

}  // namespace

std::uint64_t rank_traffic::bytes_of(std::string_view count, std::string_view type) const {
    const parsed_argument* const of = call_.find(type);
    if (of == nullptr || !of->present || of->of->array) return 0;
    return non_negative(call_.integer(count, 0)) * types_.of(call_.value(*of).code);
}

std::uint64_t rank_traffic::bytes_at(std::string_view counts, std::string_view type, std::uint64_t i) const {
    const parsed_argument* const all = call_.find(counts);
    const parsed_argument* const of = call_.find(type);
    if (all == nullptr || of == nullptr || !all->present || !of->present || i >= all->count) return 0;
    const std::uint64_t at = of->of->array ? i : 0;
    if (at >= of->count) return 0;
    return non_negative(call_.value(*all, i).number) * types_.of(call_.value(*of, at).code);
}

std::uint64_t rank_traffic::bytes_of_all(std::string_view counts, std::string_view type) const {
    const parsed_argument* const all = call_.find(counts);
    if (all == nullptr || !all->present) return 0;
    const parsed_argument* const of = call_.find(type);
    if (of == nullptr || !of->present) return 0;
    if (all->packed && !of->of->array) {
        // Equal, or in equal steps, as many as the writer of the bytes likes.
        const std::uint64_t counted = all->count * non_negative(call_.value(*all).number) +
                                      all->count * (all->count - 1) / 2 * static_cast<std::uint64_t>(all->step);
        return counted * types_.of(call_.value(*of).code);
    }
    const std::uint64_t count = of->of->array ? std::min(all->count, of->count) : all->count;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) sum += bytes_at(counts, type, i);
    return sum;
}

void rank_traffic::collective_sizes(pending& of) {
    comm_shape shape;
    if (shape_ && of.comm != unknown_comm) {
        const auto [at, fresh] = shapes_.try_emplace(of.comm);
        if (fresh) at->second = shape_(of.comm);
        shape = at->second;
    }
    // No array has an element for the rank where its place is unknown.
    constexpr std::uint64_t nowhere = ~std::uint64_t{0};
    const std::uint64_t ranks = shape.size, own = ranks == 0 ? nowhere : shape.own_rank;
    const parsed_argument* const buffer = call_.find("sendbuf");
    const bool send_in_place = buffer != nullptr && buffer->present && call_.value(*buffer).code == in_place;
    const parsed_argument* const target = call_.find("recvbuf");
    const bool receive_in_place = target != nullptr && target->present && call_.value(*target).code == in_place;
    const parsed_argument* const root = call_.find("root");
    bool is_root = false;
    if (root != nullptr && root->present) {
        const wire_value at = call_.value(*root);
        is_root = at.code == mpi_root || (at.code >= first_rank && at.number == 0);
        of.root = at.code == mpi_root     ? root_is_caller
                  : at.code == proc_null  ? root_beside_caller
                  : at.code >= first_rank ? static_cast<std::uint32_t>(at.code - first_rank)
                                          : no_root;
        // The ranks of the root's own group take no part.
        if (at.code == proc_null) return;
    }
    const std::uint64_t plain = bytes_of("count", "datatype");
    const std::uint64_t send = bytes_of("sendcount", "sendtype"), receive = bytes_of("recvcount", "recvtype");
    switch (of.op) {
        case collective_op::none:
        case collective_op::barrier:
        case collective_op::create:
        case collective_op::destroy: break;
        case collective_op::bcast: (is_root ? of.sent : of.received) = plain; break;
        case collective_op::gather:
            of.sent = send_in_place ? receive : send;
            if (is_root) of.received = receive * ranks;
            break;
        case collective_op::gatherv:
            of.sent = send_in_place ? bytes_at("recvcounts", "recvtype", own) : send;
            if (is_root) of.received = bytes_of_all("recvcounts", "recvtype");
            break;
        case collective_op::scatter:
            if (is_root) of.sent = send * ranks;
            of.received = receive_in_place ? send : receive;
            break;
        case collective_op::scatterv:
            if (is_root) of.sent = bytes_of_all("sendcounts", "sendtype");
            of.received = receive_in_place ? bytes_at("sendcounts", "sendtype", own) : receive;
            break;
        case collective_op::allgather:
            of.sent = send_in_place ? receive : send;
            of.received = receive * ranks;
            break;
        case collective_op::allgatherv:
            of.sent = send_in_place ? bytes_at("recvcounts", "recvtype", own) : send;
            of.received = bytes_of_all("recvcounts", "recvtype");
            break;
        case collective_op::alltoall:
            of.received = receive * ranks;
            of.sent = send_in_place ? of.received : send * ranks;
            break;
        case collective_op::alltoallv:
        case collective_op::alltoallw: {
            const bool typed = of.op == collective_op::alltoallw;
            of.received = bytes_of_all("recvcounts", typed ? "recvtypes" : "recvtype");
            of.sent = send_in_place ? of.received : bytes_of_all("sendcounts", typed ? "sendtypes" : "sendtype");
            break;
        }
        case collective_op::allreduce:
        case collective_op::scan:
        case collective_op::exscan: of.sent = of.received = plain; break;
        case collective_op::reduce:
            of.sent = plain;
            if (is_root) of.received = plain;
            break;
        case collective_op::reduce_scatter:
            of.sent = bytes_of_all("recvcounts", "datatype");
            of.received = bytes_at("recvcounts", "datatype", own);
            break;
        case collective_op::reduce_scatter_block:
            of.received = bytes_of("recvcount", "datatype");
            of.sent = of.received * ranks;
            break;
    }
}

void rank_traffic::collective(const call_role& role) {
    pending what;
    what.comm = comm_of("comm");
    what.op = role.op;
    learn_rank(what.comm);
    collective_sizes(what);
    if (role.mode != mode::blocking) return post(what, role.mode);
    traffic made;
    made.what = traffic::kind::collective;
    made.op = what.op;
    made.comm = what.comm;
    made.peer = what.root;
    made.sent = what.sent;
    made.received = what.received;
    out_.push_back(made);
}

}  // namespace laconic::trace
