// SPDX-License-Identifier: BSD-3-Clause
// One line for each option; the environment.
#include "collective/options.hpp"

#include <string>

#include "laconic/codec.hpp"
#include "laconic/collective.hpp"

namespace laconic {

namespace collective {

collective_options options_of(const base::option_set& set) {
    using base::option_id;
    collective_options options;
    options.limit = set.limit();
    options.bound_scope = set.bound_scope();
    options.algorithm = set.text(option_id::algorithm);
    options.segment_bytes = set.bytes(option_id::segment_bytes);
    options.confidence = set.real(option_id::confidence);
    options.check = set.text(option_id::check) == "on";
    options.audit = set.text(option_id::audit) == "on";
    options.ranks_per_node = set.count(option_id::ranks_per_node);
    options.shared_memory = set.text(option_id::shared_memory) == "on";
    options.codec_threads = set.count(option_id::codec_threads);
    options.rate = set.real(option_id::rate);
    options.machine = set.text(option_id::machine);
    return options;
}

}  // namespace collective

result<collective_options> collective_options::from_environment() {
    using base::option_id;
    const result<base::option_set> set = base::option_set::resolve();
    if (!set) return set.error();
    // The codec reads LACONIC_FORCE_ISA itself, where a wrong name has nobody to complain to; of the file it knows
    // nothing.
    const std::string& engine_origin = set->origin(option_id::force_isa);
    const status engine = !set->is_set(option_id::force_isa) || engine_origin == "LACONIC_FORCE_ISA"
                              ? check_engine()
                              : use_engine(set->text(option_id::force_isa));
    if (!engine.ok()) return status{errc::invalid_argument, engine_origin + ": " + engine.context()};
    return collective::options_of(*set);
}

}  // namespace laconic
