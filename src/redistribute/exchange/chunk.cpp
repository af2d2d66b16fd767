// SPDX-License-Identifier: BSD-3-Clause
// A position in a stream is found by a binary search for its piece.
#include "redistribute/exchange/chunk.hpp"

#include <algorithm>

namespace laconic::redistribute {
namespace {

/// Calls visit(piece, field, first byte in the piece, bytes) for what a chunk covers.
template <class Visit>
void for_each_part(const stream& all, const chunk& what, Visit visit) noexcept {
    const std::int64_t fields = all.by_field ? 1 : all.fields;
    std::int64_t at = what.begin - (all.by_field ? static_cast<std::int64_t>(what.field) * all.field_bytes : 0);
    const auto behind = std::upper_bound(all.parts.begin(), all.parts.end(), at,
                                         [&](std::int64_t byte, const part& p) { return byte < p.begin * fields; });
    std::int64_t left = what.bytes;
    for (auto piece = behind - 1; left > 0; ++piece) {
        const std::int64_t bytes = piece->rows.bytes();
        while (left > 0 && at < (piece->begin + bytes) * fields) {
            const std::int64_t inside = at - piece->begin * fields;
            const std::int64_t field = inside / bytes, begin = inside % bytes;
            const std::int64_t now = std::min(left, bytes - begin);
            visit(*piece, all.by_field ? what.field : static_cast<std::size_t>(field), begin, now);
            at += now;
            left -= now;
        }
    }
}

}  // namespace

std::int64_t chunks_of(const stream& all, std::int64_t chunk_bytes) noexcept {
    const auto parts = [&](std::int64_t bytes) { return (bytes + chunk_bytes - 1) / chunk_bytes; };
    return all.by_field ? all.fields * parts(all.field_bytes) : parts(all.bytes());
}

chunk chunk_at(const stream& all, std::int64_t chunk_bytes, std::int64_t index) noexcept {
    if (!all.by_field) {
        const std::int64_t begin = index * chunk_bytes;
        return {begin, std::min(chunk_bytes, all.bytes() - begin), 0};
    }
    const std::int64_t each = (all.field_bytes + chunk_bytes - 1) / chunk_bytes;
    const std::int64_t field = index / each, inside = index % each * chunk_bytes;
    return {field * all.field_bytes + inside, std::min(chunk_bytes, all.field_bytes - inside),
            static_cast<std::size_t>(field)};
}

void pack(const stream& all, const run_arrays& arrays, const chunk& what, std::byte* to, stores how) noexcept {
    for_each_part(all, what, [&](const part& piece, std::size_t field, std::int64_t begin, std::int64_t bytes) {
        gather(piece.rows, arrays.in[field], begin, bytes, to, how);
        to += bytes;
    });
}

void unpack(const stream& all, const run_arrays& arrays, const chunk& what, const std::byte* from, stores how,
            tally& arrivals) noexcept {
    for_each_part(all, what, [&](const part& piece, std::size_t field, std::int64_t begin, std::int64_t bytes) {
        scatter(piece.rows, arrays.out[field], begin, bytes, from, how);
        from += bytes;
        arrivals.arrived(piece.patch, bytes);
    });
}

}  // namespace laconic::redistribute
