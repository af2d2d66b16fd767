// SPDX-License-Identifier: BSD-3-Clause
// MPI's own collectives behind the shape of ours: a call flows in, MPI does it, blocking or not.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collective/geometry.hpp"
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
    [[nodiscard]] status prepare(const geometry& call, element_type type, reduction combine, const void* in, void* out);
    /// returns MPI's code.
    [[nodiscard]] int run(MPI_Comm comm) { return issue(comm, nullptr); }
    [[nodiscard]] int start(MPI_Comm comm, MPI_Request* request) { return issue(comm, request); }

private:
    [[nodiscard]] int issue(MPI_Comm comm, MPI_Request* request);
    [[nodiscard]] int issue_reduction(MPI_Comm comm, MPI_Request* request);
    [[nodiscard]] int issue_movement(MPI_Comm comm, MPI_Request* request);

    geometry call_;
    const void* in_ = nullptr;
    void* out_ = nullptr;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Op op_ = MPI_OP_NULL;
    bool own_op_ = false;
    std::vector<int> in_counts_, in_displacements_, out_counts_, out_displacements_;
};

/// Whether MPI's int counts can express the call.
[[nodiscard]] bool fits_int(const geometry& call) noexcept;

}  // namespace laconic::collective
