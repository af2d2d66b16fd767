// SPDX-License-Identifier: BSD-3-Clause
// Requests under way: handles flow in, (pool, slot) pairs flow out. A pool belongs to the signature of the calls that
// make its requests, so that the order in which requests complete does not show in later signatures. An MPI may give
// one handle to several requests (those that are complete when they are made): they are told apart by their order.
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
        std::uint32_t thread = 0;   ///< whose call made it
        std::uint32_t next = none;  ///< another request with the same handle
        int own_rank = 0;           ///< in the communicator it belongs to
        flow carries = flow::other;
        bool wildcard = false;  ///< what arrives is known from the status alone
        bool claimed = false;   ///< named by a call that is under way
    };

    /// A new request: `signature` is what its call has written so far.
    request& made(std::uint64_t bits, std::span<const std::byte> signature, std::uint32_t thread);
    /// The first request with this handle that no call under way has named, of those that this thread made if there are
    /// such; none when there is no request. Another thread may get the handle of a request that has just completed
    /// before the call that completed it is recorded, or have one with the same handle all along.
    [[nodiscard]] std::uint32_t claim(std::uint64_t bits, std::uint32_t thread) noexcept;
    /// The call is over and the request is not.
    void unclaim(std::uint32_t index) noexcept { requests_[index].claimed = false; }
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
