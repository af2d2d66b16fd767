// SPDX-License-Identifier: BSD-3-Clause
// An agreement without a call behind it.
#include "collective/refusal.hpp"

#include "collective/call_store.hpp"
#include "collective/registry.hpp"

namespace laconic::collective {

void refusal::begin(bool) {
    if (call_store* const store = call_store::of(channel_); store != nullptr) static_cast<void>(store->next_call());
    told_ = why_;
    over_ = !heard_;
    if (over_) return;
    told_ = agreement_.start(channel_, {}, {}, why_);
    over_ = !told_.ok();
}

bool refusal::advance() {
    if (over_) return false;
    const auto told = agreement_.test();
    if (told.ok()) return false;
    told_ = told.error();
    over_ = true;
    return true;
}

bool agrees(operation op, bool varying, const collective_options& options) {
    const result<cell> found = find_cell(op, options.algorithm);
    if (!found.ok() || options.check) return true;
    const bool plain = found->schedule == schedule_kind::chosen && (varying || options.limit.value == 0);
    return compresses(*found) && !plain;
}

}  // namespace laconic::collective
