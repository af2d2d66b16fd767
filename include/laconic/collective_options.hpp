// SPDX-License-Identifier: BSD-3-Clause
// What collectives take and report, without MPI: operations, reductions, options, reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "laconic/audit.hpp"
#include "laconic/bound.hpp"
#include "laconic/status.hpp"

namespace laconic {

enum class operation : std::uint8_t { allreduce, reduce, reduce_scatter, allgather, gather, scatter, bcast, alltoall };

enum class reduction : std::uint8_t {
    sum,
    avg,
    min,
    max,
    prod,
    custom  ///< an MPI_Op of the program's own, see collective_call::custom
};

/// How a collective runs. All of it must agree on all ranks.
struct collective_options {
    bound limit;                        ///< default: lossless
    scope bound_scope = scope::result;  ///< what the bound limits
    double confidence = 0.9544;         ///< of scope::probable
    std::string algorithm = "auto";     ///< a row of `laconic info --algorithms`, or schedule/payload[:codec]
    /// Uncompressed bytes per message; whole chunks, at most 2^28. 0: as suits the MPI library and what travels, longer
    /// once that is seen to shrink well. Pieces of up to twice as many may travel together, in trees and
    /// `rabenseifner`.
    std::size_t segment_bytes = 0;
    double rate = 8;  ///< bits per value of codec zfp_rate
    /// Whether ranks compare what must agree before data moves, which costs one small allreduce. Rows that quantise
    /// need that allreduce anyway and always compare. Otherwise differences are undefined behaviour, as in MPI. What
    /// two ranks have for each other in a gatherv, scatterv or alltoallv is compared with this alone, for an exchange
    /// of counts and one or two allreduces more.
    bool check = false;
    /// Whether every call is followed by an audit: MPI computes the exact result too, and collective_report::audit says
    /// how far the returned one is from it. The result and its bits are those of a call without. Ranks always compare
    /// their arguments then. Costs a multiple of the call's time, a copy of the input where the call overwrites it, a
    /// copy of the output where data only move; calls of the communicator that are started later wait for it.
    bool audit = false;
    /// Ranks of a node, for rows with hierarchy and for what suits `segment_bytes`; 0: those that share memory. For
    /// experiments on one machine.
    unsigned ranks_per_node = 0;
    /// Whether rows with hierarchy use memory that the ranks of a node share; where they have none, or not all see it,
    /// they do with messages.
    bool shared_memory = true;
    /// Threads that compress, add and decompress for this rank, 64 at most; 0: the processors that its process may use,
    /// shared with the ranks of its node that may use them, too. They help where there is work enough, take no part in
    /// MPI, and change no bit of the result. May differ between ranks, but for `auto`.
    unsigned codec_threads = 0;
    /// TOML file of `laconic calibrate` that `auto` decides by; empty: built-in figures of a fast network, with which
    /// `auto` is slow to believe that compression pays. Where all ranks share a node it compresses only by a file that
    /// was calibrated on one node. The same content on all ranks: where one of them decides
    /// otherwise than the others, calls do not match.
    std::string machine;

    /// The defaults overridden by LACONIC_ALGORITHM, LACONIC_ABS / LACONIC_REL, LACONIC_SCOPE, LACONIC_CONFIDENCE,
    /// LACONIC_SEGMENT_BYTES, LACONIC_CHECK, LACONIC_AUDIT, LACONIC_RANKS_PER_NODE, LACONIC_SHARED_MEMORY,
    /// LACONIC_CODEC_THREADS, LACONIC_RATE, LACONIC_MACHINE and the TOML file named by LACONIC_CONFIG. invalid_argument
    /// or invalid_bound name the variable and its value; unsupported when LACONIC_FORCE_ISA or `force_isa` names an
    /// engine that cannot run here.
    [[nodiscard]] static result<collective_options> from_environment();
};

/// How the ranks of a node exchanged values in a row with hierarchy.
enum class node_traffic : std::uint8_t {
    none,     ///< no such row, no elements, or this rank is alone on its node
    memory,   ///< through memory that they share
    messages  ///< by messages: options.shared_memory is off, or the nodes of ranks_per_node are none, or the memory
              ///< could not be had on some node
};

/// What one call did on this rank.
struct collective_report {
    std::string algorithm;         ///< the row that ran, also where `auto` chose it
    std::uint64_t sent_bytes = 0;  ///< payload handed to MPI by this rank; for `stock`, what it has to send at least
    std::uint64_t raw_bytes = 0;   ///< what the same schedule would have sent uncompressed
    std::uint64_t messages = 0;
    node_traffic inside = node_traffic::none;
    double contribution_bound = 0;  ///< |x - q * step| of each contribution
    double result_bound = 0;        ///< guaranteed |result - exact|, before the final rounding to T; 0 for
                                    ///< uncompressed rows, whose only errors are the roundings of T's additions;
                                    ///< infinite where nothing is guaranteed (zfp_rate, compressed products and
                                    ///< operations of the program's own; where partial sums may overflow)
    double step = 0;                ///< quantisation step of the contributions; 0 for uncompressed rows
    /// Of the payloads that add compressed sums (homomorphic, quantised, fused), without hierarchy, and of the results
    /// of this rank. False: values that had to travel uncompressed were added with rounding, and the bits depend on the
    /// ranks' order.
    bool exact_sums = true;
    std::uint64_t workspace_bytes = 0;  ///< extra memory that this call uses; it stays with the communicator
    /// Where this rank's time went. Of calls that a progress thread moves wait_s has what that did meanwhile, too.
    double compress_s = 0, combine_s = 0, decompress_s = 0, copy_s = 0, wait_s = 0;
    std::optional<audit_report> audit;  ///< with options.audit; the same on all ranks
};

}  // namespace laconic
