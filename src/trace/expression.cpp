// SPDX-License-Identifier: BSD-3-Clause
// Expressions of the rank: values, bytes.
#include "trace/expression.hpp"

namespace laconic::trace {
namespace {

constexpr std::size_t most_digits = 4;

void write_linear(bytes& out, const linear& of) {
    put_varint(out, 2 * (of.strides.size() - 1) + (of.zigzagged ? 1 : 0));
    put_signed(out, static_cast<std::int64_t>(of.base));
    for (const std::uint64_t weight : of.weights) put_signed(out, static_cast<std::int64_t>(weight));
    for (std::size_t k = 1; k < of.strides.size(); ++k) put_varint(out, of.strides[k] / of.strides[k - 1]);
}

linear read_linear(wire_reader& in, std::uint64_t ranks) {
    linear made;
    const std::uint64_t form = in.below(2 * most_digits);
    made.zigzagged = form % 2 == 1;
    const std::size_t digits = 1 + static_cast<std::size_t>(form / 2);
    made.base = static_cast<std::uint64_t>(in.signed_varint());
    made.weights.clear();
    for (std::size_t k = 0; k < digits; ++k) made.weights.push_back(static_cast<std::uint64_t>(in.signed_varint()));
    for (std::size_t k = 1; k < digits; ++k) {
        const std::uint64_t factor = in.below(ranks + 1);
        if (factor < 2 || made.strides.back() > ranks) in.fail();
        made.strides.push_back(made.strides.back() * (in.failed() ? 1 : factor));
    }
    return made;
}

}  // namespace

std::uint64_t linear::at(std::uint32_t rank) const noexcept {
    std::uint64_t value = base;
    for (std::size_t k = 0; k < strides.size(); ++k) {
        std::uint64_t digit = rank / strides[k];
        if (k + 1 < strides.size()) digit %= strides[k + 1] / strides[k];
        value += weights[k] * digit;
    }
    return zigzagged ? zigzag(static_cast<std::int64_t>(value)) : value;
}

linear constant(std::uint64_t value) {
    linear made;
    made.base = value;
    return made;
}

std::uint64_t expression::at(std::uint32_t rank) const noexcept {
    switch (what) {
        case kind::pieces:
            for (const exception& each : exceptions)
                if (each.ranks.contains(rank)) return each.value.at(rank);
            return otherwise.at(rank);
        case kind::exclusive_or: return (rank ^ mask) + otherwise.base;
        case kind::listed: break;
    }
    const auto index = ranks.index_of(rank);
    return index ? values[static_cast<std::size_t>(*index)] : otherwise.base;
}

void expression::write(bytes& out) const {
    put_varint(out, static_cast<std::uint64_t>(what));
    switch (what) {
        case kind::pieces:
            put_varint(out, exceptions.size());
            for (const exception& each : exceptions) {
                each.ranks.write(out);
                write_linear(out, each.value);
            }
            write_linear(out, otherwise);
            return;
        case kind::exclusive_or:
            put_varint(out, mask);
            put_varint(out, otherwise.base);
            return;
        case kind::listed: break;
    }
    ranks.write(out);
    std::uint64_t before = 0;
    for (const std::uint64_t value : values) {
        put_signed(out, static_cast<std::int64_t>(value - before));
        before = value;
    }
}

result<expression> expression::read(wire_reader& in, std::uint64_t ranks) {
    const status damaged(errc::corrupt, "an expression of the rank is damaged");
    expression made;
    made.what = static_cast<kind>(in.below(3));
    if (made.what == kind::exclusive_or) {
        made.mask = in.varint();
        made.otherwise.base = in.varint();
    } else if (made.what == kind::pieces) {
        const std::size_t exceptions = in.count(4);
        for (std::size_t i = 0; i < exceptions && !in.failed(); ++i) {
            auto set = rank_set::read(in, ranks);
            if (!set) return set.error();
            made.exceptions.push_back({std::move(*set), read_linear(in, ranks)});
        }
        made.otherwise = read_linear(in, ranks);
    } else {
        auto set = rank_set::read(in, ranks);
        if (!set) return set.error();
        if (set->size() > in.left()) return damaged;
        made.ranks = std::move(*set);
        std::uint64_t before = 0;
        for (std::uint64_t i = 0; i < made.ranks.size(); ++i)
            made.values.push_back(before += static_cast<std::uint64_t>(in.signed_varint()));
    }
    if (in.failed()) return damaged;
    return made;
}

bytes key_of(const expression& of) {
    bytes key;
    of.write(key);
    return key;
}

}  // namespace laconic::trace
