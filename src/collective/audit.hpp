// SPDX-License-Identifier: BSD-3-Clause
// A collective under audit: a call flows through as ever; its report flows out with the errors of the result, measured
// against the exact one, beside their predictions.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "collective/exact_comparison.hpp"
#include "collective/execution.hpp"

namespace laconic::collective {

/// An execution and, after it, the audit of its result. The audit is collective: it draws its turn when the call
/// begins, so that calls that begin later agree only when it is done.
template <class T>
class audited : public execution_base {
public:
    audited(mpi::channel& channel, const collective_call<T>& call, const collective_options& options)
        : channel_(channel),
          call_(call),
          limit_(options.limit),
          ranks_per_node_(options.ranks_per_node),
          inner_(channel, call, options) {}
    audited(const audited&) = delete;
    audited& operator=(const audited&) = delete;
    ~audited() override {
        if (request_ != MPI_REQUEST_NULL) never_free(letter_);
    }

    void begin(bool blocking) override;
    bool advance() override;
    bool block() override { return phase_ == phase::running && inner_.block(); }
    [[nodiscard]] bool over() const noexcept override { return phase_ == phase::over; }
    [[nodiscard]] result<collective_report> outcome() override;
    void waited(double seconds) noexcept override {
        if (phase_ == phase::running) inner_.waited(seconds);
    }

private:
    enum class phase : std::uint8_t { running, queued, confirming, comparing, gathering, over };

    /// What travels.
    struct letter {
        model::error_tally mine;
        std::vector<model::error_tally> tallies;  // of all ranks
        int failed = 0;                           // on any rank
    };
    [[nodiscard]] status prepare();
    void end_of_call();
    void start_confirming();
    void start_comparison();
    void start_gathering();
    void summarise();
    void finish(status why);

    mpi::channel& channel_;
    collective_call<T> call_;
    bound limit_;
    unsigned ranks_per_node_;
    execution<T> inner_;
    exact_comparison<T> comparison_;
    model::error_scales scales_;
    std::unique_ptr<letter> letter_;  // null: there was no memory, which the call has told
    MPI_Request request_ = MPI_REQUEST_NULL;
    phase phase_ = phase::over;
    std::uint64_t turn_ = 0;  // see call_store
    status ended_;
    collective_report report_;
};

struct kept_options {
    collective_options options;
};
/// An execution, or an audited one, together with its options.
template <class Work>
class keeping final : kept_options, public Work {
public:
    template <class T>
    keeping(mpi::channel& channel, const collective_call<T>& call, const collective_options& given)
        : kept_options{given}, Work(channel, call, kept_options::options) {}
};

/// The execution of a call, audited where the options say so and an exact result is to be had.
/// why   not ok: it is refused for that, and there is nothing to audit
template <class T>
[[nodiscard]] std::unique_ptr<execution_base> make_execution(mpi::channel& channel, const collective_call<T>& call,
                                                             const collective_options& options,
                                                             const status& why = {}) {
    // Of an operation of the program's own nobody knows the exact result.
    const bool known = call.combine != reduction::custom || !is_reduction(call.op);
    if (options.audit && known && why.ok()) return std::make_unique<keeping<audited<T>>>(channel, call, options);
    auto made = std::make_unique<keeping<execution<T>>>(channel, call, options);
    made->refuse(why);
    return made;
}

}  // namespace laconic::collective
