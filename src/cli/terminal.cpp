// SPDX-License-Identifier: BSD-3-Clause
// Values in, aligned and (on a terminal) coloured text on standard output out.
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace laconic::cli {
namespace {

bool shows_colours() {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    // Open MPI gives every rank a pseudo-terminal, also when all of it ends in a file.
    if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return false;
    return is_terminal(stdout) && !(no_colour && *no_colour) && terminal && std::string_view(terminal) != "dumb";
}

std::string escaped(std::string_view code, std::string_view text) {
    return shows_colours() ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

}  // namespace

bool is_terminal(std::FILE* stream) noexcept { return ::isatty(::fileno(stream)) == 1; }

std::string bold(std::string_view text) { return escaped("1", text); }
std::string dim(std::string_view text) { return escaped("2", text); }

void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::size_t width = 0;
    for (const auto& [key, value] : pairs) width = std::max(width, key.size());
    for (const auto& [key, value] : pairs)
        fmt::print("{}{}  {}\n", dim(key), std::string(width - key.size(), ' '), value);
}

void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t first_right) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::string line;
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
            const std::string& cell = rows[r][c];
            const std::string padding(widths[c] - cell.size(), ' ');
            if (c > 0) line += "  ";
            line += c >= first_right ? padding + cell : cell + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        fmt::print("{}\n", r == 0 ? bold(line) : line);
    }
}

}  // namespace laconic::cli
