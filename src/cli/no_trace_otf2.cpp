// SPDX-License-Identifier: BSD-3-Clause
// trace_otf2.hpp where the OTF2 library was not there to build with.
#include "cli/command.hpp"
#include "cli/trace_otf2.hpp"

namespace laconic::cli {

bool has_otf2() noexcept { return false; }
otf2_outcome export_otf2(const trace_file& /*file*/, const std::string& /*name*/, const std::string& /*folder*/) {
    fail_usage("this laconic was built without OTF2");
}

}  // namespace laconic::cli
