// SPDX-License-Identifier: BSD-3-Clause
// Short messages that travel together: parts flow in, one message leaves when the last of them is there; one message
// comes, and its parts flow out. Where ranks share processors a message costs more than the bytes of a short one.
//
// A bundle is a row of parts, each of them {piece, bytes} as two 32-bit integers, and its bytes. Pairs of ranks have at
// most two in each direction, sums before results, which are tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collective/hierarchy.hpp"
#include "collective/job.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

class bundles {
public:
    /// part_bytes: no message of a piece is longer.
    [[nodiscard]] static std::size_t memory_for(const program& steps, std::size_t part_bytes) noexcept;

    /// who      the ranks of the channel that run the program
    /// memory   memory_for() bytes, aligned to 64 bytes, kept alive and untouched until the run is over
    /// tag      and the next one are used by no other run between these ranks meanwhile
    bundles(mpi::channel& channel, const team& who, const job& work, std::size_t part_bytes,
            std::span<std::byte> memory, int tag) noexcept;

    /// Receives are posted once, all of them.
    [[nodiscard]] status post();
    /// Whether what the step waits for is there.
    [[nodiscard]] result<bool> has_come(const step& now);
    /// Its message; empty where the sender had none, or sent what is no bundle. Precondition: has_come().
    [[nodiscard]] std::span<const std::byte> message_of(const step& now) noexcept;

    /// For the target of that index into program::to. Sends the bundle if nothing is missing.
    /// returns bytes that left
    [[nodiscard]] result<std::size_t> add(std::uint32_t target, std::uint32_t piece, std::span<const std::byte> part);
    /// Looks after what is on its way.
    [[nodiscard]] status reap();
    /// Everything has left.
    [[nodiscard]] bool is_idle() const noexcept;
    /// Gives up; what is being sent may still be read.
    void drop() noexcept;

private:
    struct head {
        std::uint32_t piece = 0, bytes = 0;
    };
    struct row {
        MPI_Request request = MPI_REQUEST_NULL;
        std::byte* memory = nullptr;
        std::size_t used = 0;    // bytes that came, or that are to leave
        std::size_t cursor = 0;  // of what came
        std::uint32_t parts = 0, missing = 0;
        bool is_over = false;  // it has come or left, or there is nothing in it
    };
    [[nodiscard]] int tag_of(const bundle& one) const noexcept { return tag_ + (one.results ? 1 : 0); }

    mpi::channel& channel_;
    const team& who_;
    const program& steps_;
    std::size_t part_bytes_;
    int tag_;
    std::span<row> incoming_, outgoing_;
    bool posted_ = false;
};

}  // namespace laconic::collective
