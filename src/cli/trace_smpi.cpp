// SPDX-License-Identifier: BSD-3-Clause
// A trace as SimGrid's time-independent actions: what calls send and receive flows in, lines for smpirun -replay flow
// out. The replay knows one communicator: messages of others become messages of the world, collectives stay if all
// ranks take part in the world's order. Everything is counted in bytes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "cli/trace_export.hpp"
#include "cli/trace_input.hpp"
#include "laconic/trace_arguments.hpp"
#include "trace/communicators.hpp"
#include "trace/rank_traffic.hpp"

namespace laconic::cli {
namespace {

using trace::collective_op;
using trace::communicators;
using trace::traffic;

/// As SMPI numbers MPI_BYTE.
constexpr int byte_type = 6;
constexpr std::int32_t any_tag = -1;

bool is_wildcard(const traffic& receive) { return receive.peer == trace::no_root || receive.tag == any_tag; }

/// One rank.
class action_writer {
public:
    action_writer(const communicators& known, std::uint32_t rank, std::uint32_t ranks, const text_sink& out,
                  std::map<std::string, std::uint64_t>& left_out)
        : known_(known), rank_(rank), ranks_(ranks), out_(out), left_out_(left_out) {}

    /// The first of two passes: where a receive from anywhere came from is told when it is complete, and what never is
    /// must not be asked for.
    void look_ahead(trace_calls calls, const std::string& name) {
        trace::rank_traffic reader;
        while (!calls.at_end())
            for (const traffic& each : reader.read(value_or_fail(calls.next(), name).signature)) {
                if (each.what == traffic::kind::receive_started) {
                    hold(never_, name);
                    never_.emplace(each.request, is_wildcard(each));
                }
                if (each.what != traffic::kind::receive_ended) continue;
                const auto at = never_.find(each.request);
                if (at == never_.end()) continue;
                if (at->second) {
                    hold(found_, name);
                    found_.emplace(each.request, each);
                }
                never_.erase(at);
            }
    }

    void write(trace_calls calls, const std::string& name) {
        trace::rank_traffic reader([this](std::int32_t local) { return known_.shape(rank_, local); });
        std::uint64_t end_ns = 0;
        for (bool first = true; !calls.at_end(); first = false) {
            const trace_call call = value_or_fail(calls.next(), name);
            // A flop is a nanosecond: give the platform's hosts 1 Gflop/s.
            if (call.timed && !first && call.start_ns > end_ns)
                action(fmt::format("compute {}", call.start_ns - end_ns));
            if (call.timed) end_ns = call.start_ns + call.duration_ns;
            const auto events = reader.read(call.signature);
            const std::string function = trace_function_name(function_of(call.signature));
            if (function == "MPI_Init" || function == "MPI_Init_thread") action("init");
            if (function == "MPI_Finalize") action("finalize");
            bool whole = true;
            if (is_exchange(events))
                whole = exchange(events[0], events[1]);
            else
                for (const traffic& each : events) whole &= event(each);
            hold(started_, name);
            if (!whole) ++left_out_[function];
            if (events.empty() && moves_bytes(reader.call())) ++left_out_[function];
        }
    }

private:
    /// Calls without events that take part in what a replay should show.
    static bool moves_bytes(const trace::parsed_call& call) {
        if (call.row() == nullptr) return false;
        const std::string_view chapter = call.row()->chapter;
        return chapter == "rma" || chapter == "io" || chapter == "neighbor";
    }
    /// Few bytes may stand for more requests than any memory holds.
    template <class Held>
    void hold(const Held& held, const std::string& name) const {
        constexpr std::size_t most_held = std::size_t{1} << 22;
        if (held.size() >= most_held)
            fail_data(
                fmt::format("{}: rank {} has more than {} receives from anywhere, or requests at once; smpi cannot "
                            "be exported, csv and chrome can",
                            name, rank_, most_held));
    }
    void action(const std::string& of) { out_(fmt::format("{} {}\n", rank_, of)); }

    /// Tags of other communicators are kept apart from the world's.
    [[nodiscard]] std::int64_t tag_of(const traffic& of) const {
        constexpr std::int64_t apart = 65536, most = 0x7fffffff;
        return (of.tag + apart * known_.number(rank_, of.comm)) & most;
    }
    [[nodiscard]] std::uint32_t peer_of(const traffic& of) const { return known_.world_rank(rank_, of.comm, of.peer); }

    /// False: there is no action for it.
    bool event(const traffic& of) {
        using kind = traffic::kind;
        switch (of.what) {
            case kind::send: return message("send", of, of.sent);
            case kind::receive: return message("recv", of, of.received);
            case kind::send_started: started_[of.request] = of; return message("isend", of, of.sent);
            case kind::receive_started: {
                if (never_.count(of.request) != 0) return true;
                const auto at = found_.find(of.request);
                const traffic known = at == found_.end() ? of : at->second;
                if (at != found_.end()) found_.erase(at);
                started_[of.request] = known;
                return message("irecv", known, known.received);
            }
            case kind::send_ended:
            case kind::receive_ended: return wait(of.request, of.what == kind::send_ended);
            case kind::cancelled: return true;
            case kind::collective: return collective(of);
            case kind::collective_started: return true;
            case kind::collective_ended: return false;
        }
        return false;
    }

    bool message(const char* action_name, const traffic& of, std::uint64_t size) {
        const std::uint32_t peer = peer_of(of);
        if (peer == trace::no_root) return false;
        action(fmt::format("{} {} {} {} {}", action_name, peer, tag_of(of), size, byte_type));
        return true;
    }

    /// MPI_Sendrecv: blocking, and yet both at once. A large blocking send waits for its receiver in the replay, too.
    static bool is_exchange(std::span<const traffic> events) {
        return events.size() == 2 && events[0].what == traffic::kind::send && events[1].what == traffic::kind::receive;
    }

    bool exchange(const traffic& send, const traffic& receive) {
        const bool sends = message("isend", send, send.sent);
        const bool receives = message("recv", receive, receive.received);
        if (sends) action(fmt::format("wait {} {} {}", rank_, peer_of(send), tag_of(send)));
        return sends && receives;
    }

    bool wait(std::uint64_t request, bool is_send) {
        const auto at = started_.find(request);
        if (at == started_.end()) return false;
        const traffic of = at->second;
        started_.erase(at);
        const std::uint32_t peer = peer_of(of);
        if (peer == trace::no_root) return false;
        action(fmt::format("wait {} {} {}", is_send ? rank_ : peer, is_send ? peer : rank_, tag_of(of)));
        return true;
    }

    /// Whether the communicator is the world, whatever it is called.
    [[nodiscard]] bool is_world(std::int32_t local) const {
        const std::int32_t number = known_.number(rank_, local);
        if (number < 0) return false;
        const trace::communicator& of = known_.all()[static_cast<std::size_t>(number)];
        return of.other.empty() && of.group == known_.all().front().group;
    }

    bool collective(const traffic& of) {
        if (of.op == collective_op::create || of.op == collective_op::destroy) return true;
        if (!is_world(of.comm)) return false;
        const auto types = fmt::format("{} {}", byte_type, byte_type);
        switch (of.op) {
            case collective_op::barrier: action("barrier"); return true;
            case collective_op::bcast:
                action(fmt::format("bcast {} {} {}", std::max(of.sent, of.received), of.peer, byte_type));
                return true;
            case collective_op::reduce:
                action(fmt::format("reduce {} 0 {} {}", of.sent, of.peer, byte_type));
                return true;
            case collective_op::allreduce: action(fmt::format("allreduce {} 0 {}", of.sent, byte_type)); return true;
            case collective_op::alltoall:
                action(fmt::format("alltoall {} {} {}", of.sent / ranks_, of.received / ranks_, types));
                return true;
            case collective_op::allgather:
                action(fmt::format("allgather {} {} {}", of.sent, of.received / ranks_, types));
                return true;
            case collective_op::gather:
                action(fmt::format("gather {} {} {} {}", of.sent, of.received / ranks_, of.peer, types));
                return true;
            case collective_op::scatter:
                action(fmt::format("scatter {} {} {} {}", of.sent / ranks_, of.received, of.peer, types));
                return true;
            default: return false;
        }
    }

    const communicators& known_;
    std::uint32_t rank_, ranks_;
    const text_sink& out_;
    std::map<std::string, std::uint64_t>& left_out_;
    std::map<std::uint64_t, traffic> found_;    ///< receives from anywhere, by request
    std::map<std::uint64_t, bool> never_;       ///< receives that do not end; whether they are from anywhere
    std::map<std::uint64_t, traffic> started_;  ///< by request, until they end
};

}  // namespace

std::string export_smpi(const trace_file& file, const std::string& name, const text_sink& out) {
    const communicators known = value_or_fail(communicators::of(file), name);
    std::map<std::string, std::uint64_t> left_out;
    for (const std::uint32_t rank : file.ranks()) {
        action_writer writer(known, rank, file.facts().ranks, out, left_out);
        writer.look_ahead(value_or_fail(file.calls_of(rank), name), name);
        writer.write(value_or_fail(file.calls_of(rank), name), name);
    }
    std::string all;
    for (const auto& [function, times] : left_out)
        all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", function, times);
    return all;
}

}  // namespace laconic::cli
