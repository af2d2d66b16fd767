// SPDX-License-Identifier: BSD-3-Clause
#include "collective/bundles.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/completion.hpp"

namespace laconic::collective {

using mpi::workspace;

namespace {

/// Of empty pieces, too: where pieces end may change from one call to the next.
std::size_t parts_of(const program& steps) noexcept {
    std::size_t parts = steps.to.size();
    for (const step& now : steps.steps)
        if (now.from != nobody) ++parts;
    return parts;
}

}  // namespace

std::size_t bundles::memory_for(const program& steps, std::size_t part_bytes) noexcept {
    return workspace::table_bytes<row>(steps.incoming.size() + steps.outgoing.size()) +
           workspace::rounded(parts_of(steps) * (sizeof(head) + part_bytes));
}

bundles::bundles(mpi::channel& channel, const team& who, const job& work, std::size_t part_bytes,
                 std::span<std::byte> memory, int tag) noexcept
    : channel_(channel), who_(who), steps_(work.steps()), part_bytes_(part_bytes), tag_(tag) {
    const std::size_t in = steps_.incoming.size(), out = steps_.outgoing.size();
    const std::span<row> rows = workspace::take_table<row>(memory, in + out);
    incoming_ = rows.first(in);
    outgoing_ = rows.last(out);
    for (std::uint64_t event = 0; event < work.events(); ++event) {
        if (work.part_of(event).in.count == 0) continue;
        const step& now = work.step_of(event);
        if (now.from != nobody) ++incoming_[now.bundle].parts;
        for (std::uint32_t i = 0; i < now.to_count; ++i) ++outgoing_[steps_.to_bundle[now.first_to + i]].parts;
    }
    std::byte* next = memory.data();
    for (row& one : rows) {
        one.memory = next;
        one.missing = one.parts;
        one.is_over = one.parts == 0;
        next += one.parts * (sizeof(head) + part_bytes);
    }
}

status bundles::post() {
    if (posted_) return {};
    posted_ = true;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        row& next = incoming_[i];
        if (next.is_over) continue;
        const bundle& from = steps_.incoming[i];
        const int code = MPI_Irecv(next.memory, static_cast<int>(next.parts * (sizeof(head) + part_bytes_)), MPI_BYTE,
                                   who_.on_channel(from.rank), tag_of(from), channel_.comm(), &next.request);
        if (auto done = channel_.check(code, "MPI_Irecv"); !done.ok()) return done;
    }
    return {};
}

result<bool> bundles::has_come(const step& now) {
    row& one = incoming_[now.bundle];
    if (one.is_over) return true;
    int size_bytes = 0;
    auto came = channel_.test_receive(one.request, size_bytes);
    one.is_over = came.ok() && *came;
    if (one.is_over) one.used = static_cast<std::size_t>(size_bytes);
    return came;
}

std::span<const std::byte> bundles::message_of(const step& now) noexcept {
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

result<std::size_t> bundles::add(std::uint32_t target, std::uint32_t piece, std::span<const std::byte> part) {
    const std::uint32_t index = steps_.to_bundle[target];
    row& one = outgoing_[index];
    const head next{piece, static_cast<std::uint32_t>(part.size())};
    std::memcpy(one.memory + one.used, &next, sizeof next);
    if (!part.empty()) std::memcpy(one.memory + one.used + sizeof next, part.data(), part.size());
    one.used += sizeof next + part.size();
    if (--one.missing > 0) return std::size_t{0};
    const bundle& to = steps_.outgoing[index];
    const int code = MPI_Isend(one.memory, static_cast<int>(one.used), MPI_BYTE, who_.on_channel(to.rank), tag_of(to),
                               channel_.comm(), &one.request);
    if (auto done = channel_.check(code, "MPI_Isend"); !done.ok()) return done;
    return one.used;
}

status bundles::reap() {
    for (row& one : outgoing_) {
        if (one.is_over || one.missing > 0) continue;
        if (auto done = channel_.check(mpi::test(one.request, one.is_over), "MPI_Isend"); !done.ok()) return done;
    }
    return {};
}

bool bundles::is_idle() const noexcept {
    return std::all_of(outgoing_.begin(), outgoing_.end(), [](const row& one) { return one.is_over; });
}

void bundles::drop() noexcept {
    for (row& one : incoming_) mpi::drop_receive(one.request);
    for (row& one : outgoing_) mpi::drop_send(one.request);
}

}  // namespace laconic::collective
