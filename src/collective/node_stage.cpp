// SPDX-License-Identifier: BSD-3-Clause
// Counters go up by releases and are read by acquires; what they count needs no other protection. Contributions are
// added in the order of local ranks, whatever the order in which they come.
#include "collective/node_stage.hpp"

#include <algorithm>
#include <cstring>

#include "base/arithmetic.hpp"
#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
void node_stage<T>::start(hierarchy& levels, const node_request<T>& what, bool spoiled) noexcept {
    levels_ = &levels;
    board_ = node_board(levels.memory.bytes(), levels.inside.size);
    what_ = what;
    spoiled_ = spoiled;
    // A slot has a cell for each lane, whatever the task: all have equal rounds.
    cell_ = node_board::slot_bytes / sizeof(T) / static_cast<std::size_t>(levels.lanes);
    rounds_ = base::divide_up(what.longest, cell_);
    written_ = read_ = 0;
    failed_ = false;
}

template <class T>
std::byte* node_stage<T>::cell_of(int rank, int lane, std::uint64_t round) const noexcept {
    return board_.slot_of(rank, levels_->rounds + round).values.data() +
           static_cast<std::size_t>(lane) * cell_ * sizeof(T);
}

template <class T>
bool node_stage<T>::may_write() const noexcept {
    const std::uint64_t round = levels_->rounds + written_;
    for (int k = 0; k < levels_->inside.size; ++k)
        if (board_.of(k).read.load(std::memory_order_acquire) + node_board::slots <= round) return false;
    return true;
}

template <class T>
bool node_stage<T>::may_read() const noexcept {
    for (int k = 0; k < levels_->inside.size; ++k)
        if (board_.of(k).written.load(std::memory_order_acquire) <= levels_->rounds + read_) return false;
    return true;
}

template <class T>
bool node_stage<T>::writes(int lane) const noexcept {
    const int me = levels_->inside.rank;
    switch (what_.task) {
        case node_task::reduce: return lane != me;
        case node_task::share: return lane == me;
        case node_task::deal: return me == what_.root && lane != me;
        case node_task::collect: return lane == me && me != what_.root;
        case node_task::exchange: return lane != me;
    }
    return false;
}

template <class T>
bool node_stage<T>::reads(int lane) const noexcept {
    const int me = levels_->inside.rank;
    switch (what_.task) {
        case node_task::reduce: return lane == me;
        case node_task::share: return lane != me;
        case node_task::deal: return lane == me && me != what_.root;
        case node_task::collect: return me == what_.root && lane != me;
        case node_task::exchange: return false;  // take_runs()
    }
    return false;
}

template <class T>
void node_stage<T>::write_round() noexcept {
    const stopwatch watch(times_.copy_s);
    const bool has_part = what_.task == node_task::share || what_.task == node_task::collect;
    const range now = window(written_);
    board_.slot_of(levels_->inside.rank, levels_->rounds + written_).no_result = spoiled_;
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        if (!writes(lane)) continue;
        std::byte* const cell = cell_of(levels_->inside.rank, lane, written_);
        if (has_part && now.first < what_.part.size())
            std::memcpy(cell, what_.part.data() + now.first,
                        std::min(now.count, what_.part.size() - now.first) * sizeof(T));
        if (has_part) continue;
        for_each_run(what_.runs, lane, now, [&](std::size_t whole, std::size_t first, std::size_t count) {
            std::memcpy(cell + (first - now.first) * sizeof(T), what_.data.in.data() + whole, count * sizeof(T));
        });
    }
    ++written_;
    board_.of(levels_->inside.rank).written.store(levels_->rounds + written_, std::memory_order_release);
}

template <class T>
void node_stage<T>::reduce_round() noexcept {
    const int me = levels_->inside.rank;
    if (me >= levels_->lanes) return;
    const stopwatch watch(times_.combine_s);
    const range now = window(read_);
    for_each_run(what_.runs, me, now, [&](std::size_t whole, std::size_t first, std::size_t count) {
        // This lane's corner of another rank's slot is read by nobody else: the sum grows there, so that the result
        // may overwrite this rank's own contribution at the end.
        const auto corner = [&](int k) { return cell_of(k, me, read_) + (first - now.first) * sizeof(T); };
        const auto values_of = [&](int k) {
            return k == me ? reinterpret_cast<const std::byte*>(what_.data.in.data() + whole) : corner(k);
        };
        std::byte* const sum = corner(me == 0 ? 1 : 0);
        auto* const result = reinterpret_cast<std::byte*>(what_.part.data() + first);
        const std::byte* so_far = values_of(0);
        for (int k = 1; k < levels_->inside.size; ++k) {
            std::byte* const to = k + 1 == levels_->inside.size ? result : sum;
            what_.data.combine(to, so_far, values_of(k), count);
            so_far = to;
        }
    });
}

template <class T>
void node_stage<T>::read_round() noexcept {
    const stopwatch watch(times_.copy_s);
    const range now = window(read_);
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        if (!reads(lane)) continue;
        const bool dealt = what_.task == node_task::deal;
        const int writer = dealt ? what_.root : lane;
        const std::byte* const cell = cell_of(writer, lane, read_);
        if (dealt && now.first < what_.part.size())
            std::memcpy(what_.part.data() + now.first, cell,
                        std::min(now.count, what_.part.size() - now.first) * sizeof(T));
        if (!dealt)
            for_each_run(what_.runs, lane, now, [&](std::size_t whole, std::size_t first, std::size_t count) {
                std::memcpy(what_.data.out.data() + whole, cell + (first - now.first) * sizeof(T), count * sizeof(T));
            });
        failed_ |= board_.slot_of(writer, levels_->rounds + read_).no_result;
    }
    if (what_.task == node_task::exchange) take_runs();
}

/// What other ranks have for this rank's lane.
template <class T>
void node_stage<T>::take_runs() noexcept {
    const int me = levels_->inside.rank;
    const range now = window(read_);
    for (int k = 0; k < levels_->inside.size; ++k) {
        if (k == me) continue;
        for_each_run(what_.arrivals, k, now, [&](std::size_t whole, std::size_t first, std::size_t count) {
            std::memcpy(what_.part.data() + whole, cell_of(k, me, read_) + (first - now.first) * sizeof(T),
                        count * sizeof(T));
            failed_ |= board_.slot_of(k, levels_->rounds + read_).no_result;
        });
    }
}

template <class T>
result<runner::state> node_stage<T>::advance() {
    bool moved = false;
    while (written_ < rounds_ || read_ < rounds_) {
        const bool writes = written_ < rounds_ && may_write();
        if (writes) write_round();
        const bool reads = read_ < rounds_ && may_read();
        if (reads) {
            if (what_.task == node_task::reduce)
                reduce_round();
            else
                read_round();
            ++read_;
            board_.of(levels_->inside.rank).read.store(levels_->rounds + read_, std::memory_order_release);
        }
        if (!writes && !reads) return moved ? runner::state::moved : runner::state::waiting;
        moved = true;
    }
    levels_->rounds += rounds_;
    if (failed_) return status{errc::corrupt, "another rank of the node has no result of this collective"};
    return runner::state::done;
}

template class node_stage<float>;
template class node_stage<double>;
template class node_stage<half>;
template class node_stage<bfloat16>;

}  // namespace laconic::collective
