// SPDX-License-Identifier: BSD-3-Clause
// What every generated file of wrappers needs: the recorder's face towards a call, and the function behind a wrapper.
#pragma once

// All else in the library is hidden; what mpi.h declares must be seen.
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <type_traits>

#include "record/call.hpp"
#include "record/lengths.hpp"

#define LACONIC_NEXT(function) P##function

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
