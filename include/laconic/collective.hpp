// SPDX-License-Identifier: BSD-3-Clause
// Error-bounded compressed collectives over MPI: shaped like the MPI calls they stand in for, plus a bound.
// Link with laconic::mpich or laconic::openmpi, whichever MPI the program itself uses.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "laconic/bound.hpp"
#include "laconic/status.hpp"

namespace laconic {

enum class reduction : std::uint8_t { sum, avg };

struct allreduce_options {
    bound limit;                             ///< default: lossless
    scope bound_scope = scope::result;       ///< what the bound limits
    std::string algorithm = "fused";         ///< a row of `laconic info --algorithms`
    std::size_t segment_bytes = 128 * 1024;  ///< uncompressed bytes per message; whole chunks, at most 2^28

    /// The defaults overridden by LACONIC_ALGORITHM, LACONIC_ABS / LACONIC_REL, LACONIC_SCOPE, LACONIC_SEGMENT_BYTES
    /// and the TOML file named by LACONIC_CONFIG. invalid_argument or invalid_bound name the variable and its value;
    /// unsupported when LACONIC_FORCE_ISA or `force_isa` names an engine that cannot run here.
    [[nodiscard]] static result<allreduce_options> from_environment();
};

/// What one call did on this rank.
struct allreduce_report {
    std::uint64_t sent_bytes = 0;  ///< payload handed to MPI by this rank; for `stock`, the bytes a ring would send
    std::uint64_t raw_bytes = 0;   ///< what the same schedule would have sent uncompressed
    std::uint64_t messages = 0;
    double contribution_bound = 0;      ///< |x - q * step| of each contribution
    double result_bound = 0;            ///< guaranteed |result - exact|, before the final rounding to T; 0 for
                                        ///< uncompressed rows, whose only errors are the roundings of T's additions
    double step = 0;                    ///< quantisation step of the contributions; 0 for uncompressed rows
    std::uint64_t workspace_bytes = 0;  ///< extra memory held for this call
    double compress_s = 0, combine_s = 0, decompress_s = 0, wait_s = 0;  ///< where this rank's time went
};

/// Combines `in` of all ranks element by element and leaves the same bits in `out` on every rank.
///
/// in, out   equally many elements, the same number on every rank; any alignment. They may be the same span
///           (in place, as MPI_IN_PLACE) and must not overlap otherwise. T is float or double.
/// op        sum, or avg = sum / ranks
/// comm      an intracommunicator; the call is collective over it and blocking. Messages travel on a private
///           duplicate of comm, made at its first use and freed with it, so they never meet the program's own.
/// options   must agree on all ranks. Algorithm `stock` is MPI_Allreduce itself.
///
/// returns   on all ranks alike: ok, or
///           mismatch          count, bound, scope, operation, algorithm or segment size differ between ranks
///           invalid_bound     the bound is negative, NaN or infinite
///           invalid_argument  unknown algorithm, null buffer, in and out of different sizes, intercommunicator
///           mpi               MPI reported an error (comm's error handler has been called)
///           out_of_memory
///
/// error     Compressed rows: scope::result: |out - exact| <= bound plus half an ulp of out. scope::contribution: every
///           contribution within the bound, so a sum over p ranks within p * bound (avg: bound), plus the same
///           rounding. A relative bound is multiplied by max - min over the finite values of all ranks. Values far
///           beyond the bound's reach (|x| > 2^23 bounds for float, 2^49 for double) travel uncompressed and are summed
///           in twice the precision of T. per_hop adds partial sums in T: where their rounding leaves nothing of the
///           bound, report.result_bound says what is guaranteed instead. A NaN, or infinities of both signs, give NaN
///           in that element on all ranks; one infinity gives it.
/// bits      homomorphic and fused: identical for every segment size, rank order and mapping, and for each other,
///           unless report.step is 0 or raw values had to be added with rounding (numerics in the guide).
/// cost      one tiny allreduce, then 2 (p-1)/p of the data compressed, over the ring
/// memory    at most about 100 segments (13 MB with the defaults), however large the buffer; kept with the
///           communicator and reused
/// from      fused: HomComp_F (thesis, ch. 6); homomorphic: hZCCL; per_hop: the CPR-P2P baseline of C-Coll
template <class T>
[[nodiscard]] result<allreduce_report> allreduce(std::span<const T> in, std::span<T> out, reduction op, MPI_Comm comm,
                                                 const allreduce_options& options);

}  // namespace laconic
