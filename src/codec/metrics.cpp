// SPDX-License-Identifier: BSD-3-Clause
// Error metrics between an original array and its reconstruction, as the papers define them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "codec/float_environment.hpp"
#include "laconic/codec.hpp"

namespace laconic {

template <class T>
result<comparison> compare(std::span<const T> original, std::span<const T> decoded) {
    const codec::float_environment standard;
    if (original.size() != decoded.size())
        return status{errc::mismatch, "the arrays have " + std::to_string(original.size()) + " and " +
                                          std::to_string(decoded.size()) + " elements"};
    comparison found;
    found.n = original.size();
    long double squares = 0;
    long double errors = 0;
    std::uint64_t finite = 0;
    for (std::size_t i = 0; i < original.size(); ++i) {
        const auto x = static_cast<real_type<T>>(original[i]);
        const auto y = static_cast<real_type<T>>(decoded[i]);
        if (!std::isfinite(x) || !std::isfinite(y)) {
            const bool same = (std::isnan(x) && std::isnan(y)) || x == y;
            found.nonfinite_mismatches += !same;
            continue;
        }
        // long double: x - y of two doubles, and its square, without overflow.
        const long double error = static_cast<long double>(y) - static_cast<long double>(x);
        found.max_abs_error = std::max(found.max_abs_error, static_cast<double>(std::abs(error)));
        errors += error;
        squares += error * error;
        ++finite;
    }
    const value_range<T> range = range_of(original);
    const long double span = static_cast<long double>(range.max) - static_cast<long double>(range.min);
    found.range = static_cast<double>(span);
    if (finite > 0) found.mean_error = static_cast<double>(errors / static_cast<long double>(finite));
    const long double rmse = finite > 0 ? std::sqrt(squares / static_cast<long double>(finite)) : 0.0L;
    found.nrmse = rmse == 0 ? 0.0 : static_cast<double>(rmse / span);
    found.psnr =
        rmse == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(20 * std::log10(span / rmse));
    return found;
}

template result<comparison> compare(std::span<const float>, std::span<const float>);
template result<comparison> compare(std::span<const double>, std::span<const double>);
template result<comparison> compare(std::span<const half>, std::span<const half>);
template result<comparison> compare(std::span<const bfloat16>, std::span<const bfloat16>);

}  // namespace laconic
