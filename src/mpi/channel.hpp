// SPDX-License-Identifier: BSD-3-Clause
// A user's communicator flows in; a private duplicate with reusable memory flows out. It is made at first use, cached
// as an attribute of the user's communicator and freed together with it, or with the last request
// that is left then, or at MPI_Finalize at the latest.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "base/node_sizes.hpp"
#include "laconic/status.hpp"
#include "mpi/processors.hpp"

namespace laconic::mpi {

/// Raw memory that only grows. Its content does not survive a growing reserve().
class workspace {
public:
    static constexpr std::size_t alignment = 64;
    /// So that what follows is aligned.
    [[nodiscard]] static constexpr std::size_t rounded(std::size_t size_bytes) noexcept {
        return (size_bytes + alignment - 1) / alignment * alignment;
    }
    /// Rows at the beginning of memory that is aligned, and what they take of it.
    template <class Row>
    [[nodiscard]] static constexpr std::size_t table_bytes(std::size_t rows) noexcept {
        return rounded(rows * sizeof(Row));
    }
    template <class Row>
    [[nodiscard]] static std::span<Row> take_table(std::span<std::byte>& memory, std::size_t rows) noexcept {
        auto* const first = reinterpret_cast<Row*>(memory.data());
        for (std::size_t i = 0; i < rows; ++i) new (first + i) Row;
        memory = memory.subspan(table_bytes<Row>(rows));
        return {first, rows};
    }

    /// At least `size_bytes`, aligned to 64 bytes; or out_of_memory, and what was held before stays.
    [[nodiscard]] status reserve(std::size_t size_bytes);
    /// What reserve() was last asked for.
    [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {memory_.get(), size_bytes_}; }
    void release() noexcept;
    /// Gives the memory up without freeing it: for requests that may still write into it after an MPI error.
    void abandon() noexcept;

private:
    struct freer {
        void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, freer> memory_;
    std::size_t size_bytes_ = 0, used_bytes_ = 0;
};

/// Collectives that have been started make MPI calls on their duplicate whenever they move; blocking ones of others
/// must not come between them.
enum class channel_use : std::uint8_t { collectives, exchanges };

struct channel_setup;

/// The private duplicate of a communicator. Errors on it are returned, never fatal, as far as the MPI library raises
/// them on it (guide/collectives.md, limits).
class channel : public std::enable_shared_from_this<channel> {
public:
    channel() = default;
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    ~channel();

    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    /// Of each rank the lowest one that it shares memory with.
    [[nodiscard]] std::span<const int> leaders() const noexcept { return leaders_; }
    /// Groups of ranks that share memory.
    [[nodiscard]] const base::node_sizes& nodes() const noexcept { return nodes_; }

    /// Processors that this rank may use, ranks of its node that share them counted in; at least 1.
    [[nodiscard]] unsigned processors() const noexcept { return share_.processors; }
    /// That is less than one processor: this rank may have to wait for it while others run.
    [[nodiscard]] bool takes_turns() const noexcept { return share_.takes_turns; }
    /// The fewest that any rank has.
    [[nodiscard]] unsigned least_processors() const noexcept { return least_processors_; }

    /// What users of the channel keep with it, freed with it.
    struct attachment {
        attachment() = default;
        attachment(const attachment&) = delete;
        attachment& operator=(const attachment&) = delete;
        virtual ~attachment() = default;
        /// MPI is about to end: what needs it goes now.
        virtual void close() noexcept = 0;
    };
    [[nodiscard]] std::unique_ptr<attachment>& attached() noexcept { return attached_; }

    /// to_status() that also remembers the code for the user's error handler.
    [[nodiscard]] status check(int code, std::string_view call);
    [[nodiscard]] int last_error() const noexcept { return last_error_; }
    /// Whether the message of a receive is there. If so its size is in `size_bytes`, and the request is null.
    [[nodiscard]] result<bool> test_receive(MPI_Request& request, int& size_bytes);

    /// After an error in the middle of a schedule messages may be left over: the channel refuses further use.
    void mark_broken() noexcept { broken_ = true; }
    /// This rank has no memory for a call that the others make without having heard of it: what it did next would meet
    /// that. Nothing where there are no others.
    void desert() noexcept {
        if (size_ > 1) mark_broken();
    }
    [[nodiscard]] bool broken() const noexcept { return broken_; }

    /// The user's communicator is gone: only requests of before still use the channel.
    [[nodiscard]] bool is_orphan() const noexcept { return is_orphan_; }
    /// The attribute of the user's communicator, which holds the channel, goes.
    static void orphan(channel* gone) noexcept;

    /// Frees the duplicate and the memory; idempotent.
    void close() noexcept;

private:
    friend result<channel*> channel_of(MPI_Comm comm, channel_use use, const channel_setup& setup);
    using attaching = std::unique_ptr<attachment> (*)(const channel&) noexcept;
    struct survey;
    [[nodiscard]] static std::shared_ptr<channel> unconnected(MPI_Comm comm, attaching attach) noexcept;
    [[nodiscard]] static int connect(MPI_Comm copy, channel* made, bool& all_have_memory) noexcept;
    [[nodiscard]] int look_around(MPI_Comm copy, MPI_Comm inside, survey& all) noexcept;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    base::node_sizes nodes_;
    processor_share share_;
    unsigned least_processors_ = 1;
    std::vector<int> leaders_;
    // A progress thread sees failures, too.
    std::atomic<int> last_error_ = MPI_SUCCESS;
    std::atomic<bool> broken_ = false;
    std::unique_ptr<attachment> attached_;
    std::atomic<bool> is_orphan_ = false;
    std::shared_ptr<channel> cached_;  // itself, while the user's communicator has it as an attribute
};

/// What a first use of a communicator brings along, on all ranks alike.
struct channel_setup {
    /// Called again and again until all ranks are there, some of which may come only when this one has gone on with
    /// what it has under way elsewhere; null: MPI waits.
    void (*meanwhile)() noexcept = nullptr;
    /// Makes what is kept with the channel, of which it knows rank and size; or null, for want of memory.
    std::unique_ptr<channel::attachment> (*attach)(const channel&) noexcept = nullptr;
};

/// ok between MPI_Init and MPI_Finalize, else invalid_argument.
[[nodiscard]] status check_running();

/// The channel of an intracommunicator for one use. Collective over `comm` at the first use, local afterwards.
/// returns the channel, alive as long as `comm` and whoever shares it (shared_from_this()); or mpi; or out_of_memory,
/// on
///         all ranks where one lacks it; or invalid_argument for MPI_COMM_NULL, an intercommunicator, or MPI not
///         initialised.
[[nodiscard]] result<channel*> channel_of(MPI_Comm comm, channel_use use, const channel_setup& setup = {});

/// The same for the few communicators that were asked about last, without a lock or a word to MPI; null for any other.
[[nodiscard]] channel* recent_channel_of(MPI_Comm comm, channel_use use = channel_use::collectives) noexcept;

/// Calls `action` once, when MPI_Finalize begins and MPI still works.
[[nodiscard]] status before_finalize(void (*action)() noexcept);

/// Channels alive in this process: tests watch that freeing a communicator frees its channel.
[[nodiscard]] std::size_t open_channels() noexcept;

}  // namespace laconic::mpi
