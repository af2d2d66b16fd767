// SPDX-License-Identifier: BSD-3-Clause
// Calls that were checked and decided before: kinds of calls flow in, the row that runs each flows out, with MPI's
// arguments where that is MPI's own function. A short call finds in a few cache lines what it would otherwise find out
// anew, which takes microseconds where other ranks have had the caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "collective/mpi_call.hpp"
#include "collective/registry.hpp"
#include "laconic/collective.hpp"

namespace laconic::collective {

/// All that a row depends on where no question to the ranks precedes it, but for the options.
struct call_kind {
    operation op = operation::allreduce;
    reduction combine = reduction::sum;
    element_type type = element_type::f32;
    int root = 0;
    std::size_t in_count = 0, out_count = 0;

    bool operator==(const call_kind&) const = default;
};
template <class T>
[[nodiscard]] call_kind kind_of(const collective_call<T>& call) noexcept {
    return {call.op, call.combine, element_type_of<T>::value, call.root, call.in.size(), call.out.size()};
}

struct known_call {
    call_kind kind;
    cell row;
    even_call mpi;                 ///< of MPI's own function: all arguments but the arrays
    std::uint64_t sent_bytes = 0;  ///< ... and what is reported
};

/// The last few kinds, all with the same options.
class known_calls {
public:
    static constexpr std::size_t most = 8;

    /// Null: not known.
    [[nodiscard]] const known_call* find(const call_kind& what, const collective_options& options) const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (calls_[i].kind == what) return are_same(options_, options) ? &calls_[i] : nullptr;
        return nullptr;
    }
    /// Replaces the oldest kind where there are too many, and all of them where the options are others.
    void keep(const known_call& what, const collective_options& options) noexcept try {
        if (find(what.kind, options) != nullptr) return;
        if (count_ == 0 || !are_same(options_, options)) {
            count_ = next_ = 0;
            options_ = options;
        }
        calls_[next_] = what;
        if (count_ < most) ++count_;
        next_ = (next_ + 1) % most;
    } catch (const std::bad_alloc&) {
        count_ = next_ = 0;
    }

private:
    /// Without a call: the code of memcmp is out of the caches, too.
    [[nodiscard]] static bool are_same(const std::string& a, const std::string& b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i]) return false;
        return true;
    }
    [[nodiscard]] static bool are_same(const collective_options& a, const collective_options& b) noexcept {
        // All members: one more would not compile.
        const auto& [limit, bound_scope, confidence, algorithm, segment_bytes, rate, check, audit, ranks_per_node,
                     shared_memory, codec_threads, machine] = b;
        return a.limit.kind == limit.kind && a.limit.value == limit.value && a.bound_scope == bound_scope &&
               a.confidence == confidence && a.segment_bytes == segment_bytes && a.rate == rate && a.check == check &&
               a.audit == audit && a.ranks_per_node == ranks_per_node && a.shared_memory == shared_memory &&
               a.codec_threads == codec_threads && are_same(a.algorithm, algorithm) && are_same(a.machine, machine);
    }

    std::size_t count_ = 0, next_ = 0;
    collective_options options_;
    std::array<known_call, most> calls_;
};

}  // namespace laconic::collective
