// SPDX-License-Identifier: BSD-3-Clause
// Call signatures flow in, terminals flow out: equal bytes get the same number, new bytes the next one. The bytes are
// kept for as long as the table lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/wire.hpp"

namespace laconic::trace {

/// A hash table with linear probing over bytes in blocks. A signature that follows the one before as it did the last
/// time costs a comparison; another that is known, a hash, a probe and two comparisons; neither allocates. A new one is
/// amortised O(its size). Memory: 30 to 35 bytes per signature beside its bytes: an entry of 24 and, at a load of 3/8
/// to 3/4, slots of 4; vectors that double hold up to twice that.
class signature_table {
public:
    signature_table();

    /// Precondition: not empty. Throws bad_alloc, and is as before then.
    std::uint32_t number_of(view signature);
    [[nodiscard]] view signature(std::uint32_t number) const noexcept {
        const entry& at = entries_[number];
        return {at.data, at.size};
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
    [[nodiscard]] std::size_t bytes_used() const noexcept;

private:
    struct entry {
        const std::byte* data;
        std::uint32_t size;
        std::uint32_t hash;
        std::uint32_t next;  ///< what came after it the last time; none: nothing yet
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t find_or_add(view signature);

    const std::byte* keep(view signature);
    void grow();

    std::vector<std::uint32_t> slots_;  ///< terminal + 1; 0 is empty
    std::vector<entry> entries_;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::uint32_t before_ = none;  ///< the latest answer
    std::byte* free_ = nullptr;
    std::size_t free_bytes_ = 0;
    std::size_t block_bytes_ = 0;  ///< of all blocks
};

}  // namespace laconic::trace
