// SPDX-License-Identifier: BSD-3-Clause
// From the least that has to be known to the most: counts, sizes, earlier calls, the ranks.
#include "collective/chooser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "codec/element.hpp"
#include "codec/fle.hpp"
#include "codec/float_environment.hpp"
#include "collective/call_plan.hpp"
#include "collective/stock.hpp"
#include "model/select.hpp"

namespace laconic::collective {

using advice = model::recollection::advice;

namespace {

constexpr std::uint64_t of_any_size = 1;

}  // namespace

status chooser::find_machine() try {
    const auto machine = machine_of(asked_.options->machine);
    if (machine.ok()) machine_ = *machine;
    return machine.error();
} catch (const std::bad_alloc&) {
    return no_memory();
}

bool chooser::is_plain() {
    const geometry& shape = *asked_.shape;
    const collective_options& options = *asked_.options;
    lossless_ = options.limit.value == 0 || growth_of(shape.op, asked_.combine) == growth::unknown;
    if (!knows_counts() && lossless_) return true;
    if (!lossless_ && knows_counts()) {
        const auto row = store_.unasked(shape.op, bytes(), *machine_, shape.ranks, asked_.nodes, options.segment_bytes,
                                        asked_.threads);
        unasked_ = row.value_or(cell{});
        if (row) return true;
    }
    // Only what has to be the same on all ranks: where sizes are not, calls of all sizes are alike.
    const std::uint64_t size = knows_counts() ? bytes() : of_any_size;
    const double confidence = options.bound_scope == scope::probable ? options.confidence : 0;
    likeness_ = model::likeness_of(size, knows_counts() ? 0 : 1, machine_->digest, shape.op, asked_.type,
                                   comparable(shape.op, asked_.combine), lossless_, options.limit.kind,
                                   std::bit_cast<std::uint64_t>(options.limit.value), options.bound_scope,
                                   std::bit_cast<std::uint64_t>(confidence), asked_.nodes.count, asked_.nodes.largest,
                                   asked_.nodes.smallest, options.segment_bytes, asked_.threads);
    return false;
}

cell chooser::plain() const noexcept {
    const geometry& shape = *asked_.shape;
    if (unasked_.schedule != schedule_kind::stock) return unasked_;
    if (knows_counts()) return stock_or_raw(shape);
    if (agreed_elements_ <= longest_int) return {};
    return {schedule_kind::pairwise, payload_kind::raw, codec_id::raw};
}

std::optional<cell> chooser::standing() {
    const codec::float_environment standard;
    new_machine_ = !find_machine().ok() || !store_.knows_machine(asked_.options->machine);
    if (new_machine_) return {};
    return fixed_row();
}

std::optional<cell> chooser::fixed_row() {
    if (is_plain()) return plain();
    return lossless_ ? std::optional(lossless_row()) : std::nullopt;
}

cell chooser::lossless_row() {
    if (const cell* const known = store_.lossless().settled(likeness_)) return *known;
    const cell what = choose(question({}), nullptr).what;
    store_.lossless().keep(likeness_, what);
    return what;
}

bool chooser::takes_stock() {
    if (new_machine_) return false;
    const cell* const settled = store_.decisions().settled(likeness_);
    if (settled == nullptr || settled->schedule != schedule_kind::stock) return false;
    return store_.decisions().recall(likeness_).todo == advice::settled;
}

status chooser::consider(cell& what, bool is_sound) {
    const codec::float_environment standard;
    status found = find_machine();
    new_machine_ = !store_.knows_machine(asked_.options->machine);
    asks_ = new_machine_;
    if (new_machine_) return found.ok() ? store_.expect_machine(asked_.options->machine) : found;
    if (const auto row = fixed_row()) {
        what = *row;
        return found;
    }
    // No call: it does not count.
    if (!is_sound && store_.decisions().settled(likeness_) != nullptr) {
        what = {};
        return found;
    }
    const auto known = store_.decisions().recall(likeness_);
    asks_ = known.todo != advice::settled;
    if (known.todo != advice::ask) what = known.what;
    return found;
}

bool chooser::suits(const value_span& agreed, const cell& what) const {
    const geometry& shape = *asked_.shape;
    const collective_options& options = *asked_.options;
    const planned_call call{shape.op,      asked_.combine,      what,
                            options.limit, options.bound_scope, options.confidence,
                            shape.ranks,   asked_.nodes.count,  asked_.nodes.largest};
    return codec::with_element(asked_.type, [&](auto zero) { return leaves_bound<decltype(zero)>(call, agreed); });
}

bool chooser::settle(const value_span& agreed, cell& what) {
    // What ranks compute of what they agreed on is the same on all of them.
    const codec::float_environment standard;
    if (!settled_) {
        settled_ = true;
        first_agreed_ = agreed;
        if (!decide(agreed, what)) {
            if (!adds_values(asked_.shape->op, what)) learn();
            return false;
        }
    }
    const bool stands = suits(agreed, what);
    if (!stands) {
        // The second time the range alone is found anew.
        static_cast<finite_range&>(first_agreed_) = agreed;
        what = {schedule_kind::chosen};
        static_cast<void>(decide(first_agreed_, what));
    }
    learn();
    return stands;
}

void chooser::learn() {
    if (lesson_.count == 0) return;
    store_.decisions().learn(likeness_, lesson_.ratio, std::span(lesson_.rivals).first(lesson_.count));
    store_.decisions().earn(likeness_, lesson_.gain_s, model::recollection::longest_silence * lesson_.price_s);
    lesson_.count = 0;
}

bool chooser::decide(const value_span& agreed, cell& what) {
    agreed_elements_ = agreed.elements;
    if (new_machine_) {
        store_.remember_expected_machine();
        if (const auto row = fixed_row()) {
            what = *row;
            return false;
        }
    }
    const bool presumed = what.schedule != schedule_kind::chosen;
    const geometry& shape = *asked_.shape;
    agreed_sample seen = agreed.sample;
    seen.bound = share_of_bound(shape.op, asked_.combine, *asked_.options, shape.ranks) *
                 codec::resolve_bound(asked_.options->limit, agreed.min, agreed.max);
    const sampled_ratios ratio = ratios_of(seen, asked_.element_bytes);
    const bool alike_data = presumed && store_.decisions().settle(likeness_, ratio.usual, agreed.last_s) &&
                            ratio.worst >= model::least_ratio;
    if (alike_data && knows_counts()) return true;
    const model::question asked = question(ratio);
    const cell before = what;
    const model::choice best = choose(asked, &agreed);
    what = best.what;
    const double price_s = knows_counts() ? 0 : price_of(asked);
    lesson_.count = 0;
    if (!compresses(what)) {
        store_.decisions().learn(likeness_, what, price_s);
        return false;
    }
    const auto alike = rows_of_equal_bits(asked.op);
    const bool has_rivals = std::find(alike.begin(), alike.end(), what) != alike.end();
    lesson_ = {ratio.usual, best.stock_s - best.predicted_s, price_s, {}, 0};
    lesson_.count =
        model::rivals_of(*machine_, asked, what, has_rivals ? alike : std::span<const cell>{}, lesson_.rivals);
    return presumed && what == before;
}

model::question chooser::question(const sampled_ratios& ratio) const noexcept {
    return question_of({asked_.shape->op, asked_.combine, bytes(), asked_.element_bytes, asked_.shape->ranks,
                        asked_.nodes, asked_.threads},
                       *asked_.options, ratio);
}

model::choice chooser::choose(const model::question& what, const value_span* agreed) const {
    std::array<cell, most_candidates> rows;
    std::size_t count = 0;
    for (const cell& row : candidates(what.op, lossless_, asked_.element_bytes == 2, knows_counts()))
        if (agreed == nullptr || suits(*agreed, row)) rows[count++] = row;
    model::choice best;
    // Where calls of all sizes are alike, asking goes on while long ones pay for it.
    const double calls_per_question = knows_counts() ? model::usual_calls_per_question : 1;
    if (model::check(what).ok())
        best = model::select(*machine_, what, std::span(rows).first(count), calls_per_question);
    best.what = model::as_run(best.what, what.bytes);
    if (best.what.schedule == schedule_kind::stock) best.what = plain();
    return best;
}

double chooser::price_of(const model::question& what) const {
    return model::check(what).ok() ? model::asking_s(*machine_, what) : 0;
}

}  // namespace laconic::collective
