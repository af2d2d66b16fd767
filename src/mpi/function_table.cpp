// SPDX-License-Identifier: BSD-3-Clause
// The generated rows, and looking them up.
#include "mpi/function_table.hpp"

#include <algorithm>
#include <array>

namespace laconic::mpi {
namespace {

#include "function_names.inc"

}  // namespace

const function_info* find_function(std::uint32_t number) noexcept {
    const auto* at =
        std::lower_bound(all_functions.begin(), all_functions.end(), number,
                         [](const function_info& row, std::uint32_t wanted) { return row.number < wanted; });
    return at != all_functions.end() && at->number == number ? at : nullptr;
}

const function_info* find_function(std::string_view name) noexcept {
    const auto* at = std::find_if(all_functions.begin(), all_functions.end(),
                                  [name](const function_info& row) { return row.name == name; });
    return at != all_functions.end() ? at : nullptr;
}

std::span<const function_info> functions() noexcept { return all_functions; }

constant_list constants(std::int16_t list) noexcept {
    if (list < 0 || static_cast<std::size_t>(list) >= all_lists.size()) return {};
    return all_lists[static_cast<std::size_t>(list)];
}

}  // namespace laconic::mpi
