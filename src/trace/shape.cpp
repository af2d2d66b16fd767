// SPDX-License-Identifier: BSD-3-Clause
// Signatures taken apart into shape and slots, and put together again.
#include "trace/shape.hpp"

#include <string>

namespace laconic::trace {
namespace {

/// Shorter ones are left as they are: they could begin on one rank and not on the next.
constexpr std::size_t least_run_numbers = 16;
constexpr std::size_t least_run_turns = 4;
constexpr std::size_t most_period = 12;

struct run {
    std::size_t period = 0, turns = 0;
};

/// The longest run that begins at `from`, shortest period first; period 0 when there is none.
run run_at(const std::vector<std::uint64_t>& numbers, std::size_t from) {
    const std::size_t left = numbers.size() - from;
    for (std::size_t period = 1; period <= most_period && period * least_run_turns <= left; ++period) {
        std::size_t at = from + 2 * period;
        while (at < numbers.size() &&
               numbers[at] - numbers[at - period] == numbers[at - period] - numbers[at - 2 * period])
            ++at;
        const std::size_t turns = (at - from) / period;
        if (turns >= least_run_turns && turns * period >= least_run_numbers) return {period, turns};
    }
    return {};
}

status not_a_shape() { return {errc::corrupt, "the shape of a signature is damaged"}; }

}  // namespace

shaped shape_of(view signature) {
    shaped made;
    std::vector<std::uint64_t> numbers;
    wire_reader in(signature);
    const std::uint64_t head = in.varint();
    while (!in.failed() && in.left() > 0) numbers.push_back(in.varint());
    if (in.failed() || numbers.size() > most_signature_numbers) {
        put_varint(made.shape, 0);
        put_bytes(made.shape, signature);
        return made;
    }
    put_varint(made.shape, 1);
    put_varint(made.shape, head);
    std::size_t plain = 0;
    const auto end_plain = [&] {
        if (plain > 0) put_varint(made.shape, 2 * plain);
        plain = 0;
    };
    for (std::size_t at = 0; at < numbers.size();) {
        const run found = run_at(numbers, at);
        if (found.period == 0) {
            made.slots.push_back(numbers[at++]);
            ++plain;
            continue;
        }
        end_plain();
        put_varint(made.shape, 2 * found.period + 1);
        made.slots.push_back(found.turns);
        for (std::size_t lane = 0; lane < found.period; ++lane) made.slots.push_back(numbers[at + lane]);
        for (std::size_t lane = 0; lane < found.period; ++lane)
            made.slots.push_back(numbers[at + found.period + lane] - numbers[at + lane]);
        at += found.period * found.turns;
    }
    end_plain();
    return made;
}

result<std::size_t> slots_of(view shape) {
    wire_reader in(shape);
    const std::uint64_t kind = in.varint();
    if (kind == 0 && !in.failed()) return std::size_t{0};
    if (kind != 1) return not_a_shape();
    in.varint();
    std::uint64_t slots = 0;
    while (!in.failed() && in.left() > 0) {
        const std::uint64_t segment = in.varint();
        const std::uint64_t size = segment / 2;
        if (size == 0 || size > most_signature_numbers) return not_a_shape();
        slots += segment % 2 == 0 ? size : 1 + 2 * size;
        if (slots > 2 * most_signature_numbers) return not_a_shape();
    }
    if (in.failed()) return not_a_shape();
    return static_cast<std::size_t>(slots);
}

status signature_of(view shape, std::span<const std::uint64_t> slots, std::span<const std::uint64_t> steps,
                    std::uint64_t turn, bytes& out) {
    wire_reader in(shape);
    if (in.varint() == 0) {
        if (in.failed() || !slots.empty()) return not_a_shape();
        put_bytes(out, in.take(in.left()));
        return {};
    }
    put_varint(out, in.varint());
    std::size_t next = 0;
    const auto slot = [&] {
        const std::uint64_t step = steps.empty() ? 0 : steps[next];
        return slots[next++] + step * turn;
    };
    std::uint64_t written = 0;
    while (!in.failed() && in.left() > 0) {
        const std::uint64_t segment = in.varint();
        const std::uint64_t size = segment / 2;
        const std::uint64_t needed = segment % 2 == 0 ? size : 1 + 2 * size;
        if (in.failed() || size > most_signature_numbers || needed > slots.size() - next) return not_a_shape();
        if (segment % 2 == 0) {
            for (std::uint64_t i = 0; i < size; ++i) put_varint(out, slot());
            written += size;
            continue;
        }
        const std::uint64_t turns = slot();
        if (turns > most_signature_numbers || (written += turns * size) > most_signature_numbers)
            return {errc::corrupt, "a signature has more than " + std::to_string(most_signature_numbers) + " numbers"};
        std::vector<std::uint64_t> lanes(2 * size);
        for (std::uint64_t& each : lanes) each = slot();
        for (std::uint64_t i = 0; i < turns; ++i)
            for (std::size_t lane = 0; lane < size; ++lane) put_varint(out, lanes[lane] + i * lanes[size + lane]);
    }
    if (in.failed() || next != slots.size()) return not_a_shape();
    return {};
}

}  // namespace laconic::trace
