// SPDX-License-Identifier: BSD-3-Clause
// Ids, maps, varints and the function table: what the recorder and readers of its signatures are built on.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>

#include "mpi/function_table.hpp"
#include "record/encoder.hpp"
#include "record/flat_map.hpp"
#include "record/id_pool.hpp"

namespace laconic::record {
namespace {

TEST(id_pool, gives_the_lowest_free_id_beyond_one_word) {
    id_pool pool;
    for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(pool.acquire(), i);
    pool.release(150);
    pool.release(3);
    EXPECT_EQ(pool.acquire(), 3U);
    EXPECT_EQ(pool.acquire(), 150U);
    EXPECT_EQ(pool.acquire(), 200U);
}

TEST(flat_map, agrees_with_an_ordered_map) {
    flat_map map;
    std::map<std::uint64_t, std::uint32_t> reference;
    std::mt19937_64 random(3);
    for (std::uint32_t step = 0; step < 50000; ++step) {
        const std::uint64_t key = random() % 500 * 4096;
        if (random() % 3 == 0) {
            map.erase(key);
            reference.erase(key);
        } else {
            map.set(key, step);
            reference[key] = step;
        }
        const std::uint64_t asked = random() % 500 * 4096;
        const auto found = reference.find(asked);
        ASSERT_EQ(map.find(asked), found == reference.end() ? flat_map::none : found->second);
        ASSERT_EQ(map.size(), reference.size());
    }
}

TEST(encoder, writes_canonical_varints_and_grows) {
    encoder bytes;
    bytes.number(0);
    bytes.number(127);
    bytes.number(128);
    bytes.signed_number(-1);
    bytes.signed_number(1);
    const unsigned char wanted[] = {0, 127, 0x80, 1, 1, 2};
    ASSERT_EQ(bytes.bytes().size(), sizeof wanted);
    EXPECT_EQ(std::memcmp(bytes.bytes().data(), wanted, sizeof wanted), 0);
    bytes.clear();
    bytes.text(nullptr);
    const std::string text(100000, 'x');
    bytes.text(text.c_str());
    EXPECT_EQ(bytes.bytes().size(), 1 + 3 + text.size());
}

TEST(function_table, knows_functions_by_number_and_name) {
    const mpi::function_info* send = mpi::find_function("MPI_Send");
    ASSERT_NE(send, nullptr);
    EXPECT_EQ(mpi::find_function(send->number), send);
    ASSERT_EQ(send->parameters.size(), 6U);
    EXPECT_EQ(send->parameters[3].name, "dest");
    EXPECT_EQ(send->parameters[3].form, mpi::form::rank);
    const mpi::function_info* large = mpi::find_function(send->number + 1024U);
    ASSERT_NE(large, nullptr);
    EXPECT_EQ(large->name, "MPI_Send_c");
    EXPECT_EQ(mpi::find_function(1023U), nullptr);
    const mpi::constant_list types = mpi::constants(send->parameters[2].list);
    EXPECT_EQ(types.name, "datatype");
    EXPECT_EQ(types.members[7], "MPI_INT");
    EXPECT_TRUE(mpi::constants(-1).members.empty());
}

}  // namespace
}  // namespace laconic::record
