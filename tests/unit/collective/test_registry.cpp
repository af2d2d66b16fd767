// SPDX-License-Identifier: BSD-3-Clause
// Names of collective algorithms flow in; the cells that they stand for flow out.
#include "collective/registry.hpp"

#include <gtest/gtest.h>

#include <string>

namespace laconic::collective {
namespace {

constexpr cell raw_over(schedule_kind schedule) { return {schedule, payload_kind::raw, codec_id::raw}; }

bool has_no_ring(operation op) {
    return op == operation::gather || op == operation::scatter || op == operation::alltoall;
}

TEST(registry, every_row_is_found_by_its_name_and_called_by_it) {
    for (const algorithm& row : algorithms()) {
        const auto found = find_cell(row.op, row.name);
        ASSERT_TRUE(found.ok()) << name_of(row.op) << " " << row.name;
        EXPECT_EQ(*found, row.what) << name_of(row.op) << " " << row.name;
        EXPECT_EQ(name_of(row.op, *found), row.name);
    }
}

TEST(registry, every_operation_takes_stock_auto_and_ring_raw) {
    for (int i = 0; i < operation_count; ++i) {
        const auto op = static_cast<operation>(i);
        for (const char* name : {"stock", "auto", "ring_raw"})
            ASSERT_TRUE(find_cell(op, name).ok()) << name_of(op) << " " << name;
        EXPECT_EQ(find_cell(op, "stock")->schedule, schedule_kind::stock);
        EXPECT_EQ(find_cell(op, "auto")->schedule, schedule_kind::chosen);
        const cell uncompressed = *find_cell(op, "ring_raw");
        EXPECT_EQ(uncompressed, raw_over(has_no_ring(op) ? schedule_kind::pairwise : schedule_kind::ring));
        EXPECT_EQ(name_of(op, uncompressed), has_no_ring(op) ? "pairwise_raw" : "ring_raw");
        EXPECT_EQ(find_cell(op, "ring_raw:szx").error().code(), errc::invalid_argument) << "no codec to choose";
    }
}

TEST(registry, payloads_alone_name_rows_of_reductions_only) {
    for (int i = 0; i < operation_count; ++i) {
        const auto op = static_cast<operation>(i);
        for (const char* name : {"per_hop", "homomorphic", "fused"})
            EXPECT_EQ(find_cell(op, name).ok(), is_reduction(op)) << name_of(op) << " " << name;
    }
}

TEST(registry, a_refusal_tells_what_is_in_the_way) {
    const auto context = [](operation op, std::string_view name) { return find_cell(op, name).error().context(); };
    EXPECT_NE(context(operation::allgather, "rabenseifner/raw").find("with schedule rabenseifner;"), std::string::npos);
    EXPECT_NE(context(operation::bcast, "binomial/fused").find("with payload fused;"), std::string::npos);
    EXPECT_NE(context(operation::allreduce, "ring/once").find("with payload once;"), std::string::npos);
    EXPECT_NE(context(operation::allreduce, "homcomp:szx").find("with codec szx;"), std::string::npos);
}

TEST(registry, what_is_no_operation_has_no_rows) {
    const auto found = find_cell(static_cast<operation>(operation_count), "stock");
    EXPECT_EQ(found.error().code(), errc::invalid_argument);
    EXPECT_NE(found.error().context().find("operation number 8"), std::string::npos);
}

TEST(registry, the_ring_itself_is_refused_where_there_is_none) {
    for (int i = 0; i < operation_count; ++i) {
        const auto op = static_cast<operation>(i);
        const auto found = find_cell(op, "ring/raw");
        EXPECT_EQ(found.ok(), !has_no_ring(op)) << name_of(op);
        if (!found.ok()) {
            EXPECT_EQ(found.error().code(), errc::unsupported);
        }
    }
}

}  // namespace
}  // namespace laconic::collective
