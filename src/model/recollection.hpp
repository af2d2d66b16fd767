// SPDX-License-Identifier: BSD-3-Clause
// What `auto` remembers of calls that were alike. Decisions, the ratios they were made for, and the times that ranks
// agreed on flow in; what the next call like these is to do flows out, before the ranks have spoken. The same on all
// ranks when all of them see the same calls, answers and times in the same order; after a call that they refused, which
// they may have seen in different ways, all begin anew.
//
// A call that ends with stock, or a row without compression, paid for asking and got nothing for it, so the next calls
// like it do the same unasked, twice as many after every answer that is the same again. A call that ends with a
// compressed row is followed by calls that presume that row, and ask in the message that they need anyway. Where
// several rows give the same bits and are predicted to be about equally fast, each is tried, and from then on their
// measured times decide. A clock never decides about bits.
//
// Calls whose sizes ranks do not know of each other are alike whatever their sizes. So that short ones do not silence
// long ones between them, what compressed calls are predicted to win is kept as credit, and pays for asking.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "model/cell.hpp"

namespace laconic::model {

/// What makes calls alike, as numbers that all ranks have in common.
struct call_likeness {
    std::uint64_t what = 0;  ///< a digest of operation, type, bound and the like
    std::uint64_t bytes = 0;

    friend bool operator==(const call_likeness&, const call_likeness&) = default;
};

/// Of everything besides the size that the decision depends on.
template <class... Part>
[[nodiscard]] constexpr call_likeness likeness_of(std::uint64_t bytes, Part... parts) noexcept {
    std::uint64_t digest = 0;
    ((digest = (digest ^ static_cast<std::uint64_t>(parts)) * 0x100000001b3u), ...);
    return {digest, bytes};
}

class recollection {
public:
    /// After so many calls the data may have become others: at most one call in so many is asked in vain.
    static constexpr unsigned longest_silence = 64;
    /// Ratios that differ by more than this are different data.
    static constexpr double other_data = 1.25;
    static constexpr std::size_t most = 32;
    static constexpr std::size_t most_rivals = 3;
    /// How often each rival runs before times decide.
    static constexpr unsigned tries = 2;
    /// What one time weighs in a row's average, and by what factor another row has to be faster to be taken.
    static constexpr double forgets = 0.125, clearly = 1.03;
    /// Times that differ by more than this are not of the row: one run waited for memory, or for another program.
    static constexpr double disturbed = 1.25;

    enum class advice : std::uint8_t {
        ask,      ///< nothing is known: ask, and learn()
        settled,  ///< take `what` without a word
        presume,  ///< take `what`, but settle() the ratio and the time that the ranks agree on
    };
    struct recalled {
        advice todo = advice::ask;
        cell what;
    };

    /// What a call is to do; counts it. Allocates nothing, as everything here.
    [[nodiscard]] recalled recall(const call_likeness& call) noexcept {
        entry* const known = find(call);
        if (known == nullptr) return {};
        if (known->rivals == 0) {
            if (known->silent == 0) return {};
            if (known->silent != for_ever) --known->silent;
            return {advice::settled, known->all[0].what};
        }
        known->last = known->running;
        known->running = next_of(*known);
        return {advice::presume, known->all[known->running].what};
    }

    /// What recall() is about to settle, or null; counts nothing.
    [[nodiscard]] const cell* settled(const call_likeness& call) const noexcept {
        const entry* const known = find(call);
        return known != nullptr && known->rivals == 0 && known->silent > 0 ? &known->all[0].what : nullptr;
    }

    /// A decision that no ratio changes.
    void keep(const call_likeness& call, const cell& what) noexcept {
        if (call.bytes == 0) return;
        entry& one = renewed(call);
        one.all[0].what = what;
        one.silent = for_ever;
    }

    /// A call that asked was answered: to take a row that needs no asking, MPI's own or one without compression.
    /// price_s   what asking costs; while there is credit for it the next call asks, too
    void learn(const call_likeness& call, const cell& what, double price_s = 0) noexcept {
        const entry* const known = find(call);
        const bool again = known != nullptr && known->rivals == 0 && known->all[0].what == what;
        const unsigned before = again ? known->silence : 0;
        entry& one = renewed(call);
        one.all[0].what = what;
        one.credit_s = std::max(one.credit_s - price_s, 0.0);
        if (one.credit_s > 0) return;
        one.silence = one.silent = std::min(before * 2 + 1, longest_silence - 1);
    }
    /// A call that asked was answered: to take the first of these, which give the same bits, for data of this ratio.
    /// Precondition: not empty.
    void learn(const call_likeness& call, double ratio, std::span<const cell> rivals) noexcept {
        entry& one = renewed(call);
        one.ratio = ratio;
        one.rivals = std::min(rivals.size(), most_rivals);
        for (std::size_t i = 0; i < one.rivals; ++i) one.all[i].what = rivals[i];
    }

    /// A compressed call wins so much time; no more than most_s is remembered. Precondition: learn().
    void earn(const call_likeness& call, double seconds, double most_s) noexcept {
        entry* const known = find(call);
        if (known != nullptr) known->credit_s = std::min(known->credit_s + std::max(seconds, 0.0), most_s);
    }

    /// The time of the last of these calls on this rank, to be agreed on; 0: none.
    [[nodiscard]] double last_s(const call_likeness& call) const noexcept {
        const entry* const known = find(call);
        return known != nullptr ? known->last_s : 0;
    }
    /// How long a call took on this rank. Optional, and only where one call ends before the next one is recalled.
    void ran(const call_likeness& call, double seconds) noexcept {
        entry* const known = find(call);
        if (known != nullptr) known->last_s = seconds;
    }

    /// What the ranks of a presumed call agreed on. Whether the presumption stands; if not, the call is to be decided
    /// anew, with learn().
    /// seconds   of the call before it; 0: not known
    [[nodiscard]] bool settle(const call_likeness& call, double ratio, double seconds) noexcept {
        entry* const known = find(call);
        if (known == nullptr || known->rivals == 0) return false;
        if (seconds > 0) {
            rival& timed = known->all[known->last];
            timed.seconds = averaged(timed, seconds);
            ++timed.runs;
        }
        known->last_s = 0;
        return ratio <= known->ratio * other_data && ratio * other_data >= known->ratio;
    }

private:
    static constexpr unsigned for_ever = ~0U;

    struct rival {
        cell what;
        unsigned runs = 0;
        double seconds = 0;  // an average that forgets
    };
    struct entry {
        call_likeness call;
        unsigned silence = 0, silent = 0;  // without rivals: how many calls are settled, and how many are left
        std::size_t rivals = 0, running = 0, last = 0, preferred = 0;
        double ratio = 0, last_s = 0, credit_s = 0;
        std::array<rival, most_rivals> all{};
    };

    [[nodiscard]] const entry* find(const call_likeness& call) const noexcept {
        for (const entry& one : entries_)
            if (one.call == call && call.bytes > 0) return &one;
        return nullptr;
    }
    [[nodiscard]] entry* find(const call_likeness& call) noexcept {
        return const_cast<entry*>(std::as_const(*this).find(call));
    }
    /// The entry of a call, empty but for its credit; the oldest makes room for a new one.
    entry& renewed(const call_likeness& call) noexcept {
        entry* known = find(call);
        if (known == nullptr) {
            known = &entries_[next_];
            next_ = (next_ + 1) % most;
        }
        const double credit_s = known->call == call ? known->credit_s : 0;
        *known = {};
        known->call = call;
        known->credit_s = credit_s;
        return *known;
    }
    /// One disturbed run is forgiven, and times that stay so long move the average all the same.
    static double averaged(const rival& timed, double seconds) noexcept {
        if (timed.runs == 0) return seconds;
        if (timed.runs >= tries)
            return timed.seconds + (std::min(seconds, timed.seconds * disturbed) - timed.seconds) * forgets;
        const double shorter = std::min(timed.seconds, seconds), longer = std::max(timed.seconds, seconds);
        return longer > shorter * disturbed ? shorter : (shorter + longer) / 2;
    }
    /// In turn while one has not had its tries. Then the fastest, but no other than before, or than predicted, for the
    /// sake of what may be noise.
    static std::size_t next_of(entry& one) noexcept {
        if (one.rivals == 1) return 0;
        std::size_t best = 0;
        for (std::size_t i = 1; i < one.rivals; ++i)
            if (one.all[i].runs < std::min(one.all[best].runs, tries)) best = i;
        if (one.all[best].runs < tries) return best;
        best = one.preferred;
        for (std::size_t i = 0; i < one.rivals; ++i)
            if (one.all[i].seconds * clearly < one.all[best].seconds) best = i;
        return one.preferred = best;
    }

    std::array<entry, most> entries_{};
    std::size_t next_ = 0;
};

}  // namespace laconic::model
