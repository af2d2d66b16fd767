// SPDX-License-Identifier: BSD-3-Clause
// From a laconic status to the Python exception of its code (python/laconic/_errors.py defines them).
#pragma once

#include <string>

#include "laconic/status.hpp"

namespace laconic::python {

/// Throws the Python exception that belongs to `why`. Precondition: !why.ok(), and the GIL is held.
[[noreturn]] void raise(const status& why);
/// An argument of the wrong type: laconic.InvalidType, which is a TypeError too.
[[noreturn]] void raise_type(const std::string& message);
/// An argument of the right type with a wrong value: laconic.InvalidArgument.
[[noreturn]] void raise_argument(const std::string& message);

inline void require(const status& outcome) {
    if (!outcome.ok()) raise(outcome);
}

}  // namespace laconic::python
