// SPDX-License-Identifier: BSD-3-Clause
#include "redistribute/exchange/messages.hpp"

#include <algorithm>
#include <array>

#include "base/arithmetic.hpp"

namespace laconic::redistribute {
namespace {

constexpr int chunk_tag = 1;
constexpr std::size_t most_message_bytes = std::size_t{1} << 30;
/// What auto tries between nodes, the longest first. Small ones need no handshake, which over TCP waits behind what is
/// under way; large ones cost less each. With two slots each way all of them fit into half of the least staging.
constexpr std::array default_batch_bytes{std::size_t{512} << 10, std::size_t{48} << 10, std::size_t{8} << 10};
/// Of batches that are compressed before they leave, mostly to a few times less.
constexpr std::array lossy_batch_bytes{std::size_t{512} << 10, std::size_t{128} << 10, std::size_t{8} << 10};
static_assert(lossy_batch_bytes.size() == default_batch_bytes.size());
constexpr std::size_t least_batch_bytes = 256;
// Asking MPI after each small message costs more than the message, and may look like waiting.
constexpr std::size_t sent_between_polls = std::size_t{256} << 10;
/// Of each stream: keeps links busy for about as long as ranks take to agree.
constexpr std::size_t opening_bytes = std::size_t{128} << 10;
/// A rank's sends may be so far ahead of its receives: several times what a link holds, little beside what queues hold.
constexpr std::size_t lead_bytes = std::size_t{512} << 10;
// Two slots each way are the least that can overlap. Every call of MPI_Testsome looks at all of them.
constexpr std::size_t least_slots = 2, most_slots = 64;

std::size_t whole_elements(std::size_t bytes, std::size_t element_bytes) noexcept {
    return std::max(bytes / element_bytes, std::size_t{1}) * element_bytes;
}

/// No chunk needs to be longer. Ranks differ here, and cut alike all the same: both ends of a stream that is longer
/// than either's chunks have the size that the options say, any other is one chunk.
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
                               std::vector<chunking> ways)
    : channel_(setup.channel),
      unpacking_(setup.unpacking),
      ways_(std::move(ways)),
      cut_(ways_.front()),
      codec_(setup.element, setup.options.limit.value > 0) {
    for (const stream* each : outgoing) out_.flows.push_back({each, 0, 0, 0});
    for (const stream* each : incoming) in_.flows.push_back({each, 0, 0, 0});
}

std::size_t message_engine::lay_out() {
    const std::size_t bytes = in_.lay_out(cut_, codec_, out_.lay_out(cut_, codec_, 0));
    const std::size_t receiving = in_.idle.size();
    requests_.assign(receiving + out_.idle.size(), MPI_REQUEST_NULL);
    in_.requests = std::span(requests_).first(receiving);
    out_.requests = std::span(requests_).subspan(receiving);
    finished_.resize(requests_.size());
    about_.resize(requests_.size());
    return bytes;
}

void message_engine::use(std::size_t way) noexcept {
    if (ways_.size() == 1) return;
    cut_ = ways_[way];
    lay_out();
}

status message_engine::prepare() {
    std::size_t bytes = 0, longest_chunk = 0;
    for (std::size_t way = ways_.size(); way-- > 0;) {
        cut_ = ways_[way];
        bytes = std::max(bytes, lay_out());
        longest_chunk = std::max(longest_chunk, cut_.chunk_bytes);
    }
    if (bytes == 0) return {};
    if (status bad = codec_.prepare(longest_chunk); !bad.ok()) return bad;
    if (memory_.reserve(bytes).ok()) return {};
    return no_memory("messages", bytes, "use engine batched, or a smaller batch_bytes");
}

status message_engine::meet() {
    std::uint64_t roomy = 0;
    for (std::size_t way = ways_.size(); way-- > 0;) {
        cut_ = ways_[way];
        lay_out();
        if (out_.roomy && in_.roomy) roomy |= std::uint64_t{1} << way;
    }
    if (status bad = channel_.check(MPI_Allreduce(MPI_IN_PLACE, &roomy, 1, MPI_UINT64_T, MPI_BAND, channel_.comm()),
                                    "MPI_Allreduce");
        !bad.ok())
        return bad;
    for (std::size_t way = 0; way < ways_.size(); ++way) ways_[way].clocked = (roomy >> way & 1) != 0;
    cut_ = ways_.front();
    return {};
}

pace message_engine::allowed_pace() const noexcept {
    // Ranks that have not agreed, or to decline, do not move all chunks: parts of all say nothing.
    if (!cut_.clocked || open_ || declined_) return {};
    const std::size_t a_round = cut_.chunk_bytes * std::max(out_.flows.size(), std::size_t{1});
    return {static_cast<std::int64_t>(std::max(lead_bytes / a_round, std::size_t{1})), in_.chunks - in_.chunks_left,
            in_.chunks};
}

std::span<std::byte> message_engine::slot(const flows_and_slots& all, int index) const noexcept {
    const auto at = static_cast<std::size_t>(index);
    return memory_.bytes().subspan(all.slot_at[at], all.slot_at[at + 1] - all.slot_at[at]);
}

status message_engine::send_next(flow& to) {
    const int index = out_.idle[--out_.idle_count];
    const auto at = static_cast<std::size_t>(index);
    const chunk what = chunk_at(*to.bytes, chunk_bytes(), to.begun);
    const std::span<std::byte> message = slot(out_, index);
    // A receiver waits for something, whatever happens here: what cannot be a frame tells it.
    result<std::size_t> size = std::size_t{0};
    if (!declined_) {
        pack(*to.bytes, run_->arrays, what, codec_.pack_here(message.data()), stores::cached);
        const double limit = run_->arrays.bounds.empty() ? 0 : run_->arrays.bounds[what.field];
        size = or_no_memory([&] { return codec_.encode(static_cast<std::size_t>(what.bytes), limit, message); },
                            [] { return base::no_memory(); });
        if (!size) {
            if (first_fault_.ok()) first_fault_ = told([&] { return size.error(); });
            size = std::size_t{0};
        }
        run_->report->message_bytes += static_cast<std::uint64_t>(what.bytes);
        run_->report->wire_bytes += *size;
    }
    out_.flow_of[at] = static_cast<std::size_t>(&to - out_.flows.data());
    ++to.begun;
    ++to.under_way;
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
    if (declined_) return {};
    const auto at = static_cast<std::size_t>(index);
    int size = 0;
    if (status bad = channel_.check(MPI_Get_count(&about, MPI_BYTE, &size), "MPI_Get_count"); !bad.ok()) return bad;
    const flow& from = in_.flows[in_.flow_of[at]];
    const chunk& what = in_.chunk_of[at];
    const std::span<std::byte> message = slot(in_, index).first(static_cast<std::size_t>(size));
    const auto packed = or_no_memory([&] { return codec_.decode(message, static_cast<std::size_t>(what.bytes)); },
                                     [] { return base::no_memory(); });
    // A damaged message is remembered, and the run goes on to its end: other ranks wait for this one.
    if (packed.ok())
        unpack(*from.bytes, run_->arrays, what, *packed, unpacking_, *run_->arrivals);
    else if (first_fault_.ok())
        first_fault_ = told([&] {
            const status why = packed.error();
            return status(why.code(), "from rank " + std::to_string(from.bytes->peer) + ": " + why.context());
        });
    return {};
}

result<bool> message_engine::collect(completion call, const char* name) {
    if (requests_.empty()) return false;
    int count = 0;
    const int code =
        call(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(), about_.data());
    if (status bad = channel_.check(code, name); !bad.ok()) return bad;
    if (count == MPI_UNDEFINED) return false;
    const int receiving = static_cast<int>(in_.idle.size());
    for (int i = 0; i < count; ++i) {
        const int at = finished_[static_cast<std::size_t>(i)];
        flows_and_slots& all = at < receiving ? in_ : out_;
        const int index = at < receiving ? at : at - receiving;
        if (at < receiving)
            if (status bad = received(index, about_[static_cast<std::size_t>(i)]); !bad.ok()) return bad;
        --all.flows[all.flow_of[static_cast<std::size_t>(index)]].under_way;
        all.idle[all.idle_count++] = index;
        --all.chunks_left;
    }
    return count > 0;
}

status message_engine::receive_more() {
    while (flow* const from = in_.next({}))
        if (status bad = receive_next(*from); !bad.ok()) return bad;
    return {};
}

status message_engine::open(run_context& run, bool ready) {
    begin(run, cut_.opening);
    open_ = true;
    unready_ = !ready;
    return receive_more();
}

result<bool> message_engine::open_more() {
    flow* const to = unready_ ? nullptr : next_to_send();
    if (to == nullptr) return false;
    if (status bad = send_next(*to); !bad.ok()) return bad;
    return true;
}

status message_engine::decline() {
    declined_ = true;
    while (true) {
        result<step> moved = advance();
        if (moved.ok() && *moved == step::waiting) moved = wait();
        if (moved.code() == errc::mpi) return told([&] { return moved.error(); });
        // Another failure is told at the end alone, and comes second here.
        if (!moved || *moved == step::done) return {};
    }
}

void message_engine::begin(run_context& run, std::int64_t allowed) noexcept {
    run_ = &run;
    open_ = unready_ = declined_ = false;
    first_fault_ = {};
    out_.reset(allowed);
    in_.reset(allowed);
}

status message_engine::start(run_context& run) {
    if (open_) {
        open_ = false;
        out_.allow_all();
        in_.allow_all();
    } else {
        begin(run, INT64_MAX);
    }
    if (status bad = receive_more(); !bad.ok()) return bad;
    while (cut_.at_once && next_to_send() != nullptr)
        if (status bad = send_next(*next_to_send()); !bad.ok()) return bad;
    return {};
}

result<step> message_engine::advance() {
    bool moved = false;
    for (std::size_t packed = 0; packed < sent_between_polls;) {
        flow* const to = next_to_send();
        if (to == nullptr) break;
        if (status bad = send_next(*to); !bad.ok()) return bad;
        packed += cut_.chunk_bytes;
        moved = true;
    }
    const auto some = collect(MPI_Testsome, "MPI_Testsome");
    if (!some) return some.error();
    if (status bad = receive_more(); !bad.ok()) return bad;
    return outcome(moved || *some);
}

result<step> message_engine::wait() {
    const auto some = collect(MPI_Waitsome, "MPI_Waitsome");
    if (!some) return some.error();
    if (status bad = receive_more(); !bad.ok()) return bad;
    return outcome(true);
}

result<step> message_engine::outcome(bool moved) const {
    if (out_.chunks_left == 0 && in_.chunks_left == 0) {
        if (!first_fault_.ok()) return told([&] { return first_fault_; });
        return step::done;
    }
    return moved ? step::moved : step::waiting;
}

std::size_t batched_ways(const exchange_options& options) noexcept {
    return options.batch_bytes == 0 ? default_batch_bytes.size() : 1;
}

std::unique_ptr<engine> make_batched(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    const bool lossy = setup.options.limit.value > 0;
    const message_codec codec(setup.element, lossy);
    const auto& tried = lossy ? lossy_batch_bytes : default_batch_bytes;
    std::vector<chunking> ways;
    std::size_t fixed = 0;
    for (std::size_t way = 0; way < batched_ways(setup.options); ++way) {
        const std::size_t wanted = setup.options.batch_bytes;
        const std::size_t most = wanted != 0 ? std::max(wanted, least_batch_bytes) : tried[way];
        const std::size_t bytes =
            whole_elements(std::min({most, most_message_bytes, longest(outgoing, incoming)}), setup.element.bytes);
        // All ways share what the codec needs for the longest, the first.
        if (way == 0) fixed = staging_of(codec, bytes, 0);
        const std::size_t room = setup.staging_bytes > fixed ? setup.staging_bytes - fixed : 0;
        const std::size_t slot = staging_of(codec, bytes, 1) - staging_of(codec, bytes, 0);
        const std::size_t slots = std::clamp(room / slot, least_slots, most_slots);
        // Long batches wait for the agreement: packing one and sending it for nothing would cost more than that.
        const std::size_t opening = opening_bytes / most;
        ways.push_back({bytes, slots, false, static_cast<std::int64_t>(opening)});
    }
    return std::make_unique<message_engine>(setup, outgoing, incoming, std::move(ways));
}

std::unique_ptr<engine> make_per_rank(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    const std::size_t bytes = std::min(most_message_bytes, longest(outgoing, incoming));
    return std::make_unique<message_engine>(
        setup, outgoing, incoming, std::vector<chunking>{{whole_elements(bytes, setup.element.bytes), 0, true, 0}});
}

}  // namespace laconic::redistribute
