// SPDX-License-Identifier: BSD-3-Clause
// A signature taken apart by the table of MPI functions: bytes flow in, the codes of every argument flow out, as they
// stand in the signature (docs/format/trace-signature.md) and without memory of their own per value, so that a parser
// that is kept reads call after call without allocating.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/function_table.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// Large-count forms have the number of the other plus this.
constexpr std::uint32_t large_count_offset = 1024;

/// What a value is by its form:
///   integer              number
///   rank                 code, as in the signature; 4: number is the value; from 5 on number is rank - own rank
///   handle, pointer, flags, error   code
///   request              code: 0 none, else pool + 1; extra: slot
///   buffer, address      code: space; extra: segment; number: displacement, or a plain number in space 0
///   string               code: 0 NULL; text
///   named                code: 0: number is the value
///   status               code: flags; extra: code of the source's rank, source: its number; number: tag; bytes; error
struct wire_value {
    std::uint64_t code = 0, extra = 0;
    std::int64_t number = 0, source = 0;
    std::uint64_t bytes = 0, error = 0;  ///< bytes: of a buffer the device
    std::string_view text;
};

struct parsed_argument {
    const mpi::parameter_info* of = nullptr;
    bool after = false;    ///< written after the call
    bool present = false;  ///< false: a condition was not met, or an array was NULL
    bool packed = false;   ///< value i is the first + i * step, and only the first is stored
    std::int64_t step = 0;
    std::uint64_t count = 1;  ///< of an array
    std::size_t first = 0;    ///< position in values()
};

class parsed_call {
public:
    /// False: the bytes match no row; function() and thread() are then all there is. The call refers to `signature`.
    bool parse(view signature);

    /// Null: the table has no such function.
    [[nodiscard]] const mpi::function_info* row() const noexcept { return row_; }
    [[nodiscard]] std::uint32_t function() const noexcept { return function_; }
    [[nodiscard]] std::uint64_t thread() const noexcept { return thread_; }
    /// As in the signature: 0 success, 1 had not returned, else an error class. 0 for functions that return none.
    [[nodiscard]] std::uint64_t result() const noexcept { return result_; }
    /// Inputs, then outputs.
    [[nodiscard]] std::span<const parsed_argument> arguments() const noexcept { return arguments_; }
    [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
    /// What a function returns that returns no error code; null when there is none.
    [[nodiscard]] const wire_value* returned() const noexcept { return has_returned_ ? &returned_ : nullptr; }

    /// The first of that name, an output where `after`; null when the call has none.
    [[nodiscard]] const parsed_argument* find(std::string_view name, bool after = false) const noexcept;
    /// Value `i` of an argument. Precondition: present, i < count.
    [[nodiscard]] wire_value value(const parsed_argument& of, std::uint64_t i = 0) const noexcept;
    /// An integer argument that is not there, or no array of such a length, is `otherwise`.
    [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise,
                                       bool after = false) const noexcept;

private:
    void parameter(const mpi::parameter_info& of, bool after);
    wire_value one(mpi::form form);

    wire_reader in_{view{}};
    const mpi::function_info* row_ = nullptr;
    std::uint32_t function_ = 0;
    std::uint64_t thread_ = 0, result_ = 0;
    std::vector<parsed_argument> arguments_;
    std::vector<wire_value> values_;
    std::size_t inputs_ = 0;
    wire_value returned_;
    bool has_returned_ = false;
};

/// The row of a function or of its large-count form; null when the table has none.
[[nodiscard]] const mpi::function_info* row_of(std::uint32_t function) noexcept;

}  // namespace laconic::trace
