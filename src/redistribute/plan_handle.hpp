// SPDX-License-Identifier: BSD-3-Clause
// What C calls a plan.
#pragma once

#include "laconic/redistribute.hpp"

struct laconic_plan_handle {
    laconic::plan planned;
};
