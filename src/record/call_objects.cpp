// SPDX-License-Identifier: BSD-3-Clause
// What calls make and use up: requests, communicators, windows, files, messages; and the few calls that steer the
// recorder.
#include <cstring>

#include "record/agreement.hpp"
#include "record/call.hpp"

namespace laconic::record {

void call::stake(MPI_Request request) {
    if (request == MPI_REQUEST_NULL) {
        state_->stakes.push_back({reinterpret_bits(request), request_table::none});
        return bytes().number(0);
    }
    const std::uint64_t bits = reinterpret_bits(request);
    const std::uint32_t index = the_recorder.requests.claim(bits, state_->number);
    state_->stakes.push_back({bits, index});
    if (index == request_table::none) {
        bytes().number(1);
        return bytes().number(0);
    }
    const request_table::request& known = the_recorder.requests.at(index);
    bytes().number(std::uint64_t{known.pool} + 1);
    bytes().number(known.slot);
}

void call::request(MPI_Request request) {
    stake(request);
    const std::uint32_t index = state_->stakes.back().index;
    if (index != request_table::none) the_recorder.requests.unclaim(index);
    state_->stakes.pop_back();
}

void call::completing(const MPI_Request* requests, std::size_t count) {
    if (array(requests, count)) return;
    for (std::size_t i = 0; i < count; ++i) stake(requests[i]);
}

void call::completed(const MPI_Request* requests) noexcept {
    for (std::size_t i = 0; i < state_->stakes.size(); ++i) {
        const at_stake& each = state_->stakes[i];
        if (each.index == request_table::none) continue;
        if (requests[i] == MPI_REQUEST_NULL) {
            the_recorder.requests.over(each.bits, each.index);
        } else {
            the_recorder.requests.unclaim(each.index);
        }
    }
}

void call::new_request(const MPI_Request* request, flow carries, bool wildcard, const record::place& where) {
    if (!request || *request == MPI_REQUEST_NULL) return bytes().number(0);
    request_table::request& fresh =
        the_recorder.requests.made(reinterpret_bits(*request), bytes().bytes(), state_->number);
    fresh.carries = carries;
    fresh.wildcard = wildcard;
    fresh.own_rank = where.rank;
    bytes().number(std::uint64_t{fresh.pool} + 1);
    bytes().number(fresh.slot);
}

void call::made_message(const MPI_Message* message, const record::place& where) {
    made<object::message>(message);
    if (!message) return;
    if (auto* known = the_recorder.objects.of(object::message).find(reinterpret_bits(*message))) {
        known->own_rank = where.rank;
    }
}

void call::made_communicator(const MPI_Comm* comm) {
    if (!comm || *comm == MPI_COMM_NULL) return bytes().number(0);
    object_table& table = the_recorder.objects.of(object::comm);
    const std::uint64_t bits = reinterpret_bits(*comm);
    const bool shown_again = table.find(bits) != nullptr;
    const std::uint64_t code = table.made(bits, state_->agreed_code).code;
    if (!shown_again) remember(object::comm, bits, state_->agreed_place);
    bytes().number(code);
}

void call::remember(object which, std::uint64_t bits, const record::place& where) {
    object_table::known* known = the_recorder.objects.of(which).find(bits);
    if (!known || known->place != 0) return;
    record::place kept = where;
    kept.memory = which == object::win ? state_->library_memory : 0;
    state_->library_memory = 0;
    known->place = the_recorder.objects.keep(kept);
}

void call::gone(object which, const at_stake& stake, bool freed) {
    object_table& table = the_recorder.objects.of(which);
    const object_table::known known = table.at(stake.index);
    if (!freed || known.references > 1) return table.attach(stake.bits, stake.index, freed);
    table.forget(stake.index);
    if (which == object::comm) {
        the_recorder.agreed.release(known.code);
    } else {
        table.release_id(known.code);
    }
    if (known.place == 0) return;
    the_recorder.memory.released(the_recorder.objects.kept(known.place).memory);
    the_recorder.objects.drop(known.place);
}

record::place call::where_locked(MPI_Comm comm) {
    const spin_guard guard(the_recorder.lock);
    return where<object::comm>(comm);
}

/// For a new communicator: one of the same handle was freed where no call was recorded, inside MPI_Comm_free, by a
/// callback of an attribute.
void call::make_room(std::uint64_t bits) {
    object_table& table = the_recorder.objects.of(object::comm);
    for (std::uint32_t index = table.detach(bits); index != flat_map::none; index = table.detach(bits))
        gone(object::comm, {bits, index}, true);
}

void call::agree(const MPI_Comm* comm, bool far, bool is_new) {
    if (result_ != MPI_SUCCESS || !comm || *comm == MPI_COMM_NULL) return;
    {
        const spin_guard guard(the_recorder.lock);
        const std::uint64_t bits = reinterpret_bits(*comm);
        if (!is_new && the_recorder.objects.of(object::comm).find(bits)) return;
        make_room(bits);
    }
    state_->agreed_place = agreement::look_at(*comm);
    state_->agreed_place.far = far;
    state_->agreed_code = far ? the_recorder.agreed.alone(the_recorder.lock)
                              : the_recorder.agreed.together(*comm, state_->agreed_place.inter, the_recorder.lock);
    state_->agreed_place.code = state_->agreed_code;
}

bool call::reaches_out(const MPI_Comm* comm) const {
    return result_ == MPI_SUCCESS && comm && *comm != MPI_COMM_NULL && !agreement::within_world(*comm);
}

void call::agree_late(const MPI_Comm* comm, MPI_Comm parent) {
    if (result_ != MPI_SUCCESS || !comm || *comm == MPI_COMM_NULL) return;
    {
        const spin_guard guard(the_recorder.lock);
        make_room(reinterpret_bits(*comm));
    }
    // The new communicator is the parent's copy; nothing may be asked of it until its request completes.
    state_->agreed_place = where_locked(parent);
    state_->agreed_code = the_recorder.agreed.after(state_->agreed_place.code, the_recorder.lock);
    state_->agreed_place.code = state_->agreed_code;
}

void call::initialised() {
    if (!the_recorder.initialised()) return;
    the_recorder.lock.unlock(taken_);
    the_recorder.trace_begins();
    taken_ = the_recorder.lock.lock();
}

void call::finalising() noexcept {
    the_recorder.finalising(*state_);
    the_recorder.lock.unlock(taken_);
    taken_ = false;
    the_recorder.trace_ends();
}

void call::aborting() noexcept {
    state_->start_ticks = state_->end_ticks = the_recorder.clock.ticks();
    bytes().number(1);
    the_recorder.emit(*state_);
    the_recorder.flush();
}

void call::control(const char* key, const char* value) noexcept {
    if (!key || !value || std::strcmp(key, "laconic_trace") != 0) return;
    const bool off = std::strcmp(value, "off") == 0;
    if (off || std::strcmp(value, "on") == 0) the_recorder.pause(off);
}

}  // namespace laconic::record
