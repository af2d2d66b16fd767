// SPDX-License-Identifier: BSD-3-Clause
// An exchange's own arrays for `in`, in memory that the ranks of a node share: each rank fills its own and sees those
// of the others, so that what changes rank inside a node is copied once, straight from the sender's array.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/shared_memory.hpp"
#include "laconic/redistribute.hpp"
#include "mpi/channel.hpp"

namespace laconic::redistribute {

class node_arrays {
public:
    /// Local: takes this rank's memory, all zero. May throw bad_alloc.
    /// stored  where the rank's boxes lie in each of its arrays, which have so many elements
    /// returns out_of_memory
    [[nodiscard]] static result<std::unique_ptr<node_arrays>> make(std::span<const stored_box> stored,
                                                                   std::size_t elements, std::size_t element_bytes,
                                                                   std::size_t fields);
    /// Collective, after all ranks have made theirs: opens those of the other ranks of the node.
    /// returns on all ranks alike: ok, also where ranks cannot see each other's memory; or mpi, out_of_memory
    [[nodiscard]] status meet(mpi::channel& channel);

    /// This rank's array of a field.
    [[nodiscard]] std::span<std::byte> field(std::size_t number) const noexcept {
        return memory_.bytes().subspan(fields_at_ + number * field_stride_, field_bytes_);
    }

    /// Another rank's arrays, and where its boxes lie in each.
    struct view {
        const std::byte* first_field = nullptr;  ///< null: this rank cannot see it
        std::size_t field_stride = 0;
        std::span<const stored_box> stored;
    };
    [[nodiscard]] view of(int rank) const noexcept;
    /// Whether the other ranks of the node see this rank's arrays.
    [[nodiscard]] bool is_seen() const noexcept { return seen_; }

private:
    std::size_t fields_at_ = 0, field_stride_ = 0, field_bytes_ = 0;
    bool seen_ = false;
    base::shared_memory memory_;
    std::vector<base::shared_memory> others_;  // by rank, once met
};

}  // namespace laconic::redistribute
