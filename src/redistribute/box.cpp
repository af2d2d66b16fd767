// SPDX-License-Identifier: BSD-3-Clause
// Boxes and extents: numbers flow in, volumes, intersections, checked domains and cuts flow out.
#include <algorithm>

#include "redistribute/extents.hpp"

namespace laconic {

std::int64_t box::volume() const noexcept {
    std::int64_t product = 1;
    for (std::size_t d = 0; d < dimensions; ++d) product *= std::max<std::int64_t>(extent(d), 0);
    return product;
}

bool box::empty() const noexcept {
    for (std::size_t d = 0; d < dimensions; ++d)
        if (lower[d] >= upper[d]) return true;
    return dimensions == 0;
}

std::string box::text() const {
    std::string text;
    for (std::size_t d = 0; d < dimensions; ++d)
        text += (d ? " x [" : "[") + std::to_string(lower[d]) + ", " + std::to_string(upper[d]) + ")";
    return text;
}

box intersection(const box& a, const box& b) noexcept {
    box shared{a.dimensions, {}, {}};
    for (std::size_t d = 0; d < a.dimensions; ++d) {
        shared.lower[d] = std::max(a.lower[d], b.lower[d]);
        shared.upper[d] = std::max(shared.lower[d], std::min(a.upper[d], b.upper[d]));
    }
    return shared;
}

namespace redistribute {

std::string product_text(std::span<const std::int64_t> numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += (text.empty() ? "" : " x ") + std::to_string(number);
    return text;
}

result<box> domain_of(std::span<const std::int64_t> extents) {
    if (extents.empty() || extents.size() > most_dimensions)
        return status(errc::invalid_argument,
                      "the array has " + std::to_string(extents.size()) + " dimensions; give the extents of 1 to 4");
    box domain{extents.size(), {}, {}};
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        if (extents[d] < 1)
            return status(errc::invalid_argument, "extent " + std::to_string(extents[d]) + " of dimension " +
                                                      std::to_string(d) + " of the array; give at least 1");
        if (extents[d] > most_elements / elements)
            return status(errc::invalid_argument, "an array of " + product_text(extents) +
                                                      " has more than 2^60 elements; redistribute it in parts");
        elements *= extents[d];
        domain.upper[d] = extents[d];
    }
    return domain;
}

std::size_t bytes_of_cuts(std::span<const std::int64_t> counts) noexcept {
    std::size_t numbers = 0;
    for (const std::int64_t count : counts) numbers += static_cast<std::size_t>(count) + 1;
    return numbers * sizeof(std::int64_t);
}

std::vector<std::int64_t> even_cuts(std::int64_t extent, std::int64_t parts) {
    std::vector<std::int64_t> cuts(static_cast<std::size_t>(parts) + 1);
    const std::int64_t whole = extent / parts, longer = extent % parts;
    // floor(extent * i / parts), without the product.
    for (std::int64_t i = 0; i <= parts; ++i) cuts[static_cast<std::size_t>(i)] = i * whole + longer * i / parts;
    return cuts;
}

status check_counts(const box& domain, std::span<const std::int64_t> counts, std::string_view what) {
    if (counts.size() != domain.dimensions)
        return {errc::invalid_argument, std::to_string(counts.size()) + " numbers of " + std::string(what) + " for " +
                                            std::to_string(domain.dimensions) +
                                            " dimensions; give one for each dimension"};
    std::int64_t product = 1;
    for (std::size_t d = 0; d < counts.size(); ++d) {
        if (counts[d] < 1 || counts[d] > domain.extent(d))
            return {errc::invalid_argument, std::to_string(counts[d]) + " " + std::string(what) + " in dimension " +
                                                std::to_string(d) + " of extent " + std::to_string(domain.extent(d)) +
                                                "; give 1 to " + std::to_string(domain.extent(d))};
        if (counts[d] > INT32_MAX / product)
            return {errc::invalid_argument, product_text(counts) + " " + std::string(what) +
                                                " are more than 2^31 - 1; use larger or fewer ones"};
        product *= counts[d];
    }
    return {};
}

}  // namespace redistribute
}  // namespace laconic
