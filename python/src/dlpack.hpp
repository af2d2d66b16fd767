// SPDX-License-Identifier: BSD-3-Clause
// DLPack: an object with __dlpack__ (torch, jax, cupy, numpy, ...) goes in, its memory with shape and element type
// comes out. Nothing else of the frameworks is needed; only memory of the CPU is taken.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "strided.hpp"

namespace laconic::python {

/// Shares a tensor that was taken over from its capsule; the last copy gives it back (with the GIL held).
class dlpack_tensor {
public:
    [[nodiscard]] static bool offered_by(pybind11::handle object);

    /// Takes the tensor over; `name` is the parameter's, for messages. Throws InvalidArgument when it is on another
    /// device or contradicts itself, InvalidType for element types that laconic does not have, and lets the
    /// exporter's own exceptions through.
    dlpack_tensor(pybind11::handle object, const std::string& name);

    [[nodiscard]] const strided_view& elements() const noexcept { return elements_; }

private:
    void take(pybind11::handle capsule, const std::string& name);

    std::shared_ptr<void> owner_;  ///< calls the exporter's deleter
    strided_view elements_;
};

}  // namespace laconic::python
