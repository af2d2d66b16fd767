// SPDX-License-Identifier: BSD-3-Clause
// Pieces flow in, MPI datatypes that describe them flow out, freed with their owner.
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "redistribute/exchange/engine.hpp"

namespace laconic::redistribute {

class datatypes {
public:
    datatypes(mpi::channel& channel, std::size_t element_bytes) : channel_(channel), element_bytes_(element_bytes) {}
    datatypes(const datatypes&) = delete;
    datatypes& operator=(const datatypes&) = delete;
    ~datatypes();

    /// A part of a stream from where its first element is; equal ones are made once.
    [[nodiscard]] result<MPI_Datatype> of(const rows_of_piece<1>& piece);
    /// All parts of a stream, one field of them, from where the array begins.
    /// returns unsupported for more than int counts, or mpi
    [[nodiscard]] result<MPI_Datatype> of(const stream& all);

private:
    /// By reference: the call that makes it stands beside it.
    [[nodiscard]] result<MPI_Datatype> keep(int code, const MPI_Datatype& made, const char* call);

    mpi::channel& channel_;
    std::size_t element_bytes_;
    std::vector<MPI_Datatype> made_;
    std::map<std::array<std::int64_t, 7>, MPI_Datatype> known_;
};

}  // namespace laconic::redistribute
