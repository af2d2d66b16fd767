// SPDX-License-Identifier: BSD-3-Clause
// A map from 64-bit keys to 32-bit numbers in one array: open addressing, linear probing, removal that leaves no marks.
// Key 0 is an ordinary key.
#pragma once

#include <cstdint>
#include <vector>

namespace laconic::record {

class flat_map {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    [[nodiscard]] std::uint32_t find(std::uint64_t key) const noexcept {
        if (slots_.empty()) return none;
        for (std::size_t i = home(key);; i = (i + 1) & mask()) {
            if (slots_[i].value == none) return none;
            if (slots_[i].key == key) return slots_[i].value;
        }
    }

    /// Adds the key or changes its value.
    void set(std::uint64_t key, std::uint32_t value) {
        if ((count_ + 1) * 2 > slots_.size()) grow();
        for (std::size_t i = home(key);; i = (i + 1) & mask()) {
            if (slots_[i].value == none) {
                slots_[i] = {key, value};
                ++count_;
                return;
            }
            if (slots_[i].key == key) {
                slots_[i].value = value;
                return;
            }
        }
    }

    void erase(std::uint64_t key) noexcept {
        if (slots_.empty()) return;
        std::size_t hole = home(key);
        while (slots_[hole].value != none && slots_[hole].key != key) hole = (hole + 1) & mask();
        if (slots_[hole].value == none) return;
        --count_;
        // Whatever was pushed past the hole by it moves back.
        for (std::size_t i = (hole + 1) & mask(); slots_[i].value != none; i = (i + 1) & mask()) {
            const std::size_t wanted = home(slots_[i].key);
            if (((i - wanted) & mask()) >= ((i - hole) & mask())) {
                slots_[hole] = slots_[i];
                hole = i;
            }
        }
        slots_[hole].value = none;
    }

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
    struct slot {
        std::uint64_t key = 0;
        std::uint32_t value = none;
    };

    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
    [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept {
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20) & mask();
    }
    void grow() {
        std::vector<slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        count_ = 0;
        for (const slot& each : old) {
            if (each.value != none) set(each.key, each.value);
        }
    }

    std::vector<slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace laconic::record
