// SPDX-License-Identifier: BSD-3-Clause
// The public faces of an execution: run() drives it to its end, requests drive it whenever the program looks at them.
#include <sched.h>

#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "collective/active_requests.hpp"
#include "collective/audit.hpp"
#include "collective/direct_call.hpp"
#include "collective/execution.hpp"
#include "collective/short_way.hpp"
#include "laconic/collective.hpp"

namespace laconic {

using collective::active;
using collective::execution;
using collective::execution_base;

struct collective_request::state {
    state() { active().reserve_place(); }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() { active().give_place_back(); }

    std::shared_ptr<mpi::channel> channel;  // outlives the communicator, as MPI's own requests do
    collective::task todo;
    bool prepared = false;
    bool started = false;
};

namespace {

/// The handler of the caller's communicator, if that is still there, hears of failures inside MPI; not of a channel
/// that a rank without memory has left, and not twice where MPI itself has called it.
void tell(errc why, mpi::channel* channel, MPI_Comm comm) noexcept {
    if (channel == nullptr || why != errc::mpi || channel->last_error() == MPI_SUCCESS) return;
    if (channel->is_orphan()) return;
    MPI_Comm_call_errhandler(comm, channel->last_error());
}
result<collective_report> outcome_of(execution_base& ended, mpi::channel* channel, MPI_Comm comm) {
    result<collective_report> outcome = active().outcome_of(ended);
    tell(outcome.code(), channel, comm);
    return outcome;
}

/// Until `moves`: the processor is yielded while it does not. Returns how long that was.
template <class Moves>
double wait_until(Moves moves) {
    // Long enough for a message that comes through memory, and shorter than a look at a socket: where ranks share
    // processors, who waits for a network keeps somebody from sending. (64 tests: 10 to 20 % more for short arrays.)
    constexpr std::chrono::microseconds eager{1};
    const auto start = std::chrono::steady_clock::now();
    auto last = start;
    while (!moves()) {
        if (last - start >= eager) sched_yield();
        last = std::chrono::steady_clock::now();
    }
    return std::chrono::duration<double>(last - start).count();
}

/// Runs to the end. What was started before moves along: other ranks may wait for that.
void run_to_end(execution_base& running) {
    while (!running.over()) {
        if (active().advance(&running) || running.block()) continue;
        if (running.over()) break;
        running.waited(wait_until([&] { return active().advance(&running) || running.over(); }));
    }
}

status desert(mpi::channel* channel) {
    if (channel != nullptr) channel->desert();
    return collective::no_memory();
}

/// The same; where the ranks agree on the call the others hear of it.
/// blocking   as of execution_base::begin()
template <class T>
result<collective_report> without_memory(const collective_call<T>& call, mpi::channel* channel, MPI_Comm comm,
                                         const collective_options& options, bool blocking) noexcept {
    if (channel == nullptr) return collective::no_memory();
    try {
        return collective::run_refused(*channel, call, options, collective::no_memory(), comm, blocking);
    } catch (const std::bad_alloc&) {
        return desert(channel);
    }
}

status check_channel(const mpi::channel& channel) {
    if (channel.broken()) return collective::broken();
    return channel.comm() != MPI_COMM_NULL ? status{} : mpi::check_running();
}

template <class T>
result<collective_request> make_request(const collective_call<T>& call, MPI_Comm comm,
                                        const collective_options& options, bool prepared) {
    mpi::channel* used = nullptr;
    try {
        const result<mpi::channel*> channel = collective::usable_channel(comm);
        if (!channel) return channel.error();
        used = *channel;
        return collective::request_for({collective::make_execution<T>(*used, call, options), used, comm}, prepared);
    } catch (const std::bad_alloc&) {
        // What is only prepared has no call of the others beside it yet.
        return prepared ? collective::no_memory() : without_memory(call, used, comm, options, false).error();
    }
}

}  // namespace

namespace collective {

result<mpi::channel*> usable_channel(MPI_Comm comm) {
    if (mpi::channel* const recent = mpi::recent_channel_of(comm); recent != nullptr && !recent->broken())
        return recent;
    result<mpi::channel*> found =
        mpi::channel_of(comm, mpi::channel_use::collectives,
                        {[]() noexcept { active().advance_or_yield(); },
                         [](const mpi::channel& of) noexcept -> std::unique_ptr<mpi::channel::attachment> {
                             try {
                                 return std::make_unique<call_store>(of);
                             } catch (const std::bad_alloc&) {
                                 return nullptr;
                             }
                         }});
    if (!found) return found;
    if (auto bad = check_channel(**found); !bad.ok()) return bad;
    return found;
}

result<collective_report> run(execution_base& work, mpi::channel* channel, MPI_Comm comm, bool blocking) {
    active().begin(work, blocking);
    run_to_end(work);
    return outcome_of(work, channel, comm);
}

collective_request request_for(task todo, bool prepared) {
    auto state = std::make_unique<collective_request::state>();
    if (todo.channel != nullptr) state->channel = todo.channel->shared_from_this();
    state->todo = std::move(todo);
    state->prepared = prepared;
    return collective_request(std::move(state));
}

}  // namespace collective

collective_request::collective_request() noexcept = default;
collective_request::collective_request(std::unique_ptr<state> running) noexcept : state_(std::move(running)) {}
collective_request::collective_request(collective_request&&) noexcept = default;
collective_request& collective_request::operator=(collective_request&& other) noexcept {
    if (this != &other) {
        if (state_ != nullptr && state_->started) static_cast<void>(wait());
        state_ = std::move(other.state_);
    }
    return *this;
}
collective_request::~collective_request() {
    if (state_ != nullptr && state_->started) static_cast<void>(wait());
}

bool collective_request::started() const noexcept { return state_ != nullptr && state_->started; }

status collective_request::start() try {
    if (state_ == nullptr) return {errc::invalid_argument, "an empty request; make one with start() or prepare()"};
    if (state_->started) return {errc::invalid_argument, "the request is running; wait() for it first"};
    if (state_->todo.channel != nullptr)
        if (auto bad = check_channel(*state_->todo.channel); !bad.ok()) return bad;
    active().add(state_->todo.work.get());
    state_->started = true;
    return {};
} catch (const std::bad_alloc&) {
    return desert(state_->todo.channel);
}

bool collective_request::test() {
    if (state_ == nullptr || !state_->started) return true;
    active().advance();
    return active().is_over(*state_->todo.work);
}

result<collective_report> collective_request::wait() {
    if (state_ == nullptr || !state_->started) return collective_report{};
    execution_base& work = *state_->todo.work;
    while (!active().is_over(work))
        if (!active().advance())
            active().waited(work, wait_until([&] { return active().advance() || active().is_over(work); }));
    active().remove(state_->todo.work.get());
    state_->started = false;
    result<collective_report> outcome = outcome_of(*state_->todo.work, state_->todo.channel, state_->todo.comm);
    if (!state_->prepared) state_.reset();
    return outcome;
}

namespace {

/// Of its own: its frame is large, and the short way keeps to the stack that is in use.
/// known   what is known of the call; null: nothing
template <class T>
[[gnu::noinline]] result<collective_report> run_at_length(const collective_call<T>& call, MPI_Comm comm,
                                                          const collective_options& options,
                                                          const collective::known_call* known) {
    mpi::channel* used = nullptr;
    try {
        const result<mpi::channel*> channel = collective::usable_channel(comm);
        if (!channel) return channel.error();
        used = *channel;
        if (options.audit) return collective::run(*collective::make_execution<T>(*used, call, options), used, comm);
        std::optional<result<collective_report>> done;
        if (known == nullptr) {
            collective::direct_call<T> direct(*used, call, options);
            if (active().claim(direct)) done = direct.run();
        }
        if (done) {
            // The program's error handler may free the communicator, and all that the call used with it.
            tell(done->code(), used, comm);
            return *std::move(done);
        }
        execution<T> work(*used, call, options);
        if (known != nullptr) work.presume(known->row);
        return collective::run(work, used, comm);
    } catch (const std::bad_alloc&) {
        return without_memory(call, used, comm, options, true);
    }
}

}  // namespace

template <class T>
[[gnu::hot]] result<collective_report> run(const collective_call<T>& call, MPI_Comm comm,
                                           const collective_options& options) {
    mpi::channel* const recent = collective::active_count == 0 ? mpi::recent_channel_of(comm) : nullptr;
    const auto* const known = recent != nullptr ? collective::find_known(*recent, call, options) : nullptr;
    if (known != nullptr && known->row.schedule == collective::schedule_kind::stock)
        return collective::run_known(*known, *recent, call, comm);
    return run_at_length(call, comm, options, known);
}

template <class T>
result<collective_request> start(const collective_call<T>& call, MPI_Comm comm, const collective_options& options) {
    auto made = make_request(call, comm, options, false);
    if (made.ok())
        if (auto bad = made->start(); !bad.ok()) return bad;
    return made;
}

template <class T>
result<collective_request> prepare(const collective_call<T>& call, MPI_Comm comm, const collective_options& options) {
    return make_request(call, comm, options, true);
}

#define LACONIC_INSTANTIATE(T)                                                                                 \
    template result<collective_report> run(const collective_call<T>&, MPI_Comm, const collective_options&);    \
    template result<collective_request> start(const collective_call<T>&, MPI_Comm, const collective_options&); \
    template result<collective_request> prepare(const collective_call<T>&, MPI_Comm, const collective_options&);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic
