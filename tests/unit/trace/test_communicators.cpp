// SPDX-License-Identifier: BSD-3-Clause
// Who is in which communicator, and what calls move in them: traces of four ranks, made by hand, flow in.
#include <gtest/gtest.h>

#include "laconic/trace_columns.hpp"
#include "mpi/function_table.hpp"
#include "programs.hpp"
#include "trace/communicators.hpp"
#include "trace/container.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"

namespace laconic::trace {
namespace {

constexpr std::uint64_t made_first = 4, made_second = 6, byte_type = 7;

/// One rank's program; every call succeeds.
class scripted {
public:
    explicit scripted(int me) : me_(me) {}

    scripted& split_type(int key, std::uint64_t made) {
        return add(call("MPI_Comm_split_type").code(world).code(2).number(key).code(0).code(0).code(made));
    }
    scripted& create(std::uint64_t made) { return add(call("MPI_Comm_create").code(world).code(2).code(0).code(made)); }
    scripted& dup(std::uint64_t of, std::uint64_t made) {
        return add(call("MPI_Comm_dup").code(of).code(0).code(made));
    }
    scripted& grid(std::uint64_t made) {
        // 2 x 2, not periodic, without a new order.
        written_call one = call("MPI_Cart_create").code(world).number(2);
        one.code(3).code(1).number(2).code(3).code(1).number(0).number(0).code(0).code(made);
        return add(one);
    }
    scripted& rows(std::uint64_t of, std::uint64_t made) {
        return add(call("MPI_Cart_sub").code(of).code(3).code(2).number(0).number(1).code(0).code(made));
    }
    scripted& rank(std::uint64_t of, int own) {
        return add(call("MPI_Comm_rank").code(of).code(0).code(static_cast<std::uint64_t>(own) + 5).number(0));
    }
    scripted& size(std::uint64_t of, int ranks) { return add(call("MPI_Comm_size").code(of).code(0).number(ranks)); }
    scripted& send(std::uint64_t in, int own, int to) {
        written_call one = call("MPI_Send").buffer(0, 0).number(10).code(byte_type);
        return add(one.code(static_cast<std::uint64_t>(to) + 5).number(to - own).number(0).code(in).code(0));
    }
    scripted& barrier(std::uint64_t in) { return add(call("MPI_Barrier").code(in).code(0)); }
    scripted& iallreduce(std::uint64_t in) {
        written_call one = call("MPI_Iallreduce").buffer(0, 0).buffer(1, 0).number(10).code(byte_type).code(1).code(in);
        return add(one.code(0).code(1).code(0));
    }
    scripted& wait() { return add(call("MPI_Wait").code(1).code(0).code(0).code(16)); }
    scripted& reduce_scatter(std::uint64_t in) {
        written_call one = call("MPI_Reduce_scatter").buffer(0, 0).buffer(1, 0);
        return add(one.code(3).code(0).number(10).number(20).code(byte_type).code(1).code(in).code(0));
    }
    scripted& add(bytes one) {
        made_.push_back(std::move(one));
        return *this;
    }
    operator calls() const { return made_; }

private:
    [[nodiscard]] written_call call(std::string_view name) const {
        return written_call(me_, mpi::find_function(name)->number);
    }
    int me_;
    calls made_;
};

/// Of 4 ranks, of which `there` have left something.
trace_file trace_of(const std::function<calls(int)>& program, int there = 4) {
    bytes all;
    for (int me = 0; me < there; ++me) {
        recorder_options options;
        options.rank = static_cast<std::uint32_t>(me);
        options.ranks = 4;
        options.timing.mode = timing_mode::none;
        const auto one = recorder::make(options).value();
        for (const bytes& each : program(me)) one->call(each, 0, 0);
        bytes core = one->finish().value().core;
        all = me == 0 ? std::move(core) : merge(all, core).value();
    }
    bytes file = file_of(all, {}).value();
    put_bytes(file, end_section());
    return trace_file::parse(file).value();
}

std::vector<std::vector<std::uint32_t>> groups_of(const trace_file& file) {
    const auto known = communicators::of(file);
    EXPECT_TRUE(known.ok());
    std::vector<std::vector<std::uint32_t>> all;
    for (std::size_t i = 2; i < known->all().size(); ++i) all.push_back(known->all()[i].group);
    return all;
}

using group_list = std::vector<std::vector<std::uint32_t>>;

TEST(trace_communicators, those_of_two_nodes_are_not_taken_for_one) {
    const trace_file file = trace_of([](int me) -> calls {
        return scripted(me).split_type(0, made_first).rank(made_first, me % 2).send(made_first, me % 2, 1 - me % 2);
    });
    EXPECT_EQ(groups_of(file), group_list{});
    const auto matrix = communication_matrix_of(file);
    ASSERT_TRUE(matrix.ok());
    EXPECT_EQ(matrix->messages, std::vector<std::uint64_t>(16, 0));
    EXPECT_EQ(matrix->messages_elsewhere, 4U);
}

TEST(trace_communicators, the_key_of_split_type_orders_a_node) {
    EXPECT_EQ(groups_of(trace_of([](int me) -> calls { return scripted(me).split_type(-me, made_first); })),
              (group_list{{3, 2, 1, 0}}));
}

TEST(trace_communicators, a_size_that_differs_is_enough) {
    const auto program = [](int ranks) {
        return [ranks](int me) -> calls { return scripted(me).create(made_first).size(made_first, ranks); };
    };
    EXPECT_EQ(groups_of(trace_of(program(2))), group_list{});
    EXPECT_EQ(groups_of(trace_of(program(4))), (group_list{{0, 1, 2, 3}}));
    // Of one that crashed ranks are missing.
    EXPECT_EQ(groups_of(trace_of(program(4), 3)), group_list{});
}

TEST(trace_communicators, a_rank_beyond_the_group_is_of_another) {
    EXPECT_EQ(
        groups_of(trace_of([](int me) -> calls { return scripted(me).create(made_first).rank(made_first, me + 1); })),
        group_list{});
}

TEST(trace_communicators, a_copy_of_a_grid_has_rows) {
    constexpr std::uint64_t row = 8;
    EXPECT_EQ(
        groups_of(trace_of([](int me) -> calls {
            return scripted(me).grid(made_first).dup(made_first, made_second).rows(made_second, row).rank(row, me % 2);
        })),
        (group_list{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1}, {2, 3}}));
}

TEST(trace_communicators, more_than_memory_holds_are_refused) {
    const trace_file file = trace_of(
        [](int me) -> calls {
            scripted one(me);
            for (std::size_t i = 0; i <= rank_traffic::most_made; ++i) one.dup(world, made_first);
            return one;
        },
        1);
    EXPECT_LT(file.facts().file_bytes, 300U);
    const auto matrix = communication_matrix_of(file);
    ASSERT_FALSE(matrix.ok());
    EXPECT_EQ(matrix.error().code(), errc::out_of_memory);
}

TEST(trace_communicators, so_are_more_threads) {
    const trace_file file = trace_of(
        [](int) -> calls {
            calls all;
            for (std::uint64_t thread = 1; thread <= (1U << 16) + 1; ++thread) {
                bytes one;
                put_varint(one, 2 * std::uint64_t{mpi::find_function("MPI_Barrier")->number} + 1);
                put_varint(one, thread);
                put_varint(one, world);
                put_varint(one, 0);
                all.push_back(std::move(one));
            }
            return all;
        },
        1);
    EXPECT_LT(file.facts().file_bytes, 300U);
    const auto known = communicators::of(file);
    ASSERT_FALSE(known.ok());
    EXPECT_EQ(known.error().code(), errc::out_of_memory);
    EXPECT_TRUE(columns_of(file, 0).ok());
}

TEST(trace_columns, requests_that_no_memory_holds_are_not_followed) {
    rank_traffic traffic;
    const auto receive = [&](std::uint64_t slot) {
        written_call one(0, mpi::find_function("MPI_Irecv")->number);
        one.buffer(0, 0).number(8).code(byte_type).rank(1).number(7).code(world);
        return traffic.read(bytes(one.code(0).code(1).code(slot))).size();
    };
    const auto wait = [&](std::uint64_t slot) {
        written_call one(0, mpi::find_function("MPI_Wait")->number);
        return traffic.read(bytes(one.code(1).code(slot).code(0).code(2).code(8))).size();
    };
    for (std::uint64_t slot = 0; slot <= rank_traffic::most_outstanding; ++slot)
        ASSERT_EQ(receive(slot), 1U) << "a receive that starts is told in any case";
    EXPECT_EQ(wait(rank_traffic::most_outstanding), 0U);
    EXPECT_EQ(wait(0), 1U);
    // There is room again.
    EXPECT_EQ(receive(rank_traffic::most_outstanding), 1U);
    EXPECT_EQ(wait(rank_traffic::most_outstanding), 1U);
}

TEST(trace_columns, a_nonblocking_collective_hands_over_at_its_start) {
    const auto columns = columns_of(trace_of([](int me) -> calls { return scripted(me).iallreduce(world).wait(); }), 0);
    ASSERT_TRUE(columns.ok());
    EXPECT_EQ(columns->sent_bytes, (std::vector<std::uint64_t>{10, 0}));
    EXPECT_EQ(columns->received_bytes, (std::vector<std::uint64_t>{0, 10}));
}

TEST(trace_columns, a_rank_of_unknown_place_receives_nothing_of_its_own) {
    const auto program = [](int ranks) {
        return [ranks](int me) -> calls {
            return scripted(me).create(made_first).size(made_first, ranks).reduce_scatter(made_first);
        };
    };
    const auto known = columns_of(trace_of(program(4)), 1), unknown = columns_of(trace_of(program(2)), 1);
    ASSERT_TRUE(known.ok() && unknown.ok());
    EXPECT_EQ(known->received_bytes.back(), 20U);
    EXPECT_EQ(unknown->received_bytes.back(), 0U);
    EXPECT_EQ(unknown->sent_bytes.back(), 30U);
}

}  // namespace
}  // namespace laconic::trace
