// SPDX-License-Identifier: BSD-3-Clause
// Counts and displacements, as each operation has them.
#include "collective/geometry.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/arithmetic.hpp"
#include "codec/fle.hpp"
#include "collective/program.hpp"

namespace laconic::collective {
namespace {

std::string text(std::size_t number) { return std::to_string(number); }

status wrong_size(const char* array, std::size_t have, std::size_t need, const std::string& why) {
    return {errc::invalid_argument, std::string(array) + " has " + text(have) + " elements and needs " + text(need) +
                                        " (" + why + "); give that many"};
}

/// One count and one displacement for each rank, all inside the array; empty parts may have their place anywhere.
status check_lists(const char* array, std::size_t size, std::span<const std::size_t> counts,
                   std::span<const std::size_t> displacements, int ranks) {
    const auto p = static_cast<std::size_t>(ranks);
    if (counts.size() != p || displacements.size() != p)
        return {errc::invalid_argument, text(counts.size()) + " counts and " + text(displacements.size()) +
                                            " displacements for " + text(p) + " ranks; give one for each"};
    for (std::size_t k = 0; k < p; ++k)
        if (counts[k] != 0 && (displacements[k] > size || counts[k] > size - displacements[k]))
            return {errc::invalid_argument, "part " + text(k) + ", " + text(counts[k]) + " elements from " +
                                                text(displacements[k]) + " on, leaves " + array + ", which has " +
                                                text(size) + "; give parts that lie inside"};
    return {};
}

status check_varying(const geometry& call) {
    const auto me = static_cast<std::size_t>(call.rank);
    switch (call.op) {
        case operation::reduce_scatter: {
            if (call.in_counts.size() != static_cast<std::size_t>(call.ranks))
                return {errc::invalid_argument, text(call.in_counts.size()) + " counts for " +
                                                    text(static_cast<std::size_t>(call.ranks)) +
                                                    " ranks; give one for each"};
            const std::size_t all = std::accumulate(call.in_counts.begin(), call.in_counts.end(), std::size_t{0});
            if (call.in_count != all) return wrong_size("in", call.in_count, all, "the sum of the counts");
            if (call.out_count < call.in_counts[me])
                return wrong_size("out", call.out_count, call.in_counts[me], "this rank's count");
            return {};
        }
        case operation::allgather:
        case operation::gather:
            if (call.op == operation::gather && !call.is_root()) return {};
            if (auto bad = check_lists("out", call.out_count, call.out_counts, call.out_displacements, call.ranks);
                !bad.ok())
                return bad;
            if (call.in_count != call.out_counts[me])
                return wrong_size("in", call.in_count, call.out_counts[me], "this rank's count");
            return {};
        case operation::scatter:
            if (!call.is_root()) return {};
            if (auto bad = check_lists("in", call.in_count, call.in_counts, call.in_displacements, call.ranks);
                !bad.ok())
                return bad;
            if (call.out_count != call.in_counts[me])
                return wrong_size("out", call.out_count, call.in_counts[me], "this rank's count");
            return {};
        case operation::alltoall:
            if (auto bad = check_lists("in", call.in_count, call.in_counts, call.in_displacements, call.ranks);
                !bad.ok())
                return bad;
            if (auto bad = check_lists("out", call.out_count, call.out_counts, call.out_displacements, call.ranks);
                !bad.ok())
                return bad;
            if (call.in_counts[me] != call.out_counts[me])
                return wrong_size("this rank's own part of out", call.out_counts[me], call.in_counts[me],
                                  "what the rank sends itself");
            return {};
        default:
            return {errc::invalid_argument, std::string(name_of(call.op)) + " takes no counts; leave `varying` false"};
    }
}

status check_equal(const geometry& call) {
    const auto p = static_cast<std::size_t>(call.ranks);
    const auto times = [&] { return text(p) + " ranks times " + text(call.out_count); };
    switch (call.op) {
        case operation::allreduce:
        case operation::bcast:
            if (call.in_count != call.out_count)
                return {errc::invalid_argument, "in has " + text(call.in_count) + " elements and out has " +
                                                    text(call.out_count) + "; give equal sizes"};
            return {};
        case operation::reduce:
            if (call.is_root() && call.in_count != call.out_count)
                return wrong_size("out", call.out_count, call.in_count, "as in");
            return {};
        case operation::reduce_scatter:
            if (call.in_count != p * call.out_count)
                return wrong_size("in", call.in_count, p * call.out_count, times());
            return {};
        case operation::allgather:
        case operation::gather:
            if ((call.op == operation::allgather || call.is_root()) && call.out_count != p * call.in_count)
                return wrong_size("out", call.out_count, p * call.in_count,
                                  text(p) + " ranks times " + text(call.in_count));
            return {};
        case operation::scatter:
            if (call.is_root() && call.in_count != p * call.out_count)
                return wrong_size("in", call.in_count, p * call.out_count, times());
            return {};
        case operation::alltoall:
            if (call.in_count != call.out_count || call.in_count % p != 0)
                return {errc::invalid_argument, "in has " + text(call.in_count) + " elements and out has " +
                                                    text(call.out_count) + "; give equal sizes, a multiple of the " +
                                                    text(p) + " ranks"};
            return {};
    }
    return {};
}

}  // namespace

bool geometry::reads() const noexcept { return (op != operation::scatter && op != operation::bcast) || is_root(); }
bool geometry::writes() const noexcept { return (op != operation::reduce && op != operation::gather) || is_root(); }

std::uint64_t geometry::common_count() const noexcept {
    if (varying) return op == operation::reduce_scatter ? in_count : 0;
    return op == operation::scatter ? out_count : in_count;
}

std::uint64_t geometry::counts_digest() const noexcept {
    if (!varying || (op != operation::allgather && op != operation::reduce_scatter)) return 0;
    std::uint64_t digest = 0x9e3779b97f4a7c15U;
    for (const std::size_t count : op == operation::allgather ? out_counts : in_counts) {
        digest = (digest ^ count) * 0xff51afd7ed558ccdU;
        digest ^= digest >> 32;
    }
    return digest >> 1;
}

std::size_t geometry::longest_piece(std::uint32_t pieces) const noexcept {
    switch (op) {
        case operation::allreduce:
        case operation::reduce:
        case operation::bcast: return longest_even_piece(in_count, pieces);
        default: break;
    }
    const auto p = static_cast<std::size_t>(ranks);
    if (!varying)
        return op == operation::scatter    ? out_count
               : is_reduction(op)          ? out_count
               : op == operation::alltoall ? in_count / p
                                           : in_count;
    if (op == operation::allgather) return *std::max_element(out_counts.begin(), out_counts.end());
    if (op == operation::reduce_scatter) return *std::max_element(in_counts.begin(), in_counts.end());
    return job::unknown_length;
}

std::size_t geometry::buffer_count() const noexcept {
    const auto p = static_cast<std::size_t>(ranks);
    // Displacements, and with them the arrays, may differ between ranks, and so may how much longer than its part an
    // array is; lists count where MPI reads them.
    const auto listed = [](std::span<const std::size_t> counts, std::size_t otherwise) {
        return counts.empty() ? otherwise : std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    };
    if (varying) {
        const std::size_t in = reads() ? listed(in_counts, in_count) : 0;
        if (op == operation::reduce_scatter) return in;
        return std::max(in, writes() ? listed(out_counts, out_count) : 0);
    }
    if (op == operation::allgather) return out_count;
    if (op == operation::gather) return in_count * p;
    if (op == operation::scatter) return out_count * p;
    return in_count;
}

status check_geometry(const geometry& call) {
    if (call.root < 0 || call.root >= call.ranks)
        return {errc::invalid_argument, "root " + std::to_string(call.root) + " of " + std::to_string(call.ranks) +
                                            " ranks; give 0 to " + std::to_string(call.ranks - 1)};
    return call.varying ? check_varying(call) : check_equal(call);
}

range even_piece(std::size_t count, std::size_t pieces, std::size_t k) noexcept {
    const std::size_t chunks = base::divide_up(count, codec::chunk_values);
    const auto start = [&](std::size_t i) {
        return std::min(count, (i * (chunks / pieces) + std::min(i, chunks % pieces)) * codec::chunk_values);
    };
    return {start(k), start(k + 1) - start(k)};
}

std::size_t longest_even_piece(std::size_t count, std::size_t pieces) noexcept {
    return even_piece(count, pieces, 0).count;
}

void place_evenly(std::size_t count, std::uint32_t pieces, std::vector<place>& places) {
    places.assign(pieces, {});
    for (std::size_t k = 0; k < pieces; ++k) {
        const range piece = even_piece(count, pieces, k);
        places[k] = {piece.first, piece.first, piece.count};
    }
}

own_part own_part_of(const geometry& call) noexcept {
    const auto first = [](std::span<const std::size_t> list, std::size_t otherwise) {
        return list.empty() ? otherwise : list[0];
    };
    if (!call.varying) return {0, 0, call.in_count};
    return {first(call.in_displacements, 0), first(call.out_displacements, 0),
            first(call.in_counts, first(call.out_counts, call.in_count))};
}

void place_pieces(const geometry& call, std::uint32_t pieces, std::vector<place>& places) {
    places.assign(pieces, {});
    const auto p = static_cast<std::size_t>(call.ranks);
    const auto me = static_cast<std::size_t>(call.rank);
    const auto listed = [](std::span<const std::size_t> list, std::size_t k, std::size_t otherwise) {
        return k < list.size() ? list[k] : otherwise;
    };
    switch (cutting_of(call.op)) {
        case cutting::evenly: place_evenly(call.in_count, pieces, places); return;
        case cutting::by_rank: {
            std::size_t before = 0;
            for (std::size_t k = 0; k < p; ++k) {
                place& piece = places[k];
                switch (call.op) {
                    case operation::reduce_scatter:
                        // Only its owner writes a piece, at the beginning of out.
                        piece = {before, 0, call.varying ? call.in_counts[k] : call.out_count};
                        break;
                    case operation::scatter:
                        piece.count =
                            call.varying ? listed(call.in_counts, k, k == me ? call.out_count : 0) : call.out_count;
                        piece.in_first = call.varying ? listed(call.in_displacements, k, 0) : before;
                        break;
                    default:
                        piece.count =
                            call.varying ? listed(call.out_counts, k, k == me ? call.in_count : 0) : call.in_count;
                        piece.out_first = call.varying ? listed(call.out_displacements, k, 0) : before;
                        break;
                }
                before += piece.count;
                if (piece.count == 0) piece = {};
            }
            return;
        }
        case cutting::outgoing:
            for (std::size_t k = 0; k < p; ++k) {
                const std::size_t equal = call.in_count / p;
                const std::size_t out_first = call.varying ? call.out_displacements[k] : k * equal;
                places[k] = {call.varying ? call.in_displacements[k] : k * equal, out_first,
                             call.varying ? call.in_counts[k] : equal};
                places[p + k] = {0, out_first, call.varying ? call.out_counts[k] : equal};
                for (place* const piece : {&places[k], &places[p + k]})
                    if (piece->count == 0) *piece = {};
            }
            return;
    }
}

}  // namespace laconic::collective
