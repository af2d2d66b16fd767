// SPDX-License-Identifier: BSD-3-Clause
// One call of the program, as a generated wrapper drives it: inputs are written, the call is made between begin() and
// stop(), outputs are written after end(), finish() hands the record over. Every function here is called only when
// recording().
//
// The recorder's lock is held from construction to begin() and from end() to finish(), never while MPI communicates.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "record/constants.hpp"
#include "record/recorder.hpp"

namespace laconic::record {

class call {
public:
    explicit call(std::uint32_t function) noexcept {
        if (!tracing_on.load(std::memory_order_relaxed)) return;
        state_ = the_recorder.enter();
        if (!state_) return;
        taken_ = the_recorder.lock.lock();
        state_->bytes.clear();
        state_->stakes.clear();
        state_->bytes.number(std::uint64_t{function} << 1 | (state_->number > 0 ? 1 : 0));
        if (state_->number > 0) state_->bytes.number(state_->number);
    }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    [[nodiscard]] bool recording() const noexcept { return state_ != nullptr; }

    // Places
    [[nodiscard]] record::place communicator(MPI_Comm comm) { return where<object::comm>(comm); }
    [[nodiscard]] record::place window(MPI_Win win) { return where<object::win>(win); }
    [[nodiscard]] record::place file(MPI_File file) { return where<object::file>(file); }
    [[nodiscard]] const record::place& world() const noexcept { return the_recorder.world; }

    // Values
    [[nodiscard]] bool present(bool condition) noexcept {
        bytes().number(condition ? 1 : 0);
        return condition;
    }
    void integer(std::int64_t value) noexcept { bytes().signed_number(value); }
    void code(const record::place& where) noexcept { bytes().number(where.code); }
    void rank(int value, const record::place& where) noexcept;
    void named(std::span<const named_constant> list, int value) noexcept;
    void flags(std::span<const named_constant> list, int value) noexcept;
    void error(int code, bool is_class) noexcept;
    void address(std::int64_t value);
    void buffer(const void* where);
    void pointer(const void* where);
    void text(const char* value) { bytes().text(value); }
    void given_status(const MPI_Status* status) noexcept;
    void request(MPI_Request request);
    template <object Which, class Handle>
    void handle(Handle value) {
        bytes().number(the_recorder.objects.of(Which).code_of(reinterpret_bits(value)));
    }

    // Arrays
    template <class Integer>
    void integers(const Integer* values, std::size_t count);
    void weights(const int* values, std::size_t count);
    void ranks(const int* values, std::size_t count, const record::place& where);
    void errors(const int* values, std::size_t count);
    void named_array(std::span<const named_constant> list, const int* values, std::size_t count);
    template <class Integer>
    void addresses(const Integer* values, std::size_t count) {
        if (array(values, count)) return;
        for (std::size_t i = 0; i < count; ++i) address(static_cast<std::int64_t>(values[i]));
    }
    template <object Which, class Handle>
    void handles(const Handle* values, std::size_t count) {
        if (array(values, count)) return;
        for (std::size_t i = 0; i < count; ++i) handle<Which>(values[i]);
    }
    void text(char* const* values, std::size_t count);
    void texts(char** const* values, std::size_t count);

    // What the call may use up
    void completing(const MPI_Request* request) { stake(request ? *request : MPI_REQUEST_NULL); }
    void completing(const MPI_Request* requests, std::size_t count);
    void completed(const MPI_Request* requests) noexcept;
    template <object Which, class Handle>
    void giving_up(const Handle* handle_at) {
        const std::uint64_t bits = handle_at ? reinterpret_bits(*handle_at) : 0;
        bytes().number(handle_at ? the_recorder.objects.of(Which).code_of(bits) : 0);
        state_->stakes.push_back({bits, the_recorder.objects.of(Which).detach(bits)});
    }
    template <object Which, class Handle>
    void given_up(const Handle* handle_at) {
        const at_stake& stake = state_->stakes.front();
        if (stake.index == flat_map::none) return;
        gone(Which, stake, the_recorder.objects.of(Which).is_null(reinterpret_bits(*handle_at)));
    }

    // Statuses
    [[nodiscard]] MPI_Status* watch(MPI_Status* status, bool wildcard);
    [[nodiscard]] MPI_Status* watch(MPI_Status* status);
    [[nodiscard]] MPI_Status* watch_all(MPI_Status* statuses, std::size_t count);
    void receive_status(const MPI_Status* given, const MPI_Status* shown, const record::place& where);
    void file_status(const MPI_Status* status);
    void status(const MPI_Status* given, const MPI_Status* shown, int index);
    void statuses(const MPI_Status* given, const MPI_Status* shown, std::size_t count, const int* indices = nullptr);

    // What the call has made
    void new_request(const MPI_Request* request, flow carries, bool wildcard, const record::place& where);
    template <object Which, class Handle>
    void made(const Handle* handle_at) {
        object_table& table = the_recorder.objects.of(Which);
        const std::uint64_t bits = handle_at ? reinterpret_bits(*handle_at) : 0;
        bytes().number(!handle_at || table.is_null(bits) ? 0 : table.made(bits).code);
    }
    template <object Which, class Handle>
    void made_all(const Handle* handles_at, std::size_t count) {
        if (array(handles_at, count)) return;
        for (std::size_t i = 0; i < count; ++i) made<Which>(handles_at + i);
    }
    template <object Which, class Handle>
    void made_place(const Handle* handle_at, const record::place& where) {
        made<Which>(handle_at);
        if (handle_at) remember(Which, reinterpret_bits(*handle_at), where);
    }
    void made_communicator(const MPI_Comm* comm);
    void made_message(const MPI_Message* message, const record::place& where);
    void allocated(void* base, std::size_t size);
    void released(const void* base) noexcept;

    /// Collective over the new communicator, or local: its id. Between stop() and end().
    template <class... Communicators>
    void agree_comm(const MPI_Comm* comm, Communicators... from) {
        agree(comm, (false || ... || where_locked(from).far), true);
    }
    template <class... Communicators>
    void agree_far(const MPI_Comm* comm, Communicators...) {
        // MPI_Comm_get_parent, which has no communicator, shows the same one again.
        agree(comm, reaches_out(comm), sizeof...(Communicators) > 0);
    }
    void agree_late(const MPI_Comm* comm, MPI_Comm parent);

    // Course of the call
    void begin() noexcept {
        the_recorder.lock.unlock(taken_);
        state_->start_ticks = the_recorder.clock.ticks();
    }
    void stop(int result) noexcept {
        state_->end_ticks = the_recorder.clock.ticks();
        result_ = result;
        has_result_ = true;
    }
    void stop() noexcept { state_->end_ticks = the_recorder.clock.ticks(); }
    /// Writes the result. Returns whether outputs follow.
    [[nodiscard]] bool end() noexcept {
        taken_ = the_recorder.lock.lock();
        if (!has_result_) return true;
        if (result_ == MPI_SUCCESS) [[likely]] {
            bytes().number(0);
            return true;
        }
        return failed();
    }
    void finish() noexcept {
        the_recorder.emit(*state_);
        the_recorder.lock.unlock(taken_);
        state_->inside = false;
    }

    // Calls with an effect on the recorder
    void initialised();
    void finalising() noexcept;
    void aborting() noexcept;
    void control(int level) noexcept { the_recorder.pause(level == 0); }
    void control(const char* key, const char* value) noexcept;

private:
    [[nodiscard]] encoder& bytes() noexcept { return state_->bytes; }
    template <object Which, class Handle>
    [[nodiscard]] record::place where(Handle handle_value) {
        object_table& table = the_recorder.objects.of(Which);
        const std::uint64_t bits = reinterpret_bits(handle_value);
        if (table.is_null(bits)) return {};
        const object_table::known* known = table.find(bits);
        if (!known) [[unlikely]]
            known = &table.made(bits);
        record::place found = the_recorder.objects.kept(known->place);
        found.code = known->code;
        return found;
    }
    [[nodiscard]] record::place where_locked(MPI_Comm comm);
    /// Writes the length; true when nothing follows.
    template <class Value>
    [[nodiscard]] bool array(const Value* values, std::size_t count) {
        bytes().number(values ? count + 1 : 0);
        if (!values || count == 0) return true;
        bytes().need(count * 3 * encoder::longest_varint);
        return false;
    }
    void stake(MPI_Request request);
    void gone(object which, const at_stake& stake, bool freed);
    void remember(object which, std::uint64_t bits, const record::place& where);
    void make_room(std::uint64_t bits);
    void agree(const MPI_Comm* comm, bool far, bool is_new);
    /// Whether a communicator that was just made has members of other worlds.
    [[nodiscard]] bool reaches_out(const MPI_Comm* comm) const;
    void one_status(const MPI_Status& status, flow carries, bool ignored, bool wildcard, int own_rank);
    [[nodiscard]] bool failed() noexcept;

    thread_state* state_ = nullptr;
    bool taken_ = false;
    bool has_result_ = false;
    int result_ = 0;
};

}  // namespace laconic::record
