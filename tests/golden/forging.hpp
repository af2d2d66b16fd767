// SPDX-License-Identifier: BSD-3-Clause
// The small frames by hand that forged and malformed files start from.
#pragma once

#include "golden.hpp"

namespace laconic::golden {

/// 32 f32 elements with one plain block: 5, 6, 5, 6, ... times the step.
inline forge plain() {
    forge f;
    f.count = 32;
    f.step = 0.5;
    f.limit = 0.3;
    f.magnitude = 6;
    f.words({5, 2, 0xFFFFFFFE, 0x55555554});
    return f;
}
/// 32 f32 elements whose block is signed and has `w` planes.
inline forge with_signs(std::uint8_t w) {
    forge f = plain();
    f.payload.clear();
    f.words({0, 15, 0x40U | w});
    for (unsigned plane = 0; plane < w; ++plane) f.put(std::uint32_t{0});
    f.put(std::uint32_t{0x80000001});
    return f;
}
/// A mixed block of `lanes` elements, without planes; its wide values follow.
template <class V>
forge mixed(std::uint8_t type, std::uint32_t flags, std::initializer_list<V> wide) {
    forge f;
    f.type = type;
    f.count = wide.size() / (type == 2 ? 2 : 1);
    f.magnitude = 3;
    if (type == 2)
        f.put(std::uint64_t{0});
    else
        f.put(std::uint32_t{0});
    f.words({15, 0xC0, flags});
    for (const V value : wide) f.put(value);
    return f;
}

}  // namespace laconic::golden
