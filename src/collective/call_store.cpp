// SPDX-License-Identifier: BSD-3-Clause
// Caches by linear search: a communicator sees few kinds of calls.
#include "collective/call_store.hpp"

#include <new>

#include "collective/select.hpp"
#include "model/select.hpp"

namespace laconic::collective {
namespace {

/// Programs are small, but a program that uses every rank as a root would keep one for each.
constexpr std::size_t most_programs = 64;

}  // namespace

call_store::~call_store() { close(); }

void call_store::close() noexcept {
    for (const auto& known : levels_) {
        if (known->inside != MPI_COMM_NULL) MPI_Comm_free(&known->inside);
        if (known->across != MPI_COMM_NULL) MPI_Comm_free(&known->across);
    }
    levels_.clear();
}

call_store* call_store::of(mpi::channel& channel) noexcept {
    auto& slot = channel.attached();
    if (slot == nullptr) slot.reset(new (std::nothrow) call_store);
    return static_cast<call_store*>(slot.get());
}

std::shared_ptr<const program> call_store::program_for(operation op, schedule_kind schedule, int root,
                                                       const mpi::channel& channel) {
    for (const known_program& known : programs_)
        if (known.op == op && known.schedule == schedule && known.root == root) return known.steps;
    auto made = std::make_shared<const program>(make_program(op, schedule, channel.size(), channel.rank(), root));
    if (programs_.size() == most_programs) programs_.erase(programs_.begin());
    programs_.push_back({op, schedule, root, made});
    return made;
}

call_memory* call_store::borrow() noexcept {
    for (const auto& memory : memory_)
        if (!memory->in_use) {
            memory->in_use = true;
            return memory.get();
        }
    try {
        memory_.push_back(std::make_unique<call_memory>());
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
    memory_.back()->in_use = true;
    return memory_.back().get();
}

std::size_t call_store::held_bytes() const noexcept {
    std::size_t held = 0;
    for (const auto& memory : memory_) held += memory->bytes.bytes().size();
    return held;
}

std::uint64_t call_store::interesting_bytes(operation op, const model::machine& where, int ranks, int nodes,
                                            std::size_t segment_bytes) {
    for (const known_size& known : sizes_)
        if (known.op == op && known.where == &where && known.nodes == nodes && known.segment_bytes == segment_bytes)
            return known.bytes;
    const std::uint64_t bytes =
        model::smallest_interesting_bytes(where, op, ranks, nodes, candidates(op, false, false), segment_bytes);
    sizes_.push_back({op, &where, nodes, segment_bytes, bytes});
    return bytes;
}

bool call_store::knows_levels(unsigned ranks_per_node) const noexcept {
    for (const auto& known : levels_)
        if (known->ranks_per_node == ranks_per_node) return true;
    return false;
}

result<const hierarchy*> call_store::levels(mpi::channel& channel, unsigned ranks_per_node) {
    for (const auto& known : levels_)
        if (known->ranks_per_node == ranks_per_node) return &known->levels;
    auto made = std::make_unique<known_levels>();
    made->ranks_per_node = ranks_per_node;
    const int rank = channel.rank();
    const int code = ranks_per_node == 0
                         ? MPI_Comm_split_type(channel.comm(), MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made->inside)
                         : MPI_Comm_split(channel.comm(), rank / static_cast<int>(ranks_per_node), rank, &made->inside);
    if (auto done = channel.check(code, "MPI_Comm_split"); !done.ok()) return done;
    int local_rank = 0;
    int local_size = 1;
    MPI_Comm_rank(made->inside, &local_rank);
    MPI_Comm_size(made->inside, &local_size);
    // Smallest and, as a complement, number of first ranks.
    const int mine[2] = {-local_size, local_rank == 0 ? 1 : 0};
    int least = 0;
    int nodes = 0;
    if (auto done =
            channel.check(MPI_Allreduce(&mine[0], &least, 1, MPI_INT, MPI_MAX, channel.comm()), "MPI_Allreduce");
        !done.ok())
        return done;
    if (auto done =
            channel.check(MPI_Allreduce(&mine[1], &nodes, 1, MPI_INT, MPI_SUM, channel.comm()), "MPI_Allreduce");
        !done.ok())
        return done;
    made->levels.lanes = -least;
    made->levels.nodes = nodes;
    const int colour = local_rank < made->levels.lanes ? local_rank : MPI_UNDEFINED;
    if (auto done = channel.check(MPI_Comm_split(channel.comm(), colour, rank, &made->across), "MPI_Comm_split");
        !done.ok())
        return done;
    const auto inside = mpi::channel_of(made->inside);
    if (!inside) return inside.error();
    made->levels.inside = *inside;
    if (made->across != MPI_COMM_NULL) {
        const auto across = mpi::channel_of(made->across);
        if (!across) return across.error();
        made->levels.across = *across;
    }
    levels_.push_back(std::move(made));
    return &levels_.back()->levels;
}

}  // namespace laconic::collective
