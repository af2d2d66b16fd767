// SPDX-License-Identifier: BSD-3-Clause
// What C calls a plan, and what its functions share: exceptions become codes.
#pragma once

#include <exception>
#include <new>

#include "codec/c_api.hpp"
#include "laconic/redistribute.hpp"

struct laconic_plan_handle {
    laconic::plan planned;
};

namespace laconic::redistribute {

/// Runs a body that returns a status; its code for C.
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

inline status null_argument(const char* name) { return {errc::invalid_argument, std::string(name) + " is NULL"}; }

}  // namespace laconic::redistribute
