// SPDX-License-Identifier: BSD-3-Clause
// The exact answer: the values of all ranks flow in as test fields, the sum in quad precision flows out, and a check
// of a result against it that allows a bound plus half an ulp of the result and nothing more.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "codec/quad.hpp"
#include "fields.hpp"

namespace laconic::test {

using codec::quad;

/// Each rank of MPI_COMM_WORLD checks a part of the array; that all ranks hold the same bits is checked separately.
template <class T>
struct reference {
    std::size_t first, last;
    std::vector<quad> sum;          ///< of the finite values
    std::vector<T> special;         ///< NaN or an infinity where the sum is not finite, else 0
    std::vector<double> magnitude;  ///< sum of |finite values|
    double min = 0, max = 0;        ///< over all finite values

    reference(field kind, int ranks, std::size_t count) : sum(count), special(count), magnitude(count) {
        int part = 0;
        int parts = 1;
        MPI_Comm_rank(MPI_COMM_WORLD, &part);
        MPI_Comm_size(MPI_COMM_WORLD, &parts);
        first = count * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts);
        last = count * static_cast<std::size_t>(part + 1) / static_cast<std::size_t>(parts);
        bool any = false;
        for (int rank = 0; rank < ranks; ++rank) {
            const std::vector<T> values = make_field<T>(kind, rank, count);
            for (std::size_t i = 0; i < count; ++i) {
                const T x = values[i];
                if (!std::isfinite(x)) {
                    special[i] += x;  // NaN stays, opposite infinities give NaN
                    continue;
                }
                if (i >= first && i < last) {
                    sum[i] += static_cast<quad>(x);
                    magnitude[i] += std::fabs(static_cast<double>(x));
                }
                min = any ? std::fmin(min, static_cast<double>(x)) : static_cast<double>(x);
                max = any ? std::fmax(max, static_cast<double>(x)) : static_cast<double>(x);
                any = true;
            }
        }
    }
};

template <class T>
[[nodiscard]] quad half_ulp(T value) noexcept {
    const T magnitude = std::fabs(value);
    return (static_cast<quad>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) -
            static_cast<quad>(magnitude)) /
           2;
}

/// What partial sums are held in, and so how much of their magnitude a rounding may take.
enum class accumulator {
    exact,   ///< integers, or no sum at all
    wide,    ///< integers, or for values that do not fit them twice the precision of T
    element  ///< T itself
};
template <class T>
[[nodiscard]] double rounding_unit(accumulator held) noexcept {
    const int digits = std::numeric_limits<T>::digits;
    if (held == accumulator::exact) return 0;
    return std::ldexp(1.0, held == accumulator::element ? -digits : -2 * digits + 2);
}

/// bound   on |out - exact|, before the final rounding
template <class T>
void check_promise(const std::vector<T>& out, const reference<T>& exact, int ranks, int divisor, double bound,
                   accumulator held, const std::string& what) {
    for (std::size_t i = exact.first; i < exact.last; ++i) {
        if (exact.special[i] != 0 || std::isnan(exact.special[i])) {
            const bool same = std::isnan(exact.special[i]) ? std::isnan(out[i]) : out[i] == exact.special[i];
            if (same) continue;
            check(false, what + ": element " + std::to_string(i) + " is " + std::to_string(out[i]) + ", not " +
                             std::to_string(exact.special[i]));
            return;
        }
        const quad want = exact.sum[i] / divisor;
        const quad difference = static_cast<quad>(out[i]) - want;
        const quad error = difference < 0 ? -difference : difference;
        const quad allowed = static_cast<quad>(bound) + half_ulp(out[i]) +
                             static_cast<quad>(exact.magnitude[i] * ranks * rounding_unit<T>(held) +
                                               (held == accumulator::element ? ranks : 0) *
                                                   static_cast<double>(std::numeric_limits<T>::denorm_min()));
        if (error <= allowed) continue;
        char text[200];
        std::snprintf(text, sizeof text, ": element %zu is %.17g, exact %.17g, error %.9g, bound %.9g + rounding %.3g",
                      i, static_cast<double>(out[i]), static_cast<double>(want), static_cast<double>(error), bound,
                      static_cast<double>(allowed - static_cast<quad>(bound)));
        check(false, what + text);
        return;
    }
}

}  // namespace laconic::test
