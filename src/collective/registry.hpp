// SPDX-License-Identifier: BSD-3-Clause
// The table of collective algorithms: every row is a schedule and a payload under the name by which the API, the
// environment, the benchmark and `laconic info --algorithms` know it. Data only: no MPI in here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace laconic::collective {

enum class schedule_kind : std::uint8_t { stock, ring };
enum class payload_kind : std::uint8_t { raw, per_hop, homomorphic, fused };

struct algorithm {
    std::string_view name;       ///< what users write
    std::string_view operation;  ///< "allreduce"
    schedule_kind schedule;
    payload_kind payload;
    std::string_view codec;         ///< "-" for uncompressed rows
    std::string_view published_as;  ///< the system of the literature this row is, or "-"
    std::string_view description;   ///< one line
};

[[nodiscard]] std::span<const algorithm> algorithms() noexcept;
/// nullptr when there is no such row.
[[nodiscard]] const algorithm* find_algorithm(std::string_view operation, std::string_view name) noexcept;
[[nodiscard]] std::string_view name_of(schedule_kind kind) noexcept;
[[nodiscard]] std::string_view name_of(payload_kind kind) noexcept;

}  // namespace laconic::collective
