// SPDX-License-Identifier: BSD-3-Clause
// 32 floating-point lanes in NEON registers, and what the loops carry beside them: a quantiser and a running range.
#pragma once

#include <arm_neon.h>

namespace laconic::codec {
namespace {

struct f32_lanes {
    float32x4_t v[8];
};
struct f64_lanes {
    float64x2_t v[16];
};
template <class T>
struct lanes_of;
template <>
struct lanes_of<float> {
    using type = f32_lanes;
};
template <>
struct lanes_of<double> {
    using type = f64_lanes;
};
struct f32_rule {
    float32x4_t inverse, step;
    float limit;
};
struct f64_rule {
    float64x2_t inverse, step;
    double limit;
};
struct f32_range {
    float32x4_t min, max;
    uint32x4_t finite;
};
struct f64_range {
    float64x2_t min, max;
    uint64x2_t finite;
};

}  // namespace
}  // namespace laconic::codec
