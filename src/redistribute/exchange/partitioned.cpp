// SPDX-License-Identifier: BSD-3-Clause
// Engine partitioned: one persistent MPI-4 message for each pair of ranks, whose partitions are packed and marked ready
// one after the other.
#include <algorithm>
#include <climits>
#include <string>

#include "redistribute/exchange/engine.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic::redistribute {

#if MPI_VERSION >= 4

namespace {

constexpr int partitioned_tag = 3;
constexpr std::size_t partition_bytes = std::size_t{256} << 10, least_partition_bytes = 256;

class partitioned_engine final : public engine {
public:
    partitioned_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming)
        : channel_(setup.channel),
          unpacking_(setup.unpacking),
          bytes_(static_cast<std::int64_t>(setup.options.batch_bytes != 0
                                               ? std::max(setup.options.batch_bytes, least_partition_bytes)
                                               : partition_bytes)) {
        add(outgoing, out_);
        add(incoming, in_);
    }
    ~partitioned_engine() override {
        if (abandoned_ || !mpi::check_running().ok()) return;
        for (std::vector<flow>* side : {&out_, &in_})
            for (flow& each : *side)
                if (each.request != MPI_REQUEST_NULL) MPI_Request_free(&each.request);
    }

    [[nodiscard]] status prepare() override {
        std::size_t bytes = 0;
        for (std::vector<flow>* side : {&out_, &in_})
            for (flow& each : *side) {
                if (each.chunks > INT_MAX)
                    return {errc::unsupported, std::to_string(each.chunks) +
                                                   " partitions of a message are more than MPI can count; use a larger "
                                                   "batch_bytes, or engine auto"};
                each.offset = bytes;
                bytes += static_cast<std::size_t>(each.chunks * bytes_);
            }
        if (bytes > 0 && !memory_.reserve(bytes).ok()) return no_memory("messages", bytes, "use engine auto");
        for (std::vector<flow>* side : {&out_, &in_})
            for (flow& each : *side) each.memory = memory_.bytes().data() + each.offset;
        // Partitions are all alike: what the last one has behind the data travels, too.
        for (const flow& each : out_)
            std::fill(each.memory + each.bytes->bytes(), each.memory + each.chunks * bytes_, std::byte{0});
        return {};
    }

    /// MPI may tell the other side of such a message at once, which has to be there.
    [[nodiscard]] status meet() override {
        for (std::vector<flow>* side : {&out_, &in_})
            for (flow& each : *side) {
                const auto count = static_cast<int>(each.chunks);
                const int code = side == &out_
                                     ? MPI_Psend_init(each.memory, count, bytes_, MPI_BYTE, each.bytes->peer,
                                                      partitioned_tag, channel_.comm(), MPI_INFO_NULL, &each.request)
                                     : MPI_Precv_init(each.memory, count, bytes_, MPI_BYTE, each.bytes->peer,
                                                      partitioned_tag, channel_.comm(), MPI_INFO_NULL, &each.request);
                if (status bad = channel_.check(code, "MPI_Psend_init or MPI_Precv_init"); !bad.ok()) return bad;
            }
        return {};
    }

    [[nodiscard]] status start(run_context& run) override {
        run_ = &run;
        open_ = in_.size() + out_.size();
        for (std::vector<flow>* side : {&in_, &out_})
            for (flow& each : *side) {
                each.done = 0;
                each.over = false;
                if (status bad = channel_.check(MPI_Start(&each.request), "MPI_Start"); !bad.ok()) return bad;
            }
        for (const flow& each : out_) run.report->message_bytes += static_cast<std::uint64_t>(each.bytes->bytes());
        run.report->wire_bytes = run.report->message_bytes;
        return {};
    }

    [[nodiscard]] result<step> advance() override {
        if (open_ == 0) return step::done;
        bool moved = false;
        for (flow& each : out_)
            if (each.done < each.chunks) {
                pack(*each.bytes, run_->arrays, chunk_at(*each.bytes, bytes_, each.done),
                     each.memory + each.done * bytes_, stores::cached);
                const int code = MPI_Pready(static_cast<int>(each.done++), each.request);
                if (status bad = channel_.check(code, "MPI_Pready"); !bad.ok()) return bad;
                moved = true;
            }
        for (flow& each : in_) {
            int there = 0;
            if (each.done == each.chunks) continue;
            const int code = MPI_Parrived(each.request, static_cast<int>(each.done), &there);
            if (status bad = channel_.check(code, "MPI_Parrived"); !bad.ok()) return bad;
            if (there == 0) continue;
            unpack(*each.bytes, run_->arrays, chunk_at(*each.bytes, bytes_, each.done),
                   each.memory + each.done * bytes_, unpacking_, *run_->arrivals);
            ++each.done;
            moved = true;
        }
        for (std::vector<flow>* side : {&in_, &out_})
            for (flow& each : *side) {
                if (each.over || each.done < each.chunks) continue;
                int over = 0;
                const int code = MPI_Test(&each.request, &over, MPI_STATUS_IGNORE);
                if (status bad = channel_.check(code, "MPI_Test"); !bad.ok()) return bad;
                each.over = over != 0;
                if (each.over) --open_;
            }
        if (open_ == 0) return step::done;
        return moved ? step::moved : step::waiting;
    }

    void abandon() noexcept override {
        memory_.abandon();
        abandoned_ = true;
    }

    [[nodiscard]] std::size_t staging_bytes() const noexcept override { return memory_.bytes().size(); }

private:
    struct flow {
        const stream* bytes = nullptr;
        std::int64_t chunks = 0, done = 0;
        std::size_t offset = 0;
        std::byte* memory = nullptr;
        MPI_Request request = MPI_REQUEST_NULL;
        bool over = false;
    };

    void add(const streams& all, std::vector<flow>& flows) const {
        for (const stream* each : all) {
            flows.emplace_back();
            flows.back().bytes = each;
            flows.back().chunks = chunks_of(*each, bytes_);
        }
    }

    mpi::channel& channel_;
    stores unpacking_;
    std::int64_t bytes_;
    std::vector<flow> out_, in_;
    mpi::workspace memory_;
    std::size_t open_ = 0;
    bool abandoned_ = false;  // requests may be active
    run_context* run_ = nullptr;
};

}  // namespace

std::unique_ptr<engine> make_partitioned(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    return std::make_unique<partitioned_engine>(setup, outgoing, incoming);
}

#else

std::unique_ptr<engine> make_partitioned(const engine_setup&, const streams&, const streams&) { return nullptr; }

#endif

}  // namespace laconic::redistribute
