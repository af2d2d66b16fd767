// SPDX-License-Identifier: BSD-3-Clause
// What commands that read traces share: a path flows in, an open trace flows out, or a data failure that names the
// path.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "laconic/trace.hpp"

namespace laconic::cli {

[[nodiscard]] inline trace_file open_trace(const std::string& path) {
    auto opened = trace_file::open(path);
    if (!opened) fail_data(path + ": " + opened.error().message());
    return std::move(*opened);
}

template <class T>
[[nodiscard]] T value_or_fail(result<T> given, const std::string& path) {
    if (!given) fail_data(path + ": " + given.error().message());
    return std::move(*given);
}

}  // namespace laconic::cli
