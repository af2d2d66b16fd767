// SPDX-License-Identifier: BSD-3-Clause
// In a regular layout a class is a product of classes per dimension; boxes are compared patch by patch.
#include "redistribute/classes.hpp"

#include <unordered_map>

#include "redistribute/layout_state.hpp"

namespace laconic::redistribute {
namespace {

void append_class(patch_classes& found, std::span<const share> shares) {
    found.patches.push_back(0);
    found.volume.push_back(0);
    for (const share& part : shares) found.volume.back() += part.volume;
    found.shares.insert(found.shares.end(), shares.begin(), shares.end());
    found.first_share.push_back(found.shares.size());
}

/// Per patch index of one dimension: indices inside the same block, of the same length, share a number.
std::vector<std::int64_t> numbers_of(const std::vector<sharing::span_of_blocks>& spans,
                                     std::span<const std::int64_t> cuts) {
    std::vector<std::int64_t> numbers(spans.size(), 0);
    for (std::size_t i = 1; i < spans.size(); ++i) {
        const bool same = spans[i].first == spans[i].last && spans[i - 1].first == spans[i].first &&
                          spans[i - 1].last == spans[i].last && cuts[i + 1] - cuts[i] == cuts[i] - cuts[i - 1];
        numbers[i] = numbers[i - 1] + (same ? 0 : 1);
    }
    return numbers;
}

void classify_regular(const sharing& shared, const patch_grid& to, patch_classes& found) {
    const std::size_t dimensions = to.domain().dimensions;
    std::array<std::vector<std::int64_t>, most_dimensions> numbers;
    std::int64_t products = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        numbers[d] = numbers_of(shared.spans()[d], to.cuts(d));
        products *= numbers[d].back() + 1;
    }
    std::vector<std::int32_t> class_of_product(static_cast<std::size_t>(products), -1);
    std::array<std::size_t, most_dimensions> at{};
    std::vector<share> shares;
    for (std::size_t patch = 0; patch < found.class_of_patch.size(); ++patch) {
        std::int64_t product = 0;
        for (std::size_t d = 0; d < dimensions; ++d) product = product * (numbers[d].back() + 1) + numbers[d][at[d]];
        std::int32_t& number = class_of_product[static_cast<std::size_t>(product)];
        if (number < 0) {
            number = static_cast<std::int32_t>(found.size());
            shared.shares_of(static_cast<patch_number>(patch), shares);
            append_class(found, shares);
        }
        found.class_of_patch[patch] = number;
        ++found.patches[static_cast<std::size_t>(number)];
        for (std::size_t d = dimensions; d-- > 0 && ++at[d] == numbers[d].size();) at[d] = 0;
    }
}

std::uint64_t hash_of(std::span<const share> shares) {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const share& part : shares) {
        for (const std::uint64_t word :
             {static_cast<std::uint64_t>(part.rank), static_cast<std::uint64_t>(part.volume)}) {
            hash = (hash ^ word) * 0xBF58476D1CE4E5B9U;
            hash ^= hash >> 29;
        }
    }
    return hash;
}

void classify_boxes(const sharing& shared, patch_classes& found) {
    // Only looked up, never gone through: the order of a hash table must not reach the plan.
    std::unordered_multimap<std::uint64_t, std::int32_t> classes;
    std::vector<share> shares;
    for (std::size_t patch = 0; patch < found.class_of_patch.size(); ++patch) {
        shared.shares_of(static_cast<patch_number>(patch), shares);
        const std::uint64_t hash = hash_of(shares);
        std::int32_t number = -1;
        const auto [from, to] = classes.equal_range(hash);
        for (auto each = from; each != to && number < 0; ++each) {
            const auto candidate = static_cast<std::size_t>(each->second);
            const std::span other(found.shares.begin() + static_cast<std::ptrdiff_t>(found.first_share[candidate]),
                                  found.first_share[candidate + 1] - found.first_share[candidate]);
            if (std::equal(other.begin(), other.end(), shares.begin(), shares.end())) number = each->second;
        }
        if (number < 0) {
            number = static_cast<std::int32_t>(found.size());
            classes.emplace(hash, number);
            append_class(found, shares);
        }
        found.class_of_patch[patch] = number;
        ++found.patches[static_cast<std::size_t>(number)];
    }
}

}  // namespace

patch_classes classify(const sharing& shared, const layout& from, const patch_grid& to) {
    patch_classes found;
    found.class_of_patch.resize(static_cast<std::size_t>(to.patches()));
    found.first_share.push_back(0);
    if (from.inner().regular)
        classify_regular(shared, to, found);
    else
        classify_boxes(shared, found);
    return found;
}

}  // namespace laconic::redistribute
