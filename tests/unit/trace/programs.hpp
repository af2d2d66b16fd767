// SPDX-License-Identifier: BSD-3-Clause
// Programs as the tracer sees them: a rank and a number of ranks flow in, the signatures of the calls that this rank
// makes flow out, in the encoding of docs/format/signature.md. No MPI: what the calls would return is worked out here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trace/wire.hpp"

namespace laconic::trace {

using calls = std::vector<bytes>;

/// Writes one signature, field by field.
class written_call {
public:
    written_call(int me, unsigned function) : me_(me) { put_varint(made_, std::uint64_t{function} << 1); }
    written_call& number(std::int64_t value) {
        put_signed(made_, value);
        return *this;
    }
    written_call& code(std::uint64_t value) {
        put_varint(made_, value);
        return *this;
    }
    /// Negative: MPI_PROC_NULL.
    written_call& rank(int value) {
        if (value < 0) return code(0);
        return code(static_cast<std::uint64_t>(value) + 5).number(value - me_);
    }
    written_call& buffer(unsigned segment, std::int64_t displacement) {
        return code(3).code(segment).number(displacement);
    }
    written_call& status(int source, int tag, std::uint64_t size) {
        return code(3).rank(source).number(source < 0 ? -1 : tag).code(size);
    }
    written_call& text(const std::string& value) {
        code(value.size() + 1);
        put_bytes(made_, std::as_bytes(std::span(value)));
        return *this;
    }
    operator bytes() const { return made_; }

private:
    int me_;
    bytes made_;
};

enum : unsigned { f_init = 1, f_rank, f_size, f_send, f_recv, f_isend, f_irecv, f_waitall, f_allreduce, f_finalize };
constexpr std::uint64_t world = 1, f64_type = 27;

class program {
public:
    program(int me, int ranks) : me_(me), ranks_(ranks) {
        add(written_call(me, f_init).code(0));
        add(written_call(me, f_rank).code(world).code(0).number(me));
        add(written_call(me, f_size).code(world).code(0).number(ranks));
    }
    void add(bytes signature) { made_.push_back(std::move(signature)); }
    void send(int to, int tag, unsigned segment, std::int64_t displacement = 0, std::int64_t count = 100) {
        add(written_call(me_, f_send)
                .buffer(segment, displacement)
                .number(count)
                .code(f64_type)
                .rank(to)
                .number(tag)
                .code(world)
                .code(0));
    }
    void receive(int from, int tag, unsigned segment, std::int64_t displacement = 0, std::int64_t count = 100) {
        add(written_call(me_, f_recv)
                .buffer(segment, displacement)
                .number(count)
                .code(f64_type)
                .rank(from)
                .number(tag)
                .code(world)
                .code(0)
                .status(from, tag, static_cast<std::uint64_t>(8 * count)));
    }
    void isend(int to, int tag, unsigned segment, std::int64_t displacement, std::int64_t count, unsigned pool) {
        add(written_call(me_, f_isend)
                .buffer(segment, displacement)
                .number(count)
                .code(f64_type)
                .rank(to)
                .number(tag)
                .code(world)
                .code(0)
                .code(pool + 1)
                .code(0));
    }
    void irecv(int from, int tag, unsigned segment, std::int64_t displacement, std::int64_t count, unsigned pool) {
        add(written_call(me_, f_irecv)
                .buffer(segment, displacement)
                .number(count)
                .code(f64_type)
                .rank(from)
                .number(tag)
                .code(world)
                .code(0)
                .code(pool + 1)
                .code(0));
    }
    void allreduce() {
        add(written_call(me_, f_allreduce)
                .buffer(0, 0)
                .buffer(1, 0)
                .number(1)
                .code(f64_type)
                .code(3)
                .code(world)
                .code(0));
    }
    calls end() {
        add(written_call(me_, f_finalize).code(0));
        return std::move(made_);
    }

    const int me_, ranks_;

private:
    calls made_;
};

/// Neighbours as of a Cartesian grid, dimension by dimension, down and up; -1 beyond an edge that does not wrap.
inline std::vector<int> neighbours(int me, const std::vector<int>& extents, bool wrap) {
    std::vector<int> found;
    int stride = 1;
    for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d + 1 - 1]) {
        const int extent = extents[d];
        const int at = me / stride % extent;
        for (const int step : {-1, 1}) {
            const int to = at + step;
            const bool inside = to >= 0 && to < extent;
            found.push_back(inside || wrap ? me + ((to + extent) % extent - at) * stride : -1);
        }
    }
    return found;
}

/// Halo exchange with Irecv, Isend and Waitall, and a residual.
inline calls stencil(int me, const std::vector<int>& extents, bool wrap, int iterations) {
    int ranks = 1;
    for (const int extent : extents) ranks *= extent;
    program p(me, ranks);
    const auto around = neighbours(me, extents, wrap);
    for (int i = 0; i < iterations; ++i) {
        for (std::size_t n = 0; n < around.size(); ++n)
            p.irecv(around[n], static_cast<int>(n), 2, static_cast<std::int64_t>(800 * n), 100,
                    static_cast<unsigned>(n));
        for (std::size_t n = 0; n < around.size(); ++n)
            p.isend(around[n], static_cast<int>(n ^ 1), 3, static_cast<std::int64_t>(800 * n), 100,
                    static_cast<unsigned>(around.size() + n));
        written_call wait(me, f_waitall);
        wait.number(static_cast<std::int64_t>(2 * around.size())).code(2 * around.size() + 1);
        for (std::size_t n = 0; n < 2 * around.size(); ++n) wait.code(n + 1).code(0);
        wait.code(0).code(2 * around.size() + 1);
        for (std::size_t n = 0; n < around.size(); ++n)
            wait.status(around[n], static_cast<int>(n), around[n] < 0 ? 0 : 800);
        for (std::size_t n = 0; n < around.size(); ++n) wait.code(0);
        p.add(wait);
        p.allreduce();
    }
    return p.end();
}

inline calls root_fan(int me, int ranks, int iterations) {
    program p(me, ranks);
    for (int i = 0; i < iterations; ++i) {
        if (me == 0)
            for (int to = 1; to < ranks; ++to) p.send(to, 7, 2, 800 * to);
        else
            p.receive(0, 7, 2);
    }
    return p.end();
}

/// Isend to everyone and one Waitall, then an answer from everyone.
inline calls root_fan_nonblocking(int me, int ranks, int iterations) {
    program p(me, ranks);
    for (int i = 0; i < iterations; ++i) {
        if (me == 0) {
            for (int to = 1; to < ranks; ++to) p.isend(to, 7, 2, 800 * to, 100, static_cast<unsigned>(to - 1));
            written_call wait(me, f_waitall);
            wait.number(ranks - 1).code(static_cast<std::uint64_t>(ranks));
            for (int to = 1; to < ranks; ++to) wait.code(static_cast<std::uint64_t>(to)).code(0);
            wait.code(0).code(0);
            p.add(wait);
            for (int from = 1; from < ranks; ++from) p.receive(from, 8, 3, 800 * from);
        } else {
            p.receive(0, 7, 2);
            p.send(0, 8, 2);
        }
    }
    return p.end();
}

/// The partner in the transposed position of a rows x columns grid, as in NAS CG (columns = rows or 2 * rows).
inline int transposed(int me, int rows, int columns) {
    if (columns == rows) return me % rows * rows + me / rows;
    return 2 * (me / 2 % rows * rows + me / 2 / rows) + me % 2;
}
inline calls transpose(int me, int rows, int columns, int iterations) {
    program p(me, rows * columns);
    const int partner = transposed(me, rows, columns);
    for (int i = 0; i < iterations; ++i) {
        p.irecv(partner, 1, 2, 0, 100, 0);
        p.send(partner, 1, 3);
        p.add(written_call(me, f_waitall).number(1).code(2).code(1).code(0).code(0).code(2).status(partner, 1, 800));
    }
    return p.end();
}

inline calls butterfly(int me, int ranks, int iterations) {
    program p(me, ranks);
    for (int i = 0; i < iterations; ++i)
        for (int bit = 1; bit < ranks; bit *= 2) {
            p.send(me ^ bit, bit, 2);
            p.receive(me ^ bit, bit, 3);
        }
    return p.end();
}

/// Down a binomial tree from rank 0.
inline calls tree(int me, int ranks, int iterations) {
    program p(me, ranks);
    for (int i = 0; i < iterations; ++i) {
        int bit = 1;
        while (bit < ranks && (me & bit) == 0) bit *= 2;
        if (me != 0) p.receive(me - bit, 1, 2);
        for (bit /= 2; bit > 0; bit /= 2)
            if (me + bit < ranks) p.send(me + bit, 1, 2);
    }
    return p.end();
}

/// Everyone to everyone else, by hand, in the order of the ranks or beginning with the next one.
inline calls all_pairs(int me, int ranks, bool rotated) {
    program p(me, ranks);
    for (int i = 0; i < ranks; ++i) {
        const int to = rotated ? (me + i) % ranks : i;
        if (to != me) p.send(to, 3, 2, 800 * to);
    }
    return p.end();
}

}  // namespace laconic::trace
