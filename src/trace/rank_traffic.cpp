// SPDX-License-Identifier: BSD-3-Clause
// Messages, requests and their completion, and the communicators that a rank makes.
#include "trace/rank_traffic.hpp"

#include <algorithm>

namespace laconic::trace {
namespace {

/// Codes of ranks in signatures.
constexpr std::uint64_t any_source = 1, first_rank = 5;
/// Flags of statuses.
constexpr std::uint64_t has_source = 1, has_bytes = 2, was_cancelled = 4, has_error = 8;

constexpr std::uint32_t none_left = 0xffffffff;

}  // namespace

std::span<const traffic> rank_traffic::read(view signature) {
    out_.clear();
    if (!call_.parse(signature)) return {};
    const call_role role = role_of(*call_.row());
    const bool returned = call_.result() == 0;
    switch (role.what) {
        case role::other: return {};
        case role::complete:
        case role::complete_all:
        case role::complete_any:
        case role::complete_some: completions(role.what); return out_;
        default: break;
    }
    if (!returned) return {};
    switch (role.what) {
        case role::send:
        case role::receive:
        case role::send_receive: message(role); break;
        case role::collective: collective(role); break;
        case role::matched_probe: {
            const parsed_argument* const made = call_.find("message", true);
            const parsed_argument* const status = call_.find("status", true);
            if (made == nullptr || !made->present || status == nullptr || !status->present) break;
            const wire_value from = call_.value(*status);
            // The program may ignore the status; what it asked for then is all there is.
            const bool told = (from.code & has_source) != 0;
            const std::uint64_t code = call_.value(*made).code;
            if (messages_.size() >= most_outstanding && messages_.count(code) == 0) break;
            messages_[code] = {comm_of("comm"), told ? from.extra : rank_code("source"),
                               static_cast<std::int32_t>(told ? from.number : call_.integer("tag", 0))};
            break;
        }
        case role::start:
        case role::start_all: {
            const parsed_argument* requests = call_.find("request");
            if (requests == nullptr) requests = call_.find("array_of_requests");
            for (std::uint64_t i = 0; requests != nullptr && requests->present && i < requests->count; ++i) {
                const wire_value at = call_.value(*requests, i);
                if (const auto found = requests_.find({at.code, at.extra}); found != requests_.end())
                    start(found->second);
            }
            break;
        }
        case role::free_request: {
            const parsed_argument* const request = call_.find("request");
            if (request == nullptr || !request->present) break;
            const wire_value at = call_.value(*request);
            requests_.erase({at.code, at.extra});
            break;
        }
        case role::new_comm: make_comm(); break;
        case role::free_comm: {
            const parsed_argument* const comm = call_.find("comm");
            if (comm == nullptr || !comm->present) break;
            traffic made;
            made.what = traffic::kind::collective;
            made.op = collective_op::destroy;
            made.comm = comm_of("comm");
            made.peer = no_root;
            out_.push_back(made);
            if (made.comm >= first_local) comms_.erase(call_.value(*comm).code);
            break;
        }
        case role::new_type:
        case role::type_size: types_.learn(call_); break;
        case role::comm_rank: {
            const std::int32_t comm = comm_of("comm");
            const parsed_argument* const rank = call_.find("rank", true);
            if (comm >= first_local && rank != nullptr && rank->present && call_.value(*rank).code >= first_rank)
                made_[static_cast<std::size_t>(comm - first_local)].own_rank =
                    static_cast<std::int64_t>(call_.value(*rank).code - first_rank);
            break;
        }
        case role::comm_size: {
            const std::int32_t comm = comm_of("comm");
            if (comm >= first_local && call_.find("size", true) != nullptr)
                made_[static_cast<std::size_t>(comm - first_local)].size = call_.integer("size", -1, true);
            break;
        }
        default: break;
    }
    return out_;
}

std::int32_t rank_traffic::comm_of(std::string_view name) const {
    const parsed_argument* const comm = call_.find(name);
    if (comm == nullptr || !comm->present || comm->of->array) return unknown_comm;
    const auto found = comms_.find(call_.value(*comm).code);
    return found == comms_.end() ? unknown_comm : found->second;
}

std::uint64_t rank_traffic::rank_code(std::string_view name) const {
    const parsed_argument* const rank = call_.find(name);
    return rank == nullptr || !rank->present || rank->of->array ? 0 : call_.value(*rank).code;
}

/// Ranks stand relative to the caller's own, too: so any call with one tells the caller's.
void rank_traffic::learn_rank(std::int32_t comm) {
    if (comm < first_local) return;
    for (const char* const name : {"dest", "source", "root"}) {
        const parsed_argument* const rank = call_.find(name);
        if (rank == nullptr || !rank->present || rank->of->array) continue;
        const wire_value at = call_.value(*rank);
        if (at.code >= first_rank)
            made_[static_cast<std::size_t>(comm - first_local)].own_rank =
                static_cast<std::int64_t>(at.code - first_rank - static_cast<std::uint64_t>(at.number));
    }
}

void rank_traffic::message(const call_role& role) {
    pending what;
    what.comm = comm_of("comm");
    learn_rank(what.comm);
    const bool both = role.what == role::send_receive;
    const bool apart = call_.find("sendcount") != nullptr;
    if (role.what == role::send || both) {
        what.send = {true, rank_code("dest"), static_cast<std::int32_t>(call_.integer(both ? "sendtag" : "tag", 0)),
                     apart ? bytes_of("sendcount", "sendtype") : bytes_of("count", "datatype"), 0};
        what.send.bytes *= static_cast<std::uint64_t>(call_.integer("partitions", 1));
    }
    if (role.what == role::receive || both) {
        what.receive = {true, rank_code("source"),
                        static_cast<std::int32_t>(call_.integer(both ? "recvtag" : "tag", 0)),
                        apart ? bytes_of("recvcount", "recvtype") : bytes_of("count", "datatype"), 0};
        what.receive.bytes *= static_cast<std::uint64_t>(call_.integer("partitions", 1));
        if (const parsed_argument* const from = call_.find("message"); from != nullptr && from->present) {
            const auto found = messages_.find(call_.value(*from).code);
            if (found != messages_.end()) {
                what.comm = found->second.comm;
                what.receive.peer_code = found->second.source;
                what.receive.tag = found->second.tag;
                messages_.erase(found);
            } else {
                // MPI_MESSAGE_NO_PROC, or a message from where nothing was recorded.
                what.receive.peer_code = 0;
            }
        }
    }
    if (role.mode != mode::blocking) return post(what, role.mode);
    if (what.send.there && what.send.peer_code >= first_rank) {
        traffic made;
        made.what = traffic::kind::send;
        made.comm = what.comm;
        made.peer = static_cast<std::uint32_t>(what.send.peer_code - first_rank);
        made.tag = what.send.tag;
        made.sent = what.send.bytes;
        out_.push_back(made);
    }
    if (what.receive.there) {
        wire_value room;
        add_receive(traffic::kind::receive, what.comm, what.receive, status_of(call_.find("status", true), 0, room));
    }
}

const wire_value* rank_traffic::status_of(const parsed_argument* statuses, std::uint64_t i, wire_value& room) const {
    if (statuses == nullptr || !statuses->present || i >= statuses->count) return nullptr;
    room = call_.value(*statuses, i);
    return &room;
}

void rank_traffic::add_receive(traffic::kind what, std::int32_t comm, const half& posted, const wire_value* status) {
    traffic made;
    made.what = what;
    made.comm = comm;
    made.request = posted.request;
    std::uint64_t source = posted.peer_code;
    made.tag = posted.tag;
    made.received = posted.bytes;
    if (status != nullptr) {
        if ((status->code & was_cancelled) != 0) {
            if (what == traffic::kind::receive_ended) {
                made.what = traffic::kind::cancelled;
                out_.push_back(made);
            }
            return;
        }
        if ((status->code & has_source) != 0) {
            source = status->extra;
            made.tag = static_cast<std::int32_t>(status->number);
        }
        if ((status->code & has_bytes) != 0) made.received = status->bytes;
    }
    if (source < first_rank) return;
    made.peer = static_cast<std::uint32_t>(source - first_rank);
    out_.push_back(made);
}

void rank_traffic::post(const pending& what, mode how) {
    const parsed_argument* const request = call_.find("request", true);
    if (request == nullptr || !request->present) return;
    const wire_value at = call_.value(*request);
    if (at.code == 0) return;
    const request_key key{at.code, at.extra};
    pending beyond;
    pending& kept = requests_.size() < most_outstanding || requests_.count(key) != 0 ? requests_[key] : beyond;
    kept = what;
    kept.persistent = how == mode::persistent;
    if (!kept.persistent) start(kept);
}

void rank_traffic::start(pending& what) {
    what.active = true;
    traffic made;
    made.comm = what.comm;
    if (what.op != collective_op::none) {
        made.what = traffic::kind::collective_started;
        made.op = what.op;
        made.sent = what.sent;
        made.request = what.request = next_request_++;
        out_.push_back(made);
        return;
    }
    if (what.send.there && what.send.peer_code >= first_rank) {
        made.what = traffic::kind::send_started;
        made.peer = static_cast<std::uint32_t>(what.send.peer_code - first_rank);
        made.tag = what.send.tag;
        made.sent = what.send.bytes;
        made.request = what.send.request = next_request_++;
        out_.push_back(made);
    }
    // What comes from MPI_PROC_NULL never arrives.
    if (what.receive.there && (what.receive.peer_code >= first_rank || what.receive.peer_code == any_source)) {
        made = {};
        made.what = traffic::kind::receive_started;
        made.comm = what.comm;
        made.peer = what.receive.peer_code == any_source
                        ? no_root
                        : static_cast<std::uint32_t>(what.receive.peer_code - first_rank);
        made.tag = what.receive.tag;
        made.received = what.receive.bytes;
        made.request = what.receive.request = next_request_++;
        out_.push_back(made);
    }
}

void rank_traffic::completions(role what) {
    const bool one = what == role::complete;
    const parsed_argument* const requests = call_.find(one ? "request" : "array_of_requests");
    const parsed_argument* const statuses =
        call_.find(one || what == role::complete_any ? "status" : "array_of_statuses", true);
    if (requests == nullptr || !requests->present || call_.arguments().size() == call_.inputs()) return;
    if (call_.integer("flag", 1, true) == 0) return;
    if (what == role::complete_any) {
        const std::int64_t at = call_.integer("indx", -1, true);
        if (at >= 0) complete(*requests, static_cast<std::uint64_t>(at), statuses, 0);
    } else if (what == role::complete_some) {
        const parsed_argument* const which = call_.find("array_of_indices", true);
        // Few bytes may stand for many indices; there are no more than requests.
        for (std::uint64_t i = 0; which != nullptr && which->present && i < which->count && i < requests->count; ++i)
            complete(*requests, static_cast<std::uint64_t>(call_.value(*which, i).number), statuses, i);
    } else {
        for (std::uint64_t i = 0; i < requests->count; ++i) complete(*requests, i, statuses, i);
    }
}

void rank_traffic::complete(const parsed_argument& requests, std::uint64_t i, const parsed_argument* statuses,
                            std::uint64_t status_at) {
    if (i >= requests.count) return;
    const wire_value at = call_.value(requests, i);
    const auto found = requests_.find({at.code, at.extra});
    if (found == requests_.end() || !found->second.active) return;
    wire_value room;
    const wire_value* const status = status_of(statuses, status_at, room);
    // Of several only some may have failed, or not be over.
    if (call_.result() != 0 && (status == nullptr || (status->code & has_error) == 0 || status->error != 0)) return;
    pending& what = found->second;
    traffic made;
    made.comm = what.comm;
    if (what.op != collective_op::none) {
        made.what = traffic::kind::collective_ended;
        made.op = what.op;
        made.peer = what.root;
        made.sent = what.sent;
        made.received = what.received;
        made.request = what.request;
        out_.push_back(made);
    }
    if (what.send.there && what.send.peer_code >= first_rank) {
        const bool gone = status != nullptr && (status->code & was_cancelled) != 0;
        made.what = gone ? traffic::kind::cancelled : traffic::kind::send_ended;
        made.request = what.send.request;
        out_.push_back(made);
    }
    if (what.receive.there) add_receive(traffic::kind::receive_ended, what.comm, what.receive, status);
    if (what.persistent)
        what.active = false;
    else
        requests_.erase(found);
}

void rank_traffic::make_comm() {
    const parsed_argument *parent = nullptr, *child = nullptr;
    for (const parsed_argument& each : call_.arguments()) {
        if (each.of->form != mpi::form::handle || !each.of->kind.ends_with("comm")) continue;
        if (each.after)
            child = &each;
        else if (parent == nullptr)
            parent = &each;
    }
    if (child == nullptr || !child->present || (parent != nullptr && !parent->present)) return;
    made_comm made;
    made.function = call_.row()->name;
    // One that is made of a group of processes has no parent.
    if (parent != nullptr) made.parent = comm_of(parent->of->name);
    // Only some of a communicator's ranks take part in this one.
    const bool by_some = made.function == "MPI_Comm_create_group";
    made.turn = by_some || parent == nullptr ? 0 : turns_[made.parent]++;
    traffic event;
    event.what = traffic::kind::collective;
    event.op = collective_op::create;
    event.comm = made.parent;
    event.peer = no_root;
    if (!by_some && parent != nullptr && role_of(*call_.row()).mode == mode::blocking) out_.push_back(event);
    made.handle = call_.value(*child).code;
    if (made.handle == 0) return;
    made.color = call_.integer("color", 0);
    made.key = made.function == "MPI_Intercomm_merge" ? call_.integer("high", 0) : call_.integer("key", 0);
    made.tag = call_.integer("tag", 0);
    if (const parsed_argument* const text = call_.find("stringtag"); text != nullptr && text->present)
        made.text = call_.value(*text).text;
    if (const std::uint64_t leader = rank_code("remote_leader"); leader >= first_rank)
        made.remote_leader = static_cast<std::uint32_t>(std::min<std::uint64_t>(leader - first_rank, none_left));
    made.peer_comm = comm_of("peer_comm");
    const parsed_argument* sides = call_.find("dims");
    if (sides == nullptr) sides = call_.find("remain_dims");
    constexpr std::uint64_t most_sides = 64;
    if (sides != nullptr && sides->present && sides->count <= most_sides)
        for (std::uint64_t i = 0; i < sides->count; ++i) made.sides.push_back(call_.value(*sides, i).number);
    if (made_.size() == most_made) {
        made_too_many_ = true;
        comms_.erase(made.handle);
        return;
    }
    comms_[made.handle] = first_local + static_cast<std::int32_t>(made_.size());
    made_.push_back(std::move(made));
}

}  // namespace laconic::trace
