// SPDX-License-Identifier: BSD-3-Clause
// The cache of private duplicates: attribute callbacks on the user's communicators, and one on MPI_COMM_SELF because
// MPI frees that one first in MPI_Finalize, while other communicators can still be freed.
#include "mpi/channel.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/no_memory.hpp"
#include "mpi/completion.hpp"
#include "mpi/error.hpp"
#include "mpi/processors.hpp"
#include "mpi/recent_pair.hpp"

namespace laconic::mpi {
namespace {

/// The last ones asked for, of each channel_use: an attribute takes MPI some microseconds where its tables have left
/// the caches. As many as programs go to and fro between, rows and columns and all ranks, say.
class recent_channels {
public:
    [[nodiscard]] channel* find(MPI_Comm comm) const noexcept {
        for (const auto& one : all_)
            if (channel* const found = one.find(comm); found != nullptr) return found;
        return nullptr;
    }
    // Under the registry's lock.
    void keep(MPI_Comm comm, channel* found) noexcept {
        all_[next_].keep(comm, found);
        next_ = (next_ + 1) % all_.size();
    }
    void forget(channel* gone) noexcept {
        for (auto& one : all_)
            if (one.holds(gone)) one.forget();
    }
    void forget_all() noexcept {
        for (auto& one : all_) one.forget();
    }

private:
    std::array<recent_pair<MPI_Comm, channel*>, 3> all_;
    std::size_t next_ = 0;
};
constinit std::array<recent_channels, 2> recent;

struct registry {
    std::mutex mutex;
    std::array<int, 2> channel_keys{MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID};  // of each channel_use
    std::atomic<bool> has_keys = false;
    int finalize_key = MPI_KEYVAL_INVALID;
    std::vector<channel*> open;
    std::vector<void (*)() noexcept> before_finalize;
};

registry& channels() {
    // Never destroyed: attribute callbacks may run after static destructors when a program skips MPI_Finalize. And
    // not of memory that a rank may lack.
    alignas(registry) static std::array<std::byte, sizeof(registry)> storage;
    static auto* const all = new (storage.data()) registry;
    return *all;
}

int delete_channel(MPI_Comm, int, void* attribute, void*) {
    auto* const gone = static_cast<channel*>(attribute);
    {
        const std::scoped_lock lock(channels().mutex);
        for (recent_channels& of_a_use : recent) of_a_use.forget(gone);
    }
    channel::orphan(gone);
    return MPI_SUCCESS;
}

int close_all_at_finalize(MPI_Comm, int, void*, void*) {
    std::vector<channel*> open;
    std::vector<void (*)() noexcept> actions;
    {
        const std::scoped_lock lock(channels().mutex);
        open.swap(channels().open);
        for (recent_channels& of_a_use : recent) of_a_use.forget_all();
        actions.swap(channels().before_finalize);
    }
    for (auto* const action : actions) action();
    // The objects stay for their own delete callbacks; only what needs a living MPI goes now.
    for (auto last = open.rbegin(); last != open.rend(); ++last) (*last)->close();
    return MPI_SUCCESS;
}

status make_keys() {
    registry& all = channels();
    if (all.has_keys) return {};
    const std::scoped_lock lock(all.mutex);
    if (all.has_keys) return {};
    std::array<int, 2> keys{};
    for (int& key : keys)
        if (const int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_channel, &key, nullptr); code != 0)
            return to_status(code, "MPI_Comm_create_keyval");
    if (const int code =
            MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_all_at_finalize, &all.finalize_key, nullptr);
        code != 0)
        return to_status(code, "MPI_Comm_create_keyval");
    if (const int code = MPI_Comm_set_attr(MPI_COMM_SELF, all.finalize_key, nullptr); code != 0)
        return to_status(code, "MPI_Comm_set_attr");
    all.channel_keys = keys;
    all.has_keys = true;
    return {};
}

/// For what follows MPI has only blocking functions, during which nothing else moves on this rank.
int wait_for_all_ranks(MPI_Comm comm, void (*meanwhile)() noexcept) {
    MPI_Request all_here = MPI_REQUEST_NULL;
    bool over = false;
    int code = MPI_Ibarrier(comm, &all_here);
    while (code == MPI_SUCCESS && !over) {
        code = test(all_here, over);
        if (code == MPI_SUCCESS && !over) meanwhile();
    }
    return code;
}

/// A communicator that is freed, unless somebody takes it.
struct own_comm {
    MPI_Comm handle = MPI_COMM_NULL;

    own_comm() = default;
    own_comm(const own_comm&) = delete;
    own_comm& operator=(const own_comm&) = delete;
    ~own_comm() {
        if (handle != MPI_COMM_NULL) MPI_Comm_free(&handle);
    }
    [[nodiscard]] MPI_Comm take() noexcept { return std::exchange(handle, MPI_COMM_NULL); }
};

/// In pages of 2 MB, where there are such: faults for each 4 KB take longer than to fill them. From 32 MB on, where
/// glibc maps each block by itself, so that the advice goes with it.
void ask_for_large_pages([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t size_bytes) noexcept {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t page = std::size_t{2} << 20, least_bytes = 16 * page;
    if (size_bytes < least_bytes) return;
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    madvise(memory + before, (size_bytes - before) / page * page, MADV_HUGEPAGE);
#endif
}

}  // namespace

void workspace::freer::operator()(std::byte* memory) const noexcept {
    ::operator delete (memory, std::align_val_t{alignment});
}

status workspace::reserve(std::size_t size_bytes) {
    used_bytes_ = size_bytes;
    if (size_bytes <= size_bytes_) return {};
    void* const memory = ::operator new (size_bytes, std::align_val_t{alignment}, std::nothrow);
    if (memory == nullptr)
        return {errc::out_of_memory,
                "no " + std::to_string(size_bytes) + " bytes of workspace; give a smaller segment size"};
    memory_.reset(static_cast<std::byte*>(memory));
    size_bytes_ = size_bytes;
    ask_for_large_pages(memory_.get(), size_bytes);
    return {};
}

void workspace::release() noexcept {
    memory_.reset();
    size_bytes_ = used_bytes_ = 0;
}

void workspace::abandon() noexcept {
    static_cast<void>(memory_.release());
    size_bytes_ = used_bytes_ = 0;
}

status channel::check(int code, std::string_view call) {
    if (code != MPI_SUCCESS) last_error_ = code;
    return to_status(code, call);
}

result<bool> channel::test_receive(MPI_Request& request, int& size_bytes) {
    bool is_there = false;
    MPI_Status came;
    if (auto done = check(test(request, is_there, &came), "MPI_Irecv"); !done.ok()) return done;
    if (!is_there) return false;
    if (auto done = check(MPI_Get_count(&came, MPI_BYTE, &size_bytes), "MPI_Get_count"); !done.ok()) return done;
    return true;
}

/// Memory for what all ranks look at together.
struct channel::survey {
    std::vector<processor_set> masks;
    std::vector<int> members;  // of the node that a rank leads

    [[nodiscard]] bool reserve(int ranks, MPI_Comm inside) noexcept try {
        int neighbours = 1;
        MPI_Comm_size(inside, &neighbours);
        masks.resize(static_cast<std::size_t>(neighbours));
        members.resize(static_cast<std::size_t>(ranks));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
};

/// What a channel takes of memory; null: there is too little.
std::shared_ptr<channel> channel::unconnected(MPI_Comm comm, attaching attach) noexcept try {
    auto made = std::make_shared<channel>();
    MPI_Comm_rank(comm, &made->rank_);
    MPI_Comm_size(comm, &made->size_);
    made->leaders_.resize(static_cast<std::size_t>(made->size_));
    if (attach != nullptr) {
        made->attached_ = attach(*made);
        if (made->attached_ == nullptr) return nullptr;
    }
    const std::scoped_lock lock(channels().mutex);
    channels().open.push_back(made.get());
    return made;
} catch (const std::bad_alloc&) {
    return nullptr;
}

/// What all ranks have to be here for: later each of them may be at another call.
/// copy             the duplicate
/// made             unconnected; null: this rank has no memory for it
/// all_have_memory  whether all ranks have; else nothing else happens
/// returns          MPI_SUCCESS, or MPI's code
int channel::connect(MPI_Comm copy, channel* made, bool& all_have_memory) noexcept {
    int rank = 0;
    MPI_Comm_rank(copy, &rank);
    own_comm inside;
    if (const int code = MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &inside.handle);
        code != MPI_SUCCESS)
        return code;
    survey all;
    int fewest = made != nullptr && all.reserve(made->size_, inside.handle) ? 1 : 0;
    if (const int code = MPI_Allreduce(MPI_IN_PLACE, &fewest, 1, MPI_INT, MPI_MIN, copy); code != MPI_SUCCESS)
        return code;
    all_have_memory = fewest != 0;
    return all_have_memory ? made->look_around(copy, inside.handle, all) : MPI_SUCCESS;
}

/// Who shares memory with whom, and processors.
int channel::look_around(MPI_Comm copy, MPI_Comm inside, survey& all) noexcept {
    int leader = rank_;
    int code = MPI_Bcast(&leader, 1, MPI_INT, 0, inside);
    if (code == MPI_SUCCESS) code = share_processors(inside, all.masks, share_);
    if (code == MPI_SUCCESS) code = MPI_Allgather(&leader, 1, MPI_INT, leaders_.data(), 1, MPI_INT, copy);
    least_processors_ = share_.processors;
    if (code == MPI_SUCCESS) code = MPI_Allreduce(MPI_IN_PLACE, &least_processors_, 1, MPI_UNSIGNED, MPI_MIN, copy);
    if (code != MPI_SUCCESS) return code;
    for (const int one : leaders_) ++all.members[static_cast<std::size_t>(one)];
    nodes_ = base::sizes_of(all.members);
    return MPI_SUCCESS;
}

channel::~channel() {
    {
        const std::scoped_lock lock(channels().mutex);
        std::erase(channels().open, this);
    }
    close();
}

void channel::orphan(channel* gone) noexcept {
    gone->is_orphan_ = true;
    // The last but for those who share it; outlives the member that it comes from.
    const std::shared_ptr<channel> last = std::move(gone->cached_);
}

void channel::close() noexcept {
    if (attached_ != nullptr) attached_->close();
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    comm_ = MPI_COMM_NULL;
}

status check_running() {
    int running = 0;
    int over = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&over);
    if (running != 0 && over == 0) return {};
    return {errc::invalid_argument, "MPI is not running; call between MPI_Init and MPI_Finalize"};
}

[[gnu::hot]] channel* recent_channel_of(MPI_Comm comm, channel_use use) noexcept {
    return recent[static_cast<std::size_t>(use)].find(comm);
}

result<channel*> channel_of(MPI_Comm comm, channel_use use, const channel_setup& setup) try {
    if (channel* const found = recent_channel_of(comm, use); found != nullptr) return found;
    if (auto bad = check_running(); !bad.ok()) return bad;
    if (comm == MPI_COMM_NULL) return status{errc::invalid_argument, "the communicator is MPI_COMM_NULL"};
    if (auto done = make_keys(); !done.ok()) return done;

    void* cached = nullptr;
    int found = 0;
    const int key = channels().channel_keys[static_cast<std::size_t>(use)];
    if (const int code = MPI_Comm_get_attr(comm, key, static_cast<void*>(&cached), &found); code != 0)
        return to_status(code, "MPI_Comm_get_attr");
    if (found != 0) {
        const std::scoped_lock lock(channels().mutex);
        recent[static_cast<std::size_t>(use)].keep(comm, static_cast<channel*>(cached));
        return static_cast<channel*>(cached);
    }

    int between_groups = 0;
    if (const int code = MPI_Comm_test_inter(comm, &between_groups); code != 0)
        return to_status(code, "MPI_Comm_test_inter");
    if (between_groups != 0)
        return status{errc::invalid_argument, "an intercommunicator; merge it with MPI_Intercomm_merge first"};

    const std::shared_ptr<channel> made = channel::unconnected(comm, setup.attach);
    // The user's own handler sees a failure of these calls: they are made on the user's communicator.
    if (setup.meanwhile != nullptr)
        if (const int code = wait_for_all_ranks(comm, setup.meanwhile); code != 0)
            return to_status(code, "MPI_Ibarrier");
    own_comm copy;
    if (const int code = MPI_Comm_dup(comm, &copy.handle); code != 0) return to_status(code, "MPI_Comm_dup");
    MPI_Comm_set_errhandler(copy.handle, MPI_ERRORS_RETURN);
    bool all_have_memory = true;
    const int failed = channel::connect(copy.handle, made.get(), all_have_memory);
    if (!all_have_memory) return base::no_memory();
    if (made != nullptr) {
        made->comm_ = copy.take();
        if (const int code = MPI_Comm_set_attr(comm, key, made.get()); code != 0)
            return to_status(code, "MPI_Comm_set_attr");
        made->cached_ = made;
    }
    if (failed == MPI_SUCCESS) return made.get();
    // The communicator takes no further calls: the other ranks may have got to another point.
    if (made != nullptr) made->mark_broken();
    MPI_Comm_call_errhandler(comm, failed);
    return to_status(failed, "the first collective on a communicator");
} catch (const std::bad_alloc&) {
    return base::no_memory();
}

status before_finalize(void (*action)() noexcept) {
    if (auto done = make_keys(); !done.ok()) return done;
    const std::scoped_lock lock(channels().mutex);
    auto& actions = channels().before_finalize;
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) actions.push_back(action);
    return {};
}

std::size_t open_channels() noexcept {
    const std::scoped_lock lock(channels().mutex);
    return channels().open.size();
}

}  // namespace laconic::mpi
