// SPDX-License-Identifier: BSD-3-Clause
// MPI's own collectives behind the shape of ours: a call flows in, MPI does it, blocking or not.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

    /// returns ok, or unsupported when a count does not fit in an int. avg adds; the caller divides.
    /// custom   of reduction::custom
    [[nodiscard]] status prepare(const geometry& call, element_type type, reduction combine, MPI_Op custom,
                                 const void* in, void* out);
    /// returns MPI's code.
    [[nodiscard]] int run(MPI_Comm comm) { return call_.issue(comm, nullptr); }
    /// Its arguments. Precondition: prepare(), of equal parts.
    [[nodiscard]] const even_call& even() const noexcept { return call_; }
    [[nodiscard]] int start(MPI_Comm comm, MPI_Request* request) { return call_.issue(comm, request); }

private:
    mpi_call call_;
    bool own_op_ = false;
    std::vector<std::byte> copy_;  // of `in`, where MPI cannot reduce in place
};

/// What MPI leaves to do: averages are divided, and the report says what the call had to send at least.
template <class T>
void finish_stock(const geometry& call, unsigned divisor, std::span<T> out, collective_report& report) noexcept;

/// Whether MPI's int counts can express the call.
[[nodiscard]] bool fits_mpi(const geometry& call) noexcept;

/// What a rank that knows its own counts only adds to the largest buffer of all: the call's, or more than MPI's int
/// counts can express where its arrays are beyond them.
[[nodiscard]] std::size_t reach_of(const geometry& call) noexcept;

/// MPI's own function or, beyond its int counts, messages of ours. The same on all ranks: it depends only on what they
/// all know. Precondition: knows_all_counts().
[[nodiscard]] cell stock_or_raw(const geometry& call) noexcept;

}  // namespace laconic::collective
