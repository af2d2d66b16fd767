// SPDX-License-Identifier: BSD-3-Clause
// Requests under way: handles flow in, (pool, slot) pairs flow out. A pool belongs to the signature of the calls that make its
// requests, so that the order in which requests complete does not show in later signatures. An MPI may give one handle to
// several requests (those that are complete when they are made): they are told apart by their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/flat_map.hpp"
#include "record/id_pool.hpp"

namespace laconic::record {

/// Which fields of a request's status mean something.
enum class flow : std::uint8_t { other, receive, file };

class request_table {
public:
    static constexpr std::uint32_t none = flat_map::none;
    /// Signatures beyond this many share the last pool: memory stays bounded when every call differs.
    static constexpr std::uint32_t most_pools = 1U << 16;

    struct request {
        std::uint32_t pool = 0, slot = 0;
        std::uint32_t next = none;   ///< another request with the same handle
        std::uint32_t claimed = 0;   ///< the call that named it last
        int own_rank = 0;            ///< in the communicator it belongs to
        flow carries = flow::other;
        bool wildcard = false;  ///< what arrives is known from the status alone
    };

    /// A new request: `signature` is what its call has written so far.
    request& made(std::uint64_t bits, std::span<const std::byte> signature);
    /// The first request with this handle that `call` has not named yet; none when there is no such.
    [[nodiscard]] std::uint32_t claim(std::uint64_t bits, std::uint32_t call) noexcept;
    [[nodiscard]] const request& at(std::uint32_t index) const noexcept { return requests_[index]; }
    /// The request is over: its slot is free again.
    void over(std::uint64_t bits, std::uint32_t index) noexcept;

private:
    flat_map by_handle_;  ///< handle -> first request
    flat_map pools_by_signature_;
    std::vector<id_pool> pools_ = std::vector<id_pool>(1);  ///< number 0: requests that no recorded call made
    std::vector<request> requests_;
    std::vector<std::uint32_t> free_;
};

}  // namespace laconic::record
