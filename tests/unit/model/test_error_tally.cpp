// SPDX-License-Identifier: BSD-3-Clause
// The measuring half of an audit on errors that are known beforehand, doctored ones among them, and the models against
// the numbers of the paper and of chance.
#include "model/error_tally.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "model/error_model.hpp"

namespace laconic::model {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(error_tally, describes_known_errors) {
    const error_scales scales{2.0, 1.0, 0.5};
    error_tally tally;
    for (const double error : {-2.0, -1.0, 0.0, 0.25, 1.75}) tally.add(error, 2.0, scales);
    tally.add_nonfinite(true);
    const audit_report all = tally.summary(scales);
    EXPECT_EQ(all.elements, 6u);
    EXPECT_EQ(all.nonfinite, 1u);
    EXPECT_EQ(all.violations, 0u);
    EXPECT_EQ(all.max_error, 2.0);
    EXPECT_EQ(all.max_share, 1.0);
    EXPECT_DOUBLE_EQ(all.mean_error, -0.2);
    const double square = (4 + 1 + 0.0625 + 3.0625) / 5;
    EXPECT_DOUBLE_EQ(all.rms_error, std::sqrt(square));
    EXPECT_DOUBLE_EQ(all.deviation, std::sqrt(square - 0.04));
    EXPECT_EQ(all.normal.inside, (std::array{0.6, 1.0, 1.0}));
    EXPECT_EQ(all.uniform.inside, (std::array{0.4, 0.6, 0.6}));
    // A bin is a fifth wide: -2 opens the first one, 0 the eleventh.
    EXPECT_EQ(all.histogram[0], 1u);
    EXPECT_EQ(all.histogram[5], 1u);
    EXPECT_EQ(all.histogram[10], 1u);
    EXPECT_EQ(all.histogram[11], 1u);
    EXPECT_EQ(all.histogram[18], 1u);
    EXPECT_EQ(std::accumulate(all.histogram.begin(), all.histogram.end(), std::uint64_t{0}), 5u);
}

TEST(error_tally, sees_what_breaks_a_promise) {
    const error_scales scales{1.0, 0, 0};
    const auto violations = [&](quad error, quad allowed) {
        error_tally tally;
        tally.add(error, allowed, scales);
        return tally.summary(scales).violations;
    };
    EXPECT_EQ(violations(1.0, 1.0), 0u);
    // Closer than doubles can tell.
    EXPECT_EQ(violations(static_cast<quad>(1.0) + static_cast<quad>(1e-25), 1.0), 1u);
    EXPECT_EQ(violations(-1.0 - 1e-12, 1.0), 1u);
    EXPECT_EQ(violations(std::numeric_limits<double>::quiet_NaN(), 1.0), 1u);
    EXPECT_EQ(violations(infinity, 1.0), 1u);
    EXPECT_EQ(violations(std::numeric_limits<double>::denorm_min(), 0.0), 1u);
    EXPECT_EQ(violations(0.0, 0.0), 0u);
    EXPECT_EQ(violations(1e300, infinity), 0u);
    EXPECT_EQ(violations(std::numeric_limits<double>::quiet_NaN(), infinity), 0u);
    error_tally tally;
    tally.add_nonfinite(false);
    EXPECT_EQ(tally.summary(scales).violations, 1u);
}

TEST(error_tally, says_how_near_the_worst_element_came) {
    const error_scales scales{1.0, 0, 0};
    error_tally tally;
    tally.add(0.5, 1.0, scales);
    tally.add(0.3, 0.4, scales);
    EXPECT_DOUBLE_EQ(tally.summary(scales).max_share, 0.75);
    EXPECT_EQ(tally.summary(scales).max_error, 0.5);
    tally.add(1e-9, 0.0, scales);
    EXPECT_EQ(tally.summary(scales).max_share, infinity);
}

TEST(error_tally, survives_magnitudes_whose_squares_no_double_holds) {
    for (const double size : {1e-300, 1e300}) {
        const error_scales scales{2 * size, size, size};
        error_tally tally;
        tally.add(size, 2 * size, scales);
        tally.add(-size, 2 * size, scales);
        EXPECT_NEAR(tally.summary(scales).rms_error / size, 1, 1e-12) << size;
        EXPECT_NEAR(tally.summary(scales).deviation / size, 1, 1e-12) << size;
    }
}

TEST(error_tally, merges_ranks_into_one) {
    const error_scales scales{1.0, 0.5, 0.25};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> errors(-1, 1);
    error_tally whole, first, second;
    for (int i = 0; i < 1000; ++i) {
        const double error = errors(random);
        whole.add(error, 0.99, scales);
        (i % 3 == 0 ? first : second).add(error, 0.99, scales);
    }
    second.add_nonfinite(false);
    whole.add_nonfinite(false);
    first.merge(second);
    const audit_report a = whole.summary(scales), b = first.summary(scales);
    EXPECT_GT(a.violations, 1u);
    EXPECT_EQ(a.violations, b.violations);
    EXPECT_EQ(a.elements, b.elements);
    EXPECT_EQ(a.histogram, b.histogram);
    EXPECT_EQ(a.normal.inside, b.normal.inside);
    EXPECT_EQ(a.uniform.inside, b.uniform.inside);
    EXPECT_EQ(a.max_error, b.max_error);
    EXPECT_NEAR(a.deviation, b.deviation, 1e-12);
}

TEST(error_tally, of_nothing_is_zero) {
    const audit_report none = error_tally{}.summary({0, 1, 1});
    EXPECT_EQ(none.elements, 0u);
    EXPECT_EQ(none.deviation, 0);
    EXPECT_EQ(none.normal.inside, (std::array{0.0, 0.0, 0.0}));
}

error_request of(operation op, reduction combine, std::uint32_t n) {
    error_request call;
    call.op = op;
    call.combine = combine;
    call.what = {schedule_kind::ring, payload_kind::fused, codec_id::fle};
    call.contributions = call.ranks = call.quantisations = n;
    call.contribution_bound = 1;
    call.step = 2;
    return call;
}

TEST(error_model, says_what_the_paper_says) {
    // Corollary 1: 100 nodes, 95.44 % within 20/3 of the bound.
    EXPECT_DOUBLE_EQ(2 * normal_deviation(of(operation::allreduce, reduction::sum, 100)), 20.0 / 3);
    // Corollary 2: N(0, sigma^2 / n).
    EXPECT_DOUBLE_EQ(normal_deviation(of(operation::reduce, reduction::avg, 16)), 1.0 / 3 / 4);
    // Theorem 2, the sum of its eq. 4 written out.
    for (const std::uint32_t n : {2u, 3u, 8u, 40u}) {
        double variance = std::exp2(-1.0 * n) * n;
        for (std::uint32_t k = 1; k < n; ++k) variance += std::exp2(-1.0 * k) * k;
        for (const reduction extreme : {reduction::min, reduction::max})
            EXPECT_NEAR(normal_deviation(of(operation::allreduce, extreme, n)), std::sqrt(variance) / 3, 1e-12) << n;
    }
    error_request moved = of(operation::bcast, reduction::sum, 16);
    moved.what.payload = payload_kind::once;
    EXPECT_DOUBLE_EQ(normal_deviation(moved), 1.0 / 3);
}

TEST(error_model, counts_every_quantisation_of_partial_results) {
    error_request call = of(operation::allreduce, reduction::sum, 4);
    call.what.payload = payload_kind::per_hop;
    call.quantisations = 9;
    EXPECT_DOUBLE_EQ(normal_deviation(call), 1.0);
    EXPECT_DOUBLE_EQ(uniform_deviation(call), 2 / std::sqrt(12.0) * 3);
}

TEST(error_model, knows_what_it_does_not_know) {
    error_request call = of(operation::allreduce, reduction::prod, 4);
    EXPECT_EQ(normal_deviation(call), 0);
    call = of(operation::allreduce, reduction::sum, 1);
    EXPECT_EQ(uniform_deviation(call), 0);
    call = of(operation::allreduce, reduction::sum, 4);
    call.what.codec = codec_id::szx;
    EXPECT_GT(normal_deviation(call), 0);
    EXPECT_EQ(uniform_deviation(call), 0);
    call.contribution_bound = infinity;
    EXPECT_EQ(normal_deviation(call), 0);
    call = of(operation::allreduce, reduction::sum, 4);
    call.what = {schedule_kind::ring, payload_kind::raw, codec_id::raw};
    EXPECT_EQ(normal_deviation(call), 0);
}

/// Uniform values, rounded to a grid, in the operation itself.
TEST(error_model, predicts_rounding_to_nearest) {
    constexpr int n = 6, count = 200000;
    constexpr double step = 1e-3;
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> values(-1, 1);
    error_tally sums, extremes;
    const double of_sum = uniform_deviation([] {
        error_request call = of(operation::allreduce, reduction::sum, n);
        call.step = step;
        return call;
    }());
    const double of_extreme = uniform_deviation([] {
        error_request call = of(operation::allreduce, reduction::max, n);
        call.step = step;
        return call;
    }());
    for (int i = 0; i < count; ++i) {
        double sum = 0, coarse_sum = 0, largest = -2, coarse_largest = -2;
        for (int rank = 0; rank < n; ++rank) {
            const double x = values(random), y = std::nearbyint(x / step) * step;
            sum += x, coarse_sum += y;
            largest = std::fmax(largest, x), coarse_largest = std::fmax(coarse_largest, y);
        }
        sums.add(coarse_sum - sum, 1, {1, 1, of_sum});
        extremes.add(coarse_largest - largest, 1, {1, 1, of_extreme});
    }
    EXPECT_NEAR(sums.summary({1, 1, of_sum}).deviation / of_sum, 1, 0.02);
    EXPECT_NEAR(sums.summary({1, 1, of_sum}).uniform.inside[1], normal_fractions[1], 0.01);
    EXPECT_NEAR(extremes.summary({1, 1, of_extreme}).deviation / of_extreme, 1, 0.02);
}

}  // namespace
}  // namespace laconic::model
