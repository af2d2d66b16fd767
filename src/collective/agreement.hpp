// SPDX-License-Identifier: BSD-3-Clause
// One small allreduce before any data moves. Each rank's view of the call flows in, valid or not; out flows, on all
// ranks alike, either the range of all ranks' values or the reason why the call cannot run. A rank with a bad
// argument takes part here, so the others learn of it instead of waiting for it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "collective/finite_range.hpp"
#include "collective/registry.hpp"
#include "collective/sample.hpp"
#include "laconic/bound.hpp"
#include "laconic/codec.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

/// What has to be the same on every rank.
struct call_shape {
    operation op = operation::allreduce;
    std::uint64_t count = 0;   ///< elements: of the whole (allreduce, reduce, bcast), or of a rank's equal part
    std::uint64_t counts = 0;  ///< a digest of the counts that all ranks give alike
    element_type type = element_type::f32;
    reduction combine = reduction::sum;
    int root = 0;
    bound limit;
    scope bound_scope = scope::result;
    double confidence = 0;
    cell what;
    std::uint64_t segment_bytes = 0;
    double rate = 0;
    unsigned ranks_per_node = 0;
    bool shared_memory = true;
    unsigned codec_threads = 0;  ///< that `auto` reckons with
    std::uint64_t machine = 0;   ///< a digest of what `auto` decides by; 0: the built-in figures
    bool audit = false;
    bool checks = false;     ///< where it changes what ranks tell each other
    bool passed_on = false;  ///< it is MPI's alone; nothing else but `op` is then known
};

/// Doubles in the order of integers.
[[nodiscard]] inline std::int64_t to_ordered(double value) noexcept {
    const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // -0.0 becomes 0.0
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

/// The number by which ranks compare bounds, which are not negative: those of relative ones are.
[[nodiscard]] inline std::int64_t comparable(bound limit) noexcept {
    const std::int64_t value = to_ordered(limit.value);
    return limit.kind == bound_kind::relative ? ~value : value;
}

/// What ranks compare of how values are combined: nothing where none are, and they may name what they like.
[[nodiscard]] constexpr reduction comparable(operation op, reduction combine) noexcept {
    return is_reduction(op) ? combine : reduction::sum;
}

/// The finite values of one rank, or of all of them; of a call that is still to be decided those that were looked at.
struct value_span : finite_range {
    agreed_sample sample = {};   ///< of this rank, or of all ranks that looked at values; the bound is left out
    double last_s = 0;           ///< how long an earlier call took; 0: not known. Of all ranks: the longest there is
    double share = 0;            ///< see message_shares; 0: not known. Of all ranks: the largest there is
    std::uint64_t elements = 0;  ///< of the buffer, as far as the rank knows. Of all ranks: the largest there is
};

/// What travels. Not part of an agreement: where MPI has failed it may still write there when that is over, and the
/// letter stays in use for good.
struct agreement_letter {
    static constexpr std::size_t facts_compared = 19;
    std::array<std::int64_t, 2 * facts_compared + 10> packet;
    std::array<char, 400> text;
    bool in_use = false;
};

class agreement {
public:
    agreement() = default;
    agreement(const agreement&) = delete;
    agreement& operator=(const agreement&) = delete;
    ~agreement() { release(); }

    /// Starts it. Collective over the channel. Returns ok or mpi.
    /// letter   of the channel, not in use; it outlives the agreement
    /// local    ok, or why this rank cannot run the call; `shape` then counts for nothing
    [[nodiscard]] status start(mpi::channel& channel, agreement_letter& letter, const call_shape& shape,
                               const value_span& values, const status& local);
    /// False while messages are on their way. Otherwise over: the span over all ranks; else on all ranks the same
    /// status: the local failure of the lowest rank among those with the highest code, prefixed with its rank; mismatch
    /// naming both values; or mpi. Where there is no memory for its text it has none.
    [[nodiscard]] result<bool> test();
    /// Precondition: test() said true.
    [[nodiscard]] const value_span& values() const noexcept { return values_; }

    /// Gives up one that is not over.
    void release() noexcept;

private:
    [[nodiscard]] result<bool> listen();
    [[nodiscard]] status judge() const;

    mpi::channel* channel_ = nullptr;
    MPI_Request request_ = MPI_REQUEST_NULL;
    agreement_letter* letter_ = nullptr;
    operation op_ = operation::allreduce;
    bool telling_ = false;  // a failure's text is on its way
    int teller_ = 0;
    value_span values_;
};

}  // namespace laconic::collective
