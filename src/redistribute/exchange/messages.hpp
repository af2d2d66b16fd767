// SPDX-License-Identifier: BSD-3-Clause
// Streams flow between ranks as messages of one chunk each, through a fixed number of slots: packed, sent, received,
// unpacked, and the slot is free for the next chunk.
#pragma once

#include "redistribute/exchange/engine.hpp"
#include "redistribute/exchange/flows.hpp"
#include "redistribute/exchange/message_codec.hpp"

namespace laconic::redistribute {

class message_engine final : public engine {
public:
    /// ways  one or more
    message_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming,
                   std::vector<chunking> ways);

    [[nodiscard]] std::size_t ways() const noexcept override { return ways_.size(); }
    void use(std::size_t way) noexcept override;
    [[nodiscard]] status prepare() override;
    [[nodiscard]] status meet() override;
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
    /// Takes memory only when more is needed than ever before.
    std::size_t lay_out();
    [[nodiscard]] std::int64_t chunk_bytes() const noexcept { return static_cast<std::int64_t>(cut_.chunk_bytes); }
    void begin(run_context& run, std::int64_t allowed) noexcept;
    /// How far sends may get now.
    [[nodiscard]] pace allowed_pace() const noexcept;
    [[nodiscard]] flow* next_to_send() noexcept { return out_.next(allowed_pace()); }
    [[nodiscard]] std::span<std::byte> slot(const flows_and_slots& all, int index) const noexcept;
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
    flows_and_slots out_, in_;
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
