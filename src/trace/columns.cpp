// SPDX-License-Identifier: BSD-3-Clause
// Calls become rows of numbers, messages the sums of a matrix.
#include "laconic/trace_columns.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "trace/communicators.hpp"
#include "trace/rank_traffic.hpp"

namespace laconic {
namespace {

using trace::traffic;

constexpr std::size_t most_reserved = std::size_t{1} << 24;

status out_of_memory(std::uint64_t calls) {
    return {errc::out_of_memory,
            "no memory for the columns of " + std::to_string(calls) + " calls; read them one by one"};
}

result<call_columns> columns(const trace_file& file, trace_calls& calls, std::uint32_t rank) {
    // Who is in a communicator is asked for only when a collective's bytes depend on it.
    std::optional<result<trace::communicators>> known;
    const auto shape = [&](std::int32_t local) -> trace::comm_shape {
        if (local == trace::local_world) return {file.facts().ranks, rank};
        if (local == trace::local_self) return {1, 0};
        if (!known) known = trace::communicators::of(file);
        return *known ? (**known).shape(rank, local) : trace::comm_shape{};
    };
    trace::rank_traffic reader(shape);
    call_columns made;
    // A damaged count must not take memory that its calls do not need.
    const auto expected = static_cast<std::size_t>(std::min<std::uint64_t>(calls.count(), most_reserved));
    for (auto* const column : {&made.function, &made.thread}) column->reserve(expected);
    for (auto* const column : {&made.sent_bytes, &made.received_bytes}) column->reserve(expected);
    while (!calls.at_end()) {
        const auto call = calls.next();
        if (!call) return call.error();
        std::uint64_t sent = 0, received = 0;
        for (const traffic& each : reader.read(call->signature)) {
            if (each.what == traffic::kind::receive_started || each.what == traffic::kind::cancelled) continue;
            // What a nonblocking collective hands over was counted at its start.
            if (each.what != traffic::kind::collective_ended) sent += each.sent;
            received += each.received;
        }
        made.function.push_back(function_of(call->signature));
        made.thread.push_back(static_cast<std::uint32_t>(reader.call().thread()));
        made.sent_bytes.push_back(sent);
        made.received_bytes.push_back(received);
        if (!call->timed) continue;
        made.start_ns.push_back(call->start_ns);
        made.duration_ns.push_back(call->duration_ns);
    }
    if (known && !*known) return known->error();
    return made;
}

result<communication_matrix> matrix(const trace_file& file) {
    communication_matrix made;
    made.ranks = file.facts().ranks;
    const auto pairs = std::size_t{made.ranks} * made.ranks;
    made.messages.assign(pairs, 0);
    made.bytes.assign(pairs, 0);
    const auto known = trace::communicators::of(file);
    if (!known) return known.error();
    for (const std::uint32_t rank : file.ranks()) {
        auto calls = file.calls_of(rank);
        if (!calls) return calls.error();
        trace::rank_traffic reader;
        while (!calls->at_end()) {
            const auto call = calls->next();
            if (!call) return call.error();
            for (const traffic& each : reader.read(call->signature)) {
                if (each.what != traffic::kind::send && each.what != traffic::kind::send_started) continue;
                const std::uint32_t to = known->world_rank(rank, each.comm, each.peer);
                if (to >= made.ranks) {
                    ++made.messages_elsewhere;
                    continue;
                }
                const std::size_t pair = std::size_t{rank} * made.ranks + to;
                ++made.messages[pair];
                made.bytes[pair] += each.sent;
            }
        }
    }
    return made;
}

}  // namespace

result<call_columns> columns_of(const trace_file& file, std::uint32_t rank) {
    auto calls = file.calls_of(rank);
    if (!calls) return calls.error();
    const std::uint64_t count = calls->count();
    // Few bytes may stand for more calls than any memory holds.
    constexpr std::uint64_t most_calls = std::uint64_t{1} << 30;
    if (count > most_calls) return out_of_memory(count);
    try {
        return columns(file, *calls, rank);
    } catch (const std::bad_alloc&) {
        return out_of_memory(count);
    }
}

result<communication_matrix> communication_matrix_of(const trace_file& file) {
    constexpr std::uint32_t most_ranks = std::uint32_t{1} << 14;
    const std::uint32_t ranks = file.facts().ranks;
    if (ranks > most_ranks)
        return status{errc::out_of_memory, "no matrix of " + std::to_string(ranks) + " by " + std::to_string(ranks) +
                                               " ranks; read the calls one by one"};
    try {
        return matrix(file);
    } catch (const std::bad_alloc&) {
        return status{errc::out_of_memory, "no memory for the pairs of " + std::to_string(ranks) + " ranks"};
    }
}

}  // namespace laconic
