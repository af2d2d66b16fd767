// SPDX-License-Identifier: BSD-3-Clause
// Streams flow between ranks as messages of one chunk each, through a fixed number of slots: packed, sent, received,
// unpacked, and the slot is free for the next chunk.
#pragma once

#include "redistribute/exchange/engine.hpp"
#include "redistribute/exchange/message_codec.hpp"

namespace laconic::redistribute {

/// How streams are cut, and how many chunks may be under way.
struct chunking {
    std::size_t chunk_bytes = 0;  ///< whole elements
    std::size_t slots = 0;        ///< for sending, and as many for receiving
    bool at_once = false;         ///< instead, a slot for every chunk, and everything is packed and sent first
    std::int64_t opening = 0;     ///< chunks of each stream that may leave before ranks agree: on all ranks the same
};

class message_engine final : public engine {
public:
    /// ways  one or more
    message_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming,
                   std::vector<chunking> ways);

    [[nodiscard]] std::size_t ways() const noexcept override { return ways_.size(); }
    void use(std::size_t way) noexcept override;
    [[nodiscard]] status prepare() override;
    [[nodiscard]] bool opens() const noexcept override { return cut_.opening > 0; }
    [[nodiscard]] status open(run_context& run, bool ready) override;
    [[nodiscard]] result<bool> open_more() override;
    [[nodiscard]] status decline() override;
    [[nodiscard]] status start(run_context& run) override;
    [[nodiscard]] result<step> advance() override;
    [[nodiscard]] result<step> wait() override;
    void abandon() noexcept override { memory_.abandon(); }
    [[nodiscard]] std::size_t staging_bytes() const noexcept override {
        return memory_.bytes().size() + codec_.staging_bytes();
    }

private:
    struct flow {
        const stream* bytes = nullptr;
        std::int64_t chunks = 0, begun = 0, under_way = 0;
        std::int64_t allowed = 0;  // of the chunks: while a run is open not all
    };
    /// One direction: flows in the order in which their peers are met, and the slots that their chunks go through.
    struct side {
        std::vector<flow> flows;
        std::size_t first_open = 0;       // the first flow that has chunks left
        std::int64_t each = 0;            // chunks of a flow that may be under way
        bool roomy = false;               // all flows may have as many at the same time
        std::int64_t chunks_left = 0;     // of those allowed
        std::span<MPI_Request> requests;  // of each slot
        std::vector<std::size_t> flow_of;
        std::vector<chunk> chunk_of;
        std::vector<int> idle;  // slots
        std::size_t idle_count = 0;
        std::vector<std::size_t> slot_at;  // bytes from the beginning; one more than slots
    };

    /// Cuts flows and memory that begins at `first`; returns where it ends. Takes memory only when more is needed than
    /// ever before.
    std::size_t lay_out(side& all, std::size_t first) const;
    std::size_t lay_out();
    [[nodiscard]] std::int64_t chunk_bytes() const noexcept { return static_cast<std::int64_t>(cut_.chunk_bytes); }
    /// Nothing has begun, and so many chunks of each flow may.
    static void reset(side& all, std::int64_t allowed) noexcept;
    static void allow_all(side& all) noexcept;
    void begin(run_context& run, std::int64_t allowed) noexcept;
    /// The flow whose chunk is next; null: none may begin.
    [[nodiscard]] flow* next_flow(side& all) noexcept;
    [[nodiscard]] std::span<std::byte> slot(const side& all, int index) const noexcept;
    [[nodiscard]] status send_next(flow& to);
    [[nodiscard]] status receive_next(flow& from);
    [[nodiscard]] status received(int index, const MPI_Status& about);
    using completion = int (*)(int, MPI_Request*, int*, int*, MPI_Status*);
    /// Completes what has come or gone; false when nothing has.
    [[nodiscard]] result<bool> collect(completion call, const char* name);
    [[nodiscard]] status receive_more();
    [[nodiscard]] result<step> outcome(bool moved) const;

    mpi::channel& channel_;
    stores unpacking_;
    std::vector<chunking> ways_;
    chunking cut_;  // of the way in use
    message_codec codec_;
    side out_, in_;
    mpi::workspace memory_;
    std::vector<MPI_Request> requests_;  // of receiving slots, then of sending ones
    std::vector<int> finished_;
    std::vector<MPI_Status> about_;
    run_context* run_ = nullptr;
    /// What is known of a run: open, that this rank cannot take part, that no rank does.
    bool open_ = false, unready_ = false, declined_ = false;
    status first_fault_;
};

}  // namespace laconic::redistribute
