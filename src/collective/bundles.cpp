// SPDX-License-Identifier: BSD-3-Clause
#include "collective/bundles.hpp"

#include <cstring>
#include <new>

#include "base/arithmetic.hpp"
#include "mpi/completion.hpp"

namespace laconic::collective {
namespace {

constexpr std::size_t round_up(std::size_t bytes) noexcept { return base::round_up(bytes, mpi::workspace::alignment); }

std::size_t parts_of(const program& steps) noexcept {
    std::size_t parts = steps.to.size();
    for (const step& now : steps.steps)
        if (now.from != nobody) ++parts;
    return parts;
}

}  // namespace

std::size_t bundles::memory_for(const program& steps, std::size_t part_bytes) noexcept {
    return round_up((steps.incoming.size() + steps.outgoing.size()) * sizeof(row)) +
           round_up(parts_of(steps) * (sizeof(head) + part_bytes));
}

bundles::bundles(const job& work, std::size_t part_bytes, std::span<std::byte> memory, int tag) noexcept
    : steps_(&work.steps()), part_bytes_(part_bytes), tag_(tag) {
    auto* const rows = reinterpret_cast<row*>(memory.data());
    const std::size_t in = steps_->incoming.size(), out = steps_->outgoing.size();
    for (std::size_t i = 0; i < in + out; ++i) new (rows + i) row;
    incoming_ = {rows, in};
    outgoing_ = {rows + in, out};
    for (std::uint64_t event = 0; event < work.events(); ++event) {
        if (work.part_of(event).in.count == 0) continue;
        const step& now = work.step_of(event);
        if (now.from != nobody) ++incoming_[now.bundle].parts;
        for (std::uint32_t i = 0; i < now.to_count; ++i) ++outgoing_[steps_->to_bundle[now.first_to + i]].parts;
    }
    std::byte* next = memory.data() + round_up((in + out) * sizeof(row));
    for (row& one : std::span(rows, in + out)) {
        one.memory = next;
        one.missing = one.parts;
        next += one.parts * (sizeof(head) + part_bytes);
    }
    for (const row& one : outgoing_)
        if (one.parts > 0) ++unsent_;
}

status bundles::post(mpi::channel& channel, const team& who) {
    if (posted_) return {};
    posted_ = true;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        row& next = incoming_[i];
        if (next.parts == 0) continue;
        const bundle& from = steps_->incoming[i];
        const int code =
            MPI_Irecv(next.memory, static_cast<int>(next.parts * (sizeof(head) + part_bytes_)), MPI_BYTE,
                      who.on_channel(from.rank), tag_ + (from.results ? 1 : 0), channel.comm(), &next.request);
        if (auto done = channel.check(code, "MPI_Irecv"); !done.ok()) return done;
    }
    return {};
}

result<bool> bundles::has_come(mpi::channel& channel, const step& now) {
    row& one = incoming_[now.bundle];
    if (one.is_over) return true;
    MPI_Status came;
    if (auto done = channel.check(mpi::test(one.request, one.is_over, &came), "MPI_Irecv"); !done.ok()) return done;
    if (!one.is_over) return false;
    int size = 0;
    if (auto done = channel.check(MPI_Get_count(&came, MPI_BYTE, &size), "MPI_Get_count"); !done.ok()) return done;
    one.used = static_cast<std::size_t>(size);
    return true;
}

std::span<const std::byte> bundles::part_of(const step& now) noexcept {
    row& one = incoming_[now.bundle];
    // Mostly they come in the order in which they are asked for.
    for (std::uint32_t looked_at = 0; looked_at < one.parts; ++looked_at) {
        if (one.cursor == one.used) one.cursor = 0;
        head next;
        if (one.used - one.cursor < sizeof next) return {};
        std::memcpy(&next, one.memory + one.cursor, sizeof next);
        if (one.used - one.cursor - sizeof next < next.bytes) return {};
        const std::span<const std::byte> found(one.memory + one.cursor + sizeof next, next.bytes);
        one.cursor += sizeof next + next.bytes;
        if (next.piece == now.piece) return found;
    }
    return {};
}

result<std::size_t> bundles::add(mpi::channel& channel, const team& who, std::uint32_t target, std::uint32_t piece,
                                 std::span<const std::byte> part) {
    const std::uint32_t index = steps_->to_bundle[target];
    row& one = outgoing_[index];
    const head next{piece, static_cast<std::uint32_t>(part.size())};
    std::memcpy(one.memory + one.used, &next, sizeof next);
    if (!part.empty()) std::memcpy(one.memory + one.used + sizeof next, part.data(), part.size());
    one.used += sizeof next + part.size();
    if (--one.missing > 0) return std::size_t{0};
    const bundle& to = steps_->outgoing[index];
    const int code = MPI_Isend(one.memory, static_cast<int>(one.used), MPI_BYTE, who.on_channel(to.rank),
                               tag_ + (to.results ? 1 : 0), channel.comm(), &one.request);
    if (auto done = channel.check(code, "MPI_Isend"); !done.ok()) return done;
    return one.used;
}

status bundles::reap(mpi::channel& channel) {
    for (row& one : outgoing_) {
        if (one.is_over || one.missing > 0 || one.parts == 0) continue;
        if (auto done = channel.check(mpi::test(one.request, one.is_over), "MPI_Isend"); !done.ok()) return done;
        if (one.is_over) --unsent_;
    }
    return {};
}

void bundles::drop() noexcept {
    for (row& one : incoming_) {
        if (one.request == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&one.request);
        MPI_Request_free(&one.request);
    }
    for (row& one : outgoing_)
        if (one.request != MPI_REQUEST_NULL) MPI_Request_free(&one.request);
}

}  // namespace laconic::collective
