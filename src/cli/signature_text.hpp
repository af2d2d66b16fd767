// SPDX-License-Identifier: BSD-3-Clause
// Call signatures for people: bytes flow in, the name of the function and its arguments by name flow out, as text or
// JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace laconic::cli {

struct described_call {
    std::string function;
    std::uint64_t thread = 0;
    /// Inputs, "result" unless the call succeeded, outputs. Of a function without a row, or a signature that does not
    /// match its row: {"numbers": [...]}, the varints as they stand.
    nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
};

[[nodiscard]] described_call described(std::span<const std::byte> signature);

/// "MPI_Send(buf=heap 2+800, count=100, datatype=MPI_DOUBLE, dest=3, tag=7, comm=MPI_COMM_WORLD)"
[[nodiscard]] std::string text_of(const described_call& call);

}  // namespace laconic::cli
