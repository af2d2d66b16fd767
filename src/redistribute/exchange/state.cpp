// SPDX-License-Identifier: BSD-3-Clause
// One loop: between two pieces that are copied the engine moves on, and what is complete is told.
#include "redistribute/exchange/state.hpp"

#include <sched.h>

#include <string>

#include "codec/fle.hpp"
#include "redistribute/exchange/ranges.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic {

using redistribute::step;
using redistribute::stores;

namespace {

/// Arrays that are larger than caches are not in them when they are read next: stores go around the caches.
constexpr std::size_t streamed_from_bytes = std::size_t{4} << 20;

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
    const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
    return a_bytes > 0 && b_bytes > 0 && x < y + b_bytes && y < x + a_bytes;
}

}  // namespace

exchange::state::state(mpi::channel& where, redistribute::work what, exchange_element each, exchange_options how)
    : channel(where),
      todo(std::move(what)),
      element(each),
      options(std::move(how)),
      arrivals_(todo),
      agreement_(options.limit.kind == bound_kind::relative && options.limit.value > 0 ? options.fields : 0),
      storing_(todo.out_elements * each.bytes * options.fields >= streamed_from_bytes ? stores::streamed
                                                                                      : stores::cached),
      in_(options.fields),
      out_(options.fields),
      bounds_(options.limit.value > 0 ? options.fields : 0, options.limit.value) {
    context_ = {{in_, out_, bounds_}, &arrivals_, &report};
}

bool exchange::state::relative() const noexcept {
    return options.limit.kind == bound_kind::relative && options.limit.value > 0;
}

status exchange::state::check_arrays(std::span<const array_in> from, std::span<const array_out> to,
                                     exchange_element each) const {
    const auto fault = [](const std::string& what) { return status(errc::invalid_argument, what); };
    if (from.size() != options.fields || to.size() != options.fields)
        return fault(std::to_string(from.size()) + " arrays to move into " + std::to_string(to.size()) +
                     "; the exchange was made for " + std::to_string(options.fields) + " fields");
    if (each.bytes != element.bytes)
        return fault("elements of " + std::to_string(each.bytes) + " bytes; the exchange was made for " +
                     std::to_string(element.bytes));
    if (!bounds_.empty() && each.type != element.type)
        return fault("elements of another type than the exchange was made for, which has an error bound");
    for (std::size_t i = 0; i < options.fields; ++i) {
        const auto too_short = [&](const char* name, std::size_t size, std::size_t needed) {
            return fault(std::string(name) + " of field " + std::to_string(i) + " has " + std::to_string(size) +
                         " elements; the boxes of this rank need " + std::to_string(needed));
        };
        if (from[i].elements < todo.in_elements) return too_short("in", from[i].elements, todo.in_elements);
        if (to[i].elements < todo.out_elements) return too_short("out", to[i].elements, todo.out_elements);
        if ((from[i].data == nullptr && todo.in_elements > 0) || (to[i].data == nullptr && todo.out_elements > 0))
            return fault("a span of field " + std::to_string(i) + " is null");
        for (std::size_t k = 0; k < options.fields; ++k)
            if (overlap(from[k].data, todo.in_elements * element.bytes, to[i].data,
                        todo.out_elements * element.bytes) ||
                (k < i &&
                 overlap(to[k].data, todo.out_elements * element.bytes, to[i].data, todo.out_elements * element.bytes)))
                return fault("out of field " + std::to_string(i) + " overlaps an array of field " + std::to_string(k) +
                             "; give it memory of its own");
    }
    return {};
}

void exchange::state::copy_next() noexcept {
    const redistribute::placed_piece& piece = todo.kept[copied_++];
    for (std::size_t i = 0; i < options.fields; ++i) redistribute::copy_piece(piece.rows, in_[i], out_[i], storing_);
    arrivals_.arrived(piece.patch, piece.rows.bytes() * static_cast<std::int64_t>(options.fields));
}

status exchange::state::agree(const status& local, bool opens) {
    if (relative() && local.ok()) {
        agreement_.clear_ranges();
        for (std::size_t i = 0; i < options.fields; ++i)
            if (const auto limits = redistribute::limits_of(todo.boxes, in_[i], *element.type); limits.any)
                agreement_.set_range(i, limits.min, limits.max);
    }
    agreement_.set_time(last_ns_);
    if (status bad = agreement_.start(channel, local); !bad.ok()) return bad;
    if (opens)
        if (status bad = mover->open(context_, local.ok()); !bad.ok()) return bad;
    for (bool opening = opens, idle = false, over = false; true;) {
        if (status bad = agreement_.test(local, idle, over); !bad.ok() || over) return bad;
        if (opening) {
            const result<bool> more = mover->open_more();
            if (!more) return more.error();
            opening = *more;
        } else if (local.ok() && copied_ < todo.kept.size()) {
            copy_next();
            tell_complete();
        } else {
            idle = opens;
            sched_yield();
        }
    }
}

void exchange::state::settle_bounds() {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
        bounds_[i] = options.limit.value;
        if (relative()) {
            const redistribute::value_limits range = agreement_.range(i);
            bounds_[i] = codec::resolve_bound(options.limit, range.min, range.max);
        }
        if (bounds_[i] > report.largest_bound) report.largest_bound = bounds_[i];
    }
}

void exchange::state::tell_complete() {
    if (!on_patch_) return;
    for (std::int64_t next = arrivals_.next(); next >= 0; next = arrivals_.next()) {
        if (thrown_ != nullptr) continue;
        if (storing_ == stores::streamed) redistribute::finish_streams();
        const auto at = static_cast<std::size_t>(next);
        const redistribute::owned_patch& patch = todo.patches[at];
        // Other ranks wait for this one: whatever happens here, the exchange goes on to its end.
        try {
            on_patch_({patch.number, at, patch.offset, patch.held});
        } catch (...) {
            thrown_ = std::current_exception();
        }
    }
}

status exchange::state::move() {
    if (status bad = mover->start(context_); !bad.ok()) return bad;
    bool moving = true;
    while (moving || copied_ < todo.kept.size()) {
        step now = step::done;
        if (moving && !(mover->blocks() && copied_ < todo.kept.size())) {
            const result<step> moved = mover->advance();
            if (!moved) return redistribute::told([&] { return moved.error(); });
            now = *moved;
            moving = now != step::done;
        }
        if (copied_ < todo.kept.size()) {
            copy_next();
        } else if (now == step::waiting) {
            const result<step> moved = mover->wait();
            if (!moved) return redistribute::told([&] { return moved.error(); });
            moving = *moved != step::done;
        }
        tell_complete();
    }
    redistribute::finish_streams();
    return {};
}

status exchange::state::run(std::span<const array_in> from, std::span<const array_out> to, exchange_element each,
                            patch_callback on_patch) {
    if (channel.broken())
        return {errc::mpi, "an exchange of this communicator failed before; duplicate the communicator and start anew"};
    const status local = redistribute::told([&] { return check_arrays(from, to, each); });
    if (local.ok())
        for (std::size_t i = 0; i < options.fields; ++i) {
            in_[i] = static_cast<const std::byte*>(from[i].data);
            out_[i] = static_cast<std::byte*>(to[i].data);
        }
    return go(local, on_patch);
}

status exchange::state::refuse(const status& why) {
    if (channel.broken()) return why;
    return go(why, {});
}

status exchange::state::go(const status& local, patch_callback on_patch) {
    arrivals_.reset();
    copied_ = 0;
    report = {};
    report.kept_bytes = static_cast<std::uint64_t>(todo.kept_bytes);
    on_patch_ = on_patch;
    thrown_ = nullptr;
    const bool tries = !trying.over();
    const bool tells = options.check || relative() || tries;
    // What travels before ranks agree must not depend on what they agree about.
    const bool opens = tells && !tries && !relative() && mover->opens();
    status outcome = tells ? agree(local, opens) : local;
    bool broken = outcome.code() == errc::mpi && !(tells && agreement_.refused());
    if (opens && !broken && !outcome.ok())
        if (status bad = mover->decline(); !bad.ok()) {
            outcome = bad;
            broken = true;
        }
    if (outcome.ok()) {
        settle_bounds();
        if (tries) mover->use(trying.next(agreement_.time()));
        const double start = MPI_Wtime();
        outcome = move();
        broken = outcome.code() == errc::mpi;
        last_ns_ = static_cast<std::int64_t>((MPI_Wtime() - start) * 1e9);
    }
    if (broken) {
        channel.mark_broken();
        mover->abandon();
        agreement_.abandon();
    }
    // A run that failed says so: what a callback has thrown comes second.
    if (thrown_ != nullptr && outcome.ok()) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return outcome;
}

}  // namespace laconic
