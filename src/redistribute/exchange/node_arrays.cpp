// SPDX-License-Identifier: BSD-3-Clause
// A rank's memory holds a head, the places of its boxes, and its arrays; nothing else about it travels.
#include "redistribute/exchange/node_arrays.hpp"

#include <algorithm>
#include <new>

#include "base/arithmetic.hpp"
#include "redistribute/exchange/agreement.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic::redistribute {
namespace {

constexpr std::size_t alignment = 64;

struct head {
    std::size_t boxes, fields_at, field_stride;
};

const head& head_of(const base::shared_memory& memory) noexcept {
    return *reinterpret_cast<const head*>(memory.bytes().data());
}

/// What a rank tells the others.
struct whereabouts {
    base::shared_memory::address address;
    std::int64_t bytes = 0;
};
constexpr int whereabouts_numbers = 4;
static_assert(sizeof(whereabouts) == whereabouts_numbers * sizeof(std::int64_t));

}  // namespace

result<std::unique_ptr<node_arrays>> node_arrays::make(std::span<const stored_box> stored, std::size_t elements,
                                                       std::size_t element_bytes, std::size_t fields) {
    auto made = std::make_unique<node_arrays>();
    made->fields_at_ = base::round_up(sizeof(head) + stored.size_bytes(), alignment);
    made->field_bytes_ = elements * element_bytes;
    made->field_stride_ = base::round_up(made->field_bytes_, alignment);
    auto memory = base::shared_memory::create(made->fields_at_ + fields * made->field_stride_);
    if (!memory) return status(errc::out_of_memory, memory.error().context() + ", or without shared_in");
    made->memory_ = std::move(memory).value();
    std::byte* const first = made->memory_.bytes().data();
    new (first) head{stored.size(), made->fields_at_, made->field_stride_};
    std::uninitialized_copy(stored.begin(), stored.end(), reinterpret_cast<stored_box*>(first + sizeof(head)));
    return made;
}

status node_arrays::meet(mpi::channel& channel) {
    const auto ranks = static_cast<std::size_t>(channel.size()), me = static_cast<std::size_t>(channel.rank());
    std::vector<whereabouts> all;
    status mine;
    try {
        all.resize(ranks);
        others_.resize(ranks);
        all[me] = {memory_.where(), static_cast<std::int64_t>(memory_.bytes().size())};
    } catch (const std::bad_alloc&) {
        mine = no_memory("other ranks' arrays", ranks * (sizeof(whereabouts) + sizeof(base::shared_memory)),
                         "use no shared_in");
    }
    if (status bad = all_ok(channel, mine); !bad.ok()) return bad;
    if (status bad = channel.check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), whereabouts_numbers,
                                                 MPI_INT64_T, channel.comm()),
                                   "MPI_Allgather");
        !bad.ok())
        return bad;
    const std::span<const int> leaders = channel.leaders();
    int sees_all = 1;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (rank == me || leaders[rank] != leaders[me]) continue;
        // Whatever fails here, the others wait below.
        try {
            auto opened = base::shared_memory::open(all[rank].address, static_cast<std::size_t>(all[rank].bytes));
            if (opened.ok())
                others_[rank] = std::move(*opened);
            else
                sees_all = 0;
        } catch (const std::bad_alloc&) {
            sees_all = 0;
        }
    }
    if (status bad =
            channel.check(MPI_Allreduce(MPI_IN_PLACE, &sees_all, 1, MPI_INT, MPI_MIN, channel.comm()), "MPI_Allreduce");
        !bad.ok())
        return bad;
    memory_.seal();
    seen_ = sees_all != 0;
    if (!seen_) others_.clear();
    return {};
}

node_arrays::view node_arrays::of(int rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    if (at >= others_.size() || others_[at].bytes().empty()) return {};
    const head& about = head_of(others_[at]);
    const std::byte* const first = others_[at].bytes().data();
    return {first + about.fields_at,
            about.field_stride,
            {reinterpret_cast<const stored_box*>(first + sizeof(head)), about.boxes}};
}

}  // namespace laconic::redistribute
