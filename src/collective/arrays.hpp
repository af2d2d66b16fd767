// SPDX-License-Identifier: BSD-3-Clause
// What a call works on: the caller's arrays and what is to become of them.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "collective/elements.hpp"
#include "collective/payload.hpp"
#include "laconic/collective.hpp"

namespace laconic::collective {

/// An operation that only the program knows: inout[i] = in[i] op inout[i].
struct custom_operation {
    void (*apply)(const custom_operation& self, const void* in, void* inout, std::size_t count) = nullptr;
    const void* program = nullptr;  ///< what apply needs
};

/// The operands of a sum, as step::ours_first has it.
template <class T>
[[nodiscard]] std::pair<T*, T*> in_order(T* received, T* ours, bool ours_first) noexcept {
    return ours_first ? std::pair{ours, received} : std::pair{received, ours};
}

template <class T>
struct arrays {
    std::span<const T> in;
    std::span<T> out;
    reduction op = reduction::sum;
    unsigned divisor = 1;          ///< ranks for an average, else 1
    custom_operation custom = {};  ///< of reduction::custom

    [[nodiscard]] std::span<const T> local(part piece) const noexcept {
        return in.subspan(piece.in.first, piece.in.count);
    }
    [[nodiscard]] std::span<T> result(part piece) const noexcept {
        return out.subspan(piece.out.first, piece.out.count);
    }
    /// out[i] = a[i] op b[i]; out may be a or b. The order of a and b is kept for the operations of this library only:
    /// a custom one has to commute bit for bit where ranks are to hold the same bits.
    void combine(void* to, const void* a, const void* b, std::size_t count) const {
        if (op != reduction::custom) return combine_elements<T>(op, to, a, b, count);
        if (to != a && to != b) std::memcpy(to, a, count * sizeof(T));
        custom.apply(custom, to == b ? a : b, to, count);
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
