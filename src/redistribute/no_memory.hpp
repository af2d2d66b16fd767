// SPDX-License-Identifier: BSD-3-Clause
// Work that takes memory flows in; its result, or a sentence that says how many bytes there are not, flows out.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/no_memory.hpp"
#include "laconic/status.hpp"

namespace laconic::redistribute {

/// "no memory for {what} (at least {bytes} bytes); {remedy}". The text takes memory itself, unless it is
/// very short.
[[nodiscard]] inline status no_memory(std::string_view what, std::size_t bytes, std::string_view remedy) noexcept {
    try {
        return {errc::out_of_memory, "no memory for " + std::string(what) + " (at least " + std::to_string(bytes) +
                                         " bytes); " + std::string(remedy)};
    } catch (const std::bad_alloc&) {
        return base::no_memory();
    }
}

/// Runs `action`, which returns a status or a result and may find no memory; `why` says so then, without throwing.
template <class Action, class Why>
[[nodiscard]] auto or_no_memory(Action action, Why why) -> decltype(action()) {
    try {
        return action();
    } catch (const std::bad_alloc&) {
        return why();
    } catch (const std::length_error&) {
        // More than any memory holds.
        return why();
    }
}

/// The failure that `make` puts into words, or the shortest where there is no memory for them. For what other ranks
/// wait to hear of.
template <class Make>
[[nodiscard]] status told(Make make) noexcept {
    try {
        return make();
    } catch (const std::bad_alloc&) {
        return base::no_memory();
    }
}

}  // namespace laconic::redistribute
