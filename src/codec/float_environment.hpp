// SPDX-License-Identifier: BSD-3-Clause
// Runs a scope under the default floating-point environment. Programs built with -ffast-math flush denormals to
// zero for the whole process, and some change the rounding mode; the codec's promises need neither.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#else
#include <cfenv>
#endif

namespace laconic::codec {

class float_environment {
public:
    float_environment(const float_environment&) = delete;
    float_environment& operator=(const float_environment&) = delete;

#if defined(__x86_64__)
    float_environment() noexcept : saved_(_mm_getcsr()) {
        if ((saved_ & control_bits) != standard) _mm_setcsr(standard);
    }
    ~float_environment() {
        if ((saved_ & control_bits) != standard) _mm_setcsr(saved_);
    }

private:
    static constexpr unsigned control_bits = 0xFFC0;  // all but the sticky exception flags
    static constexpr unsigned standard = 0x1F80;      // exceptions masked, round to nearest, no flushing
    unsigned saved_;
#elif defined(__aarch64__)
    // Reading the register is cheap, writing it is not. Volatile and "memory" keep the accesses where they are.
    float_environment() noexcept {
        asm volatile("mrs %0, fpcr" : "=r"(saved_) : : "memory");
        if (saved_ != standard) asm volatile("msr fpcr, %0" : : "r"(standard) : "memory");
    }
    ~float_environment() {
        if (saved_ != standard) asm volatile("msr fpcr, %0" : : "r"(saved_) : "memory");
    }

private:
    // Round to nearest, no flushing, NaNs kept, IEEE binary16, no traps. The sticky flags are in another register.
    static constexpr std::uint64_t standard = 0;
    std::uint64_t saved_;
#else
    float_environment() noexcept { std::feholdexcept(&saved_), std::fesetround(FE_TONEAREST); }
    ~float_environment() { std::fesetenv(&saved_); }

private:
    std::fenv_t saved_;
#endif
};

}  // namespace laconic::codec
