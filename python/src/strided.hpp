// SPDX-License-Identifier: BSD-3-Clause
// An N-dimensional view of somebody else's memory, as the buffer protocol and DLPack both describe it, and the copy
// that brings it into C order and this machine's byte order when it is not already.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "laconic/codec.hpp"

namespace laconic::python {

struct strided_view {
    const std::byte* data = nullptr;
    element_type type = element_type::f32;
    bool swapped = false;                 ///< the other byte order
    std::vector<std::ptrdiff_t> shape;    ///< elements; none: a scalar
    std::vector<std::ptrdiff_t> strides;  ///< bytes, one for each dimension

    /// Sets the strides of C order without gaps. Precondition: shape and type are set.
    void assume_c_order();
    [[nodiscard]] std::size_t count() const noexcept;
    /// C order without gaps.
    [[nodiscard]] bool contiguous() const noexcept;
    /// All elements in C order and this machine's byte order.
    [[nodiscard]] std::unique_ptr<std::byte[]> copy() const;
};

}  // namespace laconic::python
