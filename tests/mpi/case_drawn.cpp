// SPDX-License-Identifier: BSD-3-Clause
// Calls that nobody has thought of: operation, row, type, arrays, options and form are drawn, several calls are under
// way together, and every element of every output is compared with the exact answer. LACONIC_TEST_SEED draws others,
// LACONIC_TEST_DRAWS more of them; what fails names the seed.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "auto_probe.hpp"
#include "candidates.hpp"
#include "cases.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// The same on all ranks, of this library and the next.
class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool one_in(std::size_t chances) { return below(chances) == 0; }
    template <class List>
    const auto& of(const List& list) {
        return list[below(list.size())];
    }
    /// Of all orders of magnitude alike, and what lies beside the sizes of blocks.
    std::size_t length() {
        constexpr std::array edges{0U, 1U, 2U, 31U, 32U, 33U, 127U, 128U, 129U, 4095U, 4096U, 4097U};
        if (one_in(3)) return of(edges);
        return below(std::size_t{1} << (1 + below(15)));
    }

private:
    std::mt19937_64 random_;
};

/// A call and how it is made.
class drawn_call {
public:
    drawn_call() = default;
    drawn_call(const drawn_call&) = delete;
    drawn_call& operator=(const drawn_call&) = delete;
    virtual ~drawn_call() = default;
    virtual void run_alone() = 0;
    virtual void begin() = 0;
    virtual void begin_again() = 0;  ///< a persistent call
    virtual void end() = 0;
    virtual void check_it() const = 0;
};

template <class T>
class call_of final : public drawn_call {
public:
    call_of(scenario what, bool persistent)
        : what_(std::move(what)),
          arrays_(lay_out<T>(what_, rank_in(world), size_of(world))),
          is_persistent_(persistent) {}

    void run_alone() override { check_scenario<T>(what_); }

    void begin() override {
        auto made = is_persistent_ ? prepare(arrays_.call, world, options_of(what_))
                                   : start(arrays_.call, world, options_of(what_));
        check(made.ok(), what_.text() + ": " + made.error().message());
        if (!made.ok()) return;
        request_ = std::move(*made);
        if (is_persistent_) begin_again();
    }
    void begin_again() override {
        const laid_out<T> fresh = lay_out<T>(what_, rank_in(world), size_of(world));
        std::copy(fresh.in.begin(), fresh.in.end(), arrays_.in.begin());
        std::copy(fresh.out.begin(), fresh.out.end(), arrays_.out.begin());
        const status begun = request_.start();
        check(begun.ok(), what_.text() + ": " + begun.message());
    }
    void end() override {
        const auto done = request_.wait();
        check(done.ok(), what_.text() + ": " + done.error().message());
        report_ = done.ok() ? *done : collective_report{};
    }
    void check_it() const override { check_outcome(what_, arrays_, report_); }

private:
    scenario what_;
    laid_out<T> arrays_;
    collective_request request_;
    collective_report report_;
    bool is_persistent_;
};

/// machine   file of one on which `auto` compresses
scenario drawn_scenario(dice& draw, operation op, const candidate& row, std::size_t element_bytes,
                        const std::string& machine) {
    constexpr std::array combines{reduction::sum, reduction::avg, reduction::min, reduction::max, reduction::prod};
    const std::array limits{bound::abs(1e-3), bound::rel(1e-4), bound::abs(1e-2), bound::lossless(),
                            bound::rel(1e-2), bound::abs(3),    bound::abs(1e-20)};
    constexpr std::array scopes{scope::result, scope::contribution, scope::probable};
    constexpr std::array<std::size_t, 6> segments{0, 1, 4096, 20000, 131072, std::size_t{1} << 40};
    const int ranks = size_of(world);
    scenario what;
    what.op = op;
    what.algorithm = row.name;
    what.combine = collective::is_reduction(op) ? draw.of(combines) : reduction::sum;
    what.kind = draw.of(all_fields);
    const bool stock =
        row.what.schedule == model::schedule_kind::stock || row.what.schedule == model::schedule_kind::chosen;
    // Sums of 1e30 are beyond 16 bits, and say little; products of large values are beyond everything.
    if (element_bytes == 2 && (what.kind == field::adversarial || what.kind == field::tiny)) what.kind = field::offset;
    if (what.combine == reduction::prod) what.kind = field::smooth;
    // What MPI's own minima and maxima are of NaN is MPI's.
    const bool extreme = what.combine == reduction::min || what.combine == reduction::max;
    if (stock && extreme && what.kind == field::adversarial) what.kind = field::noise;
    what.limit = draw.of(limits);
    what.which = draw.of(scopes);
    what.count = draw.length();
    const bool whole = op == operation::allreduce || op == operation::reduce || op == operation::bcast;
    if (!whole) what.count /= 4;
    what.varying = !whole && draw.one_in(2);
    what.lengths = static_cast<unsigned>(draw.below(1000));
    what.in_place = draw.one_in(3);
    what.root = static_cast<int>(draw.below(static_cast<std::size_t>(ranks)));
    // MPICH 4.0 crashes in a long MPI_Reduce with MPI_IN_PLACE at another root than 0.
    if (op == operation::reduce && what.in_place && stock) what.root = 0;
    what.segment_bytes = draw.of(segments);
    what.ranks_per_node = static_cast<unsigned>(draw.below(static_cast<std::size_t>(ranks) + 1));
    what.shared_memory = !draw.one_in(3);
    what.codec_threads = static_cast<unsigned>(draw.below(3));
    what.check = draw.one_in(4);
    if (row.what.schedule == model::schedule_kind::chosen && draw.one_in(2)) what.machine = machine;
    return what;
}

std::unique_ptr<drawn_call> drawn(dice& draw, const std::string& machine, const std::string& remark, bool persistent) {
    for (;;) {
        const auto op = static_cast<operation>(draw.below(collective::operation_count));
        const std::vector<candidate> rows = candidates(op);
        const candidate& row = draw.of(rows);
        const std::size_t type = draw.below(4);
        const std::size_t bytes = type == 0 ? 4 : type == 1 ? 8 : 2;
        scenario what = drawn_scenario(draw, op, row, bytes, machine);
        what.remark = remark;
        if (!takes(row, what.combine, bytes, what.varying, op)) continue;
        switch (type) {
            case 0: return std::make_unique<call_of<float>>(what, persistent);
            case 1: return std::make_unique<call_of<double>>(what, persistent);
            case 2: return std::make_unique<call_of<half>>(what, persistent);
            default: return std::make_unique<call_of<bfloat16>>(what, persistent);
        }
    }
}

/// Every rank waits in an order of its own.
void finish(const std::vector<std::unique_ptr<drawn_call>>& together) {
    const auto first = static_cast<std::size_t>(rank_in(world));
    for (std::size_t k = 0; k < together.size(); ++k) together[(first + k) % together.size()]->end();
    for (const auto& one : together) one->check_it();
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

void drawn_calls_are_exact() {
    const int ranks = size_of(world);
    const std::uint64_t seed = number_of("LACONIC_TEST_SEED", 1);
    const std::uint64_t draws = number_of("LACONIC_TEST_DRAWS", ranks <= 5 ? 100 : 30);
    const std::string machine = slow_machine();
    dice draw(seed * 1009 + static_cast<std::uint64_t>(ranks));
    for (std::uint64_t i = 0; i < draws; ++i) {
        const std::string remark = ", draw " + std::to_string(i) + " of seed " + std::to_string(seed);
        if (draw.one_in(2)) {
            drawn(draw, machine, remark, false)->run_alone();
            continue;
        }
        const bool persistent = draw.one_in(3);
        std::vector<std::unique_ptr<drawn_call>> together(1 + draw.below(4));
        for (auto& one : together) one = drawn(draw, machine, remark, persistent);
        for (auto& one : together) one->begin();
        finish(together);
        if (!persistent) continue;
        for (auto& one : together) one->begin_again();
        finish(together);
    }
}

}  // namespace laconic::test
