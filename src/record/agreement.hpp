// SPDX-License-Identifier: BSD-3-Clause
// Ids of communicators: equal on all members. New communicators flow in, codes for signatures flow out. Members agree
// by a reduction over the new communicator itself, in which all of them are at that moment; communicators with members
// of other worlds, which may not be traced, get an id of this process alone.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "record/flat_map.hpp"
#include "record/id_pool.hpp"
#include "record/place.hpp"
#include "record/spin_lock.hpp"

namespace laconic::record {

class communicator_ids {
public:
    /// Collective over comm. Takes the lock for moments, not while it communicates.
    [[nodiscard]] std::uint64_t together(MPI_Comm comm, bool inter, spin_lock& lock);
    /// Local.
    [[nodiscard]] std::uint64_t alone(spin_lock& lock);
    /// The next one made by MPI_Comm_idup from the parent: members count those alike, so nobody need be asked.
    [[nodiscard]] std::uint64_t after(std::uint64_t parent_code, spin_lock& lock);
    /// A communicator is gone.
    void release(std::uint64_t code) noexcept;

private:
    static constexpr std::size_t words = 64;
    static constexpr std::uint32_t agreed_limit = words * 64;  ///< ids below are agreed on
    static constexpr std::uint32_t alone_limit =
        2 * agreed_limit;  ///< ids below that are local; above: by MPI_Comm_idup
    using id_set = std::array<std::uint64_t, words>;

    id_set used_{};
    id_pool alone_;
    flat_map children_;  ///< code of a communicator -> how many MPI_Comm_idup it has seen
};

namespace agreement {
/// What MPI says of a communicator: own rank, sizes, whether it is an intercommunicator.
[[nodiscard]] place look_at(MPI_Comm comm);
/// Whether all its members, of both groups, are of the launched world, and so are traced. Local; members say the same.
[[nodiscard]] bool within_world(MPI_Comm comm);
}  // namespace agreement

}  // namespace laconic::record
