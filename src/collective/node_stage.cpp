// SPDX-License-Identifier: BSD-3-Clause
// Counters go up by releases and are read by acquires; what they count needs no other protection. Contributions are
// added in the order of local ranks, whatever the order in which they come.
#include "collective/node_stage.hpp"

#include <cstring>

#include "base/arithmetic.hpp"
#include "collective/elements.hpp"
#include "collective/geometry.hpp"

namespace laconic::collective {

template <class T>
void node_stage<T>::start(hierarchy& levels, const node_request<T>& what, std::size_t count, bool spoiled) noexcept {
    levels_ = &levels;
    board_ = node_board(levels.memory.bytes(), levels.inside.size);
    what_ = what;
    count_ = count;
    spoiled_ = spoiled;
    const auto lanes = static_cast<std::size_t>(levels.lanes);
    // A slot has a cell for each lane, whatever the task: all have equal rounds.
    cell_ = node_board::slot_bytes / sizeof(T) / lanes;
    rounds_ = base::divide_up(longest_even_piece(count, lanes), cell_);
    written_ = read_ = 0;
    failed_ = false;
}

template <class T>
range node_stage<T>::elements(int lane, std::uint64_t round) const noexcept {
    const range part = even_piece(count_, static_cast<std::size_t>(levels_->lanes), static_cast<std::size_t>(lane));
    const std::size_t before = std::min<std::size_t>(round * cell_, part.count);
    return {part.first + before, std::min(cell_, part.count - before)};
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
    }
    return false;
}

/// Elements of the whole array, where this rank has them.
template <class T>
const T* node_stage<T>::source(int lane, range what) const noexcept {
    const bool whole = what_.task == node_task::reduce || what_.task == node_task::deal;
    return whole ? what_.data.in.data() + what.first : what_.part.data() + (what.first - elements(lane, 0).first);
}

template <class T>
void node_stage<T>::write_round() noexcept {
    const int me = levels_->inside.rank;
    const std::uint64_t round = levels_->rounds + written_;
    node_board::slot& slot = board_.slot_of(me, round);
    slot.no_result = spoiled_;
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        const range what = elements(lane, written_);
        if (!writes(lane) || what.count == 0) continue;
        std::memcpy(slot.values.data() + static_cast<std::size_t>(lane) * cell_ * sizeof(T), source(lane, what),
                    what.count * sizeof(T));
    }
    ++written_;
    board_.of(me).written.store(round + 1, std::memory_order_release);
}

template <class T>
void node_stage<T>::reduce_round() noexcept {
    const int me = levels_->inside.rank;
    if (me >= levels_->lanes) return;
    const range what = elements(me, read_);
    if (what.count == 0) return;
    const stopwatch watch(combine_s_);
    // This lane's corner of another rank's slot is read by nobody else: the sum grows there, so that the result may
    // overwrite this rank's own contribution at the end.
    const auto corner = [&](int k) {
        return board_.slot_of(k, levels_->rounds + read_).values.data() +
               static_cast<std::size_t>(me) * cell_ * sizeof(T);
    };
    const auto values_of = [&](int k) {
        return k == me ? reinterpret_cast<const std::byte*>(what_.data.in.data() + what.first) : corner(k);
    };
    std::byte* const sum = corner(me == 0 ? 1 : 0);
    auto* const result = reinterpret_cast<std::byte*>(what_.part.data() + (what.first - elements(me, 0).first));
    const std::byte* so_far = values_of(0);
    for (int k = 1; k < levels_->inside.size; ++k) {
        std::byte* const to = k + 1 == levels_->inside.size ? result : sum;
        what_.data.combine(to, so_far, values_of(k), what.count);
        so_far = to;
    }
}

template <class T>
void node_stage<T>::read_round() noexcept {
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        if (!reads(lane)) continue;
        const bool dealt = what_.task == node_task::deal;
        const node_board::slot& slot = board_.slot_of(dealt ? what_.root : lane, levels_->rounds + read_);
        const range what = elements(lane, read_);
        T* const to =
            dealt ? what_.part.data() + (what.first - elements(lane, 0).first) : what_.data.out.data() + what.first;
        const std::byte* const from = slot.values.data() + static_cast<std::size_t>(lane) * cell_ * sizeof(T);
        if (what.count > 0) std::memcpy(to, from, what.count * sizeof(T));
        failed_ |= slot.no_result;
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
