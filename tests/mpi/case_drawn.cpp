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
#include "codec/element.hpp"
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

struct drawn_call {
    scenario what;
    element_type type;
};

/// The arrays of a call that is under way.
class drawn_arrays {
public:
    drawn_arrays() = default;
    drawn_arrays(const drawn_arrays&) = delete;
    drawn_arrays& operator=(const drawn_arrays&) = delete;
    virtual ~drawn_arrays() = default;
    /// Started, or if it is to be started many times prepared.
    virtual result<collective_request> request(bool persistent) = 0;
    /// As they were at first.
    virtual void renew() = 0;
    virtual void check_outcome(const collective_report& report) const = 0;
};

template <class T>
class arrays_of final : public drawn_arrays {
public:
    explicit arrays_of(scenario what)
        : what_(std::move(what)), arrays_(lay_out<T>(what_, rank_in(world), size_of(world))) {}

    result<collective_request> request(bool persistent) override {
        return persistent ? prepare(arrays_.call, world, options_of(what_))
                          : start(arrays_.call, world, options_of(what_));
    }
    void renew() override {
        const laid_out<T> fresh = lay_out<T>(what_, rank_in(world), size_of(world));
        std::copy(fresh.in.begin(), fresh.in.end(), arrays_.in.begin());
        std::copy(fresh.out.begin(), fresh.out.end(), arrays_.out.begin());
    }
    void check_outcome(const collective_report& report) const override { test::check_outcome(what_, arrays_, report); }

private:
    scenario what_;
    laid_out<T> arrays_;
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
    // Of NaN, and in minima and maxima of zeros of both signs, ranks of MPI's own may have other bits.
    if (stock && collective::is_reduction(op) && (what.kind == field::adversarial || what.kind == field::tiny))
        what.kind = field::noise;
    what.limit = draw.of(limits);
    what.which = draw.of(scopes);
    what.count = draw.length();
    const bool whole = op == operation::allreduce || op == operation::reduce || op == operation::bcast;
    if (!whole) what.count /= 4;
    what.varying = !whole && draw.one_in(2);
    what.lengths = static_cast<unsigned>(draw.below(1000));
    what.in_place = draw.one_in(3);
    what.root = static_cast<int>(draw.below(static_cast<std::size_t>(ranks)));
    what.segment_bytes = draw.of(segments);
    what.ranks_per_node = static_cast<unsigned>(draw.below(static_cast<std::size_t>(ranks) + 1));
    what.shared_memory = !draw.one_in(3);
    what.codec_threads = static_cast<unsigned>(draw.below(3));
    what.check = draw.one_in(4);
    if (row.what.schedule == model::schedule_kind::chosen && draw.one_in(2)) what.machine = machine;
    return what;
}

drawn_call drawn(dice& draw, const std::string& machine, const std::string& remark) {
    constexpr std::array types{element_type::f32, element_type::f64, element_type::f16, element_type::bf16};
    for (;;) {
        const auto op = static_cast<operation>(draw.below(collective::operation_count));
        const std::vector<candidate> rows = candidates(op);
        const candidate& row = draw.of(rows);
        const element_type type = draw.of(types);
        drawn_call made{drawn_scenario(draw, op, row, size_of(type), machine), type};
        made.what.remark = remark;
        if (takes(row, made.what.combine, size_of(type), made.what.varying, op)) return made;
    }
}

void run_alone(const drawn_call& one) {
    codec::with_element(one.type, [&](auto zero) { check_scenario<decltype(zero)>(one.what); });
}

/// Started, or started twice. Every rank waits in an order of its own.
void run_together(const std::vector<drawn_call>& all, bool persistent) {
    std::vector<scenario> calls;
    std::vector<std::unique_ptr<drawn_arrays>> arrays;
    std::vector<collective_request> requests;
    for (const drawn_call& one : all) {
        calls.push_back(one.what);
        arrays.push_back(codec::with_element(one.type, [&](auto zero) -> std::unique_ptr<drawn_arrays> {
            return std::make_unique<arrays_of<decltype(zero)>>(one.what);
        }));
        auto made = arrays.back()->request(persistent);
        check(made.ok(), one.what.text() + ": " + made.error().message());
        if (!made.ok()) return;
        requests.push_back(std::move(*made));
    }
    for (int round = 0; round < (persistent ? 2 : 1); ++round) {
        for (std::size_t i = 0; persistent && i < all.size(); ++i) {
            arrays[i]->renew();
            const status begun = requests[i].start();
            check(begun.ok(), calls[i].text() + ": " + begun.message());
        }
        const std::vector<collective_report> reports = wait_for_all(requests, calls, world);
        for (std::size_t i = 0; i < all.size(); ++i) arrays[i]->check_outcome(reports[i]);
    }
}

/// At least 1.
std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return otherwise;
    const std::uint64_t number = std::strtoull(text, nullptr, 10);
    check(number > 0, std::string(variable) + " is '" + text + "'; give a number from 1 on");
    return number;
}

}  // namespace

void drawn_calls_are_exact() {
    const int ranks = size_of(world);
    const std::uint64_t seed = number_of("LACONIC_TEST_SEED", 1);
    const std::uint64_t draws = number_of("LACONIC_TEST_DRAWS", ranks <= 5 ? 100 : 30);
    const std::string machine = slow_machine();
    dice draw(seed * 1009 + static_cast<std::uint64_t>(ranks));
    for (std::uint64_t i = 0; i < draws; ++i) {
        const std::string remark = ", draw " + std::to_string(i) + " of seed " + std::to_string(seed) + " for " +
                                   std::to_string(ranks) + " ranks";
        if (draw.one_in(2)) {
            run_alone(drawn(draw, machine, remark));
            continue;
        }
        const bool persistent = draw.one_in(3);
        std::vector<drawn_call> together;
        for (std::size_t more = 1 + draw.below(4); more > 0; --more) together.push_back(drawn(draw, machine, remark));
        run_together(together, persistent);
    }
}

}  // namespace laconic::test
