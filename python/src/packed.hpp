// SPDX-License-Identifier: BSD-3-Clause
// Many numbers, as they travel between numpy's arrays and the library: bytes objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace laconic::python {

template <class T>
pybind11::bytes as_bytes(std::span<const T> numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

template <class T>
std::vector<T> numbers_of(const pybind11::handle& bytes) {
    const auto text = pybind11::cast<std::string_view>(bytes);
    std::vector<T> numbers(text.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), text.data(), numbers.size() * sizeof(T));
    return numbers;
}

}  // namespace laconic::python
