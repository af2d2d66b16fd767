// SPDX-License-Identifier: BSD-3-Clause
// The groups of checks; each is collective over MPI_COMM_WORLD.
#pragma once

namespace laconic::test {

void programs_are_complete();
void model_knows_programs();
void promise_holds();
void any_count_works();
void audits_tell_the_truth();
void bits_are_reproducible();
void calls_without_memory_fail_everywhere();
void bad_arguments_fail_everywhere();
void channels_live_and_die_with_communicators();
void c_face_works();
void c_calls_are_compared();
void c_operations_work();
void c_requests_work();
void every_reduction_cell_is_exact();
void every_movement_cell_is_exact();
void drawn_calls_are_exact();
void added_streams_agree();
void short_arrays_travel_raw();
void plain_data_survive();
void bundles_are_read();
void bundles_take_memory();
void parts_travel_together();
void segments_suit();
void memory_is_as_stated();
void started_collectives_work();
void misuse_is_refused();
void own_operations_work();
void nodes_work();
void hosts_are_nodes();
void pieces_cross_nodes();
void moves_cross_nodes();
void auto_decides();
void roundings_are_reckoned_with();
void auto_keeps_the_bound();
void samples_tell_ratios();
void known_calls_run_as_new_ones();
void auto_decides_uneven_calls();
void threads_change_nothing();
void nothing_grows();
void long_parts_do_not_lock();
void long_gathers_are_confirmed();
void far_parts_arrive();
void gaps_belong_to_nobody();
void modes_change_nothing();
void requests_outlive_communicators();

/// To be called last: what it makes goes after MPI_Finalize.
void keep_requests_beyond_finalize();

}  // namespace laconic::test
