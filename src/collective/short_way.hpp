// SPDX-License-Identifier: BSD-3-Clause
// The shortest way of a blocking call: one whose kind is known (known_calls.hpp) flows in, MPI does it. Few cache
// lines, since other ranks may share the processor and have had its caches: [[gnu::hot]] puts the functions side by
// side.
#pragma once

#include "collective/call_check.hpp"
#include "collective/call_store.hpp"

namespace laconic::collective {

/// What is known of a call; null unless it is a usual one: of equal parts, with arrays apart or in place, while no
/// other of its communicator is under way.
template <class T>
[[nodiscard, gnu::hot]] const known_call* find_known(mpi::channel& channel, const collective_call<T>& call,
                                                     const collective_options& options) noexcept {
    const call_store& store = call_store::of(channel);
    if (!store.may_block() || !store.is_idle() || channel.broken()) return nullptr;
    const bool is_one_array = call.in.data() == call.out.data();
    const bool may_be_one = call.op == operation::allreduce || call.op == operation::bcast;
    const bool may_be_two = call.op != operation::bcast;
    if (call.varying || (is_one_array ? !may_be_one : !may_be_two || overlap(call.in, call.out))) return nullptr;
    // From here on at most one of them is null.
    if (call.in.data() == nullptr ? !call.in.empty() : call.out.data() == nullptr && !call.out.empty()) return nullptr;
    return store.known().find(kind_of(call), options);
}

/// Of its own, since it makes texts: the short way has no handler for want of memory.
[[nodiscard, gnu::cold, gnu::noinline]] inline status refused_by_mpi(mpi::channel& channel, int code, MPI_Comm comm) {
    channel.mark_broken();
    status outcome{errc::out_of_memory, {}};
    try {
        outcome = channel.check(code, "MPI collective");
    } catch (const std::bad_alloc&) {
    }
    // The handler may free the communicator, and the channel with it.
    MPI_Comm_call_errhandler(comm, code);
    return outcome;
}

/// Precondition: `known` is of this call, and its row is MPI's own function.
template <class T>
[[nodiscard, gnu::hot]] result<collective_report> run_known(const known_call& known, mpi::channel& channel,
                                                            const collective_call<T>& call, MPI_Comm comm) {
    call_store::of(channel).pass_turn();
    even_call what = known.mpi;
    what.in = call.in.data() == call.out.data() ? MPI_IN_PLACE : static_cast<const void*>(call.in.data());
    what.out = call.out.data();
    result<collective_report> done{collective_report{}};
    done->algorithm = "stock";
    done->sent_bytes = done->raw_bytes = known.sent_bytes;
    done->messages = 1;
    if (const int code = what.issue_even(channel.comm(), nullptr); code != MPI_SUCCESS)
        done = refused_by_mpi(channel, code, comm);
    return done;
}

}  // namespace laconic::collective
