// SPDX-License-Identifier: BSD-3-Clause
// Put in front of src/codec/engine.cpp where the compiler's __builtin_cpu_supports does not know "f16c" (clang before
// 15): names of features flow in, the same answer flows out.
#pragma once

#include <cpuid.h>

#include <string_view>

namespace laconic::fuzz {

inline int cpu_supports(std::string_view feature) noexcept {
    if (feature == "avx2") return __builtin_cpu_supports("avx2");
    if (feature == "bmi2") return __builtin_cpu_supports("bmi2");
    if (feature == "avx512f") return __builtin_cpu_supports("avx512f");
    if (feature == "avx512bw") return __builtin_cpu_supports("avx512bw");
    if (feature == "avx512vl") return __builtin_cpu_supports("avx512vl");
    if (feature == "avx512dq") return __builtin_cpu_supports("avx512dq");
    if (feature == "avx512vbmi") return __builtin_cpu_supports("avx512vbmi");
    if (feature == "gfni") return __builtin_cpu_supports("gfni");
    if (feature != "f16c" || __builtin_cpu_supports("avx") == 0) return 0;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace laconic::fuzz

#define __builtin_cpu_supports(feature) laconic::fuzz::cpu_supports(feature)
