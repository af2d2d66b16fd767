// SPDX-License-Identifier: BSD-3-Clause
// Message buffers of one call. A block of memory flows in; equal slots flow out and come back when the last one who
// holds them lets go: a pending receive, pending sends, what is to leave, a kept state, the step in work, a result that
// is still to be written.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace laconic::collective {

class slot_pool {
public:
    static constexpr int none = -1;

    /// Bytes that tables and slots take.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t slot_bytes, int count) noexcept {
        return static_cast<std::size_t>(count) * (slot_bytes + 2 * sizeof(std::int32_t)) + alignment;
    }

    slot_pool() = default;
    /// memory: bytes_for(), aligned to 64 bytes; slot_bytes: a multiple of 64.
    slot_pool(std::span<std::byte> memory, std::size_t slot_bytes, int count) noexcept
        : slots_(memory.first(static_cast<std::size_t>(count) * slot_bytes)),
          slot_bytes_(slot_bytes),
          free_(reinterpret_cast<std::int32_t*>(memory.data() + slots_.size())),
          holders_(free_ + count) {
        for (int slot = count; slot-- > 0;) {
            holders_[slot] = 0;
            free_[free_count_++] = slot;
        }
    }

    /// A slot with one holder. Precondition: a slot is free.
    [[nodiscard]] int take() noexcept {
        assert(free_count_ > 0);
        const int slot = free_[--free_count_];
        holders_[slot] = 1;
        return slot;
    }
    void hold(int slot) noexcept {
        if (slot != none) ++holders_[slot];
    }
    void let_go(int slot) noexcept {
        if (slot != none && --holders_[slot] == 0) free_[free_count_++] = slot;
    }
    [[nodiscard]] int free_slots() const noexcept { return free_count_; }
    [[nodiscard]] std::span<std::byte> bytes(int slot) const noexcept {
        return slots_.subspan(static_cast<std::size_t>(slot) * slot_bytes_, slot_bytes_);
    }

private:
    static constexpr std::size_t alignment = 64;

    std::span<std::byte> slots_;
    std::size_t slot_bytes_ = 0;
    std::int32_t* free_ = nullptr;
    std::int32_t* holders_ = nullptr;
    int free_count_ = 0;
};

}  // namespace laconic::collective
