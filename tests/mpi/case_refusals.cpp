// SPDX-License-Identifier: BSD-3-Clause
// Ranks that disagree about operations other than allreduce, cells that do not exist, arrays of the wrong size: one
// answer for everybody, with a remedy in it, and the next call works.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "collective/registry.hpp"
#include "collective/stock.hpp"
#include "laconic/laconic.h"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

struct given {
    scenario what;
    laid_out<float> arrays;
    collective_options options;
};

/// `spoil` changes the call on the last rank only, or on all.
void refused(errc code, const std::string& mentioned, scenario what, const std::string& why, bool everywhere,
             const std::function<void(given&)>& spoil) {
    what.limit = bound::abs(1e-3);
    given mine{what, lay_out<float>(what, rank_in(world), size_of(world)), options_of(what)};
    mine.options.check = true;
    if (everywhere || rank_in(world) == size_of(world) - 1) spoil(mine);
    const status outcome = run(mine.arrays.call, world, mine.options).error();
    const std::string text = what.text() + " with another " + why;
    check(outcome.code() == code, text + ": " + outcome.message());
    check(outcome.context().find(mentioned) != std::string::npos,
          text + " should mention '" + mentioned + "': " + outcome.context());
    check_same_bytes(std::as_bytes(std::span(outcome.context().data(), outcome.context().size())), world, text);
    check_scenario<float>(what);
}

scenario of(operation op, const char* row, bool varying = false) {
    scenario what;
    what.op = op;
    what.algorithm = row;
    what.count = 600;
    what.varying = varying;
    return what;
}

void check_disagreement() {
    const int ranks = size_of(world);
    const auto other_root = [](given& g) { g.arrays.call.root = 0; };
    for (scenario what :
         {of(operation::reduce, "c_coll"), of(operation::reduce, "stock"), of(operation::gather, "pairwise"),
          of(operation::scatter, "c_coll"), of(operation::bcast, "ring_raw"), of(operation::bcast, "binomial")}) {
        what.root = ranks - 2;
        // Where the root is must be known to size the arrays: a rank that is no root now stays one.
        if (ranks > 2) refused(errc::mismatch, "root differs", what, "root", false, [&](given& g) { other_root(g); });
        refused(errc::mismatch, "error bound", what, "bound", false,
                [](given& g) { g.options.limit = bound::abs(2e-3); });
        refused(errc::mismatch, "error bound", what, "kind of bound", false,
                [](given& g) { g.options.limit = bound::rel(1e-3); });
        if (what.op == operation::reduce)
            refused(errc::mismatch, "min", what, "reduction", false,
                    [](given& g) { g.arrays.call.combine = reduction::min; });
    }
    // Bounds that differ in the last place, and far below the others.
    for (const double tiny : {1e-13, 1e-17, 5e-324}) {
        const std::vector<double> in(600, 1.0);
        std::vector<double> out(600);
        const double mine = rank_in(world) == ranks - 1 ? std::nextafter(tiny, 1.0) : tiny;
        for (const bound& limit : {bound::rel(mine), bound::abs(mine)}) {
            const status why =
                allreduce<double>(in, out, reduction::sum, world, options_for("homcomp_f", limit)).error();
            check(why.code() == errc::mismatch && why.context().find("error bound") != std::string::npos,
                  "bounds of " + std::to_string(std::log10(tiny)) +
                      " (log) that differ in the last place: " + why.message());
        }
    }
    const auto fewer = [](given& g) {
        g.arrays.call.in = g.arrays.call.in.first(500);
        g.arrays.call.out = g.arrays.call.out.first(g.arrays.call.out.size() == 600 ? 500 : g.arrays.call.out.size());
    };
    refused(errc::mismatch, "500 on one, 600 on another", of(operation::bcast, "ring"), "count", false, fewer);
    for (const char* row : {"fused", "stock", "ring_raw", "argm", "rabenseifner"})
        refused(errc::mismatch, "500 on one, 600 on another", of(operation::allreduce, row), "count", false, fewer);
    for (const operation op : {operation::allgather, operation::alltoall, operation::reduce_scatter})
        refused(errc::mismatch, "algorithm", of(op, "cpr_p2p"), "algorithm", false,
                [](given& g) { g.options.algorithm = "c_coll"; });
    // The counts of all ranks are known to all ranks.
    refused(errc::mismatch, "counts", of(operation::allgather, "ring", true), "counts", false, [](given& g) {
        g.arrays.out_counts[0] -= 1;
        if (rank_in(world) == 0) g.arrays.call.in = g.arrays.call.in.first(g.arrays.call.in.size() - 1);
    });
    // Those of other forms are not, and are told. The root, or the first rank, has one less for another.
    const auto one_less = [](given& g) {
        auto& counts = g.what.op == operation::gather ? g.arrays.out_counts : g.arrays.in_counts;
        if (rank_in(world) == 0) --*std::find_if(counts.begin() + 1, counts.end(), [](std::size_t n) { return n > 0; });
    };
    for (const operation op : {operation::gather, operation::scatter, operation::alltoall})
        for (const char* row : {"pairwise_raw", "pairwise", "stock", "auto", "hierarchical"})
            // The second of two has no part.
            if (ranks > 2) refused(errc::mismatch, "give the same", of(op, row, true), "count", true, one_less);
    // Who checks exchanges them.
    for (const char* row : {"pairwise", "hierarchical"})
        refused(errc::mismatch, "check differs", of(operation::alltoall, row, true), "check", false,
                [](given& g) { g.options.check = false; });
    // Under `auto` it decides whether ranks agree once more on what turns out to be MPI's.
    scenario decided = of(operation::allreduce, "auto");
    decided.count = 200000;
    decided.machine = slow_machine();
    refused(errc::mismatch, "check differs", decided, "check", false, [](given& g) { g.options.check = false; });
    refused(errc::mismatch, "collective", of(operation::allreduce, "ring/fused"), "operation", false,
            [](given& g) { g.arrays.call.op = operation::bcast, g.options.algorithm = "ring"; });
}

void check_wrong_sizes() {
    const auto shorten_out = [](given& g) {
        g.arrays.call.out = g.arrays.call.out.first(g.arrays.call.out.size() - 1);
    };
    const auto shorten_in = [](given& g) { g.arrays.call.in = g.arrays.call.in.first(g.arrays.call.in.size() - 1); };
    for (const operation op :
         {operation::allreduce, operation::bcast, operation::allgather, operation::alltoall, operation::reduce_scatter})
        refused(errc::invalid_argument, "elements", of(op, "stock"), "size of out", false, shorten_out);
    for (const operation op : {operation::allgather, operation::reduce_scatter})
        refused(errc::invalid_argument, "elements", of(op, "ring_raw", true), "size of in", false, shorten_in);
    for (const operation op : {operation::allgather, operation::alltoall}) {
        refused(errc::invalid_argument, "leaves", of(op, "cpr_p2p", true), "displacement", false, [](given& g) {
            // Empty parts may lie anywhere.
            for (std::size_t& at : g.arrays.out_displacements) at += 1U << 30;
        });
        refused(errc::invalid_argument, "one for each", of(op, "cpr_p2p", true), "list of counts", false,
                [](given& g) { g.arrays.call.out_counts = g.arrays.call.out_counts.first(0); });
    }
    for (const int root : {-1, size_of(world)})
        refused(errc::invalid_argument, "root", of(operation::bcast, "ring"), "root", true,
                [&](given& g) { g.arrays.call.root = root; });
    refused(errc::invalid_argument, "confidence", of(operation::bcast, "ring"), "confidence", false,
            [](given& g) { g.options.confidence = 1; });
}

void check_missing_cells() {
    using namespace collective;
    for (int op = 0; op < operation_count; ++op)
        for (const char* schedule :
             {"ring", "recursive_doubling", "rabenseifner", "binomial", "pairwise", "hierarchical", "stock", "spiral"})
            for (const char* payload :
                 {"raw", "per_hop:szx", "once", "pipelined:fle", "homomorphic:szx", "quantised", "fused:raw", "none"}) {
                const std::string name = std::string(schedule) + "/" + payload;
                const auto found = find_cell(static_cast<operation>(op), name);
                if (found.ok()) {
                    const auto again =
                        find_cell(static_cast<operation>(op), collective::name_of(static_cast<operation>(op), *found));
                    check(again.ok() && *again == *found, name + ": its own name means something else");
                } else {
                    check(found.error().context().find("laconic info") != std::string::npos ||
                              found.error().context().find("codec") != std::string::npos,
                          "no remedy in: " + found.error().message());
                }
            }
    const auto as = [](const char* row) { return [row](given& g) { g.options.algorithm = row; }; };
    for (const bool everywhere : {true, false}) {
        refused(errc::unsupported, "cannot do allgather", of(operation::allgather, "ring"), "algorithm", everywhere,
                as("ring/fused"));
        refused(errc::unsupported, "laconic info", of(operation::alltoall, "pairwise"), "algorithm", everywhere,
                as("ring/once"));
        refused(errc::invalid_argument, "there are", of(operation::scatter, "pairwise"), "algorithm", everywhere,
                as("ring"));
        refused(errc::unsupported, "pairwise", of(operation::gather, "pairwise", true), "algorithm", everywhere,
                as("binomial/once"));
    }
    refused(errc::unsupported, "products", of(operation::allreduce, "fused"), "reduction", true,
            [](given& g) { g.arrays.call.combine = reduction::prod; });
    std::vector<half> narrow(100);
    const auto done = allreduce<half>(std::span<const half>(narrow), std::span<half>(narrow), reduction::sum, world,
                                      options_for("c_coll", bound::abs(1e-2)));
    check(done.error().code() == errc::unsupported, "szx of 16-bit values: " + done.error().message());
}

/// MPI is told the count of a part, not of the array.
void check_what_mpi_takes() {
    constexpr std::size_t part = 600'000'000;
    constexpr int parts = 4;
    for (int op = 0; op < collective::operation_count; ++op)
        for (const bool is_root : {true, false}) {
            const auto which = static_cast<operation>(op);
            collective::geometry shape;
            shape.op = which;
            shape.rank = is_root ? 0 : 1;
            shape.ranks = parts;
            const bool is_one_array =
                which == operation::allreduce || which == operation::reduce || which == operation::bcast;
            // Open MPI adds up the parts of a reduce_scatter as ints.
            const bool is_too_long = is_one_array || which == operation::reduce_scatter;
            const bool reads_whole = which == operation::alltoall || which == operation::reduce_scatter ||
                                     (which == operation::scatter && is_root);
            const bool writes_whole = which == operation::alltoall || which == operation::allgather ||
                                      (which == operation::gather && is_root);
            shape.in_count = is_one_array || reads_whole ? part * parts : part;
            shape.out_count = is_one_array || writes_whole ? part * parts : part;
            const status fits = collective::fits_mpi(shape);
            check(fits.code() == (is_too_long ? errc::unsupported : errc::ok),
                  std::string(collective::name_of(which)) + " of 4 times 600 million elements: " + fits.message());
        }
}

/// How much longer than its part a rank's array is, is no business of MPI's.
void check_room_to_spare() {
    const std::vector<std::size_t> counts(4, 600);
    collective::geometry shape;
    shape.op = operation::reduce_scatter;
    shape.varying = true;
    shape.ranks = 4;
    shape.in_counts = counts;
    shape.in_count = 2400;
    shape.out_count = std::size_t{1} << 33;
    check(collective::fits_mpi(shape).ok() && shape.buffer_count() == 2400, "a reduce_scatter with room to spare");
}

/// What MPI's own function cannot take is refused by all ranks, though only one of them sees it.
void check_too_long_for_mpi() {
    for (const operation op : {operation::scatter, operation::gather}) {
        scenario what = of(op, "stock", true);
        what.root = size_of(world) - 1;
        // Nobody reads or writes so far: it is an address alone.
        constexpr std::size_t beyond = std::size_t{1} << 31;
        refused(errc::unsupported, "2^31", what, "count", false, [&](given& g) {
            (op == operation::scatter ? g.arrays.in_counts : g.arrays.out_counts).back() += beyond;
            static float anywhere = 0;
            g.arrays.call.in = {&anywhere, g.arrays.call.in.size() + beyond};
            g.arrays.call.out = {&anywhere + 1, g.arrays.call.out.size() + beyond};
        });
    }
}

/// An allgatherv without loss, from C, by a machine file that is new to a communicator of its own.
class gathering {
public:
    explicit gathering(std::string path) : path_(std::move(path)) {
        MPI_Comm_dup(world, &comm_);
        options_.machine = path_.c_str();
        for (std::size_t k = 0; k < counts_.size(); ++k) displacements_[k] = 3 * k;
    }
    gathering(const gathering&) = delete;
    gathering& operator=(const gathering&) = delete;
    ~gathering() { MPI_Comm_free(&comm_); }

    int run(bool with_counts = true) {
        return laconic_allgatherv(in_.data(), 3, out_.data(), with_counts ? counts_.data() : nullptr,
                                  displacements_.data(), MPI_FLOAT, comm_, &options_);
    }
    int start(laconic_request& request) {
        return laconic_iallgatherv(in_.data(), 3, started_out_.data(), counts_.data(), displacements_.data(), MPI_FLOAT,
                                   comm_, &options_, &request);
    }

private:
    std::string path_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    laconic_collective_options options_{};
    std::vector<std::size_t> counts_ = std::vector<std::size_t>(static_cast<std::size_t>(size_of(world)), 3);
    std::vector<std::size_t> displacements_ = counts_;
    std::vector<float> in_ = std::vector<float>(3, 1.0F);
    std::vector<float> out_ = std::vector<float>(3 * counts_.size()), started_out_ = out_;
};

void check_code(int code, int want, const char* what) {
    check(code == want, std::string(what) + ": " + std::to_string(code) + ", " + laconic_last_message());
}

/// The ranks agree that a new file says the same, and hear of a rank that has no arguments.
void check_new_machine() {
    const bool last = rank_in(world) == size_of(world) - 1;
    gathering call(slow_machine());
    check_code(call.run(!last), LACONIC_ERR_ARGUMENT, "no counts on one rank");
    check_code(call.run(), LACONIC_OK, "counts on all ranks");
}

/// Where a started call before it has made the file known the others do not listen: the rank hears of it alone, and
/// goes on, as `stock` takes no tags of the calls that it has counted.
void check_machine_of_a_started_call() {
    const bool last = rank_in(world) == size_of(world) - 1;
    gathering call(slow_machine());
    laconic_request started = LACONIC_REQUEST_NULL;
    check_code(call.start(started), LACONIC_OK, "a call that is to be started");
    if (last) check_code(call.run(false), LACONIC_ERR_ARGUMENT, "no counts");
    check_code(call.run(), LACONIC_OK, "counts after a started call");
    check_code(laconic_wait(&started), LACONIC_OK, "the started call");
}

/// The first call of a communicator is `auto`, and one rank cannot make it; and the first started one, after which all
/// ranks must still agree on how to call MPI.
void check_first_calls() {
    const bool last = rank_in(world) == size_of(world) - 1;
    const std::vector<float> in(300000, 1.0F);
    std::vector<float> out(in.size());
    const auto call = collective_call<float>::allreduce(in, out, reduction::sum);
    collective_options options = options_for(last ? "ato" : "auto", bound::abs(1e-3));
    options.check = true;
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(world, &fresh);
    check(run(call, fresh, options).error().code() == errc::invalid_argument, "a misspelt auto, first call");
    MPI_Comm_free(&fresh);

    MPI_Comm_dup(world, &fresh);
    options.algorithm = "stock";
    options.limit.value = last ? -1 : 1e-3;
    auto started = start(call, fresh, options);
    check(started.ok() && started->wait().error().code() == errc::invalid_bound, "a bad bound, first started call");
    options.limit.value = 1e-3;
    check(run(call, fresh, options).ok() && out[7] == static_cast<float>(size_of(world)), "stock after that");
    MPI_Comm_free(&fresh);
}

}  // namespace

void misuse_is_refused() {
    check_first_calls();
    if (size_of(world) > 1) check_disagreement();
    check_wrong_sizes();
    check_what_mpi_takes();
    check_room_to_spare();
    if (size_of(world) > 1) check_too_long_for_mpi();
    if (size_of(world) > 1) check_new_machine();
    if (size_of(world) > 1) check_machine_of_a_started_call();
    check_missing_cells();
}

}  // namespace laconic::test
