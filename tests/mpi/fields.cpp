// SPDX-License-Identifier: BSD-3-Clause
// Formulas of the test fields.
#include "fields.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "laconic/half.hpp"

namespace laconic::test {
namespace {

std::uint64_t mix(std::uint64_t x) noexcept {  // splitmix64
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}
double unit(int rank, std::size_t i) noexcept {
    return static_cast<double>(mix(i * 64 + static_cast<std::uint64_t>(rank)) >> 11) * 0x1p-53;
}
double wave(int rank, std::size_t i) noexcept {
    return std::sin(static_cast<double>(i) * 0.01 + rank) + 0.1 * std::sin(static_cast<double>(i) * 0.13 * (rank + 1));
}

template <class T>
T strange(int rank, std::size_t i) noexcept {
    using limits = std::numeric_limits<T>;
    switch (mix(i * 977 + static_cast<std::uint64_t>(rank)) % 61) {
        case 0: return limits::quiet_NaN();
        case 1: return limits::infinity();
        case 2: return -limits::infinity();
        case 3: return static_cast<T>(1e30);
        case 4: return static_cast<T>(-1e30);
        case 5: return limits::denorm_min();
        case 6:
        case 7: return static_cast<T>(-0.0);
        default: return static_cast<T>(wave(rank, i));
    }
}

template <class T>
T value(field kind, int rank, std::size_t i) noexcept {
    switch (kind) {
        case field::smooth: return static_cast<T>(wave(rank, i));
        case field::noise: return static_cast<T>(2 * unit(rank, i) - 1);
        case field::offset: return static_cast<T>(290 + 6.5 * std::sin(static_cast<double>(i) * 0.003 + rank));
        case field::constant: return static_cast<T>(3.7);
        case field::zeros: return 0;
        case field::tiny:
            return static_cast<T>((unit(rank, i) - 0.5) * 64) * std::numeric_limits<T>::denorm_min() *
                   (i % 3 == 0 ? 1 : 1024);
        case field::adversarial:
            // Stretches of ordinary values in between, so that blocks of all kinds meet.
            return i / 100 % 3 == 0 ? strange<T>(rank, i) : static_cast<T>(wave(rank, i));
        case field::patchy: {
            const std::size_t patch = i / 4096;
            return patch * patch % 5 < 2 ? static_cast<T>(2 * unit(rank, i) - 1) : T{0};
        }
    }
    return 0;
}

}  // namespace

std::string_view name_of(field kind) noexcept {
    switch (kind) {
        case field::smooth: return "smooth";
        case field::noise: return "noise";
        case field::offset: return "offset";
        case field::constant: return "constant";
        case field::zeros: return "zeros";
        case field::tiny: return "tiny";
        case field::adversarial: return "adversarial";
        case field::patchy: return "patchy";
    }
    return "?";
}

template <class T>
std::vector<T> make_field(field kind, int rank, std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = value<T>(kind, rank, i);
    return values;
}

namespace {

template <class T>
std::vector<T> narrowed(field kind, int rank, std::size_t count) {
    std::vector<T> values;
    for (const float x : make_field<float>(kind, rank, count)) values.emplace_back(x);
    return values;
}

}  // namespace

template <>
std::vector<half> make_field(field kind, int rank, std::size_t count) {
    return narrowed<half>(kind, rank, count);
}
template <>
std::vector<bfloat16> make_field(field kind, int rank, std::size_t count) {
    return narrowed<bfloat16>(kind, rank, count);
}
template std::vector<float> make_field(field, int, std::size_t);
template std::vector<double> make_field(field, int, std::size_t);

}  // namespace laconic::test
