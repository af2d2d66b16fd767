// SPDX-License-Identifier: BSD-3-Clause
// Merging over ranks, and the file. A rank without memory still takes part in every message: nobody waits for it.
#include "record/trace_gather.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "trace/merge.hpp"

namespace laconic::record {
namespace {

using trace::bytes;
using trace::view;

constexpr int tag = 1;
constexpr std::size_t piece_bytes = std::size_t{1} << 16;
constexpr const char* no_memory = "no memory to put the trace together";

void send(view data, int to, MPI_Comm comm) noexcept {
    const std::uint64_t size = data.size();
    PMPI_Send(&size, 1, MPI_UINT64_T, to, tag, comm);
    for (std::size_t at = 0; at < data.size(); at += piece_bytes)
        PMPI_Send(data.data() + at, static_cast<int>(std::min(piece_bytes, data.size() - at)), MPI_BYTE, to, tag, comm);
}

/// False: no memory, or an error of MPI; what came is gone then.
bool receive(bytes& data, int from, MPI_Comm comm) noexcept {
    std::uint64_t size = 0;
    if (PMPI_Recv(&size, 1, MPI_UINT64_T, from, tag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    bool kept = true;
    try {
        data.resize(size);
    } catch (const std::exception&) {
        kept = false;
    }
    static std::array<std::byte, piece_bytes> spill;
    for (std::uint64_t at = 0; at < size; at += piece_bytes) {
        const int count = static_cast<int>(std::min<std::uint64_t>(piece_bytes, size - at));
        void* const to = kept ? data.data() + at : spill.data();
        if (PMPI_Recv(to, count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    }
    return kept;
}

/// What goes up the tree: trouble, then the core.
bytes packed(const contribution& own) {
    bytes out;
    trace::put_block(out, std::as_bytes(std::span(own.trouble)));
    trace::put_block(out, own.trace.core);
    return out;
}

void fail(contribution& own, const std::string& why) {
    own.trace.core.clear();
    if (own.trouble.empty()) own.trouble = why;
}

void unite(contribution& own, view other) {
    trace::wire_reader in(other);
    const view trouble = in.block();
    const view core = in.block();
    if (own.trouble.empty()) own.trouble = trace::text_of(trouble);
    if (!in.complete() || core.empty()) return fail(own, "the trace of a rank is missing");
    if (own.trace.core.empty()) return;
    auto merged = trace::merge(own.trace.core, core);
    if (!merged) return fail(own, merged.error().message());
    own.trace.core = std::move(*merged);
}

/// A binomial tree: in step k a rank with bit k gives what it has to the one without, and is done.
void climb(MPI_Comm comm, int rank, int ranks, contribution& own) {
    for (int bit = 1; bit < ranks; bit *= 2) {
        if ((rank & bit) != 0) {
            bytes out;
            try {
                out = packed(own);
            } catch (const std::bad_alloc&) {
                out.clear();
            }
            return send(out, rank - bit, comm);
        }
        if (rank + bit >= ranks) continue;
        bytes other;
        const bool came = receive(other, rank + bit, comm);
        try {
            came ? unite(own, other) : fail(own, no_memory);
        } catch (const std::bad_alloc&) {
            own.trace.core.clear();
        }
    }
}

/// A file under a temporary name until it is complete.
class new_file {
public:
    explicit new_file(const std::string& path) : path_(path), temporary_(path + ".part") {
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file_ < 0) refuse("create");
    }
    new_file(const new_file&) = delete;
    new_file& operator=(const new_file&) = delete;
    ~new_file() {
        if (file_ < 0) return;
        ::close(file_);
        ::unlink(temporary_.c_str());
    }
    void write(view data) {
        while (trouble_.empty() && !data.empty()) {
            const ssize_t done = ::write(file_, data.data(), data.size());
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) return refuse("write");
            data = data.subspan(static_cast<std::size_t>(done));
        }
    }
    void commit() {
        if (!trouble_.empty()) return;
        const int file = file_;
        file_ = -1;
        if (::close(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            refuse("finish");
            ::unlink(temporary_.c_str());
        }
    }
    /// "": none so far.
    [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

private:
    void refuse(const char* what) {
        trouble_ = std::string("cannot ") + what + " '" + temporary_ + "': " + std::strerror(errno);
    }

    std::string path_, temporary_, trouble_;
    int file_ = -1;
};

/// On rank 0: the file, with every rank's times.
gathered write_file(MPI_Comm comm, int ranks, contribution own, const std::string& path,
                    const trace::file_facts& facts) {
    gathered done;
    done.trouble = own.trouble;
    std::string trouble;
    new_file file(path);
    if (own.trace.core.empty()) {
        trouble = own.trouble;
    } else if (const auto begun = trace::file_of(own.trace.core, facts)) {
        file.write(*begun);
    } else {
        trouble = begun.error().message();
    }
    // Rank 0 says whether it goes on; any rank, whether it has times.
    std::array<int, 2> own_state{trouble.empty() && file.trouble().empty() ? 1 : 0, own.trace.timing.empty() ? 0 : 1};
    std::array<int, 2> state{};
    PMPI_Allreduce(own_state.data(), state.data(), 2, MPI_INT, MPI_MAX, comm);
    if (state[0] != 0 && state[1] != 0) {
        if (!own.trace.timing.empty()) file.write(trace::timing_section(0, own.trace.timing));
        bytes timing;
        for (int rank = 1; rank < ranks; ++rank) {
            if (!receive(timing, rank, comm)) trouble = no_memory;
            if (trouble.empty() && !timing.empty())
                file.write(trace::timing_section(static_cast<std::uint32_t>(rank), timing));
        }
    }
    if (trouble.empty()) {
        file.write(trace::end_section());
        file.commit();
        trouble = file.trouble();
    }
    done.written = trouble.empty();
    if (!done.written) done.trouble = trouble;
    return done;
}

}  // namespace

gathered gather(MPI_Comm comm, contribution own, const std::string& path, const trace::file_facts& facts) {
    int rank = 0;
    int ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    climb(comm, rank, ranks, own);
    gathered done;
    if (rank == 0) {
        done = write_file(comm, ranks, std::move(own), path, facts);
    } else {
        std::array<int, 2> own_state{0, own.trace.timing.empty() ? 0 : 1};
        std::array<int, 2> state{};
        PMPI_Allreduce(own_state.data(), state.data(), 2, MPI_INT, MPI_MAX, comm);
        if (state[0] != 0 && state[1] != 0) send(own.trace.timing, 0, comm);
    }
    int written = done.written ? 1 : 0;
    PMPI_Bcast(&written, 1, MPI_INT, 0, comm);
    done.written = written != 0;
    return done;
}

}  // namespace laconic::record
