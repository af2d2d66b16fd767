// SPDX-License-Identifier: BSD-3-Clause
// What the C faces share: a status goes in, its code comes out, and its message waits for laconic_last_message().
#pragma once

#include <exception>
#include <new>
#include <string>

#include "laconic/status.hpp"

namespace laconic {

int report_to_c(const status& outcome) noexcept;

inline status null_argument(const char* name) { return {errc::invalid_argument, std::string(name) + " is NULL"}; }

/// Runs a body that returns a status; its code for C, whatever it throws.
template <class Body>
int guarded(Body body) noexcept {
    try {
        return report_to_c(body());
    } catch (const std::bad_alloc&) {
        return report_to_c({errc::out_of_memory, {}});
    } catch (const std::exception& unexpected) {
        return report_to_c({errc::invalid_argument, unexpected.what()});
    } catch (...) {
        return report_to_c({errc::invalid_argument, {}});
    }
}

}  // namespace laconic
