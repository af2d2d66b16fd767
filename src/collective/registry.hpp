// SPDX-License-Identifier: BSD-3-Clause
// The table of collective algorithms. Every row is a schedule and a payload under the name by which the API, the
// environment, the benchmark and `laconic info --algorithms` know it; every other cell of schedule x payload has the
// name "schedule/payload", and ":codec" behind either chooses the codec. Data only: no MPI in here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::collective {

enum class operation : std::uint8_t { allreduce, reduce, reduce_scatter, allgather, gather, scatter, bcast, alltoall };
inline constexpr int operation_count = 8;

enum class schedule_kind : std::uint8_t {
    stock,               ///< the MPI library's own call
    ring,                ///< around the ring; with one source or destination: a chain
    recursive_doubling,  ///< everything exchanged with partners at doubling distances
    rabenseifner,        ///< recursive halving, then recursive doubling
    binomial,            ///< trees
    pairwise,            ///< straight from source to destination
    hierarchical,        ///< shared memory inside a node, a ring between nodes
    chosen,              ///< what the cost model says
};
enum class payload_kind : std::uint8_t { raw, per_hop, once, pipelined, homomorphic, quantised, fused };

/// A cell of the table.
struct cell {
    schedule_kind schedule = schedule_kind::stock;
    payload_kind payload = payload_kind::raw;
    codec_id codec = codec_id::raw;

    friend bool operator==(const cell&, const cell&) = default;
};

struct algorithm {
    operation op;
    std::string_view name;  ///< what users write
    cell what;
    std::string_view published_as;  ///< the system of the literature this row is, or "-"
    std::string_view description;   ///< one line
};

[[nodiscard]] std::span<const algorithm> algorithms() noexcept;

/// The cell that `name` stands for: a row of the table, "schedule/payload", or either with ":codec" behind it.
/// returns invalid_argument with what there is, or unsupported when the cell cannot serve the operation.
[[nodiscard]] result<cell> find_cell(operation op, std::string_view name);

/// Whether a cell can serve an operation at all.
[[nodiscard]] bool serves(operation op, const cell& what) noexcept;
/// allreduce, reduce, reduce_scatter.
[[nodiscard]] constexpr bool is_reduction(operation op) noexcept { return op <= operation::reduce_scatter; }
/// Whether values are quantised or truncated on the way.
[[nodiscard]] constexpr bool compresses(const cell& what) noexcept { return what.payload != payload_kind::raw; }

/// The shortest name of a cell: its row's, or schedule/payload:codec.
[[nodiscard]] std::string name_of(operation op, const cell& what);
[[nodiscard]] std::string_view name_of(operation op) noexcept;
[[nodiscard]] std::string_view name_of(schedule_kind kind) noexcept;
[[nodiscard]] std::string_view name_of(payload_kind kind) noexcept;
[[nodiscard]] std::string_view name_of(codec_id codec) noexcept;
/// The operation of that name, or invalid_argument with the names there are.
[[nodiscard]] result<operation> operation_named(std::string_view name);

}  // namespace laconic::collective
