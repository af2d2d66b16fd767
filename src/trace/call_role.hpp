// SPDX-License-Identifier: BSD-3-Clause
// What a function of MPI does to messages, by its name: a row of the function table flows in, its role flows out. Names
// of the standard are regular: MPI_Isend starts what MPI_Send does, MPI_Send_init prepares it.
#pragma once

#include <cstdint>

#include "mpi/function_table.hpp"

namespace laconic::trace {

enum class role : std::uint8_t {
    other,
    send,
    receive,
    send_receive,
    matched_probe,
    collective,
    start,
    start_all,
    complete,       ///< MPI_Wait, MPI_Test: one request
    complete_all,   ///< MPI_Waitall, MPI_Testall
    complete_any,   ///< MPI_Waitany, MPI_Testany
    complete_some,  ///< MPI_Waitsome, MPI_Testsome
    free_request,
    new_comm,
    free_comm,
    new_type,
    type_size,
    comm_rank,
    comm_size,
};

enum class collective_op : std::uint8_t {
    none,
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    allreduce,
    reduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    exscan,
    create,   ///< a communicator
    destroy,  ///< a communicator
};

enum class mode : std::uint8_t { blocking, nonblocking, persistent };

struct call_role {
    role what = role::other;
    trace::mode mode = trace::mode::blocking;
    collective_op op = collective_op::none;
};

[[nodiscard]] call_role role_of(const mpi::function_info& row);

}  // namespace laconic::trace
