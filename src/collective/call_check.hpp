// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a call, as far as its own rank can tell: arguments flow in, a status that names the value and the
// remedy flows out.
#pragma once

#include <cstdint>
#include <span>

#include "collective/geometry.hpp"
#include "collective/registry.hpp"

namespace laconic::collective {

/// Whether two arrays share an element.
template <class T>
[[nodiscard]] bool overlap(std::span<const T> in, std::span<T> out) noexcept {
    const auto a = reinterpret_cast<std::uintptr_t>(in.data());
    const auto b = reinterpret_cast<std::uintptr_t>(out.data());
    return !in.empty() && !out.empty() && a < b + out.size_bytes() && b < a + in.size_bytes();
}

/// What decides, beside arrays, whether a row can do a call.
struct row_task {
    operation op;
    reduction combine;
    bool varying;
    element_type type;
    double rate;  ///< of codec zfp_rate
};
/// Why a cell cannot do it.
[[nodiscard]] status check_row(const row_task& task, const cell& what);

/// what   the cell that options.algorithm stands for, or why it stands for none
template <class T>
[[nodiscard]] status check_call(const collective_call<T>& call, const geometry& shape,
                                const collective_options& options, const result<cell>& what);

}  // namespace laconic::collective
