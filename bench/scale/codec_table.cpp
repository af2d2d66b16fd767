// SPDX-License-Identifier: BSD-3-Clause
// Reading and looking up.
#include "codec_table.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace laconic::scale {
namespace {

/// A message says at least how many contributions it carries.
constexpr std::size_t least_bytes = 16;

}  // namespace

double codec_row::ratio_of(std::size_t contributions) const noexcept {
    const double at = std::log2(static_cast<double>(std::max<std::size_t>(contributions, 1)));
    const auto last = static_cast<double>(ratios.size() - 1);
    if (at >= last) return ratios.back();
    const auto below = static_cast<std::size_t>(at);
    const double share = at - static_cast<double>(below);
    return ratios[below] + share * (ratios[below + 1] - ratios[below]);
}

std::size_t codec_row::bytes_of(std::size_t values, std::size_t contributions) const noexcept {
    const double bytes = static_cast<double>(values * sizeof(float)) / ratio_of(contributions);
    return std::max(least_bytes, static_cast<std::size_t>(std::ceil(bytes)));
}

std::size_t codec_row::most_bytes(std::size_t values) const noexcept {
    const double worst = *std::min_element(ratios.begin(), ratios.end());
    return std::max(least_bytes,
                    static_cast<std::size_t>(std::ceil(static_cast<double>(values * sizeof(float)) / worst)));
}

std::map<std::string, codec_row> read_codec_table(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read '" + path + "'");
    std::map<std::string, codec_row> table;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name;
        if (!(words >> name)) continue;
        codec_row row;
        words >> row.compress >> row.decompress >> row.add >> row.fused >> row.plain_sum;
        for (double* const speed : {&row.compress, &row.decompress, &row.add, &row.fused, &row.plain_sum})
            *speed *= 1e9;
        for (double ratio = 0; words >> ratio;) row.ratios.push_back(ratio);
        if (row.ratios.empty() || row.plain_sum <= 0 || *std::min_element(row.ratios.begin(), row.ratios.end()) <= 0)
            throw std::runtime_error(path + ", line " + std::to_string(number) +
                                     ": expected a name, five speeds and at least one ratio");
        table[name] = row;
    }
    return table;
}

}  // namespace laconic::scale
