// SPDX-License-Identifier: BSD-3-Clause
// The option table flows in, the options of an allreduce flow out.
#include "base/options.hpp"

#include <string>

#include "collective/registry.hpp"
#include "laconic/collective.hpp"

namespace laconic {

result<allreduce_options> allreduce_options::from_environment() {
    using base::option_id;
    const result<base::option_set> set = base::option_set::resolve();
    if (!set) return set.error();
    allreduce_options options;
    options.limit = set->limit();
    options.bound_scope = set->bound_scope();
    options.algorithm = set->text(option_id::algorithm);
    options.segment_bytes = set->bytes(option_id::segment_bytes);
    if (collective::find_algorithm("allreduce", options.algorithm) == nullptr)
        return status{errc::invalid_argument, set->origin(option_id::algorithm) + ": no allreduce algorithm '" +
                                                  options.algorithm + "'; `laconic info --algorithms` lists them"};
    return options;
}

}  // namespace laconic
