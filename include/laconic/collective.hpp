// SPDX-License-Identifier: BSD-3-Clause
// Error-bounded compressed collectives over MPI: shaped like the MPI calls they stand in for, plus a bound.
// Link with laconic::mpich or laconic::openmpi, whichever MPI the program itself uses.
//
// A collective_call says what to do with which arrays. run() does it, start() begins it, prepare() readies it for many
// starts. The functions at the end of this page are run() under the names that MPI has.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>

#include "laconic/bound.hpp"
#include "laconic/collective_options.hpp"
#include "laconic/half.hpp"
#include "laconic/status.hpp"

namespace laconic {

/// One collective over arrays of T: float, double, half or bfloat16. The arrays, and the counts and displacements (in
/// elements), must live until the call is over. A bcast has one array: at the root `in` is `out`. Else `in` may lie in
/// `out` as MPI_IN_PLACE has it: the same span for allreduce, reduce (at the root), alltoall(v); the rank's own part of
/// `out` for allgather(v) and gather(v) (at the root); for scatter(v) `out` is the root's own part of `in`; for
/// reduce_scatter `out` is the beginning of `in`. What the call reads and what it writes must not overlap otherwise;
/// gaps between the parts of a v form are neither.
template <class T>
struct collective_call {
    operation op = operation::allreduce;
    std::span<const T> in;
    std::span<T> out;
    reduction combine = reduction::sum;
    int root = 0;
    bool varying = false;  ///< counts are given: the v forms
    std::span<const std::size_t> in_counts, in_displacements;
    std::span<const std::size_t> out_counts, out_displacements;
    /// Of reduction::custom; it is called by whichever thread moves the collective on, and once on zeros before.
    /// Commutative bit for bit where all ranks are to hold the same bits (a maximum that prefers one of +0 and -0 is
    /// not, nor is a sum of two NaN), for MPI_FLOAT, MPI_DOUBLE or laconic's 16-bit types (laconic.h), and alive until
    /// the call is over. Partial results travel as values: raw or compressed per hop. Nobody but the program knows what
    /// it makes of errors, so no bound of the result is guaranteed, only that of every quantisation.
    MPI_Op custom = MPI_OP_NULL;

    /// Element by element over all ranks; everybody gets the result. Equally many elements everywhere.
    [[nodiscard]] static collective_call allreduce(std::span<const T> in, std::span<T> out, reduction combine) {
        return {operation::allreduce, in, out, combine, 0, false, {}, {}, {}, {}};
    }
    /// The root gets the result; `out` is not looked at elsewhere.
    [[nodiscard]] static collective_call reduce(std::span<const T> in, std::span<T> out, reduction combine, int root) {
        return {operation::reduce, in, out, combine, root, false, {}, {}, {}, {}};
    }
    /// Rank k gets part k of the result, out.size() elements; in has ranks times as many.
    [[nodiscard]] static collective_call reduce_scatter_block(std::span<const T> in, std::span<T> out,
                                                              reduction combine) {
        return {operation::reduce_scatter, in, out, combine, 0, false, {}, {}, {}, {}};
    }
    /// Rank k gets counts[k] elements.
    [[nodiscard]] static collective_call reduce_scatter(std::span<const T> in, std::span<T> out,
                                                        std::span<const std::size_t> counts, reduction combine) {
        return {operation::reduce_scatter, in, out, combine, 0, true, counts, {}, {}, {}};
    }
    /// The parts of all ranks one behind the other, everywhere; out.size() is ranks * in.size().
    [[nodiscard]] static collective_call allgather(std::span<const T> in, std::span<T> out) {
        return {operation::allgather, in, out, reduction::sum, 0, false, {}, {}, {}, {}};
    }
    [[nodiscard]] static collective_call allgatherv(std::span<const T> in, std::span<T> out,
                                                    std::span<const std::size_t> counts,
                                                    std::span<const std::size_t> displacements) {
        return {operation::allgather, in, out, reduction::sum, 0, true, {}, {}, counts, displacements};
    }
    /// The same at the root alone; `out`, counts and displacements are not looked at elsewhere.
    [[nodiscard]] static collective_call gather(std::span<const T> in, std::span<T> out, int root) {
        return {operation::gather, in, out, reduction::sum, root, false, {}, {}, {}, {}};
    }
    [[nodiscard]] static collective_call gatherv(std::span<const T> in, std::span<T> out,
                                                 std::span<const std::size_t> counts,
                                                 std::span<const std::size_t> displacements, int root) {
        return {operation::gather, in, out, reduction::sum, root, true, {}, {}, counts, displacements};
    }
    /// Part k of the root's `in` goes to rank k; `in`, counts and displacements are not looked at elsewhere.
    [[nodiscard]] static collective_call scatter(std::span<const T> in, std::span<T> out, int root) {
        return {operation::scatter, in, out, reduction::sum, root, false, {}, {}, {}, {}};
    }
    [[nodiscard]] static collective_call scatterv(std::span<const T> in, std::span<const std::size_t> counts,
                                                  std::span<const std::size_t> displacements, std::span<T> out,
                                                  int root) {
        return {operation::scatter, in, out, reduction::sum, root, true, counts, displacements, {}, {}};
    }
    /// The root's values, everywhere. With a bound the root's own become what the others get.
    [[nodiscard]] static collective_call bcast(std::span<T> values, int root) {
        return {operation::bcast, values, values, reduction::sum, root, false, {}, {}, {}, {}};
    }
    /// Part d of `in` goes to rank d; part s of `out` comes from rank s. Equal parts; in and out of the same size.
    [[nodiscard]] static collective_call alltoall(std::span<const T> in, std::span<T> out) {
        return {operation::alltoall, in, out, reduction::sum, 0, false, {}, {}, {}, {}};
    }
    [[nodiscard]] static collective_call alltoallv(std::span<const T> in, std::span<const std::size_t> in_counts,
                                                   std::span<const std::size_t> in_displacements, std::span<T> out,
                                                   std::span<const std::size_t> out_counts,
                                                   std::span<const std::size_t> out_displacements) {
        return {operation::alltoall, in, out, reduction::sum, 0, true, in_counts, in_displacements, out_counts,
                out_displacements};
    }
};

/// Runs a collective to its end.
///
/// comm      an intracommunicator; the call is collective over it and blocking. Messages travel on a private
///           duplicate of comm, made at its first use and freed with it, so they never meet the program's own.
/// options   must agree on all ranks. Algorithm `stock`, and what `auto` leaves to MPI, is MPI's own function: while it
///           blocks, collectives started on other communicators do not move unless there is a progress thread.
///
/// returns   on all ranks alike where they agree before they run, as rows that quantise or have a hierarchy do, and all
///           with options.check or options.audit (else one that fails may leave others waiting, as in MPI): ok, or
///           mismatch          count, type, bound, scope, operation, root or options differ between ranks (undefined
///                             where they do not agree). What two ranks have for each other in a gatherv, scatterv or
///                             alltoallv is compared with options.check, and by rows with a hierarchy as far as
///                             they need it
///           invalid_bound     the bound is negative, NaN or infinite
///           invalid_argument  unknown algorithm, a confidence outside 0 to 1, null buffer, buffers of the wrong size
///                             or that overlap in part, intercommunicator, no such root
///           unsupported       the algorithm cannot do this operation (gatherv and scatterv: trees), this reduction
///                             (products and operations of the program's own: rows that add streams) or this type;
///                             `stock`: a count beyond 2^31 - 1
///           io                `auto` cannot read the machine file that options.machine names (invalid_argument: what
///                             is in it)
///           mpi               MPI reported an error (comm's error handler, if it is still there, has been called); the
///                             communicator takes no further calls, and of a call that was started MPI may still read
///                             and write the arrays
///           out_of_memory
///           corrupt           a message could not be decoded, here or by a rank that this one hears from; not on all
///                             ranks
///
/// error     Compressed rows, scope::result: sum, avg, min and max are within the bound plus half an ulp of the exact
///           result, data that moves is within the bound. scope::contribution: every contribution within the bound, so
///           a sum over p ranks within p * bound (avg: bound), plus the same rounding; more for rows that quantise
///           partial results again (report.result_bound). scope::probable: within the bound with options.confidence.
///           A relative bound is multiplied by max - min over the finite values of all ranks. Values far beyond the
///           bound's reach (|x| > 2^23 bounds for float, 2^49 for double) travel uncompressed and are summed in twice
///           the precision of T. Rows that combine values (per_hop, pipelined), and those with a hierarchy inside its
///           nodes, add partial sums in T: where their rounding leaves nothing of the bound, report.result_bound says
///           what is guaranteed instead; `auto` takes none of them unless half of the bound is left. A NaN, or
///           infinities of both signs, give NaN in that element on all ranks; one infinity gives it. Products and
///           operations of the program's own are only combined value by value: report.result_bound is infinite. So it
///           is where partial sums of T may overflow.
/// bits      All ranks get the same bits where they get the same elements. homomorphic, quantised and fused, but over a
///           hierarchy: also the same for every schedule, segment size, rank order and mapping, and for each other
///           (but for the sign of zeros, which quantised does not keep), unless report.step is 0, or raw values had to
///           be added with rounding: not report.exact_sums (a hierarchy always does in nodes).
/// cost      one tiny allreduce, unless the row neither quantises, nor has a hierarchy, nor checks (the first call of a
///           hierarchy: three more; gatherv, scatterv, alltoallv with hierarchy or options.check: two to four more);
///           then what the schedule moves, compressed
/// memory    a number of segments that the row decides (rings: 30 to 115, 4 to 15 MB with the defaults, 16 and 30 MB
///           where data shrink well), however large the buffer; kept with the communicator and reused. Short pieces of
///           trees and `rabenseifner` travel together: all messages of the call, 58 MB at most on less than 32 ranks.
///           `quantised` (HomComp) also 4 bytes per element, an alltoall in place and a reduce_scatter whose arrays
///           overlap a copy of the buffer. Hierarchy: 512 KB for each rank of a node; in nodes of r ranks that share
///           memory also 1/r of the array (reduce: not on the root; allreduce, bcast: not at all; gather, scatter: only
///           in the root's node, elsewhere the rank's own piece), of an alltoall one to two times what a rank sends.
///           The guide's table has the rest
/// threads   with MPI_THREAD_MULTIPLE different threads may make calls on different communicators at a time; calls on
///           one communicator are ordered by the program, as in MPI
/// from      C-Coll, ghZCCL, hZCCL, HomComp, HomComp_F, ArGM: `laconic info --algorithms` says which row is whose
template <class T>
[[nodiscard]] result<collective_report> run(const collective_call<T>& call, MPI_Comm comm,
                                            const collective_options& options = {});

/// A collective that has been started. It moves in test() and wait(), in those of other requests, and in blocking
/// calls, but for those of algorithm `stock`. Destroying an unfinished one waits for it. Its communicator may be freed
/// before: what belongs to it then goes, as if by MPI_Comm_free, with the last request, which ends on all ranks.
class collective_request {
public:
    struct state;

    collective_request() noexcept;
    explicit collective_request(std::unique_ptr<state> running) noexcept;
    collective_request(collective_request&&) noexcept;
    collective_request& operator=(collective_request&&) noexcept;
    ~collective_request();

    /// Moves it on; true when it is over. Errors show in wait().
    [[nodiscard]] bool test();
    /// Until it is over. returns as run(); afterwards the request is empty (a prepared one is ready to start again).
    [[nodiscard]] result<collective_report> wait();
    /// Begins a prepared collective with what is in its arrays now. Precondition: it is not running.
    /// returns ok, or why it cannot; collective over the communicator.
    [[nodiscard]] status start();
    [[nodiscard]] bool empty() const noexcept { return state_ == nullptr; }
    /// Whether there is something to wait for.
    [[nodiscard]] bool started() const noexcept;

private:
    std::unique_ptr<state> state_;
};

/// Begins a collective: checks the arguments and starts the agreement of the ranks. Everything else as run(); the
/// arrays must not be touched until wait(). Ranks must start their collectives on a communicator in the same order. The
/// first use of a communicator duplicates it, which waits for all its ranks. What is wrong with a call on one rank, and
/// no other hears of, shows in wait(): made again then it is the call that the others have made. Where others have been
/// started in between, and would meet other calls than theirs, they fail (errc::mpi), and what is under way with them.
template <class T>
[[nodiscard]] result<collective_request> start(const collective_call<T>& call, MPI_Comm comm,
                                               const collective_options& options = {});

/// A collective that can be started many times, as MPI-4's persistent ones. Memory is reserved by the first start and
/// stays with the communicator. Not started, and local but for the first use of a communicator: of an error here, as
/// out_of_memory, the other ranks hear nothing.
template <class T>
[[nodiscard]] result<collective_request> prepare(const collective_call<T>& call, MPI_Comm comm,
                                                 const collective_options& options = {});

/// Lets a thread of its own move started collectives on while the program computes. It needs MPI_THREAD_MULTIPLE.
/// It takes a core while collectives are under way, and sleeps otherwise. returns invalid_argument where MPI is not
/// running, unsupported without MPI_THREAD_MULTIPLE or another thread of the system, out_of_memory. Idempotent;
/// stop_progress_thread() ends it, and so does MPI_Finalize.
[[nodiscard]] status start_progress_thread();
void stop_progress_thread() noexcept;

// run() under MPI's names. For each of them: run().

template <class T>
[[nodiscard]] result<collective_report> allreduce(std::span<const T> in, std::span<T> out, reduction op, MPI_Comm comm,
                                                  const collective_options& options = {}) {
    return run(collective_call<T>::allreduce(in, out, op), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> reduce(std::span<const T> in, std::span<T> out, reduction op, int root,
                                               MPI_Comm comm, const collective_options& options = {}) {
    return run(collective_call<T>::reduce(in, out, op, root), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> reduce_scatter_block(std::span<const T> in, std::span<T> out, reduction op,
                                                             MPI_Comm comm, const collective_options& options = {}) {
    return run(collective_call<T>::reduce_scatter_block(in, out, op), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> reduce_scatter(std::span<const T> in, std::span<T> out,
                                                       std::span<const std::size_t> counts, reduction op, MPI_Comm comm,
                                                       const collective_options& options = {}) {
    return run(collective_call<T>::reduce_scatter(in, out, counts, op), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> allgather(std::span<const T> in, std::span<T> out, MPI_Comm comm,
                                                  const collective_options& options = {}) {
    return run(collective_call<T>::allgather(in, out), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> gather(std::span<const T> in, std::span<T> out, int root, MPI_Comm comm,
                                               const collective_options& options = {}) {
    return run(collective_call<T>::gather(in, out, root), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> scatter(std::span<const T> in, std::span<T> out, int root, MPI_Comm comm,
                                                const collective_options& options = {}) {
    return run(collective_call<T>::scatter(in, out, root), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> bcast(std::span<T> values, int root, MPI_Comm comm,
                                              const collective_options& options = {}) {
    return run(collective_call<T>::bcast(values, root), comm, options);
}
template <class T>
[[nodiscard]] result<collective_report> alltoall(std::span<const T> in, std::span<T> out, MPI_Comm comm,
                                                 const collective_options& options = {}) {
    return run(collective_call<T>::alltoall(in, out), comm, options);
}

}  // namespace laconic
