// SPDX-License-Identifier: BSD-3-Clause
// Runs a scope under the default floating-point environment. Programs built with -ffast-math flush denormals to
// zero for the whole process, and some change the rounding mode; the codec's promises need neither.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace laconic::codec {

class float_environment {
public:
#if defined(__x86_64__)
    float_environment() noexcept : saved_(_mm_getcsr()) {
        if ((saved_ & control_bits) != standard) _mm_setcsr(standard);
    }
    ~float_environment() {
        if ((saved_ & control_bits) != standard) _mm_setcsr(saved_);
    }
#else
    float_environment() noexcept { std::feholdexcept(&saved_), std::fesetround(FE_TONEAREST); }
    ~float_environment() { std::fesetenv(&saved_); }
#endif
    float_environment(const float_environment&) = delete;
    float_environment& operator=(const float_environment&) = delete;

private:
#if defined(__x86_64__)
    static constexpr unsigned control_bits = 0xFFC0;  // all but the sticky exception flags
    static constexpr unsigned standard = 0x1F80;      // exceptions masked, round to nearest, no flushing
    unsigned saved_;
#else
    std::fenv_t saved_;
#endif
};

}  // namespace laconic::codec
