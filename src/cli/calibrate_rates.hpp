// SPDX-License-Identifier: BSD-3-Clause
// Rates of one core, measured through the public API: a size flows in; how fast each codec compresses,
// decompresses and adds synthetic fields of several ratios, and how fast memory is added and copied, flow into a
// machine.
#pragma once

#include <cstddef>

#include "model/machine.hpp"

namespace laconic::cli {

struct rate_settings {
    std::size_t bytes = 8 << 20;            ///< of each array
    std::size_t segment_bytes = 128 << 10;  ///< codecs work on pieces of it, as the collectives do
    unsigned repetitions = 5;
    unsigned threads = 1;  ///< of a codec, whose gain is measured where there are several
};

/// Fills the memory rates and the tables of all codecs that this build has (the others keep theirs). Throws a data
/// failure when memory is short or a codec fails.
void measure_rates(const rate_settings& settings, model::machine& where);

}  // namespace laconic::cli
