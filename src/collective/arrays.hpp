// SPDX-License-Identifier: BSD-3-Clause
// What a call works on: the caller's arrays and what is to become of them.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "collective/payload.hpp"
#include "laconic/collective.hpp"

namespace laconic::collective {

template <class T>
struct arrays {
    std::span<const T> in;
    std::span<T> out;
    reduction op = reduction::sum;
    unsigned divisor = 1;  ///< ranks for an average, else 1

    [[nodiscard]] std::span<const T> local(part piece) const noexcept {
        return in.subspan(piece.in.first, piece.in.count);
    }
    [[nodiscard]] std::span<T> result(part piece) const noexcept {
        return out.subspan(piece.out.first, piece.out.count);
    }
    void copy(part piece) const noexcept {
        const std::span<const T> from = local(piece);
        if (!from.empty() && from.data() != result(piece).data())
            std::memmove(result(piece).data(), from.data(), from.size_bytes());
    }
    /// Whether what is read here lies where results are written.
    [[nodiscard]] bool in_place() const noexcept { return !in.empty() && in.data() == out.data(); }
};

}  // namespace laconic::collective
