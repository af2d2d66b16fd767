// SPDX-License-Identifier: BSD-3-Clause
// The decisions of `auto` for one call. What its rank knows by itself, what earlier calls left behind and what the
// ranks agree on flow in; the cell to run flows out, the same on all ranks.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "collective/agreement.hpp"
#include "collective/call_store.hpp"
#include "collective/geometry.hpp"
#include "collective/select.hpp"
#include "laconic/collective_options.hpp"

namespace laconic::collective {

/// A call, as far as decisions go. What it points to stays the caller's.
struct choice_request {
    const geometry* shape = nullptr;
    const collective_options* options = nullptr;
    reduction combine = reduction::sum;
    element_type type = element_type::f32;
    unsigned element_bytes = 4;
    base::node_sizes nodes;
    unsigned threads = 1;  ///< of the codec, on every rank
};

class chooser {
public:
    /// In the turn of the call: earlier ones have left behind what they will.
    chooser(call_store& store, const choice_request& asked) noexcept : store_(store), asked_(asked) {}

    /// The row that runs this call and all of its kind, whatever they hold, without a word between the ranks; nothing
    /// where that is open.
    [[nodiscard]] std::optional<cell> standing();
    /// Whether MPI's own function is what to run, without a word between the ranks, this time; if so the call is
    /// counted. Precondition: standing() had no answer.
    [[nodiscard]] bool takes_stock();
    /// Before the ranks have spoken. Schedule `chosen`: they have to.
    /// is_sound   this rank makes the call; else it only asks whether the others listen
    /// returns    ok, or why the machine cannot be read; then the ranks are asked, and hear of it
    [[nodiscard]] status consider(cell& what, bool is_sound);
    /// Whether the ranks have to agree on the ratio of a sample: it is open what to run, or a presumption.
    [[nodiscard]] bool asks() const noexcept { return asks_; }
    /// How long the last such call took on this rank, for the ranks to agree on; 0: not known.
    [[nodiscard]] double last_s() const noexcept { return store_.decisions().last_s(likeness_); }
    /// Whether it has been decided, and what is agreed on next is the range of all values.
    [[nodiscard]] bool has_settled() const noexcept { return settled_; }
    /// What the ranks agreed on; once more where they have to agree again on what was decided: a row may turn out not
    /// to suit the range of all values. True: `what` is as it was; else it has been decided. Precondition: asks().
    [[nodiscard]] bool settle(const value_span& agreed, cell& what);
    /// How long the call took here; only for calls that run one after the other.
    void ran(double seconds) noexcept { store_.decisions().ran(likeness_, seconds); }

    [[nodiscard]] const known_machine& machine() const noexcept { return *machine_; }

private:
    [[nodiscard]] bool knows_counts() const noexcept {
        return knows_all_counts(asked_.shape->op, asked_.shape->varying);
    }
    /// Of the buffer; where ranks do not know each other's counts, what they have agreed on.
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        return (knows_counts() ? asked_.shape->buffer_count() : agreed_elements_) * asked_.element_bytes;
    }
    [[nodiscard]] status find_machine();
    /// Whether no ratio is worth asking for. If not, the likeness is known from here on.
    [[nodiscard]] bool is_plain();
    /// What runs this call and all of its kind, whatever they hold; nothing where a ratio decides.
    [[nodiscard]] std::optional<cell> fixed_row();
    /// What runs where nothing may be lost. Precondition: the likeness is known.
    [[nodiscard]] cell lossless_row();
    /// What runs where nobody compresses.
    [[nodiscard]] cell plain() const noexcept;
    /// agreed  what rows have to suit; null where nothing is compressed
    [[nodiscard]] model::choice choose(const model::question& what, const value_span* agreed) const;
    /// Whether a row keeps the bound of the call, for values in such a range.
    [[nodiscard]] bool suits(const value_span& agreed, const cell& what) const;
    [[nodiscard]] bool decide(const value_span& agreed, cell& what);
    /// Keeps what was decided for later calls.
    void learn();
    /// What compression wins pays for asking about calls that turn out to be MPI's.
    [[nodiscard]] double price_of(const model::question& what) const;
    [[nodiscard]] model::question question(const sampled_ratios& ratio) const noexcept;

    call_store& store_;
    choice_request asked_;
    const known_machine* machine_ = &built_in_machine();
    model::call_likeness likeness_;
    /// A compressed row that was decided on, and its rivals. Those that add values have to suit the range of all values
    /// before anything is learned of them.
    struct lesson {
        double ratio = 0, gain_s = 0, price_s = 0;
        std::array<cell, model::recollection::most_rivals> rivals;
        std::size_t count = 0;  ///< 0: nothing to learn
    };
    lesson lesson_;
    value_span first_agreed_;  ///< the first time
    std::uint64_t agreed_elements_ = 0;
    cell unasked_;  ///< what is ahead of stock for a call too short to be asked about
    bool settled_ = false;
    bool lossless_ = false;
    bool asks_ = false;
    bool new_machine_ = false;
};

}  // namespace laconic::collective
