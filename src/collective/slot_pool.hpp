// SPDX-License-Identifier: BSD-3-Clause
// Message buffers of one ring call. A block of memory flows in; equal slots flow out and come back when the message
// in them has been sent or used up.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>

namespace laconic::collective {

class slot_pool {
public:
    static constexpr int capacity = 72;
    static constexpr int none = -1;

    slot_pool(std::span<std::byte> memory, std::size_t slot_bytes, int count) noexcept
        : memory_(memory), slot_bytes_(slot_bytes) {
        assert(count <= capacity && memory.size() >= slot_bytes * static_cast<std::size_t>(count));
        for (int slot = count; slot-- > 0;) give_back(slot);
    }

    /// Precondition: a slot is free.
    [[nodiscard]] int take() noexcept {
        assert(free_count_ > 0);
        return free_[static_cast<std::size_t>(--free_count_)];
    }
    void give_back(int slot) noexcept {
        if (slot != none) free_[static_cast<std::size_t>(free_count_++)] = slot;
    }
    [[nodiscard]] std::span<std::byte> bytes(int slot) const noexcept {
        return memory_.subspan(static_cast<std::size_t>(slot) * slot_bytes_, slot_bytes_);
    }

private:
    std::span<std::byte> memory_;
    std::size_t slot_bytes_;
    std::array<int, capacity> free_{};
    int free_count_ = 0;
};

}  // namespace laconic::collective
