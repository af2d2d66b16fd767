// SPDX-License-Identifier: BSD-3-Clause
// Runs that begin to travel before ranks have agreed, and that one rank refuses: no element arrives anywhere, and the
// next run moves all.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr double untouched = -1;

/// Rows of the array go round: nearly all elements change rank, in streams of several batches.
plan plan_of(int ranks) {
    const std::vector<std::int64_t> extents{8 * ranks, 700}, blocks{ranks, 1}, patch{1, 350};
    placement how;
    how.kind = placement_kind::round_robin;
    return plan::make(layout::regular(extents, blocks).value(), patch_grid::of_size(extents, patch).value(), how)
        .value();
}

class refusals {
public:
    refusals(MPI_Comm comm, const exchange_options& options)
        : rank_(rank_in(comm)),
          ranks_(size_of(comm)),
          limit_(options.limit.value),
          moving_(exchange::make<double>(comm, plan_of(ranks_), options).value()),
          in_(moving_.in_elements(), rank_),
          out_(moving_.out_elements(), untouched) {}

    /// Rank `refusing` has no arrays.
    void refuse(int refusing, const std::string& name) {
        std::fill(out_.begin(), out_.end(), untouched);
        const bool mine = rank_ == refusing;
        const status done = moving_.run(std::span<const double>(in_), std::span(out_).first(mine ? 0 : out_.size()));
        check(done.code() == errc::invalid_argument &&
                  done.context().find("rank " + std::to_string(refusing)) != std::string::npos,
              name + ": " + done.message());
        for (const double value : out_)
            check(value == untouched || (value == rank_ && !mine), name + ": an element arrives in a run refused");
    }
    void run(const std::string& name) {
        const status done = moving_.run(std::span<const double>(in_), std::span<double>(out_));
        check(done.ok(), name + ": " + done.message());
        double sum = 0, all = 0;
        for (const double value : out_) {
            sum += std::round(value);
            check(std::abs(value - std::round(value)) <= limit_, name + ": an element is no rank's");
        }
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        check(all == 8.0 * 700 * ranks_ * (ranks_ - 1) / 2, name + ": elements are lost");
    }
    void check_all(const std::string& name) {
        for (int refusing = 0; refusing < ranks_; ++refusing) {
            refuse(refusing, name);
            if (refusing % 2 == 0) refuse(ranks_ - 1 - refusing, name + ", again");
            run(name);
        }
        // A program that refuses instead of calling has no arrays at all.
        const status why(errc::unsupported, "no arrays");
        const status done =
            rank_ == 0 ? moving_.refuse_run(why) : moving_.run(std::span<const double>(in_), std::span<double>(out_));
        check(done.code() == errc::unsupported, name + ": refuse_run gives " + done.message());
        run(name + ", after refuse_run");
    }

private:
    int rank_, ranks_;
    double limit_;
    exchange moving_;
    std::vector<double> in_, out_;
};

}  // namespace

void refused_exchanges_move_nothing() {
    // Of the smallest batches more are allowed to leave early than there are slots, of the largest one holds a stream.
    for (const std::size_t batch : {std::size_t{256}, std::size_t{3000}, std::size_t{1} << 20})
        for (const double limit : {0.0, 1e-3}) {
            exchange_options options;
            options.engine = exchange_engine::batched;
            options.batch_bytes = batch;
            options.limit = bound::abs(limit);
            refusals(MPI_COMM_WORLD, options).check_all("batches of " + std::to_string(batch));
        }
    MPI_Comm nodes = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &nodes);
    pretend_small_nodes(nodes);
    exchange_options options;
    options.engine = exchange_engine::shared;
    options.batch_bytes = 3000;
    refusals(nodes, options).check_all("between small nodes");
    MPI_Comm_free(&nodes);
}

}  // namespace laconic::test
