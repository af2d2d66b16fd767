// SPDX-License-Identifier: BSD-3-Clause
// This MPI's constants beside the numbers that signatures give them (src/mpi/api/constants.api); the tables are
// generated.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace laconic::record {

struct named_constant {
    int value;
    std::uint32_t number;
};

namespace constants {
#include "constants.inc"
}  // namespace constants

}  // namespace laconic::record
