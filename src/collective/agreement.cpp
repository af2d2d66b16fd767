// SPDX-License-Identifier: BSD-3-Clause
// Every fact travels as an order-preserving integer v together with ~v, so that one MPI_MAX yields its largest and
// its smallest value over the ranks: different values are a mismatch, and both are there to be named.
#include "collective/agreement.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

namespace laconic::collective {
namespace {

enum fact : std::size_t {
    fact_operation,
    fact_count,
    fact_counts,
    fact_type,
    fact_combine,
    fact_root,
    fact_bound,
    fact_scope,
    fact_confidence,
    fact_algorithm,
    fact_segment,
    fact_rate,
    fact_ranks_per_node,
    fact_shared_memory,
    fact_codec_threads,
    fact_machine,
    fact_audit,
    fact_check,
    fact_passed_on,
    facts
};
static_assert(facts == agreement_letter::facts_compared);

/// The message: facts, their complements, the value span, the worst local failure.
enum slot : std::size_t {
    span_min = 2 * facts,
    span_max,
    span_abs,
    span_any,
    span_least_bits,
    span_most_bits,
    span_last,
    span_share,
    span_elements,
    failure_key
};

/// What to_ordered() was given.
double from_ordered(std::int64_t ordered) noexcept {
    return std::bit_cast<double>(ordered < 0 ? ordered ^ INT64_MAX : ordered);
}

std::int64_t packed(const cell& what) noexcept {
    return static_cast<std::int64_t>(what.schedule) << 16 | static_cast<std::int64_t>(what.payload) << 8 |
           static_cast<std::int64_t>(what.codec);
}
cell unpacked(std::int64_t number) noexcept {
    return {static_cast<schedule_kind>(number >> 16 & 0xFF), static_cast<payload_kind>(number >> 8 & 0xFF),
            static_cast<codec_id>(number & 0xFF)};
}

std::string real_text(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    return text.data();
}

std::string describe(operation op, std::size_t which, std::int64_t value) {
    constexpr std::array scopes{"result", "contribution", "probable"};
    constexpr std::array reductions{"sum", "avg", "min", "max", "prod", "custom"};
    constexpr std::array types{"float", "double", "half", "bfloat16"};
    const auto index = static_cast<std::size_t>(value);
    switch (which) {
        case fact_operation: return std::string(name_of(static_cast<operation>(value)));
        case fact_type: {
            constexpr std::array order{element_type::f32, element_type::f64, element_type::f16, element_type::bf16};
            const auto found = std::find(order.begin(), order.end(), static_cast<element_type>(value));
            return types[static_cast<std::size_t>(found - order.begin()) % types.size()];
        }
        case fact_combine: return reductions[index % reductions.size()];
        case fact_scope: return scopes[index % scopes.size()];
        case fact_passed_on: return value != 0 ? "passed on to MPI" : "made by laconic";
        case fact_audit:
        case fact_check: return value != 0 ? "on" : "off";
        case fact_algorithm: return name_of(op, unpacked(value));
        case fact_rate:
        case fact_confidence: return real_text(from_ordered(value));
        case fact_bound:
            return value < 0 ? "relative " + real_text(from_ordered(~value))
                             : "absolute " + real_text(from_ordered(value));
        case fact_shared_memory: return value != 0 ? "on" : "off";
        case fact_machine: return value == 0 ? "the built-in one" : "a file with digest " + std::to_string(value);
        default: return std::to_string(value);
    }
}

/// A failure that all ranks return, with or without memory for its text.
template <class Text>
status told(errc code, Text text) noexcept {
    try {
        return {code, text()};
    } catch (const std::bad_alloc&) {
        return {code, {}};
    }
}

}  // namespace

status agreement::start(mpi::channel& channel, agreement_letter& letter, const call_shape& shape,
                        const value_span& values, const status& local) {
    channel_ = &channel;
    op_ = shape.op;
    telling_ = false;
    letter_ = &letter;
    letter.in_use = true;
    auto& packet = letter.packet;
    auto& text = letter.text;
    text.fill(0);
    packet.fill(INT64_MIN);
    packet[failure_key] = 0;
    if (!local.ok()) {
        // Highest code first, then lowest rank.
        packet[failure_key] = (static_cast<std::int64_t>(local.code()) << 32) | (INT32_MAX - channel.rank());
        local.context().copy(text.data(), text.size() - 1);
    } else {
        const std::array<std::int64_t, facts> mine{static_cast<std::int64_t>(shape.op),
                                                   static_cast<std::int64_t>(shape.count),
                                                   static_cast<std::int64_t>(shape.counts),
                                                   static_cast<std::int64_t>(shape.type),
                                                   static_cast<std::int64_t>(shape.combine),
                                                   shape.root,
                                                   comparable(shape.limit),
                                                   static_cast<std::int64_t>(shape.bound_scope),
                                                   to_ordered(shape.confidence),
                                                   packed(shape.what),
                                                   static_cast<std::int64_t>(shape.segment_bytes),
                                                   to_ordered(shape.rate),
                                                   static_cast<std::int64_t>(shape.ranks_per_node),
                                                   shape.shared_memory ? 1 : 0,
                                                   static_cast<std::int64_t>(shape.codec_threads),
                                                   static_cast<std::int64_t>(shape.machine),
                                                   shape.audit ? 1 : 0,
                                                   shape.checks ? 1 : 0,
                                                   shape.passed_on ? 1 : 0};
        for (std::size_t f = 0; f < facts; ++f) {
            packet[f] = mine[f];
            packet[facts + f] = ~mine[f];
        }
        if (values.any_finite) {
            packet[span_any] = 1;
            packet[span_min] = ~to_ordered(values.min);
            packet[span_max] = to_ordered(values.max);
            packet[span_abs] = to_ordered(values.max_abs);
        }
        if (values.sample.any) {
            packet[span_least_bits] = ~to_ordered(values.sample.least);
            packet[span_most_bits] = to_ordered(values.sample.most);
        }
        packet[span_elements] = static_cast<std::int64_t>(values.elements);
        if (values.last_s > 0) packet[span_last] = to_ordered(values.last_s);
        if (values.share > 0) packet[span_share] = to_ordered(values.share);
    }
    return channel.check(MPI_Iallreduce(MPI_IN_PLACE, packet.data(), static_cast<int>(packet.size()), MPI_INT64_T,
                                        MPI_MAX, channel.comm(), &request_),
                         "MPI_Iallreduce");
}

void agreement::release() noexcept {
    if (letter_ == nullptr) return;
    letter_->in_use = request_ != MPI_REQUEST_NULL;
    letter_ = nullptr;
}

result<bool> agreement::test() {
    result<bool> heard = listen();
    if (!heard || *heard) release();
    return heard;
}

result<bool> agreement::listen() {
    auto& packet = letter_->packet;
    auto& text = letter_->text;
    int over = 0;
    if (auto done = channel_->check(MPI_Test(&request_, &over, MPI_STATUS_IGNORE), "MPI_Iallreduce"); !done.ok())
        return done;
    if (over == 0) return false;
    if (telling_)
        return told(static_cast<errc>(packet[failure_key] >> 32),
                    [&] { return "rank " + std::to_string(teller_) + ": " + text.data(); });
    if (packet[failure_key] != 0) {
        // All ranks learn the text of the rank that failed.
        telling_ = true;
        teller_ = INT32_MAX - static_cast<int>(packet[failure_key] & INT32_MAX);
        if (teller_ != channel_->rank()) text.fill(0);
        const int code =
            MPI_Ibcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, teller_, channel_->comm(), &request_);
        if (auto done = channel_->check(code, "MPI_Ibcast"); !done.ok()) return done;
        return false;
    }
    if (auto differs = judge(); !differs.ok()) return differs;
    values_ = {};
    if (packet[span_any] == 1)
        values_ = {
            {true, from_ordered(~packet[span_min]), from_ordered(packet[span_max]), from_ordered(packet[span_abs])}};
    if (packet[span_most_bits] != INT64_MIN)
        values_.sample = {from_ordered(~packet[span_least_bits]), from_ordered(packet[span_most_bits]), 0, true};
    values_.elements = static_cast<std::uint64_t>(std::max(packet[span_elements], std::int64_t{0}));
    if (packet[span_last] != INT64_MIN) values_.last_s = from_ordered(packet[span_last]);
    if (packet[span_share] != INT64_MIN) values_.share = from_ordered(packet[span_share]);
    return true;
}

status agreement::judge() const {
    constexpr std::array<const char*, facts> names{"collective",
                                                   "element count",
                                                   "counts",
                                                   "element type",
                                                   "operation",
                                                   "root",
                                                   "error bound",
                                                   "scope",
                                                   "confidence",
                                                   "algorithm",
                                                   "segment size",
                                                   "rate of zfp_rate",
                                                   "ranks_per_node",
                                                   "shared_memory",
                                                   "codec_threads of auto",
                                                   "machine of auto",
                                                   "audit",
                                                   "check",
                                                   "what type and operation make of the call"};
    // Operation and type first: counts of different ones say little.
    for (const std::size_t f :
         {fact_operation, fact_passed_on, fact_type, fact_count, fact_counts, fact_combine, fact_root, fact_bound,
          fact_scope, fact_confidence, fact_algorithm, fact_segment, fact_rate, fact_ranks_per_node, fact_shared_memory,
          fact_codec_threads, fact_machine, fact_audit, fact_check}) {
        const std::int64_t largest = letter_->packet[f];
        const std::int64_t smallest = ~letter_->packet[facts + f];
        if (largest != smallest)
            return told(errc::mismatch, [&] {
                return std::string(names[f]) + " differs between ranks: " + describe(op_, f, smallest) + " on one, " +
                       describe(op_, f, largest) + " on another; give all the same";
            });
    }
    return {};
}

}  // namespace laconic::collective
