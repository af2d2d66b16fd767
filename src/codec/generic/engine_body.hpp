// SPDX-License-Identifier: BSD-3-Clause
// Binds the generic loops to a vector vocabulary: LACONIC_DEFINE_ENGINE(avx2, avx2_simd) defines avx2_engine.
#pragma once

#include "codec/generic/decode_kernels.hpp"
#include "codec/generic/encode_kernels.hpp"
#include "codec/generic/sum_kernels.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
constexpr kernels<T> kernels_of() noexcept {
    using encoder = encode_kernels<S, T>;
    using decoder = decode_kernels<S, T>;
    using adder = sum_kernels<S, T>;
    return {&encoder::encode,           &decoder::decode,   &adder::template add<false>,
            &adder::template add<true>, &adder::scale,      &adder::extreme,
            &encoder::add_values,       &encoder::quantise, &encoder::add_ints,
            &decoder::integers,         &encoder::range};
}

}  // namespace
}  // namespace laconic::codec

#define LACONIC_DEFINE_ENGINE(NAME, SIMD)                                                                              \
    namespace laconic::codec {                                                                                         \
    const engine NAME##_engine{#NAME, kernels_of<SIMD, float>(), kernels_of<SIMD, double>(), kernels_of<SIMD, half>(), \
                               kernels_of<SIMD, bfloat16>()};                                                          \
    }
