// SPDX-License-Identifier: BSD-3-Clause
// One program run over one channel: a cell of the table, arrays and places flow in; memory is reserved, the payload put
// together, and the run moved on. A collective is one stage, or several one after the other (hierarchy).
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "collective/call_store.hpp"
#include "collective/payload_coded.hpp"
#include "collective/payload_fle.hpp"
#include "collective/payload_raw.hpp"
#include "collective/runner.hpp"

namespace laconic::collective {

/// What a stage does.
template <class T>
struct stage_request {
    mpi::channel* channel = nullptr;
    const team* who = nullptr;
    operation op = operation::allreduce;
    cell what;
    int root = 0;
    arrays<T> data;
    std::size_t segment_bytes = 0;
    std::size_t node_segment_bytes = 0;  ///< of levels inside a node
    double rate = 8;
    unsigned threads = 1;    ///< of the codec
    std::uint64_t call = 0;  ///< number of the call on its communicator: tags of its own follow from it
    /// Local values are overwritten before they have been sent: they are copied first.
    bool copies_input = false;
};

/// Data on its way, with everything that it needs reserved.
template <class T>
class moving {
public:
    moving() = default;
    moving(const moving&) = delete;
    moving& operator=(const moving&) = delete;
    virtual ~moving() = default;

    virtual void start(const quantisation<T>& plan) = 0;
    /// As runner::advance().
    [[nodiscard]] virtual result<runner::state> advance() = 0;
    /// Gives the memory back.
    virtual void release() noexcept = 0;
    /// What it sent, how long it took, what memory it has. Precondition: not released.
    virtual void add_to(collective_report& report) const = 0;
    /// See message_shares; of messages between the nodes, where there is a hierarchy. Precondition: the same.
    /// least_bytes   uncompressed, that a message has to hold; 0 is returned where none does
    [[nodiscard]] virtual double message_share(std::size_t least_bytes) const noexcept = 0;
};

template <class T>
class stage final : public moving<T> {
public:
    ~stage() override { release(); }

    /// place: fills the places of that many pieces and returns the elements of the longest piece of any rank, or
    /// job::unknown_length. Allocates nothing that an earlier such stage has not left behind.
    template <class Place>
    [[nodiscard]] status reserve(const stage_request<T>& request, Place place) try {
        release();
        request_ = request;
        call_store& store = call_store::of(*request.channel);
        memory_ = store.memory().borrow();
        if (memory_ == nullptr) return no_memory();
        steps_ = store.program_for(request.op, request.what.schedule, request.root, *request.who);
        lay_out(place(steps_->pieces, memory_->places));
        return memory_->bytes.reserve(copy_bytes() + runner::memory_for(carrier(), work_));
    } catch (const std::bad_alloc&) {
        return no_memory();
    }

    void start(const quantisation<T>& plan) override { start(plan, false); }
    /// spoiled: see runner.
    void start(const quantisation<T>& plan, bool spoiled);
    [[nodiscard]] result<runner::state> advance() override;
    void release() noexcept override;
    void add_to(collective_report& report) const override;
    [[nodiscard]] double message_share(std::size_t least_bytes) const noexcept override;

private:
    void lay_out(std::size_t longest_piece);
    void put_together(const quantisation<T>& plan);
    [[nodiscard]] payload& carrier() const noexcept { return *carrier_; }
    [[nodiscard]] std::size_t copy_bytes() const noexcept;

    stage_request<T> request_;
    arrays<T> data_;  // the request's, or with a copy of what is read
    double copy_s_ = 0;
    call_memory* memory_ = nullptr;
    std::shared_ptr<const program> steps_;
    job work_;
    // In place, so that nothing can fail once all ranks have agreed.
    std::variant<std::monostate, payload_raw<T>, payload_fle<T>, payload_coded<T>> place_;
    payload* carrier_ = nullptr;
    std::optional<runner> run_;
    bool in_motion_ = false;  // started, and not over
};

}  // namespace laconic::collective
