// SPDX-License-Identifier: BSD-3-Clause
// Messages of several parts: what is put together comes apart again, what is none is refused, and as much is received
// as was sent, whoever sends how much at a time.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "collective/coalescing.hpp"
#include "collective/execution.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace collective;

constexpr std::size_t slot_bytes = 64 * 1024;
constexpr int tag = 3;

/// Slots of their own memory.
class slots {
public:
    explicit slots(int count) {
        check(memory_.reserve(slot_pool::bytes_for(slot_bytes, count)).ok(), "no memory for slots");
        pool = slot_pool(memory_.bytes(), slot_bytes, count);
    }
    slot_pool pool;

private:
    mpi::workspace memory_;
};

/// Of `bytes` bytes, told apart by its number.
std::vector<std::byte> part_of(std::size_t bytes, std::size_t number) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + number * 31 + i / 251);
    return made;
}

std::vector<std::byte> message_of(const std::vector<coalesced::length>& lengths, std::size_t bytes) {
    std::vector<std::byte> made = part_of(bytes, 0);
    made.resize(bytes + lengths.size() * sizeof(coalesced::length));
    if (!lengths.empty()) std::memcpy(made.data() + bytes, lengths.data(), lengths.size() * sizeof(coalesced::length));
    return made;
}

void check_lengths() {
    const struct {
        const char* what;
        std::vector<coalesced::length> lengths;
        std::size_t bytes;
        std::uint32_t parts;
    } cases[]{
        {"one part", {100}, 100, 1},
        {"an empty part", {0}, 0, 1},
        {"two parts", {100, 28}, 128, 2},
        {"four parts, one of them empty", {1, 0, 2000, 5}, 2006, 4},
        {"four empty parts", {0, 0, 0, 0}, 0, 4},
        {"nothing", {}, 0, 0},
        {"half a length", {}, 2, 0},
        {"a length beyond the message", {101}, 100, 0},
        {"the longest length", {0xffffffffU}, 100, 0},
        {"five parts", {10, 10, 10, 10, 10}, 50, 0},
    };
    for (const auto& one : cases)
        check(coalesced::parts_in(message_of(one.lengths, one.bytes)) == one.parts,
              std::string(one.what) + ": " + std::to_string(one.parts) + " parts expected");
}

/// Parts wait for company while messages cost more than the next part takes, which means: three times what sending
/// takes.
void check_pace() {
    coalesced::pace network(false);
    check(network.is_worth_waiting(), "nothing is known, and parts do not wait");
    network.made(1);
    network.sent(coalesced::most_bytes, 0.125);
    check(network.is_worth_waiting(), "one part tells nothing about the next, and parts do not wait");
    network.made(1.625);
    check(!network.is_worth_waiting(), "a part takes 0.5 s, a message costs 0.375 s, and parts wait");
    for (int i = 0; i < 64; ++i) network.sent(coalesced::most_bytes, 0.25);
    network.sent(coalesced::most_bytes + 1, 1000);
    check(network.is_worth_waiting(), "a part takes 0.5 s, a message costs 0.75 s, and parts do not wait");
    network.paused();
    network.made(2000);
    network.made(2016.5);
    check(!network.is_worth_waiting(), "parts take longer now, and wait");

    coalesced::pace waited(false);
    waited.sent(coalesced::most_bytes, 0.125);
    waited.made(1);
    waited.paused();
    waited.made(2);
    check(waited.is_worth_waiting(), "a wait for others is taken for the time of a part");
    coalesced::pace sending(false);
    sending.made(1);
    sending.sent(coalesced::most_bytes, 0.125);
    sending.sent(coalesced::most_bytes + 1, 0.5);
    sending.made(1.75);
    check(sending.is_worth_waiting(), "the time of sending is taken for that of a part");
    coalesced::pace crowd(true);
    crowd.sent(coalesced::most_bytes, 0);
    crowd.made(1);
    crowd.made(2);
    check(crowd.is_worth_waiting(), "ranks that take turns do not wait");
}

/// Parts of these lengths, through an outbox as the runner fills it, to a rank. Messages as long as they were.
/// alone   every message says that the next parts are alone
std::vector<std::size_t> send_parts(mpi::channel& channel, int to, const std::vector<std::size_t>& lengths,
                                    bool alone = false) {
    slots own(1);
    coalesced::outbox box;
    std::vector<std::size_t> messages;
    const auto leave = [&] {
        const auto letter = box.seal(alone);
        MPI_Send(letter.bytes.data(), static_cast<int>(letter.bytes.size()), MPI_BYTE, to, tag, channel.comm());
        own.pool.let_go(letter.slot);
        messages.push_back(letter.bytes.size());
    };
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::vector<std::byte> part = part_of(lengths[i], i);
        if (!box.has_room_for(lengths[i])) leave();
        if (box.is_empty()) {
            const int slot = own.pool.take();
            if (!part.empty()) std::memcpy(own.pool.bytes(slot).data(), part.data(), part.size());
            box.begin(slot, own.pool.bytes(slot), part.size());
        } else {
            box.append(part);
        }
        if (box.is_full()) leave();
    }
    if (!box.is_empty()) leave();
    return messages;
}

/// How many it posted.
int post_all(coalesced::inbox& box) {
    int posted = 0;
    for (; box.wants_more(); ++posted) check(box.post().ok(), "a receive cannot be posted");
    return posted;
}

/// All that comes from these ranks, a part of each in turn; the slots are all free in the end.
void take_parts(mpi::channel& channel, const std::vector<int>& from, const std::vector<std::size_t>& lengths) {
    constexpr std::size_t ahead = 2;
    const int count = static_cast<int>(from.size() * ahead + 1);
    slots own(count);
    std::vector<coalesced::inbox::receive> receives(from.size() * ahead);
    std::vector<coalesced::inbox> boxes;
    for (std::size_t i = 0; i < from.size(); ++i) {
        boxes.emplace_back(channel, from[i], tag, own.pool, std::span(receives).subspan(i * ahead, ahead));
        for (std::size_t k = 0; k < lengths.size(); ++k) boxes.back().expect();
    }
    for (std::size_t k = 0; k < lengths.size(); ++k)
        for (coalesced::inbox& box : boxes) {
            coalesced::inbox::part next;
            for (bool is_there = false; !is_there;) {
                for (coalesced::inbox& each : boxes) post_all(each);
                const auto found = box.take(next);
                check(found.ok(), found.error().message());
                if (!found.ok()) return;
                is_there = *found;
            }
            const std::vector<std::byte> want = part_of(lengths[k], k);
            check(next.size == want.size() && std::equal(want.begin(), want.end(), next.memory.begin()),
                  "part " + std::to_string(k) + " is another one");
            own.pool.let_go(next.slot);
        }
    int left_over = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, channel.comm(), &left_over, MPI_STATUS_IGNORE);
    check(left_over == 0, "more came than was expected");
    for (const auto& pending : receives) check(pending.request == MPI_REQUEST_NULL, "a receive of nothing is posted");
    check(own.pool.free_slots() == count, "a slot is lost");
}

void check_travels(mpi::channel& channel) {
    const struct {
        const char* what;
        std::vector<std::size_t> lengths;
        std::size_t messages;
        bool alone = false;
    } cases[]{
        {"four short parts", {100, 200, 300, 400}, 1},
        {"five short parts", {1, 2, 3, 4, 5}, 2},
        {"one part", {5000}, 1},
        {"empty parts", {0, 0, 7, 0}, 1},
        {"parts of which three fit", {5000, 5000, 5000, 5000, 5000, 5000}, 2},
        {"parts of which two fit", {8000, 8000, 8000, 8000}, 2},
        {"a long part between short ones", {100, 50'000, 100, 100}, 4},
        {"short parts long after a long one", {50'000, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 7},
        {"parts at the limit", {8192, 8193, 8192, 8192}, 4},
        {"a part that finds no room any more", {3000, 3000, 3000, 8000}, 2},
        {"short parts that promise it", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 7, true},
    };
    const int rank = channel.rank();
    const int ranks = channel.size();
    std::vector<int> others;
    for (int other = 0; other < ranks; ++other)
        if (other != rank) others.push_back(other);
    for (const auto& one : cases) {
        // Everybody to rank 0, where what comes early from one must not lock out another.
        if (rank != 0) {
            const auto messages = send_parts(channel, 0, one.lengths, one.alone);
            check(messages.size() == one.messages, std::string(one.what) + ": " + std::to_string(messages.size()) +
                                                       " messages, " + std::to_string(one.messages) + " expected");
            std::size_t sent = 0, want = one.lengths.size() * sizeof(coalesced::length);
            for (const std::size_t bytes : messages) sent += bytes;
            for (const std::size_t bytes : one.lengths) want += bytes;
            check(sent == want, std::string(one.what) + ": " + std::to_string(sent) + " bytes were sent");
        } else {
            take_parts(channel, others, one.lengths);
        }
        MPI_Barrier(channel.comm());
    }
}

/// One receive for four parts, since these may come as one; one for each that was promised to come alone.
/// posted   before each part
void check_receives(mpi::channel& channel, const std::vector<std::size_t>& lengths, bool alone, std::size_t messages,
                    const std::vector<int>& posted) {
    if (channel.rank() == 1) check(send_parts(channel, 0, lengths, alone).size() == messages, "a promise is not kept");
    if (channel.rank() != 0) return;
    slots own(9);
    std::array<coalesced::inbox::receive, 8> receives;
    coalesced::inbox box(channel, 1, tag, own.pool, receives);
    for (std::size_t i = 0; i < lengths.size(); ++i) box.expect();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const int now = post_all(box);
        check(now == posted[i], "before part " + std::to_string(i) + " " + std::to_string(now) + " are posted");
        coalesced::inbox::part next;
        for (auto found = box.take(next); !found.ok() || !*found; found = box.take(next)) check(found.ok(), "no part");
        check(next.size == lengths[i], "another part");
        own.pool.let_go(next.slot);
    }
}

/// What is no message of parts is an error, not a part.
void check_foreign(mpi::channel& channel) {
    constexpr std::array<coalesced::length, 2> foreign{77, 78};
    if (channel.rank() == 1)
        MPI_Send(foreign.data(), static_cast<int>(sizeof foreign), MPI_BYTE, 0, tag, channel.comm());
    if (channel.rank() != 0) return;
    slots own(2);
    std::array<coalesced::inbox::receive, 1> receives;
    coalesced::inbox box(channel, 1, tag, own.pool, receives);
    box.expect();
    check(post_all(box) == 1, "a receive cannot be posted");
    coalesced::inbox::part next;
    auto found = box.take(next);
    while (found.ok() && !*found) found = box.take(next);
    check(found.code() == errc::mpi, "a message of no parts is taken for one");
}

/// Zeros compress to a few bytes, and the first messages of every rank wait for nobody, nor does the rank know what
/// they cost: some of them travel together. Noise does not compress: its messages are long, or follow a long one, which
/// promises it, and travel alone.
void check_calls() {
    constexpr struct {
        operation op;
        const char* algorithm;
        std::size_t count;
    } calls[]{
        {operation::allreduce, "ring/fused", std::size_t{1} << 16},
        {operation::reduce, "ring/homomorphic", std::size_t{1} << 16},
        {operation::bcast, "ring/once", std::size_t{1} << 16},
        {operation::allgather, "ring/once", std::size_t{1} << 14},
        {operation::reduce_scatter, "pairwise/per_hop", std::size_t{1} << 14},
        {operation::alltoall, "pairwise/once", std::size_t{1} << 14},
        {operation::gather, "pairwise/once", std::size_t{1} << 14},
        {operation::scatter, "pairwise/once", std::size_t{1} << 14},
    };
    const int ranks = size_of(MPI_COMM_WORLD);
    for (const auto& call : calls) {
        scenario what;
        what.op = call.op;
        what.algorithm = call.algorithm;
        what.count = call.count;
        what.segment_bytes = 16 * 1024;
        what.limit = bound::abs(1e-6);
        what.kind = field::noise;
        const auto alone = check_scenario<float>(what);
        what.kind = field::zeros;
        const auto together = check_scenario<float>(what);
        if (!alone || !together || alone->messages == 0) continue;
        const bool many = ranks > 8 && what.algorithm.starts_with("pairwise");
        check(many ? together->messages == alone->messages : together->messages < alone->messages,
              what.text() + ": " + std::to_string(together->messages) + " messages, alone they are " +
                  std::to_string(alone->messages));
    }
}

/// Short and long messages by turns, whatever waits for whom.
void check_mixed_calls() {
    constexpr struct {
        operation op;
        const char* algorithm;
    } calls[]{
        {operation::allreduce, "ring/fused"},
        {operation::allreduce, "ring/per_hop"},
        {operation::allgather, "ring/once"},
        {operation::reduce_scatter, "ring/homomorphic"},
        {operation::reduce_scatter, "pairwise/fused"},
        {operation::alltoall, "pairwise/once"},
        {operation::bcast, "ring/once"},
        {operation::gather, "pairwise/once"},
        {operation::scatter, "pairwise/once"},
    };
    // On few ranks a part has more segments than a rank has slots; on many the parts of all together do, and every rank
    // checks them all. No multiple of the 5 segments after which the field repeats itself: parts begin differently.
    const std::size_t segments = size_of(MPI_COMM_WORLD) > 5 ? 12 : 42;
    for (const auto& call : calls)
        for (const bool varying : {false, true}) {
            const bool whole = call.op == operation::allreduce || call.op == operation::bcast;
            if (varying && whole) continue;
            scenario what;
            what.op = call.op;
            what.algorithm = call.algorithm;
            what.kind = field::patchy;
            what.limit = bound::abs(1e-6);
            what.count = 4096 * (whole ? 90 : segments) + 77;
            what.segment_bytes = 16 * 1024;
            what.varying = varying;
            check_scenario<float>(what);
        }
}

}  // namespace

void parts_travel_together() {
    check_lengths();
    check_pace();
    const auto channel = collective::usable_channel(MPI_COMM_WORLD);
    check(channel.ok(), channel.error().message());
    if (!channel.ok() || size_of(MPI_COMM_WORLD) < 2) return;
    check_travels(**channel);
    // 8 parts are 2 messages; the 7 after the first promise 5, 4 of them alone; the 5 after the second are all alone.
    check_receives(**channel, {50'000, 1, 50'000, 1, 1, 1, 1, 1}, false, 8, {2, 4, 0, 2, 0, 0, 0, 0});
    MPI_Barrier((*channel)->comm());
    // The first 4 come together, and promise that the others come alone.
    check_receives(**channel, {1, 1, 1, 1, 1, 1, 1, 1}, true, 5, {2, 3, 0, 0, 0, 0, 0, 0});
    MPI_Barrier((*channel)->comm());
    check_foreign(**channel);
    MPI_Barrier((*channel)->comm());
    check_calls();
    check_mixed_calls();
}

}  // namespace laconic::test
