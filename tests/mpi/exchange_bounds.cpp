// SPDX-License-Identifier: BSD-3-Clause
// Compressed exchanges: every element within the bound, exactly what is no finite number, and fewer bytes on the wire.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
#include "codec/quad.hpp"
#include "exchange_cases.hpp"
#include "fields.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

using codec::quad;

constexpr std::int64_t per_rank = 6000;

/// The largest double that is no larger than share * (max - min) over finite values: the bound of a relative one.
template <class T>
double relative_bound(double share, const std::vector<T>& values) {
    double min = INFINITY, max = -INFINITY;
    for (const T value : values) {
        const double x = static_cast<double>(static_cast<real_type<T>>(value));
        if (!std::isfinite(x)) continue;
        min = std::min(min, x);
        max = std::max(max, x);
    }
    if (!(max >= min)) return 0;
    const quad exact = static_cast<quad>(share) * (static_cast<quad>(max) - static_cast<quad>(min));
    if (exact >= static_cast<quad>(DBL_MAX)) return DBL_MAX;
    const auto nearest = static_cast<double>(exact);
    return static_cast<quad>(nearest) > exact ? std::nextafter(nearest, 0.0) : nearest;
}

/// Two fields of one layout; the second is a hundredth of the first, so that relative bounds differ.
template <class T>
void check_field(field kind, bound limit, exchange_engine engine, const std::string& type) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const std::string name = std::string(name_of(engine)) + ", " + type + ", " + std::string(name_of(kind)) +
                             ", bound " + std::to_string(limit.value);
    const std::vector<std::int64_t> extents{per_rank * ranks}, blocks{ranks}, patch{1009};
    placement how;
    how.kind = placement_kind::round_robin;
    const plan what =
        plan::make(layout::regular(extents, blocks).value(), patch_grid::of_size(extents, patch).value(), how).value();
    exchange_options options;
    options.engine = engine;
    options.limit = limit;
    options.fields = 2;
    options.batch_bytes = 10000;
    exchange moving = exchange::make<T>(MPI_COMM_WORLD, what, options).value();

    std::vector<T> whole[2];
    for (int k = 0; k < ranks; ++k)
        for (const T value : make_field<T>(kind, k, static_cast<std::size_t>(per_rank))) {
            whole[0].push_back(value);
            whole[1].push_back(T(static_cast<real_type<T>>(value) * real_type<T>(0.01)));
        }
    const std::size_t mine = static_cast<std::size_t>(rank * per_rank);
    std::vector<T> out[2] = {std::vector<T>(moving.out_elements()), std::vector<T>(moving.out_elements())};
    const exchange::array_in from[2] = {{&whole[0][mine], moving.in_elements()},
                                        {&whole[1][mine], moving.in_elements()}};
    const exchange::array_out to[2] = {{out[0].data(), out[0].size()}, {out[1].data(), out[1].size()}};
    const status done = moving.run(from, to, exchange_element::of<T>());
    check(done.ok(), name + ": " + done.message());

    double largest = 0;
    for (std::size_t f = 0; f < 2; ++f) {
        const double allowed = limit.kind == bound_kind::relative ? relative_bound(limit.value, whole[f]) : limit.value;
        largest = std::max(largest, allowed);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < moving.patches().size(); ++i) {
            const box region = what.to().patch(moving.patches()[i]);
            for (std::int64_t at = region.lower[0]; at < region.upper[0]; ++at) {
                const T x = whole[f][static_cast<std::size_t>(at)];
                const T y = out[f][moving.out_offset(i) + static_cast<std::size_t>(at - region.lower[0])];
                const long double given = static_cast<real_type<T>>(x), got = static_cast<real_type<T>>(y);
                const bool fine = std::isfinite(given) ? std::abs(given - got) <= static_cast<long double>(allowed)
                                                       : std::memcmp(&x, &y, sizeof x) == 0;
                wrong += fine ? 0 : 1;
            }
        }
        check(wrong == 0, name + ": " + std::to_string(wrong) + " elements of field " + std::to_string(f) +
                              " are further off than " + std::to_string(allowed));
    }
    const exchange_report& report = moving.report();
    check(report.largest_bound == largest, name + ": largest_bound");
    const std::uint64_t all = (moving.in_elements() * 2) * sizeof(T);
    check(report.kept_bytes + report.message_bytes == all, name + ": bytes reported");
    if (limit.value > 0 && kind == field::smooth && sizeof(T) >= 4 && report.message_bytes > 0)
        check(report.wire_bytes * 3 < report.message_bytes * 2,
              name + ": " + std::to_string(report.wire_bytes) + " bytes for " + std::to_string(report.message_bytes));
}

template <class T>
void check_type(const std::string& type) {
    for (const exchange_engine engine : {exchange_engine::batched, exchange_engine::per_rank})
        for (const field kind : {field::smooth, field::adversarial, field::constant, field::tiny})
            for (const bound limit : {bound::rel(1e-2), bound::abs(1e-2), bound::lossless()})
                check_field<T>(kind, limit, engine, type);
}

/// max - min of the values is no double, the bound is one; a number that is not finite would be a bound that keeps
/// nothing.
void check_widest_range() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const std::vector<std::int64_t> extents{per_rank * ranks}, blocks{ranks}, patch{1009};
    placement how;
    how.kind = placement_kind::round_robin;
    const plan what =
        plan::make(layout::regular(extents, blocks).value(), patch_grid::of_size(extents, patch).value(), how).value();
    exchange_options options;
    options.engine = exchange_engine::batched;
    options.limit = bound::rel(1e-3);
    exchange moving = exchange::make<double>(MPI_COMM_WORLD, what, options).value();
    const auto value_at = [](std::int64_t at) {
        return at == 0 ? -1e308 : at == 1 ? 1e308 : 1e300 * std::sin(0.01 * static_cast<double>(at));
    };
    std::vector<double> in, out(moving.out_elements());
    for (std::int64_t at = rank * per_rank; at < (rank + 1) * per_rank; ++at) in.push_back(value_at(at));
    const status done = moving.run(std::span<const double>(in), std::span<double>(out));
    check(done.ok(), "widest range: " + done.message());
    const double allowed = relative_bound(1e-3, std::vector<double>{-1e308, 1e308});
    check(std::isfinite(allowed) && moving.report().largest_bound == allowed,
          "widest range: largest_bound is " + std::to_string(moving.report().largest_bound));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < moving.patches().size(); ++i) {
        const box region = what.to().patch(moving.patches()[i]);
        for (std::int64_t at = region.lower[0]; at < region.upper[0]; ++at) {
            const double got = out[moving.out_offset(i) + static_cast<std::size_t>(at - region.lower[0])];
            wrong += std::abs(got - value_at(at)) <= allowed ? 0U : 1U;
        }
    }
    check(wrong == 0, "widest range: " + std::to_string(wrong) + " elements are further off than the bound");
}

}  // namespace

void compressed_exchanges_keep_their_bound() {
    check_widest_range();
    check_type<float>("float");
    check_type<double>("double");
    check_type<half>("half");
    check_type<bfloat16>("bfloat16");
}

}  // namespace laconic::test
