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
    std::map<std::uint64_t, std::uint64_t> made_;
};

}  // namespace laconic::trace
