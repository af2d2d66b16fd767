// SPDX-License-Identifier: BSD-3-Clause
// The preload library wakes and goes: before main() the recorder reads the environment, at the end of the process it
// closes what it has written.
#include "record/recorder.hpp"

namespace {

struct life {
    life() noexcept { laconic::record::the_recorder.start(); }
    ~life() { laconic::record::the_recorder.end(); }
};
const life of_the_library;

}  // namespace
