// SPDX-License-Identifier: BSD-3-Clause
// How text looks to a person: keys with values and rows of cells flow in, aligned lines flow out; bold and dim only
// where standard output is a terminal that wants colour (NO_COLOR and TERM=dumb switch it off).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace laconic::cli {

[[nodiscard]] bool is_terminal(std::FILE* stream) noexcept;

/// The text, wrapped in an escape sequence when standard output shows colours.
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string dim(std::string_view text);

/// Prints "key  value" lines, keys padded to the longest.
void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

/// Prints rows with columns padded to their widest cell; the first row is the head. Columns whose index is
/// >= first_right are right-aligned.
void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t first_right);

}  // namespace laconic::cli
