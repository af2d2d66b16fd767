// SPDX-License-Identifier: BSD-3-Clause
// Runs every group of checks on all ranks; rank 0 prints one line per group, any rank's failure fails the program.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cases.hpp"
#include "check.hpp"

namespace {

/// Names of groups given on the command line run alone.
int wanted_count = 0;
char** wanted = nullptr;

bool is_wanted(std::string_view name) {
    return wanted_count == 0 || std::find(wanted, wanted + wanted_count, name) != wanted + wanted_count;
}

void run(const char* name, void (*group)()) {
    if (!is_wanted(name)) return;
    const std::uint64_t before = laconic::test::failures_of_all_ranks();
    const double start = MPI_Wtime();
    group();
    const std::uint64_t failed = laconic::test::failures_of_all_ranks() - before;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("%-45s %6.2f s  %s\n", name, MPI_Wtime() - start, failed == 0 ? "ok" : "FAILED");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    using namespace laconic::test;
    wanted_count = argc - 1;
    wanted = argv + 1;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    // Audits, samples and threads do the same on every count of ranks; many that share a processor take minutes.
    const bool few = ranks <= 5;
    if (ranks == 1) run("programs_are_complete", programs_are_complete);
    if (ranks == 1) run("model_knows_programs", model_knows_programs);
    if (ranks == 1) run("bundles_take_memory", bundles_take_memory);
    if (ranks == 1) run("roundings_are_reckoned_with", roundings_are_reckoned_with);
    // Before calls are started on MPI_COMM_WORLD: from then on none blocks there.
    if (few) run("known_calls_run_as_new_ones", known_calls_run_as_new_ones);
    run("promise_holds", promise_holds);
    run("any_count_works", any_count_works);
    run("modes_change_nothing", modes_change_nothing);
    run("bits_are_reproducible", bits_are_reproducible);
    run("every_reduction_cell_is_exact", every_reduction_cell_is_exact);
    run("every_movement_cell_is_exact", every_movement_cell_is_exact);
    run("drawn_calls_are_exact", drawn_calls_are_exact);
    run("plain_data_survive", plain_data_survive);
    run("bundles_are_read", bundles_are_read);
    run("parts_travel_together", parts_travel_together);
    run("segments_suit", segments_suit);
    if (few) run("long_parts_do_not_lock", long_parts_do_not_lock);
    run("long_gathers_are_confirmed", long_gathers_are_confirmed);
    if (ranks > 1) run("short_arrays_travel_raw", short_arrays_travel_raw);
    run("added_streams_agree", added_streams_agree);
    if (few) run("audits_tell_the_truth", audits_tell_the_truth);
    run("started_collectives_work", started_collectives_work);
    run("misuse_is_refused", misuse_is_refused);
    run("own_operations_work", own_operations_work);
    run("nodes_work", nodes_work);
    run("pieces_cross_nodes", pieces_cross_nodes);
    run("moves_cross_nodes", moves_cross_nodes);
    if (ranks <= 8) run("auto_decides", auto_decides);
    if (ranks <= 8) run("auto_keeps_the_bound", auto_keeps_the_bound);
    run("far_parts_arrive", far_parts_arrive);
    run("gaps_belong_to_nobody", gaps_belong_to_nobody);
    if (few) run("samples_tell_ratios", samples_tell_ratios);
    if (few) run("auto_decides_uneven_calls", auto_decides_uneven_calls);
    if (few) run("threads_change_nothing", threads_change_nothing);
    run("nothing_grows", nothing_grows);
    if (ranks > 1 && ranks <= 4 && !is_sanitized) run("memory_is_as_stated", memory_is_as_stated);
    run("calls_without_memory_fail_everywhere", calls_without_memory_fail_everywhere);
    run("bad_arguments_fail_everywhere", bad_arguments_fail_everywhere);
    run("c_face_works", c_face_works);
    run("c_calls_are_compared", c_calls_are_compared);
    run("c_operations_work", c_operations_work);
    run("c_requests_work", c_requests_work);
    run("channels_live_and_die_with_communicators", channels_live_and_die_with_communicators);
    run("requests_outlive_communicators", requests_outlive_communicators);
    // It needs emulated hosts.
    if (wanted_count > 0) run("hosts_are_nodes", hosts_are_nodes);
    if (is_wanted("requests_outlive_communicators")) keep_requests_beyond_finalize();
    const bool ok = failures_of_all_ranks() == 0;
    MPI_Finalize();
    return ok ? 0 : 1;
}
