// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI as data, for readers of signatures (docs/format/trace-signature.md) on machines without MPI: a
// function's number flows in, its name and its parameters' names and forms flow out. The rows are generated from
// src/mpi/api.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace laconic::mpi {

/// How a value stands in a signature.
enum class form : std::uint8_t {
    none,
    integer,
    rank,
    handle,
    request,
    buffer,
    address,
    status,
    string,
    named,
    flags,
    pointer,
    error,
};

/// Constants by their numbers in signatures.
struct constant_list {
    std::string_view name;
    std::span<const std::string_view> members;
};

struct parameter_info {
    std::string_view name;
    std::string_view kind;  ///< a row of src/mpi/api/kinds.api
    mpi::form form = form::none;
    bool before = false;       ///< written before the call: inputs, and buffers whatever their direction
    bool after = false;        ///< written after the call: outputs; numbers that are inout stand on both sides
    bool array = false;        ///< a length comes first
    bool conditional = false;  ///< 0 (absent) or 1 comes first
    std::int16_t list = -1;    ///< of constants: constants(list); -1: none
};

struct function_info {
    std::uint16_t number = 0;
    std::string_view name;
    std::string_view since;  ///< version of the standard, or whose extension it is
    std::string_view chapter;
    bool has_result = true;     ///< returns an error code, which stands between inputs and outputs
    form returns = form::none;  ///< of another result: it stands behind the outputs
    std::int16_t returns_list = -1;
    std::span<const parameter_info> parameters;  ///< those that are recorded
};

/// The function with this number; null when the table has none.
[[nodiscard]] const function_info* find_function(std::uint32_t number) noexcept;
/// The same by name, e.g. "MPI_Send".
[[nodiscard]] const function_info* find_function(std::string_view name) noexcept;
/// All functions in the order of their numbers.
[[nodiscard]] std::span<const function_info> functions() noexcept;
/// A list of constants; empty when there is none with this number.
[[nodiscard]] constant_list constants(std::int16_t list) noexcept;

}  // namespace laconic::mpi
