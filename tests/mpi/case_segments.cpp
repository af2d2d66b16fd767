// SPDX-License-Identifier: BSD-3-Clause
// How long messages are where nobody says: between nodes, what travels as it is fits what MPI sends at once.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "codec/fle.hpp"
#include "collective/execution.hpp"
#include "collective/message_lengths.hpp"
#include "collective/refusal.hpp"
#include "counted_memory.hpp"
#include "fields.hpp"
#include "mpi/channel.hpp"
#include "mpi/eager.hpp"
#include "run.hpp"

namespace laconic::test {

namespace {

/// The message that stands for all is one that would wait for its receiver where most of the bytes travel in such ones,
/// however many short ones there are; a few that are somewhat longer do not matter.
void lengths_stand_for_all() {
    using collective::message_lengths;
    check(message_lengths().typical() == 0, "the length of no messages");
    message_lengths uneven, tailed;
    for (int i = 0; i < 128; ++i) uneven.add(33331);
    for (int i = 0; i < 3 * 128; ++i) uneven.add(2726);
    check(uneven.typical() > 0.95 * 33331, "short messages hide long ones: " + std::to_string(uneven.typical()));
    for (int i = 0; i < 100; ++i) tailed.add(i % 20 == 0 ? 7000 : 5000);
    check(tailed.typical() < 1.05 * 5000, "a few messages pass for all: " + std::to_string(tailed.typical()));
}

/// What is short travels in one message for every partner, unless segments are asked for that are shorter; the bits are
/// the same.
void bundles_suit() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 4) return;
    const auto partners = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1);
    const auto parts = std::bit_floor(static_cast<unsigned>(ranks));
    const std::vector<double> in = kept_field<double>(field::smooth, rank_in(MPI_COMM_WORLD), 16000);
    for (const std::string row : {"rabenseifner/raw", "rabenseifner/per_hop", "rabenseifner/fused"}) {
        collective_options options = options_for(row, bound::abs(1e-3));
        options.segment_bytes = std::size_t{128} << 10;
        collective_report together, alone;
        const auto want = reduce(in, reduction::sum, MPI_COMM_WORLD, options, row, &together);
        options.segment_bytes = 1;
        const auto also = reduce(in, reduction::sum, MPI_COMM_WORLD, options, row, &alone);
        check(want == also, row + ": other bits in bundles");
        // Those of ranks beyond a power of two come first and last.
        const bool folds = !std::has_single_bit(static_cast<unsigned>(ranks));
        check(together.messages <= 2 * partners + (folds ? 1 : 0),
              row + ": " + std::to_string(together.messages) + " messages in bundles");
        check(alone.messages >= parts, row + ": " + std::to_string(alone.messages) + " messages alone");
    }
    // What they may take at most is in bundles_take_memory().
    const std::vector<float> longest(parts * 32768, 1.0F);
    collective_options options = options_for("rabenseifner/fused", bound::abs(1e-3));
    options.ranks_per_node = 1;
    collective_report report;
    reduce(longest, reduction::sum, MPI_COMM_WORLD, options, "the longest bundles", &report);
    check(report.messages <= 2 * partners + 1, "the longest bundles travel alone");
    check(report.workspace_bytes <= 28 * longest.size() * sizeof(float),
          "bundles take " + std::to_string(report.workspace_bytes) + " bytes");
}

/// What compressed values travel in where nobody says, between nodes.
constexpr std::size_t usual_segment = std::min<std::size_t>(4 * mpi::eager_bytes, std::size_t{128} << 10);
/// A piece is cut into 8 messages at least: so long a one into segments twice as long as usual, at most.
constexpr std::size_t twice = 16 * usual_segment / sizeof(float);

/// Calls of one kind on a communicator of their own.
class alike_calls {
public:
    /// varying   counts are given rank by rank
    alike_calls(operation op, std::string row, std::size_t piece_values, bool varying = false)
        : op_(op), row_(std::move(row)), ranks_(static_cast<std::size_t>(size_of(MPI_COMM_WORLD))) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        in_.resize(op == operation::allgather ? piece_values : piece_values * ranks_);
        options_ = options_for(row_, bound::abs(1e-6));
        options_.ranks_per_node = 1;
        call_.op = op;
        call_.varying = varying;
        out_values_ = op == operation::reduce_scatter ? piece_values : piece_values * ranks_;
        if (varying) {
            counts_.assign(ranks_, piece_values);
            for (std::size_t i = 0; i < ranks_; ++i) first_.push_back(i * piece_values);
            call_.in_counts = call_.out_counts = counts_;
            call_.in_displacements = call_.out_displacements = first_;
        }
    }
    ~alike_calls() { MPI_Comm_free(&comm_); }
    alike_calls(const alike_calls&) = delete;
    alike_calls& operator=(const alike_calls&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return row_; }
    collective_call<float>& arguments() noexcept { return call_; }
    [[nodiscard]] collective_options& options() noexcept { return options_; }
    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
    /// This rank's values from now on.
    void take(field kind) { in_ = make_field<float>(kind, rank_in(comm_), in_.size()); }
    /// Where the next call is to write.
    std::vector<float>& next_out() {
        out_.assign(out_values_, -77);
        call_.in = in_;
        call_.out = out_;
        return out_;
    }
    /// Memory that a call took.
    double operator()() {
        next_out();
        const std::uint64_t before = allocations();
        const auto done = run(call_, comm_, options_);
        allocated_ = allocations() - before;
        check(done.ok(), row_ + ": " + done.error().message());
        if (done.ok()) report_ = *done;
        return static_cast<double>(report_.workspace_bytes);
    }
    [[nodiscard]] const std::vector<float>& out() const noexcept { return out_; }
    /// How often the last call asked for memory.
    [[nodiscard]] std::uint64_t allocated() const noexcept { return allocated_; }
    [[nodiscard]] const collective_report& report() const noexcept { return report_; }

private:
    operation op_;
    std::string row_;
    std::size_t ranks_, out_values_ = 0;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<float> in_, out_;
    std::vector<std::size_t> counts_, first_;
    collective_call<float> call_;
    collective_options options_;
    collective_report report_;
    std::uint64_t allocated_ = 0;
};

void check_growth(double before, double after, double times, const std::string& name) {
    check(after > 0.9 * times * before && after < 1.1 * times * before,
          name + ": " + std::to_string(after / before) + " times the memory, not " + std::to_string(times));
}

/// What shrinks well is cut less finely as soon as all ranks know that of all ranks, and finely again when it no longer
/// does; the bits are the same.
void segments_grow() {
    const int last = size_of(MPI_COMM_WORLD) - 1;
    for (const auto& [op, row, values, times] : {std::tuple{operation::allreduce, "ring/fused", twice, 2.0},
                                                 {operation::allgather, "ring/once", 2 * twice, 4.0},
                                                 {operation::reduce_scatter, "pairwise", twice, 2.0},
                                                 {operation::alltoall, "pairwise", twice, 2.0},
                                                 {operation::allreduce, "hierarchical/fused", twice, 2.0},
                                                 {operation::allgather, "binomial/once", twice, 1.0}}) {
        alike_calls calls(op, row, values);
        calls.take(field::zeros);
        const double first = calls();
        const auto bits = calls.out();
        check(calls() == first, calls.name() + ": segments grow before the ranks have spoken of a call");
        check_growth(first, calls(), times, calls.name());
        check(calls.out() == bits, calls.name() + ": other bits in longer segments");
        check_growth(first, calls(), times, calls.name());
        // Options and report own the name, if it is long.
        check(calls.allocated() <= (calls.name().size() > 15 ? 2U : 0U),
              calls.name() + ": " + std::to_string(calls.allocated()) + " allocations of a call like an earlier one");
        if (rank_in(calls.comm()) == last) calls.take(field::noise);
        calls();
        const auto mixed = calls.out();
        const std::uint64_t long_messages = calls.report().messages;
        for (int call = 0; call < 3; ++call) calls();
        check(calls.out() == mixed, calls.name() + ": other bits in shorter segments");
        // What does not shrink travels alone.
        if (op == operation::alltoall && rank_in(calls.comm()) == last)
            check(calls.report().messages == 16 * static_cast<std::uint64_t>(last) &&
                      long_messages < calls.report().messages,
                  calls.name() + ": " + std::to_string(calls.report().messages) +
                      " messages of what does not shrink, " + std::to_string(long_messages) + " before that was known");
    }
}

/// Neither ranks that mean something else by what does not matter, nor counts that others do not know, nor short
/// calls between long ones make ranks cut differently.
void segments_stay_alike() {
    alike_calls calls(operation::allgather, "ring/once", twice);
    calls.take(field::zeros);
    const double first = calls();
    for (int call = 0; call < 2; ++call) calls();
    calls.arguments().combine = rank_in(calls.comm()) == 0 ? reduction::max : reduction::sum;
    check_growth(first, calls(), 2, "a reduction that gathers nothing");
    alike_calls uneven(operation::alltoall, "pairwise", twice, true);
    uneven.take(field::zeros);
    const double alone = uneven();
    for (int call = 0; call < 2; ++call) uneven();
    check_growth(alone, uneven(), 1, "counts that others do not know");
    alike_calls varied(operation::allreduce, "ring/fused", twice);
    varied.take(field::zeros);
    const double once = varied();
    const std::vector<float> few(10, 1.0F);
    for (int call = 0; call < 2; ++call) reduce(few, reduction::sum, varied.comm(), varied.options(), "a short call");
    check_growth(once, varied(), 2, "short calls between");
}

/// On nodes of two ranks those that send between nodes and those that do not cut alike.
void segments_of_nodes_grow() {
    for (const auto& [op, row] : {std::pair{operation::allreduce, "hierarchical/fused"},
                                  {operation::allgather, "hierarchical/once"},
                                  {operation::reduce_scatter, "hierarchical/fused"}}) {
        alike_calls calls(op, row, 2 * twice);
        calls.options().ranks_per_node = 2;
        calls.take(field::zeros);
        const double first = calls();
        const auto bits = calls.out();
        for (int call = 0; call < 3; ++call) calls();
        // What nodes share stays as it is.
        const double times = static_cast<double>(calls.report().workspace_bytes) / first;
        const bool has_partner = size_of(calls.comm()) == 4 || rank_in(calls.comm()) != 1;
        check(has_partner ? times > 1.4 && times < 2 : times == 1,
              calls.name() + ": " + std::to_string(times) + " times the memory on nodes of two");
        check(calls.out() == bits, calls.name() + ": other bits in longer segments on nodes of two");
    }
}

/// `auto` runs a row as whoever names it does.
void segments_of_auto_grow() {
    alike_calls calls(operation::allgather, "auto", 2 * twice);
    calls.options().machine = slow_machine();
    calls.take(field::zeros);
    const double first = calls();
    const std::string row = calls.report().algorithm;
    const auto bits = calls.out();
    double last = 0;
    for (int call = 0; call < 4; ++call) last = calls();
    check(calls.report().algorithm == row, "auto took " + row + ", then " + calls.report().algorithm);
    check_growth(first, last, 4, row + ", which auto runs");
    check(calls.out() == bits, row + ": other bits in longer segments under auto");
}

/// A rank without memory for longer segments: the call fails on all, and those after it take what they took before.
void growth_needs_memory() {
    alike_calls calls(operation::allgather, "ring/once", twice);
    calls.take(field::zeros);
    const double first = calls();
    calls();
    calls.next_out();
    const bool fails = rank_in(calls.comm()) == 0;
    if (fails) fail_one_after(0);
    const auto refused = run(calls.arguments(), calls.comm(), calls.options());
    if (fails) check(grant_all(), "segments grow without memory");
    check(refused.code() == errc::out_of_memory, "no memory for longer segments: " + refused.error().message());
    for (int call = 0; call < 3; ++call) check_growth(first, calls(), 1, "after memory was refused");
}

/// A rank whose call cannot even be described forgets with the others.
void refusals_are_remembered_alike() {
    if (size_of(MPI_COMM_WORLD) < 3) return;
    alike_calls calls(operation::allgather, "ring/once", twice);
    calls.take(field::zeros);
    const double first = calls();
    calls();
    calls.next_out();
    if (rank_in(calls.comm()) == 0) {
        const auto channel = collective::usable_channel(calls.comm());
        const status why{errc::invalid_argument, "a call that cannot be described"};
        collective::refusal refused(**channel, why);
        const auto heard = collective::run(refused, *channel, calls.comm());
        check(heard.code() == errc::out_of_memory, "a refusal beside want of memory: " + heard.error().message());
    } else {
        const bool fails = rank_in(calls.comm()) == 1;
        if (fails) fail_one_after(0);
        const auto refused = run(calls.arguments(), calls.comm(), calls.options());
        if (fails) check(grant_all(), "segments grow without memory");
        check(refused.code() == errc::out_of_memory, "want of memory beside a refusal: " + refused.error().message());
    }
    for (int call = 0; call < 3; ++call) check_growth(first, calls(), 1, "after a refusal and want of memory");
}

/// Calls under way at the same time agree on their segments one after the other.
void started_segments_grow() {
    alike_calls calls(operation::allgather, "ring/once", twice);
    calls.take(field::zeros);
    std::array<std::vector<float>, 5> out;
    std::vector<std::pair<collective_request, std::size_t>> started;
    std::vector<double> took;
    const auto begin = [&](std::size_t which) {
        out[which] = calls.next_out();
        calls.arguments().out = out[which];
        auto request = start(calls.arguments(), calls.comm(), calls.options());
        check(request.ok(), "a call that is to be started: " + request.error().message());
        if (request.ok()) started.emplace_back(std::move(*request), which);
    };
    const auto end = [&] {
        for (auto& [request, which] : started) {
            const auto done = request.wait();
            check(done.ok() && std::all_of(out[which].begin(), out[which].end(), [](float x) { return x == 0; }),
                  "a started call: " + done.error().message());
            took.push_back(done.ok() ? static_cast<double>(done->workspace_bytes) : 0);
        }
        started.clear();
    };
    begin(0), begin(1), end();
    begin(2), begin(3), begin(4), end();
    if (took.size() != out.size()) return;
    check_growth(took[0], took[1], 1, "the second of two calls");
    check_growth(took[0], took[4], 2, "calls after others");
}

}  // namespace

void segments_suit() {
    lengths_stand_for_all();
    bundles_suit();
    if (size_of(MPI_COMM_WORLD) >= 2 && size_of(MPI_COMM_WORLD) <= 4) {  // long arrays
        segments_grow();
        segments_stay_alike();
        if (size_of(MPI_COMM_WORLD) > 2) segments_of_nodes_grow();
        segments_of_auto_grow();
        growth_needs_memory();
        refusals_are_remembered_alike();
        started_segments_grow();
    }
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 2) return;
    constexpr std::size_t piece = 49 * codec::chunk_values;  // no rank has a shorter one
    const auto messages_of = [](std::size_t segment_bytes) {
        const std::size_t chunks = (piece + codec::chunk_values - 1) / codec::chunk_values;
        const std::size_t each = segment_bytes / (codec::chunk_values * sizeof(float));
        return (chunks + each - 1) / each;
    };
    const std::vector<float> in(piece * static_cast<std::size_t>(ranks), 1.0F);
    const auto hops = 2 * static_cast<std::size_t>(ranks - 1);
    for (const auto& [ranks_per_node, asked, segment] :
         {std::tuple{1U, std::size_t{0}, static_cast<std::size_t>(mpi::eager_bytes)},
          std::tuple{static_cast<unsigned>(ranks), std::size_t{0}, std::size_t{128} << 10},
          std::tuple{1U, std::size_t{32} << 10, std::size_t{32} << 10}}) {
        collective_options options = options_for("ring_raw", bound::abs(0));
        options.ranks_per_node = ranks_per_node;
        options.segment_bytes = asked;
        collective_report report;
        const std::string what = "segments of " + std::to_string(segment);
        const auto out = reduce(in, reduction::sum, MPI_COMM_WORLD, options, what, &report);
        check(out.back() == static_cast<float>(ranks), what + ": a wrong sum");
        check(report.messages == hops * messages_of(segment), what + ": " + std::to_string(report.messages) +
                                                                  " messages, not " +
                                                                  std::to_string(hops * messages_of(segment)));
    }
}

}  // namespace laconic::test
