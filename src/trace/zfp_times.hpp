// SPDX-License-Identifier: BSD-3-Clause
// One channel of times through libzfp: values flow in, a tolerance and a stream of zfp flow out; and back. The library
// is loaded by the first who asks for it: a program that is traced is not given libraries that it need not have.
#pragma once

#include <cstdint>
#include <vector>

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// returns unsupported  built without zfp.h, or no libzfp of its version
[[nodiscard]] status load_zfp();

/// One dimension, the absolute tolerance is `relative` times the mean of the values. Precondition: load_zfp() is ok.
void write_zfp(bytes& out, const std::vector<std::uint64_t>& all, double relative);
/// Appends `calls` values. Precondition: load_zfp() is ok.
/// returns corrupt
[[nodiscard]] status read_zfp(wire_reader& in, std::uint64_t calls, std::vector<std::uint64_t>& all);

}  // namespace laconic::trace
