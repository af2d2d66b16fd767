// SPDX-License-Identifier: BSD-3-Clause
// MPI's own collectives behind the shape of ours: a call flows in, MPI does it, blocking or not.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "collective/call_store.hpp"
#include "collective/geometry.hpp"
#include "collective/mpi_call.hpp"
#include "laconic/status.hpp"

namespace laconic::collective {

/// One MPI collective. `in` and `out` are the arrays of a collective_call; where they lie in one another MPI_IN_PLACE
/// is what MPI sees.
class stock_call {
public:
    stock_call() = default;
    stock_call(const stock_call&) = delete;
    stock_call& operator=(const stock_call&) = delete;
    ~stock_call();

    /// Takes all memory that the call needs, and copies what MPI cannot work on in place: from here to finish() the
    /// arrays are the call's. Local. avg adds; finish() divides.
    /// returns ok, unsupported (see fits_mpi), out_of_memory or mpi
    /// channel   which keeps the memory
    /// custom    of reduction::custom
    [[nodiscard]] status prepare(mpi::channel& channel, const geometry& call, element_type type, reduction combine,
                                 MPI_Op custom, const void* in, void* out);
    /// returns MPI's code.
    [[nodiscard]] int run(MPI_Comm comm) { return call_.issue(comm, nullptr); }
    /// Its arguments. Precondition: prepare(), of equal parts.
    [[nodiscard]] const even_call& even() const noexcept { return call_; }
    /// Begins it on the channel of prepare().
    [[nodiscard]] status start();
    /// False while messages are on their way. Precondition: start() was ok.
    [[nodiscard]] result<bool> test();
    /// Whether MPI may still read and write its arrays.
    [[nodiscard]] bool is_under_way() const noexcept { return started_; }
    /// What MPI leaves to do: averages are divided, and the report says what the call had to send at least, and what
    /// memory it had.
    template <class T>
    void finish(const geometry& call, unsigned divisor, std::span<T> out, collective_report& report) noexcept;
    /// Gives the memory back, also of a call that did not come to its end.
    void release() noexcept;

private:
    [[nodiscard]] status set_type(const geometry& call, element_type type, reduction combine, MPI_Op custom);
    void set_counts(const geometry& call);
    [[nodiscard]] status borrow(std::size_t size_bytes);
    [[nodiscard]] status pack(const geometry& call, const void* in, std::size_t width, bool in_place);
    void unpack(const geometry& call, void* out, std::size_t width) const noexcept;

    mpi_call call_;
    mpi::channel* channel_ = nullptr;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool own_op_ = false;
    bool started_ = false;         // and not known to be over
    bool packed_out_ = false;      // what comes lies in the copy, side by side
    call_memory* copy_ = nullptr;  // what MPI cannot work on where it is
    std::size_t copied_bytes_ = 0;
};

/// ok if MPI's int counts can express this rank's part of the call, else unsupported. Displacements do not count.
[[nodiscard]] status fits_mpi(const geometry& call);

/// What a rank that knows its own counts only adds to the largest buffer of all: the call's, or more than MPI's int
/// counts can express where its arrays are beyond them.
[[nodiscard]] std::size_t reach_of(const geometry& call) noexcept;

/// MPI's own function or, beyond its int counts, messages of ours. The same on all ranks: it depends only on what they
/// all know. Precondition: knows_all_counts().
[[nodiscard]] cell stock_or_raw(const geometry& call) noexcept;

}  // namespace laconic::collective
