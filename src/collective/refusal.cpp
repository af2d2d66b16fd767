// SPDX-License-Identifier: BSD-3-Clause
// An agreement without a call behind it.
#include "collective/refusal.hpp"

#include <new>

#include "collective/registry.hpp"

namespace laconic::collective {

void refusal::begin(bool blocking) {
    const bool speaks = heard_.always || !heard_.machine.empty();
    over_ = !word_.begin(blocking, speaks);
    if (!speaks) end_unheard();
    try {
        told_ = why_;
    } catch (const std::bad_alloc&) {
        told_ = no_memory();
    }
}

bool refusal::advance() {
    if (over_) return false;
    // What calls before it have settled is known when its turn comes.
    if (!heard_.always && word_.is_next() && word_.store().knows_machine(heard_.machine)) {
        word_.withdraw();
        end_unheard();
        return true;
    }
    bool moved = false;
    if (auto told = word_.advance({}, why_, moved)) {
        told_ = *std::move(told);
        over_ = true;
    }
    return moved;
}

hearing hearing_of(operation op, reduction combine, const collective_options& options) {
    const result<cell> found = find_cell(op, options.algorithm);
    if (!found.ok() || options.check || options.audit) return {true, {}};
    const bool lossless = options.limit.value == 0 || growth_of(op, combine) == growth::unknown;
    const bool plain = found->schedule == schedule_kind::chosen && lossless;
    return {needs_agreement(*found) && !plain, plain ? options.machine : std::string()};
}

}  // namespace laconic::collective
