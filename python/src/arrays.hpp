// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the module: arrays that are read, arrays that are written, frames. Each holds on to the caller's
// memory for the duration of a call, so that the work itself can run without the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "buffer.hpp"
#include "dlpack.hpp"

namespace laconic::python {

/// Elements of the library's four types in C order. Arrays with gaps or in the other byte order are copied.
class input_array {
public:
    /// `name` is the parameter's, for messages. Throws InvalidType or InvalidArgument with the remedy.
    input_array(pybind11::handle object, const std::string& name);

    [[nodiscard]] element_type type() const noexcept { return type_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Length of the last dimension; 0 with fewer than two.
    [[nodiscard]] std::size_t row() const noexcept { return row_; }
    /// Precondition: type() is that of T. Any alignment, as the codec takes it.
    template <class T>
    [[nodiscard]] std::span<const T> as() const noexcept {
        return {reinterpret_cast<const T*>(data_), count_};
    }

private:
    std::optional<buffer> buffer_;
    std::optional<dlpack_tensor> tensor_;
    std::unique_ptr<std::byte[]> copy_;
    const std::byte* data_ = nullptr;
    std::size_t count_ = 0;
    std::size_t row_ = 0;
    element_type type_ = element_type::f32;
};

/// Writable elements in C order without gaps; everything else is refused. 16-bit integers hold the bits of bfloat16.
class output_array {
public:
    explicit output_array(pybind11::handle object);

    [[nodiscard]] element_type type() const noexcept { return type_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    template <class T>
    [[nodiscard]] std::span<T> as() const noexcept {
        return {static_cast<T*>(buffer_->view().buf), count_};
    }

private:
    std::optional<buffer> buffer_;
    std::size_t count_ = 0;
    element_type type_ = element_type::f32;
};

/// The bytes of a frame: any contiguous buffer.
class frame_argument {
public:
    frame_argument(pybind11::handle object, const std::string& name);

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return {static_cast<const std::byte*>(buffer_->view().buf), static_cast<std::size_t>(buffer_->view().len)};
    }

private:
    std::optional<buffer> buffer_;
};

/// 32-bit integers in C order without gaps and in this machine's byte order; everything else is refused.
class integer_argument {
public:
    explicit integer_argument(pybind11::handle object);

    [[nodiscard]] std::span<const std::int32_t> values() const noexcept {
        return {static_cast<const std::int32_t*>(buffer_->view().buf),
                static_cast<std::size_t>(buffer_->view().len) / sizeof(std::int32_t)};
    }

private:
    std::optional<buffer> buffer_;
};

/// Whether an operand of a sum is an array; otherwise it is taken for a frame. A frame has elements of one byte.
[[nodiscard]] bool is_array(pybind11::handle object);

}  // namespace laconic::python
