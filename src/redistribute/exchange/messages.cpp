// SPDX-License-Identifier: BSD-3-Clause
// Nobody waits for ever: a rank meets its peers in the order of their distance, sending upwards and receiving from
// below. Slots go to the nearest peers that have chunks left, so of all unfinished pairs of ranks the nearest one has
// slots on both sides, whatever the others do.
#include "redistribute/exchange/messages.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"

namespace laconic::redistribute {
namespace {

constexpr int chunk_tag = 1;
constexpr std::size_t most_message_bytes = std::size_t{1} << 30;
constexpr std::size_t default_batch_bytes = std::size_t{1} << 20;
constexpr std::size_t least_batch_bytes = 256;
constexpr std::size_t slot_alignment = 64;
// Two slots each way are the least that can overlap. Every call of MPI_Testsome looks at all of them.
constexpr std::size_t least_slots = 2, most_slots = 64;

std::size_t whole_elements(std::size_t bytes, std::size_t element_bytes) noexcept {
    return std::max(bytes / element_bytes, std::size_t{1}) * element_bytes;
}

std::size_t longest(const streams& outgoing, const streams& incoming) noexcept {
    std::int64_t most = 1;
    for (const streams* side : {&outgoing, &incoming})
        for (const stream* each : *side) most = std::max(most, each->bytes());
    return static_cast<std::size_t>(most);
}

/// Memory for chunks of this size with so many slots each way.
std::size_t staging_of(const message_codec& codec, std::size_t chunk_bytes, std::size_t slots) noexcept {
    return 2 * slots * base::round_up(codec.capacity(chunk_bytes), slot_alignment) + codec.packed_bytes(chunk_bytes);
}

}  // namespace

message_engine::message_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming,
                               const chunking& cut)
    : channel_(setup.channel),
      unpacking_(setup.unpacking),
      cut_(cut),
      codec_(setup.element, setup.options.limit.value > 0),
      out_(side_of(outgoing)),
      in_(side_of(incoming)) {}

message_engine::side message_engine::side_of(const streams& all) const {
    side made;
    std::int64_t total = 0;
    for (const stream* each : all) {
        const std::int64_t chunks = chunks_of(*each, chunk_bytes());
        made.flows.push_back({each, chunks, 0, 0});
        total += chunks;
    }
    const auto chunks = static_cast<std::size_t>(total);
    const std::size_t slots = cut_.at_once ? chunks : std::min(cut_.slots, chunks);
    if (slots == 0) return made;
    made.each = cut_.at_once ? total : std::max<std::int64_t>(2, static_cast<std::int64_t>(slots / all.size()));
    made.requests.assign(slots, MPI_REQUEST_NULL);
    made.flow_of.resize(slots);
    made.chunk_of.resize(slots);
    made.idle.resize(slots);
    return made;
}

std::size_t message_engine::lay_out(side& all, std::size_t first) const {
    const auto add = [&](std::size_t bytes) {
        first += base::round_up(codec_.capacity(bytes), slot_alignment);
        all.slot_at.push_back(first);
    };
    all.slot_at.push_back(first);
    if (!cut_.at_once) {
        for (std::size_t i = 0; i < all.idle.size(); ++i) add(cut_.chunk_bytes);
        return first;
    }
    for (const flow& each : all.flows)
        for (std::int64_t i = 0; i < each.chunks; ++i)
            add(static_cast<std::size_t>(chunk_at(*each.bytes, chunk_bytes(), i).bytes));
    return first;
}

status message_engine::prepare() {
    finished_.resize(std::max(out_.requests.size(), in_.requests.size()));
    about_.resize(finished_.size());
    const std::size_t bytes = lay_out(in_, lay_out(out_, 0));
    if (bytes == 0) return {};
    if (status bad = codec_.prepare(cut_.chunk_bytes); !bad.ok()) return bad;
    if (!memory_.reserve(bytes).ok())
        return {errc::out_of_memory,
                "no " + std::to_string(bytes) + " bytes for messages; use engine batched, or a smaller batch_bytes"};
    return {};
}

void message_engine::reset(side& all) noexcept {
    all.first_open = 0;
    all.chunks_left = 0;
    all.idle_count = all.idle.size();
    for (std::size_t i = 0; i < all.idle.size(); ++i) all.idle[i] = static_cast<int>(all.idle.size() - 1 - i);
    for (flow& each : all.flows) {
        each.begun = each.under_way = 0;
        all.chunks_left += each.chunks;
    }
}

message_engine::flow* message_engine::next_flow(side& all) noexcept {
    if (all.idle_count == 0) return nullptr;
    while (all.first_open < all.flows.size() && all.flows[all.first_open].begun == all.flows[all.first_open].chunks)
        ++all.first_open;
    // No flow of those looked at is without a chunk under way, so there are no more of them than slots.
    for (std::size_t i = all.first_open; i < all.flows.size(); ++i) {
        flow& each = all.flows[i];
        if (each.begun < each.chunks && each.under_way < all.each) return &each;
    }
    return nullptr;
}

std::span<std::byte> message_engine::slot(const side& all, int index) const noexcept {
    const auto at = static_cast<std::size_t>(index);
    return memory_.bytes().subspan(all.slot_at[at], all.slot_at[at + 1] - all.slot_at[at]);
}

status message_engine::send_next(flow& to) {
    const int index = out_.idle[--out_.idle_count];
    const auto at = static_cast<std::size_t>(index);
    const chunk what = chunk_at(*to.bytes, chunk_bytes(), to.begun);
    const std::span<std::byte> message = slot(out_, index);
    pack(*to.bytes, run_->arrays, what, codec_.pack_here(message.data()), stores::cached);
    const double limit = run_->arrays.bounds.empty() ? 0 : run_->arrays.bounds[what.field];
    auto size = codec_.encode(static_cast<std::size_t>(what.bytes), limit, message);
    if (!size) {
        // The receiver waits for something: what cannot be a frame tells it.
        if (first_fault_.ok()) first_fault_ = size.error();
        size = std::size_t{0};
    }
    out_.flow_of[at] = static_cast<std::size_t>(&to - out_.flows.data());
    ++to.begun;
    ++to.under_way;
    run_->report->message_bytes += static_cast<std::uint64_t>(what.bytes);
    run_->report->wire_bytes += *size;
    return channel_.check(MPI_Isend(message.data(), static_cast<int>(*size), MPI_BYTE, to.bytes->peer, chunk_tag,
                                    channel_.comm(), &out_.requests[at]),
                          "MPI_Isend");
}

status message_engine::receive_next(flow& from) {
    const int index = in_.idle[--in_.idle_count];
    const auto at = static_cast<std::size_t>(index);
    in_.flow_of[at] = static_cast<std::size_t>(&from - in_.flows.data());
    in_.chunk_of[at] = chunk_at(*from.bytes, chunk_bytes(), from.begun);
    ++from.begun;
    ++from.under_way;
    const std::span<std::byte> message = slot(in_, index);
    return channel_.check(MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_BYTE, from.bytes->peer,
                                    chunk_tag, channel_.comm(), &in_.requests[at]),
                          "MPI_Irecv");
}

status message_engine::received(int index, const MPI_Status& about) {
    const auto at = static_cast<std::size_t>(index);
    int size = 0;
    if (status bad = channel_.check(MPI_Get_count(&about, MPI_BYTE, &size), "MPI_Get_count"); !bad.ok()) return bad;
    const flow& from = in_.flows[in_.flow_of[at]];
    const chunk& what = in_.chunk_of[at];
    const auto packed =
        codec_.decode(slot(in_, index).first(static_cast<std::size_t>(size)), static_cast<std::size_t>(what.bytes));
    // A damaged message is remembered, and the run goes on to its end: other ranks wait for this one.
    if (packed.ok())
        unpack(*from.bytes, run_->arrays, what, *packed, unpacking_, *run_->arrivals);
    else if (first_fault_.ok())
        first_fault_ = {packed.error().code(),
                        "from rank " + std::to_string(from.bytes->peer) + ": " + packed.error().context()};
    return {};
}

result<bool> message_engine::collect(side& all, bool receives) {
    if (all.idle_count == all.idle.size()) return false;
    int count = 0;
    if (status bad = channel_.check(MPI_Testsome(static_cast<int>(all.requests.size()), all.requests.data(), &count,
                                                 finished_.data(), about_.data()),
                                    "MPI_Testsome");
        !bad.ok())
        return bad;
    if (count == MPI_UNDEFINED) return false;
    for (int i = 0; i < count; ++i) {
        const int index = finished_[static_cast<std::size_t>(i)];
        if (receives)
            if (status bad = received(index, about_[static_cast<std::size_t>(i)]); !bad.ok()) return bad;
        --all.flows[all.flow_of[static_cast<std::size_t>(index)]].under_way;
        all.idle[all.idle_count++] = index;
        --all.chunks_left;
    }
    return count > 0;
}

status message_engine::start(run_context& run) {
    run_ = &run;
    first_fault_ = {};
    reset(out_);
    reset(in_);
    while (flow* const from = next_flow(in_))
        if (status bad = receive_next(*from); !bad.ok()) return bad;
    while (cut_.at_once && next_flow(out_) != nullptr)
        if (status bad = send_next(*next_flow(out_)); !bad.ok()) return bad;
    return {};
}

result<step> message_engine::advance() {
    bool moved = false;
    if (flow* const to = next_flow(out_); to != nullptr) {
        if (status bad = send_next(*to); !bad.ok()) return bad;
        moved = true;
    }
    const auto came = collect(in_, true);
    if (!came) return came.error();
    while (flow* const from = next_flow(in_))
        if (status bad = receive_next(*from); !bad.ok()) return bad;
    const auto went = collect(out_, false);
    if (!went) return went.error();
    if (out_.chunks_left == 0 && in_.chunks_left == 0) {
        if (!first_fault_.ok()) return first_fault_;
        return step::done;
    }
    return moved || *came || *went ? step::moved : step::waiting;
}

std::unique_ptr<engine> make_batched(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    const std::size_t element = setup.element.bytes;
    const std::size_t wanted = setup.options.batch_bytes;
    std::size_t bytes = wanted != 0 ? std::max(wanted, least_batch_bytes) : default_batch_bytes;
    bytes = whole_elements(std::min({bytes, most_message_bytes, longest(outgoing, incoming)}), element);
    const message_codec codec(setup.element, setup.options.limit.value > 0);
    while (wanted == 0 && bytes > std::max(least_batch_bytes, element) &&
           staging_of(codec, bytes, least_slots) > setup.staging_bytes)
        bytes = whole_elements(bytes / 2, element);
    const std::size_t fixed = staging_of(codec, bytes, 0);
    const std::size_t room = setup.staging_bytes > fixed ? setup.staging_bytes - fixed : 0;
    const std::size_t slots = std::clamp(room / (staging_of(codec, bytes, 1) - fixed), least_slots, most_slots);
    return std::make_unique<message_engine>(setup, outgoing, incoming, chunking{bytes, slots, false});
}

std::unique_ptr<engine> make_per_rank(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    const std::size_t bytes = std::min(most_message_bytes, longest(outgoing, incoming));
    return std::make_unique<message_engine>(setup, outgoing, incoming,
                                            chunking{whole_elements(bytes, setup.element.bytes), 0, true});
}

}  // namespace laconic::redistribute
