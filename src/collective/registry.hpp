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
#include "model/cell.hpp"

namespace laconic::collective {

using laconic::operation;
using model::cell;
using model::is_reduction;
using model::operation_count;
using model::payload_kind;
using model::schedule_kind;

struct algorithm {
    operation op;
    std::string_view name;  ///< what users write
    cell what;
    std::string_view published_as;  ///< the system of the literature this row is, or "-"
    std::string_view description;   ///< one line
};

[[nodiscard]] std::span<const algorithm> algorithms() noexcept;

/// The cell that `name` stands for: a row of the table, "schedule/payload", or either with ":codec" behind it.
/// returns invalid_argument with what there is, or unsupported when the cell cannot serve the operation; or, where
///         there is no memory to say either in, out_of_memory. A cell takes none.
[[nodiscard]] result<cell> find_cell(operation op, std::string_view name);

/// Whether a cell can serve an operation at all.
[[nodiscard]] bool serves(operation op, const cell& what) noexcept;
/// Whether values are quantised or truncated on the way.
[[nodiscard]] constexpr bool compresses(const cell& what) noexcept { return what.payload != payload_kind::raw; }
/// Of half and bfloat16 codecs other than fle know nothing.
[[nodiscard]] constexpr bool takes_16_bit(const cell& what) noexcept {
    return !compresses(what) || what.codec == codec_id::fle;
}

/// Whether it adds compressed streams, which only sums, minima and maxima can be made of.
[[nodiscard]] constexpr bool adds_streams(const cell& what) noexcept {
    return what.schedule != schedule_kind::chosen && what.payload >= payload_kind::homomorphic;
}
/// Whether ranks agree before it runs, whatever the options.
[[nodiscard]] constexpr bool needs_agreement(const cell& what) noexcept {
    return compresses(what) || what.schedule == schedule_kind::hierarchical;
}

/// The shortest name of a cell: its row's, or schedule/payload:codec.
[[nodiscard]] std::string name_of(operation op, const cell& what);
[[nodiscard]] std::string_view name_of(operation op) noexcept;
[[nodiscard]] std::string_view name_of(schedule_kind kind) noexcept;
[[nodiscard]] std::string_view name_of(payload_kind kind) noexcept;
[[nodiscard]] std::string_view name_of(codec_id codec) noexcept;
/// The operation of that name, or invalid_argument with the names there are.
[[nodiscard]] result<operation> operation_named(std::string_view name);

}  // namespace laconic::collective
