// SPDX-License-Identifier: BSD-3-Clause
// What tests of the C face share: element types, values whose sums are small integers, and a way to make any call in
// each of its three forms.
#pragma once

#include <mpi.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "laconic/half.hpp"
#include "laconic/laconic.h"
#include "run.hpp"

namespace laconic::test {

template <class T>
[[nodiscard]] MPI_Datatype c_type() {
    if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
    if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
    if constexpr (std::is_same_v<T, half>) return laconic_half_type();
    if constexpr (std::is_same_v<T, bfloat16>) return laconic_bfloat16_type();
    return MPI_INT;
}
template <class T>
[[nodiscard]] T c_value(int number) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
        return T(static_cast<float>(number));
    else
        return static_cast<T>(number);
}
template <class T>
[[nodiscard]] double c_real(T value) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
        return static_cast<double>(static_cast<float>(value));
    else
        return static_cast<double>(value);
}

inline constexpr double c_bound = 0.01;
inline constexpr int untouched = -77;

/// `which` tells the parts of an array apart.
[[nodiscard]] inline int number_of(int rank, int which, std::size_t i) {
    return 3 * (rank + 1) + 7 * which % 11 + static_cast<int>(i % 5);
}
template <class T>
[[nodiscard]] std::vector<T> numbers(int rank, int which, std::size_t count) {
    std::vector<T> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = c_value<T>(number_of(rank, which, i));
    return all;
}
template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}
template <class T>
[[nodiscard]] std::vector<T> blank(std::size_t count) {
    return std::vector<T>(count, c_value<T>(untouched));
}

/// out[first + i] is want(i) for all i < count: within the bound and half an ulp, integers exactly.
template <class T>
void check_numbers(const std::vector<T>& out, std::size_t first, std::size_t count,
                   const std::function<int(std::size_t)>& want, const std::string& what) {
    for (std::size_t i = 0; i < count; ++i) {
        const double have = c_real(out[first + i]);
        const double digits = std::is_same_v<T, half> ? 0x1p-11 : std::is_same_v<T, bfloat16> ? 0x1p-8 : 0x1p-24;
        const double allowed = std::is_same_v<T, int> ? 0 : c_bound + digits * std::fabs(have);
        if (std::fabs(have - want(i)) <= allowed) continue;
        check(false, what + ": element " + std::to_string(first + i) + " is " + std::to_string(have) + ", not " +
                         std::to_string(want(i)));
        return;
    }
}
template <class T>
void check_untouched(const std::vector<T>& out, std::size_t first, std::size_t count, const std::string& what) {
    for (std::size_t i = first; i < first + count; ++i)
        if (c_real(out[i]) != untouched) {
            check(false, what + ": element " + std::to_string(i) + " was written: " + std::to_string(c_real(out[i])));
            return;
        }
}

enum class form { blocking, nonblocking, persistent };
inline constexpr std::array forms{form::blocking, form::nonblocking, form::persistent};

/// Waits for a request of either kind; lists of counts that it was made with are spoilt first: it has its own.
inline int finish_request(int code, form how, laconic_request& request,
                          std::initializer_list<std::vector<std::size_t>*> lists) {
    if (code != LACONIC_OK) return code;
    for (std::vector<std::size_t>* const list : lists) list->assign(list->size(), 123456789);
    if (how == form::persistent) code = laconic_start(&request);
    if (code == LACONIC_OK) code = laconic_wait(&request);
    check((request == LACONIC_REQUEST_NULL) == (how == form::nonblocking), "who frees a request");
    const std::string message = laconic_last_message();
    check(laconic_request_free(&request) == LACONIC_OK && request == LACONIC_REQUEST_NULL, "free a finished request");
    if (code != LACONIC_OK) check(false, message);
    return code;
}

}  // namespace laconic::test

/// Calls laconic_NAME in one of its forms. LISTS are vectors of counts among the arguments, in parentheses.
#define LACONIC_CALL(how, lists, name, options, ...)                                                          \
    [&] {                                                                                                     \
        laconic_request request = LACONIC_REQUEST_NULL;                                                       \
        if ((how) == form::blocking) return laconic_##name(__VA_ARGS__, options);                             \
        const int begun = (how) == form::nonblocking ? laconic_i##name(__VA_ARGS__, options, &request)        \
                                                     : laconic_##name##_init(__VA_ARGS__, options, &request); \
        return finish_request(begun, how, request, lists);                                                    \
    }()
#define LACONIC_LISTS(...) \
    std::initializer_list<std::vector<std::size_t>*> { __VA_ARGS__ }
