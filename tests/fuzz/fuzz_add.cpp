// SPDX-License-Identifier: BSD-3-Clause
// Two frames: sums, differences, multiples and extremes are the same bytes on every engine, in place and through the C
// face; readers take what comes out; and where the frames' integers are what their headers say, the results are what
// arithmetic.hpp promises of them.
#include <cmath>

#include "frames.hpp"
#include "laconic/laconic.h"
#include "pair_input.hpp"

namespace laconic::fuzz {
namespace {

using operation = result<std::size_t> (*)(view, view, std::span<std::byte>, const run_options&);
using c_operation = int (*)(const void*, size_t, const void*, size_t, void*, size_t, size_t*);

/// operate(operand, out) with the operand apart from the result, and where the result goes.
template <class Operate>
outcome apart_and_in_place(view a, std::size_t capacity, Operate operate) {
    return same_on_every_engine([&] {
        outcome apart = written(capacity, [&](auto out) { return operate(a, out); });
        if (a.size() <= capacity) {
            const outcome in_place = written(capacity, [&](std::span<std::byte> out) {
                if (!a.empty()) std::memcpy(out.data(), a.data(), a.size());
                return operate(view(out).first(a.size()), out);
            });
            LACONIC_HOLDS(in_place == apart);
        }
        return apart;
    });
}

bytes values_of(const outcome& frame) {
    const auto info = inspect(frame.data);
    LACONIC_HOLDS(info.ok());
    const outcome values =
        same_on_every_engine([&] { return decoded(frame.data, info->type, static_cast<std::size_t>(info->count)); });
    LACONIC_HOLDS(values.ok());
    return values.data;
}

template <class T>
double number(T value) noexcept {
    return static_cast<double>(static_cast<real_type<T>>(value));
}

/// Element by element; NaN where one of them is.
template <class T>
void check_extremes(const bytes& a, const bytes& b, const bytes& result, bool larger) {
    const auto x = values_in<T>(a), y = values_in<T>(b), z = values_in<T>(result);
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double p = number(x[i]), q = number(y[i]), r = number(z[i]);
        if (std::isnan(p) || std::isnan(q)) {
            LACONIC_HOLDS(std::isnan(r));
            continue;
        }
        LACONIC_HOLDS(r == (larger ? std::max(p, q) : std::min(p, q)));
        if (p == 0 && q == 0)
            LACONIC_HOLDS(std::signbit(r) ==
                          (larger ? std::signbit(p) && std::signbit(q) : std::signbit(p) || std::signbit(q)));
    }
}

/// The exact sum of two integers' values, rounded as stream.md says.
template <class T>
T rounded(std::int64_t q, double step) noexcept {
    if constexpr (sizeof(T) == 8)
        return static_cast<double>(q) * step;
    else
        return static_cast<T>(static_cast<float>(static_cast<double>(q) * step));
}

template <class T>
void check_integers(view a, view b, const frame_info& info, const bytes& sum, const bytes& difference) {
    const auto count = static_cast<std::size_t>(info.count);
    std::vector<std::int32_t> p(count), q(count);
    if (!extract(a, p).ok() || !extract(b, q).ok()) return;
    const auto x = values_in<T>(sum), y = values_in<T>(difference);
    for (std::size_t i = 0; i < count; ++i) {
        LACONIC_HOLDS(number(x[i]) == number(rounded<T>(std::int64_t{p[i]} + q[i], info.step)));
        LACONIC_HOLDS(number(y[i]) == number(rounded<T>(std::int64_t{p[i]} - q[i], info.step)));
    }
}

void check_multiple(view a, const integers_found& found, std::int32_t factor, std::size_t capacity) {
    const outcome multiple =
        apart_and_in_place(a, capacity, [&](view x, std::span<std::byte> out) { return scale(x, factor, out); });
    if (!multiple.ok()) return;
    (void)values_of(multiple);
    if (factor < 1 || factor > 5 || !found.honest || !found.tidy || found.has_raw_parts) return;
    outcome sum{errc::ok, bytes(a.begin(), a.end())};
    if (factor == 1) sum = multiple;
    for (std::int32_t k = 1; k < factor && sum.ok(); ++k)
        sum = written(capacity, [&](auto out) { return add(sum.data, a, out); });
    // "Nothing is raw": neither are the sums on the way.
    if (sum.ok() && inspect(sum.data)->raw_blocks == 0) LACONIC_HOLDS(sum == multiple);
}

void run(const pair_input& in) {
    const view a(in.a), b(in.b);
    const codec::frame_header header = fields_of(a);
    if (header.count > most_values) return;
    const std::size_t capacity = sum_bound(header.type, static_cast<std::size_t>(header.count));
    constexpr operation operations[] = {
        [](view x, view y, std::span<std::byte> out, const run_options& how) { return add(x, y, out, how); },
        [](view x, view y, std::span<std::byte> out, const run_options& how) { return subtract(x, y, out, how); },
        [](view x, view y, std::span<std::byte> out, const run_options& how) { return minimum(x, y, out, how); },
        [](view x, view y, std::span<std::byte> out, const run_options& how) { return maximum(x, y, out, how); }};
    constexpr c_operation c_operations[] = {laconic_add, laconic_subtract, laconic_minimum, laconic_maximum};
    outcome results[4];
    bytes decoded_results[4];
    run_options watched;
    watched.progress = [](void*, const progress_info& now) { return now.values <= now.total; };
    watched.threads = 2;
    for (std::size_t i = 0; i < 4; ++i) {
        results[i] = apart_and_in_place(a, capacity,
                                        [&](view x, std::span<std::byte> out) { return operations[i](x, b, out, {}); });
        LACONIC_HOLDS(same(results[i], written(capacity, [&](auto out) { return operations[i](a, b, out, watched); })));
        bytes c_out(capacity);
        std::size_t c_bytes = 0;
        const int code =
            c_operations[i](address_of(a), a.size(), address_of(b), b.size(), c_out.data(), capacity, &c_bytes);
        LACONIC_HOLDS(static_cast<errc>(code) == results[i].code);
        if (!results[i].ok()) continue;
        c_out.resize(c_bytes);
        LACONIC_HOLDS(c_out == results[i].data);
        decoded_results[i] = values_of(results[i]);
        LACONIC_HOLDS(written(capacity - 1, [&](auto out) { return operations[i](a, b, out, {}); }).code ==
                      errc::output_too_small);
    }
    // What one of them takes, all of them take, but for the number of contributions.
    LACONIC_HOLDS(results[0].ok() == results[1].ok() && results[2].ok() == results[3].ok());
    LACONIC_HOLDS(results[2].ok() || !results[0].ok());

    const auto info = inspect(a);
    if (!info || info->codec != codec_id::fle) return;
    const integers_found found = integers_of(a);
    check_multiple(a, found, in.factor, capacity);
    const outcome negative =
        apart_and_in_place(a, capacity, [&](view x, std::span<std::byte> out) { return negate(x, out); });
    LACONIC_HOLDS(negative.ok());
    LACONIC_HOLDS(negative == written(capacity, [&](auto out) { return scale(a, -1, out); }));
    (void)values_of(negative);
    if (!results[2].ok()) return;

    const integers_found other = integers_of(b);
    if (!found.honest || !other.honest || !found.tidy || !other.tidy) return;
    const outcome x = decoded(a, info->type, static_cast<std::size_t>(info->count));
    const outcome y = decoded(b, info->type, static_cast<std::size_t>(info->count));
    with_element(info->type, [&](auto zero) {
        using T = decltype(zero);
        check_extremes<T>(x.data, y.data, decoded_results[2], false);
        check_extremes<T>(x.data, y.data, decoded_results[3], true);
        if (results[0].ok()) check_integers<T>(a, b, *info, decoded_results[0], decoded_results[1]);
        return 0;
    });
    if (!results[0].ok() || !inspect(results[0].data)->exact_sums) return;
    const outcome commuted = written(capacity, [&](auto out) { return add(b, a, out); });
    LACONIC_HOLDS(commuted == results[0]);
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    laconic::fuzz::run(laconic::fuzz::pair_from(data, size, true));
    return 0;
}
