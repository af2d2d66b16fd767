// SPDX-License-Identifier: BSD-3-Clause
// NEON's vector vocabulary, operation by operation, against the scalar one: same lanes, same bytes, same answers, on
// values that no stream leads to as well.
#include <gtest/gtest.h>

#include "codec/neon/simd.hpp"
#include "codec/scalar/simd.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

using plain = codec::scalar_simd;
using neon = codec::neon_simd;
using lanes = plain::ints;
constexpr std::size_t n = plain::lanes;

/// The planes of 32 words, and what lies behind them.
using plane_bytes = std::array<std::byte, 64 + codec::slack_bytes>;

template <class S>
auto ints_of(const lanes& v) {
    return S::load_ints(v.data());
}
template <class S, class V>
lanes lanes_of(const V& v) {
    lanes out;
    S::store_ints(out.data(), v);
    return out;
}

/// Numbers of `bits` bits: 32 of them, or one among small ones, or all alike.
lanes random_lanes(std::mt19937_64& random, unsigned bits) {
    lanes v;
    for (std::int32_t& x : v) x = bits == 0 ? 0 : static_cast<std::int32_t>(random()) >> (32 - bits);
    const std::uint64_t shape = random() % 4;
    const std::int32_t one = v[0];
    if (shape == 0)
        for (std::int32_t& x : v) x >>= 24;
    if (shape == 0) v[random() % n] = one;
    if (shape == 1) v.fill(one);
    return v;
}

template <class Check>
void for_many_lanes(Check check) {
    std::mt19937_64 random(5);
    for (unsigned bits = 0; bits <= 32; ++bits)
        for (int round = 0; round < 40; ++round) {
            check(random_lanes(random, bits), random_lanes(random, bits), static_cast<std::int32_t>(random()));
            if (::testing::Test::HasFatalFailure()) return;
        }
}

template <class S>
std::vector<lanes> integer_results(const lanes& x, const lanes& y, std::int32_t factor) {
    const auto a = ints_of<S>(x);
    const auto b = ints_of<S>(y);
    auto carry = S::carry_of(factor);
    std::vector<lanes> found{lanes_of<S>(S::add(a, b)),
                             lanes_of<S>(S::subtract(a, b)),
                             lanes_of<S>(S::multiply(a, factor)),
                             lanes_of<S>(S::smaller(a, b)),
                             lanes_of<S>(S::larger(a, b)),
                             lanes_of<S>(S::deltas(a, carry)),
                             lanes_of<S>(S::deltas(a, S::last(b))),
                             lanes_of<S>(S::prefix(a, carry)),
                             lanes_of<S>(S::prefix(b, carry)),
                             lanes_of<S>(S::widen(S::low_words(a))),
                             lanes_of<S>(S::widen(S::high_words(a))),
                             lanes_of<S>(S::join(S::low_words(a), S::high_words(b))),
                             lanes_of<S>(S::widen(S::add(S::low_words(a), S::low_words(b)))),
                             lanes_of<S>(S::widen(S::subtract(S::low_words(a), S::low_words(b)))),
                             lanes_of<S>(S::zero())};
    lanes rest{};
    rest[0] = S::first(a);
    rest[1] = static_cast<std::int32_t>(S::fits15(a));
    rest[2] = static_cast<std::int32_t>(S::fits16(a));
    found.push_back(rest);
    return found;
}

TEST(neon_vocabulary, integers) {
    for_many_lanes([](const lanes& x, const lanes& y, std::int32_t factor) {
        ASSERT_EQ(integer_results<neon>(x, y, factor), integer_results<plain>(x, y, factor));
    });
    // The ends of 15 and 16 bits.
    for (const std::int32_t edge : {-32769, -32768, -16385, -16384, 16383, 16384, 32767, 32768}) {
        lanes x{};
        x[17] = edge;
        ASSERT_EQ(integer_results<neon>(x, x, 1), integer_results<plain>(x, x, 1)) << edge;
    }
}

template <class S>
auto plane_results(const lanes& x, std::uint32_t below) {
    plane_bytes planes{};
    const std::uint32_t changed = S::put_words(S::low_words(ints_of<S>(x)), planes.data(), below);
    std::vector<lanes> back;
    for (unsigned width = 1; width <= 16; ++width)
        back.push_back(lanes_of<S>(S::widen(S::get_words(planes.data(), width))));
    auto carry = S::carry_of(x[3]);
    for (unsigned width = 0; width <= 11; ++width)
        back.push_back(lanes_of<S>(S::prefix_words(planes.data(), width, carry)));
    const unsigned width = S::put16(ints_of<S>(x), planes.data() + 128);
    S::copy64(planes.data() + 4, planes.data());
    return std::tuple(planes, changed, width, S::width_from(changed), back);
}

TEST(neon_vocabulary, planes) {
    for_many_lanes([](const lanes& x, const lanes& y, std::int32_t) {
        const auto below = static_cast<std::uint32_t>(y[0]);
        ASSERT_TRUE(plane_results<neon>(x, below) == plane_results<plain>(x, below));
    });
}

template <class T>
class neon_values : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(neon_values, types);

template <class T, class V>
std::vector<bits_of<T>> patterns_of(const V& values, auto store) {
    std::array<T, n> y;
    store(reinterpret_cast<std::byte*>(y.data()), values);
    std::vector<bits_of<T>> found;
    for (const T v : y) found.push_back(pattern(v));
    return found;
}

template <class S, class T>
auto value_results(const std::array<T, n>& x, T step, T limit, const lanes& other) {
    codec::quantiser<T> how;
    how.step = step;
    how.inverse = T{1} / step;
    how.limit = limit;
    const auto rule = S::prepare(how);
    const auto v = S::template load<T>(reinterpret_cast<const std::byte*>(x.data()));
    const auto q = S::quantise(v, rule);
    const auto real = S::template to_real<T>(q);
    const auto store = [](std::byte* to, const auto& values) { S::template store<T>(to, values); };
    auto peak = S::template no_peak<T>();
    // Beyond 24 bits the scalar peak of floats is a rounded one.
    lanes small = other;
    for (std::int32_t& i : small) i >>= 7;
    S::raise(peak, ints_of<S>(small), S::template to_real<T>(ints_of<S>(small)));
    const auto narrow = S::template restore<T, false>(ints_of<S>(other), S::template scale_of<T, false>(step));
    const auto wide = S::template restore<T, true>(ints_of<S>(other), S::template scale_of<T, true>(step));
    auto range = S::template no_range<T>();
    S::extend(range, v);
    const auto found = S::template finish<T>(range, reinterpret_cast<const std::byte*>(x.data()), n);
    return std::tuple(lanes_of<S>(q), patterns_of<T>(real, store), S::misses(v, real, rule), S::is_odd(v, real, rule),
                      patterns_of<T>(narrow, store), patterns_of<T>(wide, store),
                      static_cast<double>(S::template highest<T>(peak)), pattern(found.min), pattern(found.max),
                      pattern(found.max_abs), found.nonfinite);
}

TYPED_TEST(neon_values, all_operations) {
    using T = TypeParam;
    const T inf = std::numeric_limits<T>::infinity();
    const std::array<T, 16> odd{std::numeric_limits<T>::quiet_NaN(),
                                -std::numeric_limits<T>::quiet_NaN(),
                                inf,
                                -inf,
                                T(-0.0),
                                T(0),
                                T(1 << 30),
                                -T(1 << 30),
                                std::nextafter(T(1 << 30), T(0)),
                                T(2147483648.0),
                                -T(2147483648.0),
                                T(4294967296.0),
                                std::numeric_limits<T>::max(),
                                T(0.5),
                                T(-1.5),
                                T(2.5)};
    std::mt19937_64 random(9);
    for (const T step : {T(1), T(0.25), T(3e-5), std::numeric_limits<T>::denorm_min(), T(1e30)}) {
        for (const char* name : field_names) {
            for (std::uint64_t seed = 0; seed < 12; ++seed) {
                const auto field = make_field<T>(name, n, seed);
                std::array<T, n> x;
                std::copy(field.begin(), field.end(), x.begin());
                if (seed % 3 == 1)
                    for (T& v : x) v *= step;
                // Few at a time: one value that misses would hide the others.
                if (seed % 2 == 1) x[random() % n] = odd[random() % odd.size()];
                // As a chunk's integers are: INT32_MIN only where a block is given up.
                const lanes other = random_lanes(random, 1 + static_cast<unsigned>(random() % 30));
                for (const T limit : {T(0), step / 2, step * 4, T(1e-3)})
                    ASSERT_TRUE((value_results<neon, T>(x, step, limit, other) ==
                                 value_results<plain, T>(x, step, limit, other)))
                        << name << " step " << step << " limit " << limit << " seed " << seed;
            }
        }
    }
}

template <class T>
void expect_same_16_bit() {
    // Every number of the type, and floats around the middle between neighbours.
    for (std::uint32_t first = 0; first < 0x10000; first += n) {
        std::array<T, n> x;
        for (std::uint32_t i = 0; i < n; ++i) x[i].bits = static_cast<std::uint16_t>(first + i);
        if (std::isnan(static_cast<float>(x[1]))) continue;
        const auto* const from = reinterpret_cast<const std::byte*>(x.data());
        std::array<float, n> wide;
        neon::store<float>(reinterpret_cast<std::byte*>(wide.data()), neon::load<T>(from));
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_TRUE(std::isnan(wide[i]) || pattern(wide[i]) == pattern(static_cast<float>(x[i]))) << first + i;
        for (const std::int32_t shift : {0, 1, -1, 0xFFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001}) {
            for (float& v : wide) v = std::isnan(v) ? 1.0F : v;
            std::array<float, n> near;
            for (std::size_t i = 0; i < n; ++i)
                near[i] = std::bit_cast<float>(pattern(wide[i]) + static_cast<std::uint32_t>(shift));
            for (float& v : near) v = std::isnan(v) ? 1.0F : v;
            std::array<T, n> found;
            neon::store<T>(reinterpret_cast<std::byte*>(found.data()),
                           neon::load<float>(reinterpret_cast<const std::byte*>(near.data())));
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i].bits, T(near[i]).bits) << near[i];
        }
    }
}
TEST(neon_vocabulary, binary16) { expect_same_16_bit<half>(); }
TEST(neon_vocabulary, bfloat16) { expect_same_16_bit<bfloat16>(); }

}  // namespace
}  // namespace laconic::testing
