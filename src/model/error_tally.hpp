// SPDX-License-Identifier: BSD-3-Clause
// Errors counted: one error after the other flows in, tallies of ranks flow together, the measured half of an audit
// flows out.
#pragma once

#include <array>
#include <cstdint>

#include "codec/quad.hpp"
#include "laconic/audit.hpp"

namespace laconic::model {

using codec::quad;

/// What errors are compared with; the same for all tallies that are merged.
struct error_scales {
    double bound = 0;             ///< unit of the histogram
    double normal_deviation = 0;  ///< by the models; 0: not modelled
    double uniform_deviation = 0;
};

/// Trivially copyable: ranks send it as bytes.
struct error_tally {
    std::uint64_t elements = 0, nonfinite = 0, violations = 0;
    double max_error = 0, max_share = 0;
    long double sum = 0, sum_of_squares = 0;
    std::array<std::uint64_t, audit_report::bins> histogram{};
    std::array<std::uint64_t, 3> inside_normal{}, inside_uniform{};

    /// Counts an element with an error.
    /// allowed   the largest |error| that keeps the promise; infinite: nothing was promised
    void add(quad error, quad allowed, const error_scales& scales) noexcept;
    /// Counts an element that has no error to measure.
    void add_nonfinite(bool as_promised) noexcept;
    void merge(const error_tally& other) noexcept;
    [[nodiscard]] audit_report summary(const error_scales& scales) const noexcept;
};

}  // namespace laconic::model
