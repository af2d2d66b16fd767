// SPDX-License-Identifier: BSD-3-Clause
// Durations by terminal: one at a time in, their statistics out. A terminal that was called once takes 16 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/call_statistics.hpp"

namespace laconic::trace {

class duration_table {
public:
    /// Precondition: terminals come in the order of their numbers. Throws bad_alloc.
    void add(std::uint32_t terminal, std::uint64_t duration_ns) {
        if (terminal == entries_.size()) {
            entries_.push_back({duration_ns, none});
            return;
        }
        entry& of = entries_[terminal];
        if (of.full == none) {
            // The second call: from here on there is something to summarise.
            const std::uint64_t first = of.duration_ns;
            full_.emplace_back().add(first);
            of.full = static_cast<std::uint32_t>(full_.size() - 1);
        }
        full_[of.full].add(duration_ns);
    }
    [[nodiscard]] call_statistics of(std::uint32_t terminal) const {
        const entry& at = entries_[terminal];
        if (at.full != none) return full_[at.full];
        call_statistics once;
        once.add(at.duration_ns);
        return once;
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
    [[nodiscard]] std::size_t bytes_used() const noexcept {
        return entries_.capacity() * sizeof(entry) + full_.capacity() * sizeof(call_statistics);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct entry {
        std::uint64_t duration_ns;
        std::uint32_t full;
    };
    std::vector<entry> entries_;
    std::vector<call_statistics> full_;
};

}  // namespace laconic::trace
