// SPDX-License-Identifier: BSD-3-Clause
// canvas_png.cpp where libpng was not there to build with.
#include "cli/canvas.hpp"
#include "cli/command.hpp"

namespace laconic::cli {

void need_pictures() {
    fail_usage("--png: this program was built without libpng; install libpng-dev and build it again");
}

std::vector<std::byte> canvas::png() const {
    need_pictures();
    return {};
}

}  // namespace laconic::cli
