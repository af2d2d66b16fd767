// SPDX-License-Identifier: BSD-3-Clause
// One collective on one rank, from its arguments to its report: it is checked, agreed on, quantised and run, always as
// far as messages allow. Blocking, nonblocking and persistent calls drive the same steps.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "collective/agreement.hpp"
#include "collective/array_levels.hpp"
#include "collective/call_plan.hpp"
#include "collective/chooser.hpp"
#include "collective/counting.hpp"
#include "collective/elements.hpp"
#include "collective/exchange_levels.hpp"
#include "collective/geometry.hpp"
#include "collective/piece_levels.hpp"
#include "collective/stage.hpp"
#include "collective/stock.hpp"
#include "laconic/collective.hpp"
#include "mpi/eager.hpp"

namespace laconic::collective {

/// Without the element type.
class execution_base {
public:
    execution_base() = default;
    execution_base(const execution_base&) = delete;
    execution_base& operator=(const execution_base&) = delete;
    virtual ~execution_base() = default;

    /// Checks the arguments and starts the agreement. Collective over the channel, in the order of all its calls.
    /// blocking   whether it may use MPI's blocking functions: nothing is started on this communicator, ever
    virtual void begin(bool blocking) = 0;
    /// False: nothing could be done without waiting, or it is over.
    virtual bool advance() = 0;
    /// Does what only a blocking function of MPI can do now; begin() said that it may. False: nothing.
    virtual bool block() { return false; }
    [[nodiscard]] virtual bool over() const noexcept = 0;
    /// How it ended; to be asked once: the program knows from then on. Precondition: over().
    [[nodiscard]] virtual result<collective_report> outcome() = 0;
    /// Adds to the time spent waiting.
    virtual void waited(double seconds) noexcept = 0;
};

template <class T>
class execution : public execution_base {
public:
    /// options   outlive it; so does what the call refers to
    execution(mpi::channel& channel, const collective_call<T>& call, const collective_options& options) noexcept
        : channel_(channel), store_(call_store::of(channel)), call_(call), options_(options) {}

    /// Before begin(): why this rank cannot run the call, for all ranks to hear; or ok.
    void refuse(status why) { refused_ = std::move(why); }
    /// Before begin(): the row that it is known to run, the same on all ranks.
    void presume(const cell& row) { presumed_ = row; }
    void begin(bool blocking) override;
    bool advance() override;
    bool block() override;
    [[nodiscard]] bool over() const noexcept override { return phase_ == phase::over; }
    [[nodiscard]] result<collective_report> outcome() override;
    void waited(double seconds) noexcept override { report_.wait_s += seconds; }
    /// Whether the ranks agreed: how it ended may then differ between them.
    [[nodiscard]] bool ran() const noexcept { return ran_; }

private:
    enum class phase : std::uint8_t { queued, agreeing, meeting, counting, stock, blocking_stock, held, running, over };

    [[nodiscard]] call_shape shape() const noexcept;
    [[nodiscard]] message_shares::kind kind() const noexcept {
        const double rate = what_.codec == codec_id::zfp_rate ? options_.rate : 0;
        return {call_.op,
                what_.payload,
                what_.codec,
                element_type_of<T>::value,
                comparable(call_.op, call_.combine),
                comparable(options_.limit),
                options_.bound_scope,
                rate};
    }
    /// Whether it may depend on earlier calls how long messages are.
    [[nodiscard]] bool learns() const noexcept {
        return compresses(what_) && options_.segment_bytes == 0 && knows_all_counts(call_.op, call_.varying) &&
               nodes_of(channel_, options_.ranks_per_node).count > 1;
    }
    [[nodiscard]] std::size_t buffer_bytes() const noexcept { return geometry_.buffer_count() * sizeof(T); }
    [[nodiscard]] unsigned divisor() const noexcept { return divisor_of(call_.op, call_.combine, channel_.size()); }

    /// Whether there is nothing for other ranks.
    [[nodiscard]] bool moves_nothing() const noexcept {
        return channel_.size() == 1 || (!geometry_.varying && geometry_.common_count() == 0);
    }

    void prepare();
    bool move();
    void take_turn();
    void end_turn() noexcept;
    [[nodiscard]] bool asks() const noexcept { return chooser_ && chooser_->asks(); }
    void agree(const status& local);
    void look_at_values(value_span& mine, bool may_run);
    void agreed();
    void run_agreed(const value_span& values);
    [[nodiscard]] status make_ready();
    [[nodiscard]] bool knows_levels() const noexcept {
        return levels_ != nullptr && (!levels_->shares || levels_->met);
    }
    /// Whether ranks tell each other their counts, which the arguments do not say: those of a hierarchy work with them,
    /// and a check compares them.
    [[nodiscard]] bool tells_counts() const noexcept {
        return !knows_all_counts(call_.op, call_.varying) && channel_.size() > 1 &&
               (options_.check || what_.schedule == schedule_kind::hierarchical);
    }
    /// Whether ranks know of each other what they have to.
    [[nodiscard]] bool is_ready() const noexcept {
        return (what_.schedule != schedule_kind::hierarchical || knows_levels()) && (counted_ || !tells_counts());
    }
    void meet();
    void count();
    void counted();
    void run_alone();
    void run_stock();
    bool test_stock();
    void end_stock();
    [[nodiscard]] status reserve();
    template <class Moving>
    [[nodiscard]] Moving& in_place();
    [[nodiscard]] stage_request<T> request() const;
    void start(const value_span& values);
    bool set_out();
    bool advance_run();
    /// Messages that are shorter than segments for other reasons say nothing of longer ones.
    void note_share() noexcept {
        const int nodes = nodes_of(channel_, options_.ranks_per_node).count;
        const std::uint64_t segment = model::segment_bytes_of(what_.payload, 0, nodes, mpi::eager_bytes);
        if (const double share = run_->message_share(segment / 2); share > 0) store_.shares().see(kind(), share);
    }
    /// What was on its way is lost.
    void desert(const status& why = no_memory()) {
        channel_.desert();
        finish(why);
    }
    /// Before it runs, and none of the others hears of it. Wrong arguments may be right the next time.
    void give_up(const status& why);
    void finish(status why);

    mpi::channel& channel_;
    call_store& store_;
    collective_call<T> call_;
    const collective_options& options_;
    geometry geometry_;
    cell what_;
    bool blocking_ = false;
    bool agrees_ = false;    // before it runs
    bool has_turn_ = false;  // drawn, and not ended
    bool is_sound_ = false;  // nothing is wrong with how the program has made the call
    bool ran_ = false;
    bool counted_ = false;    // the ranks' counts are told
    std::uint64_t turn_ = 0;  // see call_store
    status local_;            // until the turn comes
    status refused_;
    std::optional<cell> presumed_;
    phase phase_ = phase::over;
    calls_under_way::place under_way_;
    // Calls that MPI does need none of these: they are not even made.
    std::optional<agreement> agreement_;
    std::optional<meeting> meeting_;
    std::optional<counting> counting_;
    std::variant<std::monostate, stage<T>, array_levels<T>, piece_levels<T>, exchange_levels<T>> moving_;
    moving<T>* run_ = nullptr;  // in there; null: there is nothing to move
    stock_call stock_;
    hierarchy* levels_ = nullptr;
    std::optional<chooser> chooser_;  // of `auto`, from its turn on
    std::chrono::steady_clock::time_point started_;
    quantisation<T> plan_;
    status ended_;
    collective_report report_;
};

/// What is to run, and for whom.
struct task {
    std::unique_ptr<execution_base> work;
    mpi::channel* channel = nullptr;  ///< null: MPI's own call on comm, without a word between the ranks
    MPI_Comm comm = MPI_COMM_NULL;
};

/// The channel to run on, with its call_store, or why there is none.
[[nodiscard]] result<mpi::channel*> usable_channel(MPI_Comm comm);
/// From beginning to end.
/// channel    as of a task
/// blocking   as of execution_base::begin(): false for one that stands in for a call that would have been started
[[nodiscard]] result<collective_report> run(execution_base& work, mpi::channel* channel, MPI_Comm comm,
                                            bool blocking = true);
/// run() of a call that this rank cannot make: it speaks where the others listen.
template <class T>
[[nodiscard]] result<collective_report> run_refused(mpi::channel& channel, const collective_call<T>& call,
                                                    const collective_options& options, status why, MPI_Comm comm,
                                                    bool blocking) {
    execution<T> work(channel, call, options);
    work.refuse(std::move(why));
    return run(work, &channel, comm, blocking);
}
/// Not started yet.
[[nodiscard]] collective_request request_for(task todo, bool prepared);

}  // namespace laconic::collective
