// SPDX-License-Identifier: BSD-3-Clause
// Binds szx's loops to a vector vocabulary: LACONIC_DEFINE_SZX(avx2, avx2_szx_simd) defines avx2_szx.
#pragma once

#include "codec/generic/szx_decode_kernels.hpp"
#include "codec/generic/szx_encode_kernels.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
constexpr szx_table<T> szx_kernels() noexcept {
    return {&szx_encode_kernels<S, T>::encode, &szx_decode_kernels<S, T>::decode};
}

}  // namespace
}  // namespace laconic::codec

#define LACONIC_DEFINE_SZX(NAME, SIMD)                                                           \
    namespace laconic::codec {                                                                   \
    const szx_engine NAME##_szx{#NAME, szx_kernels<SIMD, float>(), szx_kernels<SIMD, double>()}; \
    }
