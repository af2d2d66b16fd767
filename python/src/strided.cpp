// SPDX-License-Identifier: BSD-3-Clause
// Gathers strided elements: the innermost dimension in a loop over one element size, the others by an odometer.
#include "strided.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace laconic::python {
namespace {

std::uint16_t reversed(std::uint16_t bits) noexcept { return __builtin_bswap16(bits); }
std::uint32_t reversed(std::uint32_t bits) noexcept { return __builtin_bswap32(bits); }
std::uint64_t reversed(std::uint64_t bits) noexcept { return __builtin_bswap64(bits); }

template <class Bits>
void gather_row(const std::byte* from, std::ptrdiff_t count, std::ptrdiff_t stride, bool swapped, std::byte* to) {
    for (std::ptrdiff_t i = 0; i < count; ++i, to += sizeof(Bits)) {
        Bits bits;
        std::memcpy(&bits, from + i * stride, sizeof bits);
        if (swapped) bits = reversed(bits);
        std::memcpy(to, &bits, sizeof bits);
    }
}

template <class Bits>
void gather(const strided_view& view, std::byte* to) {
    const std::size_t outer = view.shape.empty() ? 0 : view.shape.size() - 1;
    const std::ptrdiff_t row = view.shape.empty() ? 1 : view.shape.back();
    const std::ptrdiff_t stride = view.strides.empty() ? 0 : view.strides.back();
    std::vector<std::ptrdiff_t> index(outer, 0);
    const std::byte* from = view.data;
    while (true) {
        gather_row<Bits>(from, row, stride, view.swapped, to);
        to += row * static_cast<std::ptrdiff_t>(sizeof(Bits));
        std::size_t d = outer;
        while (d > 0) {
            --d;
            from += view.strides[d];
            if (++index[d] < view.shape[d]) break;
            from -= view.strides[d] * view.shape[d];
            index[d] = 0;
            if (d == 0) return;
        }
        if (outer == 0) return;
    }
}

}  // namespace

void strided_view::assume_c_order() {
    strides.resize(shape.size());
    auto stride = static_cast<std::ptrdiff_t>(size_of(type));
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
}

std::size_t strided_view::count() const noexcept {
    std::size_t product = 1;
    for (const std::ptrdiff_t extent : shape) product *= static_cast<std::size_t>(extent);
    return product;
}

bool strided_view::contiguous() const noexcept {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
    auto expected = static_cast<std::ptrdiff_t>(size_of(type));
    for (std::size_t d = shape.size(); d-- > 0;) {
        // The stride of a dimension of one element is never used.
        if (shape[d] != 1 && strides[d] != expected) return false;
        expected *= shape[d];
    }
    return true;
}

std::unique_ptr<std::byte[]> strided_view::copy() const {
    auto elements = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, count() * size_of(type)));
    if (count() == 0) return elements;
    switch (size_of(type)) {
        case sizeof(std::uint16_t): gather<std::uint16_t>(*this, elements.get()); break;
        case sizeof(std::uint32_t): gather<std::uint32_t>(*this, elements.get()); break;
        default: gather<std::uint64_t>(*this, elements.get());
    }
    return elements;
}

}  // namespace laconic::python
