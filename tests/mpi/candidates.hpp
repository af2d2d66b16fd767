// SPDX-License-Identifier: BSD-3-Clause
// What can be asked for: an operation flows in, every name of a cell that serves it flows out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collective/registry.hpp"
#include "laconic/collective.hpp"

namespace laconic::test {

struct candidate {
    std::string name;
    collective::cell what;
};

[[nodiscard]] std::vector<candidate> candidates(operation op);

/// Whether it can do this, by the text of the contract and not by the code.
[[nodiscard]] bool takes(const candidate& row, reduction combine, std::size_t element_bytes, bool varying,
                         operation op);

}  // namespace laconic::test
