// SPDX-License-Identifier: BSD-3-Clause
// Things that calls borrow, each for one call at a time: what comes back is lent again, so that calls like earlier ones
// allocate nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/no_memory.hpp"
#include "laconic/status.hpp"

namespace laconic::collective {

using base::no_memory;

/// Of memory that MPI may still read or write, as it has failed.
template <class Memory>
void never_free(std::unique_ptr<Memory>& memory) noexcept {
    static_cast<void>(memory.release());
}
template <class T>
void never_free(std::vector<T>& memory) noexcept {
    static_cast<void>(new (std::nothrow) std::vector<T>(std::move(memory)));
}

/// Lent   has a member `in_use`; who borrowed one gives it back by in_use = false
template <class Lent>
class lending {
public:
    /// One that nobody uses, or a new one; null when there is no memory for that.
    [[nodiscard]] Lent* borrow() noexcept {
        const auto idle = std::find_if(all_.begin(), all_.end(), [](const auto& one) { return !one->in_use; });
        if (idle != all_.end()) return lent(**idle);
        try {
            return lent(*all_.emplace_back(std::make_unique<Lent>()));
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }

    /// It is never freed: MPI has failed, and may still write there.
    void lose(const Lent* lost) noexcept {
        const auto at = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.get() == lost; });
        if (at == all_.end()) return;
        never_free(*at);
        all_.erase(at);
    }

private:
    static Lent* lent(Lent& one) noexcept {
        one.in_use = true;
        return &one;
    }

    std::vector<std::unique_ptr<Lent>> all_;
};

}  // namespace laconic::collective
