// SPDX-License-Identifier: BSD-3-Clause
// A gatherv or scatterv: an allgather of each rank's count. An alltoallv: in a hierarchy both lists of all ranks of a
// node, and for a check what each rank sends to each.
#include "collective/counting.hpp"

#include <algorithm>
#include <new>
#include <string>

namespace laconic::collective {
namespace {

status unequal(int from, std::size_t sent, int to, std::size_t expected) {
    return {errc::mismatch, "rank " + std::to_string(from) + " has " + std::to_string(sent) + " elements for rank " +
                                std::to_string(to) + ", which expects " + std::to_string(expected) + "; give the same"};
}

}  // namespace

static_assert(sizeof(std::size_t) == sizeof(std::uint64_t), "counts travel as MPI_UINT64_T");

void counting::reserve(mpi::channel& channel, const geometry& shape, const hierarchy* levels, bool checks) {
    release();
    channel_ = &channel;
    levels_ = levels;
    shape_ = shape;
    memory_ = call_store::of(channel).memory().borrow();
    if (memory_ == nullptr) throw std::bad_alloc();
    told_counts& told = memory_->told;
    const auto p = static_cast<std::size_t>(shape.ranks);
    const bool lists = shape.op == operation::alltoall;
    told.own.assign(lists ? 2 * p : 1, 0);
    told.counts.assign(!lists ? p : levels != nullptr ? 2 * p * levels->inside.ranks.size() : 0, 0);
    told.lengths.assign(lists && levels != nullptr ? 4 * p : 0, 0);
    told.sent_here.assign(lists && checks ? p : 0, 0);
}

/// Every rank tells the ranks of its node both its lists, itself included.
int counting::start_in_nodes(told_counts& told) {
    const auto p = static_cast<std::size_t>(shape_.ranks);
    const std::span<int> sent(told.lengths.data(), p);
    const std::span<int> sent_first(sent.data() + p, p);
    const std::span<int> come(sent_first.data() + p, p);
    const std::span<int> come_first(come.data() + p, p);
    const auto length = static_cast<int>(2 * p);
    int end = 0;
    for (const int rank : levels_->inside.ranks) {
        const auto at = static_cast<std::size_t>(rank);
        sent[at] = come[at] = length;
        come_first[at] = end;
        end += length;
    }
    return MPI_Ialltoallv(told.own.data(), sent.data(), sent_first.data(), MPI_UINT64_T, told.counts.data(),
                          come.data(), come_first.data(), MPI_UINT64_T, channel_->comm(), &request_);
}

status counting::start() {
    told_counts& told = memory_->told;
    if (shape_.op == operation::alltoall) {
        std::copy(shape_.in_counts.begin(), shape_.in_counts.end(), told.own.begin());
        std::copy(shape_.out_counts.begin(), shape_.out_counts.end(), told.own.begin() + shape_.ranks);
        if (levels_ != nullptr)
            if (auto done = channel_->check(start_in_nodes(told), "MPI_Ialltoallv"); !done.ok()) return done;
        if (told.sent_here.empty()) return {};
        return channel_->check(MPI_Ialltoall(told.own.data(), 1, MPI_UINT64_T, told.sent_here.data(), 1, MPI_UINT64_T,
                                             channel_->comm(), &compared_),
                               "MPI_Ialltoall");
    }
    told.own[0] = shape_.op == operation::gather ? shape_.in_count : shape_.out_count;
    return channel_->check(MPI_Iallgather(told.own.data(), 1, MPI_UINT64_T, told.counts.data(), 1, MPI_UINT64_T,
                                          channel_->comm(), &request_),
                           "MPI_Iallgather");
}

result<bool> counting::test() {
    for (MPI_Request* const each : {&request_, &compared_}) {
        int over = 0;
        if (auto done = channel_->check(MPI_Test(each, &over, MPI_STATUS_IGNORE), "MPI collective"); !done.ok())
            return done;
        if (over == 0) return false;
    }
    return true;
}

/// Ranks of a node that tell each other different counts would copy more than there is room for.
status counting::verdict_in_node() const {
    const auto& ranks = levels_->inside.ranks;
    const auto p = static_cast<std::size_t>(shape_.ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i)
        for (std::size_t j = 0; j < ranks.size(); ++j) {
            const std::size_t sent = counts()[i * 2 * p + static_cast<std::size_t>(ranks[j])];
            const std::size_t expected = counts()[j * 2 * p + p + static_cast<std::size_t>(ranks[i])];
            if (sent != expected) return unequal(ranks[i], sent, ranks[j], expected);
        }
    return {};
}

status counting::verdict_on_exchange() const {
    const std::vector<std::size_t>& sent = memory_->told.sent_here;
    for (std::size_t k = 0; k < sent.size(); ++k)
        if (sent[k] != shape_.out_counts[k])
            return unequal(static_cast<int>(k), sent[k], shape_.rank, shape_.out_counts[k]);
    return {};
}

status counting::verdict() const try {
    // Who checks compares what all ranks have for it, those of its node among them.
    if (shape_.op == operation::alltoall)
        return memory_->told.sent_here.empty() ? verdict_in_node() : verdict_on_exchange();
    if (!shape_.is_root()) return {};
    const auto roots = shape_.op == operation::gather ? shape_.out_counts : shape_.in_counts;
    for (std::size_t k = 0; k < roots.size(); ++k)
        if (roots[k] != counts()[k])
            return {errc::mismatch, "the root has a count of " + std::to_string(roots[k]) + " for rank " +
                                        std::to_string(k) + ", which itself has " + std::to_string(counts()[k]) +
                                        "; give the same"};
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

void counting::release() noexcept {
    if (memory_ == nullptr) return;
    if (request_ == MPI_REQUEST_NULL && compared_ == MPI_REQUEST_NULL)
        memory_->in_use = false;
    else
        call_store::of(*channel_).memory().lose(memory_);
    memory_ = nullptr;
}

}  // namespace laconic::collective
