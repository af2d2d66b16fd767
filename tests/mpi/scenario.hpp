// SPDX-License-Identifier: BSD-3-Clause
// One collective call of any kind, as a test: what to call flows in; it is laid out, run, and every element of the
// output compared with the exact answer. Elements that the call has no business with must stay as they were.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collective/registry.hpp"
#include "fields.hpp"
#include "laconic/collective.hpp"

namespace laconic::test {

struct scenario {
    operation op = operation::allreduce;
    std::string algorithm;
    reduction combine = reduction::sum;
    bound limit;
    scope which = scope::result;
    field kind = field::smooth;
    std::size_t count = 1000;  ///< of the whole (allreduce, reduce, bcast), else about that of one part
    int root = 0;
    bool varying = false;   ///< uneven and zero counts, gaps
    bool in_place = false;  ///< in whatever form the operation has it
    std::size_t segment_bytes = 0;
    unsigned ranks_per_node = 0;
    bool shared_memory = true;
    unsigned codec_threads = 0;
    std::string machine;      ///< file that `auto` decides by
    bool check = false;       ///< options.check
    unsigned lengths = 0;     ///< uneven counts: which ones; 0: the usual
    std::string remark = {};  ///< told with it

    [[nodiscard]] std::string text() const;
};

/// This rank's arrays of a scenario.
template <class T>
struct laid_out {
    std::vector<T> in, out;  ///< `in` is empty when the call is in place on `out`, and the other way round
    std::vector<std::size_t> in_counts, in_displacements, out_counts, out_displacements;
    collective_call<T> call;
};

/// One element of the output: where it comes from. Reductions: from element `in` of all ranks.
struct origin {
    std::size_t out, in;
    int rank;
};

template <class T>
[[nodiscard]] laid_out<T> lay_out(const scenario& what, int rank, int ranks);
/// Sorted by `out`.
[[nodiscard]] std::vector<origin> origins_of(const scenario& what, int rank, int ranks);
/// Elements of a rank's input.
[[nodiscard]] std::size_t input_size(const scenario& what, int rank, int ranks);
[[nodiscard]] collective_options options_of(const scenario& what);

/// What MPI is given from now on. No more than one call may be under way on this rank, on no thread: all move on
/// together.
class watched_sends {
public:
    watched_sends() noexcept;
    /// The report says the same, to the byte; what MPI's own collectives send is theirs.
    void check(const scenario& what, const collective_report& report) const;

private:
    std::uint64_t bytes_, messages_;
};

/// Runs and checks it; its report, or none and a failed check where it failed. Collective over MPI_COMM_WORLD.
/// alone   no other call is under way on this rank: what it says that it sent is checked, too
template <class T>
std::optional<collective_report> check_scenario(const scenario& what, bool alone = true);

/// Runs it; its output, and a failed check where it failed. Collective over MPI_COMM_WORLD.
template <class T>
[[nodiscard]] std::vector<T> result_of(const scenario& what);

/// Starts them all, waits for them as wait_for_all() does, and checks what they left behind. Collective over
/// MPI_COMM_WORLD.
void check_started_together(const std::vector<scenario>& calls);

/// Waits for started calls, on every rank in another order, and checks that each went well. Collective over comm.
[[nodiscard]] std::vector<collective_report> wait_for_all(std::vector<collective_request>& requests,
                                                          const std::vector<scenario>& calls, MPI_Comm comm);

/// Checks what a finished call has left behind, and its report.
template <class T>
void check_outcome(const scenario& what, const laid_out<T>& after, const collective_report& report);

}  // namespace laconic::test
