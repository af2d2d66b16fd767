// SPDX-License-Identifier: BSD-3-Clause
// The traces of all ranks of a communicator become one file: every rank's part flows in, through a binomial tree of
// merges, and rank 0 writes the file.
#pragma once

#include <mpi.h>

#include <string>

#include "trace/container.hpp"
#include "trace/recorder.hpp"

namespace laconic::record {

/// What a rank brings along.
struct contribution {
    trace::rank_trace trace;  ///< an empty core: this rank failed
    std::string trouble;      ///< why it did, or what its trace lacks; "" when all is well
};

struct gathered {
    bool written = false;  ///< the same on all ranks
    std::string trouble;   ///< on rank 0: the first that a rank had
};

/// Collective over `comm`, which nobody else uses and whose errors return. The file appears complete or not at all.
/// `facts` count on rank 0.
/// cost     log2(ranks) steps with one core each; then, where times of single calls are kept, one message per rank
[[nodiscard]] gathered gather(MPI_Comm comm, contribution own, const std::string& path, const trace::file_facts& facts);

}  // namespace laconic::record
