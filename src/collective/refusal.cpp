// SPDX-License-Identifier: BSD-3-Clause
// An agreement without a call behind it.
#include "collective/refusal.hpp"

#include <new>

#include "collective/call_store.hpp"
#include "collective/registry.hpp"

namespace laconic::collective {

void refusal::begin(bool blocking) {
    call_store* const store = call_store::of(channel_);
    if (store != nullptr) static_cast<void>(store->next_call());
    if (store != nullptr && !blocking) store->forbid_blocking();
    told_ = why_;
    started_ = false;
    over_ = store == nullptr || (!heard_.always && heard_.machine.empty());
    if (!over_) turn_ = store->draw_turn();
}

bool refusal::advance() try {
    if (over_) return false;
    if (channel_.broken()) return leave(broken());
    call_store& store = *call_store::of(channel_);
    if (!started_) {
        if (!store.is_turn(turn_)) return false;
        started_ = true;
        // What calls before it have settled is known now.
        if (!heard_.always && store.knows_machine(heard_.machine)) {
            over_ = true;
            store.end_turn();
            return true;
        }
        told_ = agreement_.start(channel_, store.letters(), {}, {}, why_);
    } else if (const auto told = agreement_.test(); told.ok()) {
        return false;
    } else {
        told_ = told.error();
    }
    if (told_.ok()) return true;
    store.refused(told_.code());
    return leave(std::move(told_));
} catch (const std::bad_alloc&) {
    // The others are left waiting.
    channel_.mark_broken();
    return leave(no_memory());
}

bool refusal::leave(status why) noexcept {
    told_ = std::move(why);
    over_ = true;
    agreement_.release();
    call_store::of(channel_)->end_turn();
    return true;
}

hearing hearing_of(operation op, reduction combine, const collective_options& options) {
    const result<cell> found = find_cell(op, options.algorithm);
    if (!found.ok() || options.check || options.audit) return {true, {}};
    const bool lossless = options.limit.value == 0 || growth_of(op, combine) == growth::unknown;
    const bool plain = found->schedule == schedule_kind::chosen && lossless;
    return {needs_agreement(*found) && !plain, plain ? options.machine : std::string()};
}

}  // namespace laconic::collective
