// SPDX-License-Identifier: BSD-3-Clause
// The arguments of recorded calls: a signature (trace_call::signature of trace.hpp) flows in, the function and its
// arguments by the names of the MPI standard flow out. No MPI is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace laconic {

struct trace_field;

/// A value by its kind (docs/format/trace-signature.md):
///   nothing   an argument that means nothing in this call, or an array that was NULL
///   integer   numbers, tags, ranks; bytes and unknown codes are unsigned
///   text      names of constants ("MPI_DOUBLE", "MPI_ANY_SOURCE"), things by symbolic number ("#3", "heap 2+800",
///             requests as "pool.slot"), and texts of the program
///   list      arrays and sets of flags
///   fields    statuses; long arrays of equal steps, as {count, first, step}
struct trace_value {
    using list = std::vector<trace_value>;
    using fields = std::vector<trace_field>;
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, std::string, list, fields> is;
};

struct trace_field {
    std::string name;
    trace_value value;
};

struct trace_arguments {
    std::string function;      ///< "MPI_Send"; "function 12" for one that this version does not know
    std::uint64_t thread = 0;  ///< threads of the process, by their first call
    /// "MPI_SUCCESS", a class of errors, "not returned"; functions that return no error code succeed.
    std::string status;
    /// Inputs, then outputs; a number that was changed is there twice, as NAME and NAME_after. The value of a function
    /// that returns no error code is the last, "value". Where the bytes do not match this version's row of the
    /// function: one field, "numbers", as they stand.
    std::vector<trace_field> arguments;
    std::size_t inputs = 0;  ///< how many of them are inputs
};

/// Never fails: bytes from anywhere give some arguments. Thread-safe; O(bytes, and values of arrays up to 4096).
[[nodiscard]] trace_arguments arguments_of(std::span<const std::byte> signature);

/// "MPI_Send", "MPI_Send_c"; "function 12" for a number that this version does not know. Numbers are those of
/// function_of().
[[nodiscard]] std::string trace_function_name(std::uint32_t function);

}  // namespace laconic
