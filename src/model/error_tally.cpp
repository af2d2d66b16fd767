// SPDX-License-Identifier: BSD-3-Clause
// Promises are compared in quad, where differences of two doubles that matter are exact; what is only shown, in less.
#include "model/error_tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace laconic::model {
namespace {

static_assert(std::is_trivially_copyable_v<error_tally>);

std::size_t bin_of(double error, double bound) noexcept {
    constexpr auto bins = static_cast<double>(audit_report::bins);
    const double at = std::floor((error / bound + 1) * (bins / 2));
    return static_cast<std::size_t>(std::clamp(at, 0.0, bins - 1));
}

void count_inside(double size, double deviation, std::array<std::uint64_t, 3>& inside) noexcept {
    if (!(deviation > 0)) return;
    for (std::size_t k = 0; k < inside.size(); ++k)
        if (size <= static_cast<double>(k + 1) * deviation) ++inside[k];
}

audit_prediction fraction_of(const std::array<std::uint64_t, 3>& inside, double deviation, double count) noexcept {
    audit_prediction found{deviation, {}};
    for (std::size_t k = 0; k < inside.size() && deviation > 0 && count > 0; ++k)
        found.inside[k] = static_cast<double>(inside[k]) / count;
    return found;
}

}  // namespace

void error_tally::add(quad error, quad allowed, const error_scales& scales) noexcept {
    const quad size = error < 0 ? -error : error;
    const auto rounded = static_cast<double>(error);
    ++elements;
    // A NaN is no error that is allowed.
    const bool kept = size <= allowed || std::isinf(static_cast<double>(allowed));
    if (!kept) ++violations;
    if (rounded != rounded || std::isinf(rounded)) {
        max_error = max_share = std::numeric_limits<double>::infinity();
        sum = sum_of_squares = std::numeric_limits<long double>::quiet_NaN();
        return;
    }
    max_error = std::max(max_error, std::fabs(rounded));
    if (size > 0)
        max_share = std::max(
            max_share, allowed > 0 ? static_cast<double>(size / allowed) : std::numeric_limits<double>::infinity());
    sum += static_cast<long double>(rounded);
    sum_of_squares += static_cast<long double>(rounded) * static_cast<long double>(rounded);
    if (scales.bound > 0 && std::isfinite(scales.bound)) ++histogram[bin_of(rounded, scales.bound)];
    count_inside(std::fabs(rounded), scales.normal_deviation, inside_normal);
    count_inside(std::fabs(rounded), scales.uniform_deviation, inside_uniform);
}

void error_tally::add_nonfinite(bool as_promised) noexcept {
    ++elements;
    ++nonfinite;
    if (!as_promised) ++violations;
}

void error_tally::merge(const error_tally& other) noexcept {
    elements += other.elements;
    nonfinite += other.nonfinite;
    violations += other.violations;
    max_error = std::max(max_error, other.max_error);
    max_share = std::max(max_share, other.max_share);
    sum += other.sum;
    sum_of_squares += other.sum_of_squares;
    for (std::size_t i = 0; i < histogram.size(); ++i) histogram[i] += other.histogram[i];
    for (std::size_t k = 0; k < inside_normal.size(); ++k) {
        inside_normal[k] += other.inside_normal[k];
        inside_uniform[k] += other.inside_uniform[k];
    }
}

audit_report error_tally::summary(const error_scales& scales) const noexcept {
    audit_report all;
    all.elements = elements;
    all.nonfinite = nonfinite;
    all.violations = violations;
    all.bound = scales.bound;
    all.max_error = max_error;
    all.max_share = max_share;
    all.histogram = histogram;
    const auto count = static_cast<double>(elements - nonfinite);
    all.normal = fraction_of(inside_normal, scales.normal_deviation, count);
    all.uniform = fraction_of(inside_uniform, scales.uniform_deviation, count);
    if (count == 0) return all;
    const long double mean = sum / count;
    const long double square = sum_of_squares / count;
    all.mean_error = static_cast<double>(mean);
    all.rms_error = static_cast<double>(std::sqrt(square));
    const long double variance = square - mean * mean;
    all.deviation = variance > 0 ? static_cast<double>(std::sqrt(variance)) : 0;
    if (std::isnan(static_cast<double>(sum))) all.deviation = all.rms_error;
    return all;
}

}  // namespace laconic::model
