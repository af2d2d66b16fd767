// SPDX-License-Identifier: BSD-3-Clause
// Traces as numbers: a trace flows in, one row of numbers per call, or who sent how much to whom, flows out. No MPI is
// needed.
#pragma once

#include <cstdint>
#include <vector>

#include "laconic/status.hpp"
#include "laconic/trace.hpp"

namespace laconic {

/// The calls of one rank in their order, a vector per column.
struct call_columns {
    std::vector<std::uint32_t> function;  ///< trace_function_name() of trace_arguments.hpp has the names
    std::vector<std::uint32_t> thread;
    /// Empty where the trace keeps no times of single calls.
    std::vector<std::uint64_t> start_ns, duration_ns;
    /// Bytes that the call hands over to be sent, and that came with it or with requests that it completed. Of a
    /// collective the caller's buffers, what it keeps included. A receive whose status the program ignored counts what
    /// it had room for. Neighbourhood collectives, one-sided communication and files count 0, as does what is sent as
    /// a type of unknown size.
    std::vector<std::uint64_t> sent_bytes, received_bytes;
};

/// returns invalid_argument  the trace has no such rank
///         corrupt           the trace contradicts itself
///         out_of_memory     the columns take 24 bytes a call, 40 with times; more than 2^30 calls
/// cost     O(calls of the rank); O(calls of all ranks) once per call where it made communicators and gathers in them
[[nodiscard]] result<call_columns> columns_of(const trace_file& file, std::uint32_t rank);

/// Point-to-point messages between the ranks of the world; row: sender, column: receiver.
struct communication_matrix {
    std::uint32_t ranks = 0;
    std::vector<std::uint64_t> messages, bytes;  ///< ranks * ranks
    /// Sent through communicators that the trace does not explain, such as those to spawned processes.
    std::uint64_t messages_elsewhere = 0;
};

/// returns corrupt        the trace contradicts itself
///         out_of_memory  two numbers per pair of ranks, and more than 16384 ranks; more than 2^20 communicators or
///                        2^16 threads of a rank, or 2^24 communicators of all
/// cost     O(calls of all ranks), twice
[[nodiscard]] result<communication_matrix> communication_matrix_of(const trace_file& file);

}  // namespace laconic
