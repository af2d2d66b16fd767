// SPDX-License-Identifier: BSD-3-Clause
// Bad arguments of one rank, and ranks that disagree: a status that names the rank and what is wrong, on all ranks.
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

struct request {
    plan what;
    exchange_element element = exchange_element::of<double>();
    exchange_options options;
};

std::vector<std::int64_t> extents(std::int64_t ranks) { return {12 * ranks, 10}; }

plan plan_of(int ranks, const layout& from, std::vector<std::int64_t> patch = {5, 5},
             placement_kind kind = placement_kind::round_robin) {
    placement how;
    how.kind = kind;
    return plan::make(from, patch_grid::of_size(extents(ranks), patch).value(), how).value();
}
layout even(int ranks) { return layout::regular(extents(ranks), std::vector<std::int64_t>{ranks, 1}).value(); }

/// Expects this failure on all ranks with these words, when the last rank changes its request.
void expect(const std::string& name, errc code, const std::vector<std::string>& words,
            const std::function<void(request&)>& change, bool everywhere = false) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    request mine{plan_of(ranks, even(ranks)), exchange_element::of<double>(), {}};
    if (everywhere || rank == ranks - 1) change(mine);
    const auto made = exchange::make(MPI_COMM_WORLD, mine.what, mine.element, mine.options);
    check(!made.ok() && made.error().code() == code, name + ": " + made.error().message());
    const std::string text = made.error().context();
    const std::string missing = name + ": missing in '" + text + "': ";
    for (const std::string& word : words) check(text.find(word) != std::string::npos, missing + word);
    check_same_bytes(std::as_bytes(std::span(text)), MPI_COMM_WORLD, name + ": texts differ");
}

void check_make() {
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::string last = "rank " + std::to_string(ranks - 1);
    expect("ranks", errc::invalid_argument, {last, "plan is for"}, [&](request& r) {
        r.what = plan_of(ranks, layout::regular(extents(ranks), std::vector<std::int64_t>{ranks + 1, 1}).value());
    });
    expect("element", errc::invalid_argument, {last, "elements of 0 bytes"}, [](request& r) { r.element = {}; });
    expect("type", errc::invalid_argument, {last}, [](request& r) { r.element.bytes = 4; });
    expect("fields", errc::invalid_argument, {last, "0 fields"}, [](request& r) { r.options.fields = 0; });
    expect("bound", errc::invalid_bound, {last, "-1"}, [](request& r) { r.options.limit = bound::abs(-1); });
    expect("NaN", errc::invalid_bound, {last}, [](request& r) { r.options.limit = bound::abs(std::nan("")); });
    expect("bytes with a bound", errc::unsupported, {last}, [](request& r) {
        r.options.limit = bound::abs(1);
        r.element.type.reset();
    });
    expect("engine", errc::invalid_argument, {last},
           [](request& r) { r.options.engine = static_cast<exchange_engine>(99); });
    expect("boxes", errc::invalid_argument, {last, "in_boxes", "has 2"},
           [](request& r) { r.options.in_boxes.resize(2); });
    expect("stride", errc::invalid_argument, {last, "in_boxes[0]", "[", "stride 3"}, [](request& r) {
        r.options.in_boxes = {{0, {3, 1}}};
    });
    expect("last stride", errc::invalid_argument, {last, "last dimension"}, [](request& r) {
        r.options.in_boxes = {{0, {30, 2}}};
    });
    expect("offset", errc::invalid_argument, {last, "-4"}, [](request& r) { r.options.in_boxes = {{-4, {10, 1}}}; });
    expect("far", errc::invalid_argument, {last, "2^61"}, [](request& r) {
        r.options.in_boxes = {{0, {std::int64_t{1} << 60, 1}}};
    });
    // 2^57 elements of 8 bytes in 4 fields are 2^62 bytes, more than offsets are counted in.
    expect("far in bytes", errc::invalid_argument, {last, "2^61"}, [](request& r) {
        r.options.fields = 4;
        r.options.in_boxes = {{std::int64_t{1} << 57, {10, 1}}};
    });
    expect("kind", errc::invalid_argument, {last, "kind of bound 7"},
           [](request& r) { r.options.limit.kind = static_cast<bound_kind>(7); });
    expect("small bound", errc::invalid_bound, {last, "-1e-09"},
           [](request& r) { r.options.limit = bound::abs(-1e-9); });
    if (ranks == 1) return;
    const std::string differs = last + ": ";
    expect("layouts", errc::mismatch, {differs, "layout", "rank 0 holds [0, 13)"}, [&](request& r) {
        std::vector<owned_box> boxes;
        for (rank_number k = 0; k < ranks; ++k)
            boxes.push_back({k, {2, {12 * k + (k == 0 ? 0 : 1), 0}, {12 * k + (k == ranks - 1 ? 12 : 13), 10}}});
        r.what = plan_of(ranks, layout::boxes(extents(ranks), boxes, ranks).value());
    });
    expect("grids", errc::mismatch, {differs, "patch grid"}, [&](request& r) {
        r.what = plan_of(ranks, even(ranks), {5, 4});
    });
    expect("owners", errc::mismatch, {differs, "here patch 1, [0, 5) x [5, 10), goes to rank 0, there to rank 1"},
           [&](request& r) {
               r.what = plan_of(ranks, even(ranks), {5, 5}, placement_kind::greedy);
           });
    expect("sizes", errc::mismatch, {differs, "4 instead of 8"},
           [](request& r) { r.element = exchange_element::of<int>(); });
    expect("types", errc::mismatch, {differs, "type"}, [](request& r) { r.element.type.reset(); });
    expect("number of fields", errc::mismatch, {differs, "2 instead of 1"}, [](request& r) { r.options.fields = 2; });
    expect("engines", errc::mismatch, {differs, "per_rank instead of auto"},
           [](request& r) { r.options.engine = exchange_engine::per_rank; });
    expect("bounds", errc::mismatch, {differs, "0.001 instead of 0"},
           [](request& r) { r.options.limit = bound::abs(1e-3); });
    const bool is_last = rank_in(MPI_COMM_WORLD) == ranks - 1;
    expect(
        "small bounds", errc::mismatch, {differs, "1e-17 instead of 2e-17"},
        [&](request& r) { r.options.limit = bound::rel(is_last ? 1e-17 : 2e-17); }, true);
    expect(
        "kinds", errc::mismatch, {differs, "relative instead of absolute"},
        [&](request& r) { r.options.limit = is_last ? bound::rel(1e-3) : bound::abs(1e-3); }, true);
    expect("batches", errc::mismatch, {differs, "1000 instead of 0"}, [](request& r) { r.options.batch_bytes = 1000; });
    expect("shared arrays", errc::mismatch, {differs, "on instead of off"},
           [](request& r) { r.options.shared_in = true; });
    expect("checks", errc::mismatch, {differs, "off instead of on"}, [](request& r) { r.options.check = false; });
}

/// A rank whose arrays are wrong fails the run everywhere, nothing moves, and the exchange can be used afterwards.
void check_runs() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const plan what = plan_of(ranks, even(ranks));
    for (const exchange_engine engine : engines_here()) {
        exchange_options options;
        options.engine = engine;
        exchange moving = exchange::make<double>(MPI_COMM_WORLD, what, options).value();
        std::vector<double> in(moving.in_elements(), 1 + rank), out(moving.out_elements(), -1);
        const std::span<const double> whole_in(in);
        const std::span<double> whole_out(out);
        const auto expect_failure = [&](const std::string& name, const status& done) {
            check(done.code() == errc::invalid_argument &&
                      done.context().find("rank " + std::to_string(ranks - 1)) != std::string::npos,
                  name + ": " + done.message());
        };
        const bool bad = rank == ranks - 1;
        expect_failure("short in", moving.run(bad ? whole_in.first(3) : whole_in, whole_out));
        expect_failure("short out", moving.run(whole_in, bad ? whole_out.first(0) : whole_out));
        expect_failure(
            "null",
            moving.run(bad ? std::span<const double>(static_cast<double*>(nullptr), in.size()) : whole_in, whole_out));
        if (bad)
            expect_failure("size", moving.run(std::span<const float>(reinterpret_cast<float*>(in.data()), in.size()),
                                              std::span<float>(reinterpret_cast<float*>(out.data()), out.size())));
        else
            expect_failure("size", moving.run(whole_in, whole_out));
        if (bad)
            expect_failure("overlap", moving.run(std::span<const double>(out), whole_out));
        else
            expect_failure("overlap", moving.run(whole_in, whole_out));
        for (const double value : out)
            if (rank != ranks - 1) check(value == -1 || value == 1 + rank, "elements have moved in a run that failed");
        check(moving.run(whole_in, whole_out).ok(), "a run after failed ones");
        for (const double value : out) check(value >= 1 && value <= ranks, "a run after failed ones moves nothing");
    }
}

/// What a callback throws comes out of run(), when everything has arrived.
void check_throwing() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    exchange moving = exchange::make<double>(MPI_COMM_WORLD, plan_of(ranks, even(ranks))).value();
    const std::vector<double> in(moving.in_elements(), 1 + rank);
    std::vector<double> out(moving.out_elements(), -1);
    int calls = 0;
    bool thrown = false;
    try {
        static_cast<void>(moving.run(std::span<const double>(in), std::span<double>(out), [&](const ready_patch&) {
            ++calls;
            throw std::runtime_error("enough");
        }));
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    check(calls == 1 && thrown, "what a callback throws is lost");
    for (const double value : out) check(value >= 1, "a callback that throws keeps elements from arriving");
}

}  // namespace

void exchange_arguments_are_checked() {
    check_make();
    check_runs();
    check_throwing();
    check(!exchange::make<int>(MPI_COMM_NULL, plan_of(1, even(1))).ok(), "MPI_COMM_NULL");
    for (const exchange_engine engine : engines_here())
        check(engine_named(name_of(engine)).value() == engine, "name of an engine");
    check(!engine_named("fast").ok(), "unknown engine");
}

}  // namespace laconic::test
