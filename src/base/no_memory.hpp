// SPDX-License-Identifier: BSD-3-Clause
// What is said where there is no memory, which must take none itself.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "laconic/status.hpp"

namespace laconic::base {

/// Handlers of bad_alloc return it: so short a text takes no memory.
[[nodiscard]] inline status no_memory() noexcept { return {errc::out_of_memory, "free some"}; }
/// What there is no memory for, where there is some for the text.
[[nodiscard]] inline status no_memory(std::string_view text) noexcept {
    try {
        return {errc::out_of_memory, std::string(text)};
    } catch (const std::bad_alloc&) {
        return no_memory();
    }
}

}  // namespace laconic::base
