// SPDX-License-Identifier: BSD-3-Clause
// The second of two equal calls allocates nothing; communicators come and go without leaving anything behind.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cases.hpp"
#include "counted_memory.hpp"
#include "laconic/laconic.h"
#include "mpi/channel.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

std::uint64_t allocations_of_second(const scenario& what) {
    laid_out<float> arrays = lay_out<float>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const collective_options options = options_of(what);
    std::uint64_t in_call = 0;
    for (int call = 0; call < 2; ++call) {
        const std::uint64_t before = allocations();
        const auto done = run(arrays.call, MPI_COMM_WORLD, options);
        in_call = allocations() - before;
        check(done.ok(), what.text() + ": " + done.error().message());
    }
    return in_call;
}

/// Of the second start and wait of a persistent request, and of the second call that is started.
std::uint64_t allocations_of_second_start(const scenario& what, bool persistent) {
    laid_out<float> arrays = lay_out<float>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const collective_options options = options_of(what);
    result<collective_request> ready = prepare(arrays.call, MPI_COMM_WORLD, options);
    check(ready.ok(), what.text() + ": " + ready.error().message());
    std::uint64_t in_call = 0;
    for (int call = 0; call < 2 && ready.ok(); ++call) {
        const std::uint64_t before = allocations();
        if (!persistent) ready = start(arrays.call, MPI_COMM_WORLD, options);
        const status begun = persistent ? ready->start() : ready.error();
        const auto done = ready.ok() ? ready->wait() : result<collective_report>(begun);
        in_call = allocations() - before;
        check(begun.ok() && done.ok(), what.text() + ": " + begun.message() + done.error().message());
    }
    return in_call;
}

/// A started call is two objects; a persistent one starts without any.
void check_steady_starts() {
    scenario what;
    what.limit = bound::abs(1e-3);
    what.count = 30000;
    what.ranks_per_node = 2;
    const auto check_row = [&](operation op, const char* row) {
        what.op = op;
        what.algorithm = row;
        for (const bool persistent : {true, false}) {
            const std::uint64_t count = allocations_of_second_start(what, persistent);
            check(count <= (persistent ? 0U : 2U), what.text() + ": " + std::to_string(count) + " allocations in a " +
                                                       (persistent ? "persistent" : "started") + " call");
        }
    };
    for (const char* row : {"fused", "hzccl", "homcomp", "cpr_p2p", "c_coll", "ring_raw", "argm", "stock"})
        check_row(operation::allreduce, row);
    what.count = 3000;
    for (const operation op : {operation::bcast, operation::allgather, operation::alltoall, operation::gather})
        for (const char* row : {"c_coll", "cpr_p2p", "hierarchical", "stock"}) check_row(op, row);
}

/// Codecs zfp_abs and zfp_rate take memory of their own in every message; the others take none.
void check_steady() {
    scenario what;
    what.limit = bound::abs(1e-3);
    what.count = 30000;
    const auto check_row = [&](operation op, const char* row, std::uint64_t names) {
        what.op = op;
        what.algorithm = row;
        const std::uint64_t count = allocations_of_second(what);
        check(count <= names, what.text() + ": " + std::to_string(count) + " allocations in a steady call");
    };
    for (const operation op : {operation::allreduce, operation::reduce, operation::reduce_scatter, operation::allgather,
                               operation::gather, operation::scatter, operation::bcast, operation::alltoall})
        for (const char* row : {"cpr_p2p", "c_coll"}) check_row(op, row, 0);
    for (const char* row : {"fused", "hzccl", "homcomp", "ring_raw", "rabenseifner", "argm", "stock", "homcomp_f"})
        check_row(operation::allreduce, row, 0);
    // These names do not fit into a string without memory, and report and options own them.
    check_row(operation::allreduce, "per_hop", 1);
    check_row(operation::allreduce, "recursive_doubling", 2);
    // Several threads have their memory beside the messages'. The first of these calls made the threads.
    what.count = 300000;
    what.segment_bytes = 1 << 20;
    what.codec_threads = 3;
    for (const char* row : {"fused", "hzccl", "homcomp", "argm", "cpr_p2p", "c_coll"})
        check_row(operation::allreduce, row, 0);
    what.segment_bytes = 128 << 10;
    what.codec_threads = 0;
    what.count = 3000;
    for (const char* row : {"ring", "binomial", "ring_raw", "stock"}) check_row(operation::allgather, row, 0);
    for (const char* row : {"pairwise", "pairwise_raw", "stock"})
        for (const operation op : {operation::alltoall, operation::gather, operation::scatter}) check_row(op, row, 0);
    for (const char* row : {"ring", "binomial", "stock"}) check_row(operation::bcast, row, 0);
    for (const char* row : {"homcomp_f", "binomial", "stock"}) check_row(operation::reduce, row, 0);
    for (const char* row : {"homcomp_f", "pairwise", "stock"}) check_row(operation::reduce_scatter, row, 0);
    what.in_place = true;
    for (const char* row : {"pairwise", "stock"}) check_row(operation::alltoall, row, 0);
    what.root = size_of(MPI_COMM_WORLD) - 1;
    for (const char* row : {"homcomp_f", "stock"}) check_row(operation::reduce, row, 0);
    what.root = 0;
    what.in_place = false;
    for (const operation op : {operation::reduce_scatter, operation::allgather, operation::reduce, operation::bcast})
        for (const unsigned each : {0U, 2U})
            for (const bool shared : {true, false}) {
                what.ranks_per_node = each;
                what.shared_memory = shared;
                check_row(op, "hierarchical", 0);
            }
    for (const operation op : {operation::gather, operation::scatter, operation::alltoall})
        for (const unsigned each : {0U, 2U, 3U})
            for (const bool varying : {true, false}) {
                what.ranks_per_node = each;
                what.shared_memory = each != 3;
                what.varying = varying;
                check_row(op, "hierarchical", 0);
            }
}

/// The calls after the first, of the C face.
template <class Call>
void check_steady_c_call(const std::string& what, Call call) {
    int code = call();
    for (int again = 0; again < 2 && code == LACONIC_OK; ++again) {
        const std::uint64_t before = allocations();
        code = call();
        const std::uint64_t count = allocations() - before;
        check(count == 0, what + ": " + std::to_string(count) + " allocations in a steady call from C");
    }
    check(code == LACONIC_OK, what + " from C: " + laconic_last_message());
}

void check_steady_c(MPI_Comm comm) {
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    constexpr std::size_t most = 3000;
    const std::vector<std::size_t> counts(ranks, 1000);
    std::vector<std::size_t> displacements(ranks);
    for (std::size_t k = 0; k < ranks; ++k) displacements[k] = 1001 * k;
    const std::vector<float> in(most, 1), parts(most * ranks, 1);
    std::vector<float> out(most * ranks);
    const std::vector<int> whole(most * ranks, 1);
    std::vector<int> sums(most);
    laconic_collective_options options{};
    laconic_collective_report report{};
    options.bound = 1e-3;
    options.report = &report;
    for (const char* row : {"homcomp_f", "cpr_p2p", "c_coll", "argm", "ring_raw", "stock", "auto"}) {
        options.algorithm = row;
        for (const std::size_t count : {std::size_t{10}, most})
            check_steady_c_call("allreduce, " + std::string(row), [&] {
                return laconic_allreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, comm, &options);
            });
        if (options.algorithm == std::string("stock") && ranks > 1)
            check(std::string(report.algorithm) == "stock" && report.sent_bytes > 0, "a report of a steady call");
    }
    for (const char* row : {"c_coll", "cpr_p2p", "pairwise_raw"}) {
        options.algorithm = row;
        options.check = 1;
        check_steady_c_call("checked alltoallv, " + std::string(row), [&] {
            return laconic_alltoallv(parts.data(), counts.data(), displacements.data(), out.data(), counts.data(),
                                     displacements.data(), MPI_FLOAT, comm, &options);
        });
        options.check = 0;
        if (row == std::string("pairwise_raw")) continue;
        check_steady_c_call("allgatherv, " + std::string(row), [&] {
            return laconic_allgatherv(in.data(), 1000, out.data(), counts.data(), displacements.data(), MPI_FLOAT, comm,
                                      &options);
        });
        check_steady_c_call("alltoallv, " + std::string(row), [&] {
            return laconic_alltoallv(parts.data(), counts.data(), displacements.data(), out.data(), counts.data(),
                                     displacements.data(), MPI_FLOAT, comm, &options);
        });
    }
    check_steady_c_call("allreduce that is passed on", [&] {
        return laconic_allreduce(whole.data(), sums.data(), most, MPI_INT, MPI_SUM, comm, &options);
    });
    check_steady_c_call("reduce_scatter_block that is passed on", [&] {
        return laconic_reduce_scatter_block(whole.data(), sums.data(), most, MPI_INT, MPI_SUM, comm, &options);
    });
}

/// Where nothing was started short calls take shorter ways.
void check_steady_c() {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    check_steady_c(fresh);
    MPI_Comm_free(&fresh);
    check_steady_c(MPI_COMM_WORLD);
}

/// What a process holds: open files, and stretches of its address space.
struct holdings {
    std::ptrdiff_t files = 0, mappings = 0;
    std::int64_t blocks = 0;
};
holdings held_now() {
    holdings now;
    now.blocks = live_blocks();
    now.files = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    std::ifstream maps("/proc/self/maps");
    now.mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
    return now;
}

/// MPI itself has room for some 2000 communicators at a time.
void check_many_communicators() {
    const std::size_t open = mpi::open_channels();
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rounds = ranks <= 2 ? 2000 : ranks == 3 ? 1000 : 60;
    const int warm_up = rounds / 5;
    const std::vector<float> in = make_field<float>(field::smooth, rank_in(MPI_COMM_WORLD), 100);
    holdings before;
    for (int round = 0; round < rounds; ++round) {
        if (round == warm_up) before = held_now();
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        collective_options options = options_for(round % 8 == 0 ? "argm" : "fused", bound::abs(1e-3));
        options.ranks_per_node = 2;
        reduce(in, reduction::sum, comm, options, "communicator " + std::to_string(round));
        MPI_Comm_free(&comm);
    }
    check(mpi::open_channels() == open, "channels are left over");
    const holdings after = held_now();
    const std::string text = " after " + std::to_string(rounds - warm_up) + " communicators, ";
    check(after.files <= before.files,
          std::to_string(after.files) + " open files" + text + std::to_string(before.files) + " before");
    check(after.blocks <= before.blocks,
          std::to_string(after.blocks) + " blocks of memory" + text + std::to_string(before.blocks) + " before");
    // The allocator of AddressSanitizer keeps what was freed, and maps more instead.
    check(is_sanitized || after.mappings <= before.mappings,
          std::to_string(after.mappings) + " mappings" + text + std::to_string(before.mappings) + " before");
}

}  // namespace

void nothing_grows() {
    // More ranks do the same for longer.
    if (size_of(MPI_COMM_WORLD) <= 5) {
        check_steady();
        check_steady_starts();
        check_steady_c();
    }
    check_many_communicators();
}

}  // namespace laconic::test
