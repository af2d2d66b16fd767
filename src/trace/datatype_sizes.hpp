// SPDX-License-Identifier: BSD-3-Clause
// How many bytes an element of a datatype takes, on one rank: calls that make types flow in, sizes flow out.
#pragma once

#include <cstdint>
#include <map>

#include "trace/parsed_call.hpp"

namespace laconic::trace {

class datatype_sizes {
public:
    /// A successful call of a function that makes a type or tells its size.
    void learn(const parsed_call& call);
    /// Of a handle as it stands in signatures; 0 where nothing is known of the type.
    [[nodiscard]] std::uint64_t of(std::uint64_t handle) const;

private:
    /// Few bytes may stand for more types than any memory holds: those that come later are unknown.
    static constexpr std::size_t most_types = std::size_t{1} << 20;
    void keep(std::uint64_t handle, std::uint64_t size);
    std::map<std::uint64_t, std::uint64_t> made_;
};

}  // namespace laconic::trace
