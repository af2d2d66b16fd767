// SPDX-License-Identifier: BSD-3-Clause
// What an audit of a collective says: errors measured against the exact result, and beside them what was promised and
// what the theory predicts. No MPI in here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace laconic {

/// Errors of a result, modelled as a normal distribution around 0, and how many of the measured ones fit it.
struct audit_prediction {
    double deviation = 0;  ///< sigma of an element of the result; 0: the model says nothing about this call
    /// Fractions of the measured errors with |error| <= 1, 2 and 3 deviations. The model expects normal_fractions.
    std::array<double, 3> inside{};
};

/// P(|N(0, 1)| <= 1, 2, 3), to the digits that C-Coll gives.
inline constexpr std::array<double, 3> normal_fractions{0.6826, 0.9544, 0.9974};

/// The errors of all elements that a collective returned, on all ranks; the same on every rank. The error of an element
/// is what was returned minus the exact result: real arithmetic over what all ranks gave.
struct audit_report {
    static constexpr std::size_t bins = 20;

    std::uint64_t elements = 0;    ///< compared; where every rank gets the result, those of every rank
    std::uint64_t nonfinite = 0;   ///< of them: the exact result is not finite, or too large for the type; no error
    std::uint64_t violations = 0;  ///< elements beyond what was promised: 0
    double bound = 0;              ///< result_bound of the call, before the final rounding; infinite: no promise
    double max_error = 0;          ///< largest |error|
    /// Largest |error| / what is allowed to that element: the bound and the roundings. Greater than 1 is a violation.
    double max_share = 0;
    double mean_error = 0;
    double deviation = 0;  ///< standard deviation of the errors, around their mean
    double rms_error = 0;
    /// Errors from -bound to +bound in bins of equal width; those that a rounding takes beyond are in the outermost
    /// ones. Empty when the bound is 0 or infinite.
    std::array<std::uint64_t, bins> histogram{};

    /// C-Coll's model: an error within +-e is normal with deviation e / 3, independent on every rank.
    audit_prediction normal;
    /// Ours: errors of rounding to nearest are uniform over a quantisation step. For codec fle alone.
    audit_prediction uniform;
};

}  // namespace laconic
