// SPDX-License-Identifier: BSD-3-Clause
// Expressions of the rank: a rank flows in, a number of a call flows out. What a program computes from its rank (a
// neighbour on a grid, a partner in a butterfly, a transposed position, a colour) is one expression for all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "laconic/status.hpp"
#include "trace/rank_set.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// All arithmetic is modulo 2^64. `zigzagged`: the result, taken as a signed number, counts in its zigzag form.
struct linear {
    bool zigzagged = false;
    std::uint64_t base = 0;
    /// Digits of the rank: digit k is (rank / strides[k]) % (strides[k + 1] / strides[k]), the last one without bound;
    /// strides[0] is 1, each divides the next. The result is base + sum of weights[k] * digit k. One digit: a line.
    std::vector<std::uint64_t> strides{1};
    std::vector<std::uint64_t> weights{0};

    [[nodiscard]] std::uint64_t at(std::uint32_t rank) const noexcept;
    friend bool operator==(const linear&, const linear&) = default;
};

[[nodiscard]] linear constant(std::uint64_t value);

struct expression {
    struct exception {
        rank_set ranks;
        linear value;
        friend bool operator==(const exception&, const exception&) = default;
    };
    /// pieces: the first exception that has the rank, else `otherwise`. exclusive_or: (rank ^ mask) + otherwise.base.
    /// listed: values[i] for the i-th rank of `ranks`, otherwise.base for ranks that are not in it.
    enum class kind : std::uint8_t { pieces = 0, exclusive_or = 1, listed = 2 };

    kind what = kind::pieces;
    std::vector<exception> exceptions;
    linear otherwise;
    std::uint64_t mask = 0;
    rank_set ranks;
    std::vector<std::uint64_t> values;

    [[nodiscard]] std::uint64_t at(std::uint32_t rank) const noexcept;
    friend bool operator==(const expression&, const expression&) = default;

    ///   varint kind
    ///   pieces:        varint n, n * (set, linear), linear
    ///   exclusive_or:  varint mask, varint base
    ///   listed:        set, svarint differences of the values, each from the one before, the first from 0
    ///   linear := varint (2 * (digits - 1) + zigzagged), svarint base, digits * svarint weight, (digits - 1) * varint
    ///             (stride / stride before)
    void write(bytes& out) const;
    /// returns corrupt  not what write() makes
    [[nodiscard]] static result<expression> read(wire_reader& in, std::uint64_t ranks);
};

/// What sees equal expressions as one and a repeated search for an expression as a lookup.
[[nodiscard]] bytes key_of(const expression& of);

}  // namespace laconic::trace
