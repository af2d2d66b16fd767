// SPDX-License-Identifier: BSD-3-Clause
// One key and its value, found without a lock: what was looked up last flows in, the same flows out as long as nobody
// asks for something else. A sequence lock: readers that meet a writer find nothing.
#pragma once

#include <atomic>

namespace laconic::mpi {

/// Key and Value: types whose atomics are free of locks, as pointers and integers are.
template <class Key, class Value>
class recent_pair {
public:
    /// Value{} when it is not there. Any thread, at any time.
    [[nodiscard]] Value find(Key key) const noexcept {
        const unsigned before = version_.load(std::memory_order_acquire);
        const Key of = key_.load(std::memory_order_acquire);
        const Value found = value_.load(std::memory_order_acquire);
        const bool whole = before % 2 == 0 && version_.load(std::memory_order_relaxed) == before;
        return whole && of == key ? found : Value{};
    }
    /// One thread at a time, as forget() and holds().
    void keep(Key key, Value value) noexcept {
        version_.fetch_add(1, std::memory_order_relaxed);
        key_.store(key, std::memory_order_release);
        value_.store(value, std::memory_order_release);
        version_.fetch_add(1, std::memory_order_release);
    }
    void forget() noexcept { keep(Key{}, Value{}); }
    [[nodiscard]] bool holds(Value value) const noexcept { return value_.load(std::memory_order_relaxed) == value; }

private:
    std::atomic<unsigned> version_ = 0;
    std::atomic<Key> key_{};
    std::atomic<Value> value_{};
};

}  // namespace laconic::mpi
