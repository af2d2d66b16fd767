// SPDX-License-Identifier: BSD-3-Clause
// Machines as TOML: the way there and back, files that say only a part, and files that nobody should write.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "model/machine.hpp"

namespace laconic::model {
namespace {

machine read(const std::string& text) {
    auto parsed = parse_machine(text, "m.toml");
    EXPECT_TRUE(parsed.ok()) << parsed.error().message() << "\n" << text;
    return parsed.ok() ? *parsed : machine{};
}

void expect_refused(const std::string& text, std::initializer_list<std::string> words) {
    const auto parsed = parse_machine(text, "m.toml");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
    for (const std::string& word : words)
        EXPECT_NE(parsed.error().message().find(word), std::string::npos)
            << "'" << word << "' missing in: " << parsed.error().message();
}

TEST(machine_file, comes_back_as_it_was) {
    machine m = default_machine();
    m.intra = {1.25e-6, 1 / 3.5e9, 2e-7, 1.5};
    m.inter = {25e-6, 1 / 0.117e9, 3e-6, 1.9, 4e-10, 24.5e3};
    m.intra.steps = {1, {8}, {1.25e-6}};
    m.inter.steps = {2, {8, 65536}, {25e-6, 600e-6}};
    m.message_s = 7e-6;
    m.codecs[2].size_factor = 0.75;
    m.host_beta_s_per_byte = 1 / 0.118e9;
    m.cores = 12;
    m.stock[2].rows = 2;
    m.stock[2].bytes = {1000, 2e6};
    m.stock[2].factor = {1.5, 2.25};
    m.fitted_rows = 2;
    m.rows[0] = {operation::allreduce, {schedule_kind::ring, payload_kind::fused, codec_id::fle}, {1, {4096}, {1.25}}};
    m.rows[1] = {operation::bcast, {schedule_kind::binomial, payload_kind::raw, codec_id::raw}, {2, {8, 64}, {2, 3}}};
    const machine back = read(to_toml(m, "one\ntwo"));
    ASSERT_EQ(back.fitted_rows, 2u);
    EXPECT_EQ(back.row_factor(operation::allreduce, m.rows[0].what, 2, 1e6), 1.25);
    EXPECT_EQ(back.row_factor(operation::bcast, m.rows[1].what, 2, 1e6), 3);
    EXPECT_EQ(back.row_factor(operation::reduce, m.rows[0].what, 2, 1e6), 1);
    EXPECT_NEAR(back.intra.alpha_s, m.intra.alpha_s, 1e-12);
    EXPECT_NEAR(back.inter.beta_s_per_byte / m.inter.beta_s_per_byte, 1, 1e-5);
    EXPECT_NEAR(back.inter.overhead_s, 3e-6, 1e-12);
    EXPECT_EQ(back.inter.exchange_factor, 1.9);
    EXPECT_EQ(back.cores, 12);
    EXPECT_NEAR(back.inter.processor_s_per_byte, 4e-10, 1e-15);
    EXPECT_NEAR(back.inter.burst_bytes, 24.5e3, 1e-6);
    ASSERT_EQ(back.intra.steps.rows, 1u);
    ASSERT_EQ(back.inter.steps.rows, 2u);
    EXPECT_EQ(back.inter.steps.bytes[1], 65536);
    EXPECT_NEAR(back.inter.steps.seconds[1], 600e-6, 1e-12);
    EXPECT_NEAR(back.message_s, 7e-6, 1e-12);
    EXPECT_EQ(back.codecs[2].size_factor, 0.75);
    EXPECT_EQ(back.stock[2].rows, 2u);
    EXPECT_EQ(back.stock[2].factor[1], 2.25);
    for (std::size_t i = 0; i < rated_codecs.size(); ++i) {
        ASSERT_EQ(back.codecs[i].rows, m.codecs[i].rows);
        for (std::size_t row = 0; row < m.codecs[i].rows; ++row) {
            EXPECT_NEAR(back.codecs[i].ratio[row], m.codecs[i].ratio[row], 1e-5);
            for (std::size_t work = 0; work < work_count; ++work)
                EXPECT_NEAR(back.codecs[i].bytes_per_s[work][row], m.codecs[i].bytes_per_s[work][row], 1e4);
        }
    }
    // Written digits are final: a second round changes nothing.
    EXPECT_EQ(to_toml(read(to_toml(back, "")), ""), to_toml(back, ""));
    EXPECT_EQ(to_toml(m, "one\ntwo").substr(0, 12), "# one\n# two\n");
}

TEST(machine_file, may_say_only_a_part) {
    EXPECT_EQ(to_toml(read(""), ""), to_toml(default_machine(), ""));
    const machine m = read("[inter_node]\nlatency_us = 30\n[codec.fle]\nratio = [2, 4]\ncompress_gb_s = [1, 2.5]\n");
    EXPECT_DOUBLE_EQ(m.inter.alpha_s, 30e-6);
    EXPECT_EQ(m.inter.beta_s_per_byte, default_machine().inter.beta_s_per_byte);
    EXPECT_EQ(m.codecs[0].rows, 2u);
    EXPECT_EQ(m.codecs[0].bytes_per_s[0][1], 2.5e9);
    // Files of before there was such a factor.
    EXPECT_EQ(read("[codec.szx]\nratio = [2]\n").codecs[1].size_factor, default_machine().codecs[1].size_factor);
    // A table that is there replaces the built-in one as a whole.
    EXPECT_EQ(m.codecs[0].bytes_per_s[2][0], 0);
}

/// Programs go by what they have read and written again.
TEST(machine_file, what_is_read_can_be_read_again) {
    const std::string head = "[intra_node]\nstep_us = [1, 2]\nstep_bytes = ";
    for (const auto& [sizes, good] : {std::pair{"[1234567, 1246913]", false}, std::pair{"[1234567, 1246920]", true},
                                      std::pair{"[1234564, 1246906]", true}}) {
        const auto read = parse_machine(head + sizes + "\n", "m.toml");
        EXPECT_EQ(read.ok(), good) << sizes;
        if (read.ok()) {
            EXPECT_TRUE(parse_machine(to_toml(*read, ""), "m.toml").ok()) << sizes;
        }
    }
}

TEST(machine_file, names_place_value_and_remedy) {
    expect_refused("version = 4\n[inter_node]\nlatency_us = -1\n",
                   {"m.toml:3", "inter_node.latency_us", "'-1", "0 to 1e8"});
    expect_refused("[inter_node]\nbandwidth_gb_s = 0\n", {"bandwidth_gb_s", "GB/s", "1e-6"});
    expect_refused("[inter_node]\nbandwidth_gb_s = inf\n", {"'inf'"});
    expect_refused("[inter_node]\nbandwidth_gb_s = nan\n", {"'nan'"});
    expect_refused("[inter_node]\nbandwidth_gb_s = '12GB'\n", {"'12GB'"});
    expect_refused("[inter_node]\nlatency = 3\n", {"m.toml:2", "inter_node.latency", "no such setting", "calibrate"});
    expect_refused("speed = 3\n", {"m.toml:1", "speed"});
    expect_refused("version = 2\n", {"version '2'", "calibrate again"});
    expect_refused("inter_node = 5\n", {"inter_node"});
    expect_refused("[inter_node\n", {"m.toml:1", "not valid TOML"});
    expect_refused("[engine]\nthread_gain = 1.5\n", {"thread_gain", "0 to 1"});
    expect_refused("[engine]\nlanes_raw = 0.5\n", {"lanes_raw", "1 to 1000"});
    expect_refused("[inter_node]\nlatency_us = 2020-01-01\n", {"latency_us"});
    expect_refused("[codec.fle]\nratio = [2, 4]\nadd_gb_s = [1]\n",
                   {"m.toml:3", "codec.fle.add_gb_s", "1 numbers; give 2"});
    expect_refused("[codec.fle]\nratio = [4, 2]\n", {"m.toml:2", "codec.fle.ratio", "grow"});
    expect_refused("[codec.fle]\nratio = [0.5]\n", {"'0.5'", "1 to 1e6"});
    expect_refused("[codec.fle]\nratio = [1,2,3,4,5,6,7,8,9,10,11]\n", {"more than 10"});
    expect_refused("[inter_node]\nburst_kb = -1\n", {"burst_kb", "kilobytes"});
    expect_refused("[intra_node]\nstep_bytes = [8, 16]\nstep_us = [1]\n",
                   {"intra_node.step_bytes", "2 numbers", "step_us 1"});
    expect_refused("[inter_node]\nstep_bytes = [16, 8]\nstep_us = [1, 2]\n", {"inter_node.step_bytes", "grow"});
    expect_refused("[inter_node]\nstep_us = [1, 2]\n", {"inter_node.step_us", "as many of both"});
    expect_refused("[codec.fle]\nratio = [2, 'x']\n", {"codec.fle.ratio[1]", "'x'"});
    expect_refused("[codec.fle]\nadd_gb_s = [1]\n", {"codec.fle.add_gb_s"});
    expect_refused("[codec.szx]\nsize_factor = 0\n", {"m.toml:2", "codec.szx.size_factor", "0.1"});
    expect_refused("[inter_node]\nprocessor_us_per_mb = -1\n", {"processor_us_per_mb", "10^6 bytes"});
    expect_refused("[codec.lz]\nratio = [1]\n", {"codec.lz"});
    expect_refused("[stock.bcast]\nbytes = [1, 2]\nfactor = [1]\n", {"stock.bcast", "2 numbers", "factor 1"});
    expect_refused("[stock.bcast]\nbytes = [8, 2]\nfactor = [1, 1]\n", {"stock.bcast.bytes", "grow"});
    expect_refused("[stock.bcast]\nbytes = [8]\nfactor = [0]\n", {"stock.bcast.factor", "0.1"});
    expect_refused("[row.allreduce.ring.fussed.fle]\nbytes = [8]\nfactor = [1]\n",
                   {"m.toml:2", "row.allreduce.ring.fussed.fle.bytes", "no such row", "row.allreduce.ring.fused.fle"});
    expect_refused("[row]\nx = 1\n", {"row.x", "no such row"});
    expect_refused("[row.bcast.ring.raw.raw]\nbytes = [8]\n", {"row.bcast.ring.raw.raw", "factor 0"});
    expect_refused("[row.bcast.ring.raw.raw]\nspeed = 1\n", {"row.bcast.ring.raw.raw.speed", "bytes and factor"});
    expect_refused("[row.bcast.ring.raw.raw]\nbytes = [8]\nfactor = [1]\nx = 1\n", {"row.bcast.ring.raw.raw.x"});
    std::string many;
    for (const std::string_view op : operation_names)
        for (const std::string_view schedule : schedule_names)
            for (const std::string_view payload : {"raw", "once"})
                many += "[row." + std::string(op) + "." + std::string(schedule) + "." + std::string(payload) +
                        ".fle]\nbytes = [8]\nfactor = [2]\n";
    expect_refused(many, {"more than 80 rows"});
    expect_refused("'memory.add_gb_s' = 3\n[memory]\nadd_gb_s = 4\n", {"memory.add_gb_s"});
    std::string deep = "x = ";
    for (int i = 0; i < 40; ++i) deep += "[";
    deep += "1";
    for (int i = 0; i < 40; ++i) deep += "]";
    expect_refused(deep, {"m.toml:1"});
}

TEST(machine_file, survives_any_damage) {
    const std::string whole = to_toml(default_machine(), "x");
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string text = whole;
        for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0: text[at] = static_cast<char>(random() % 256); break;
                case 1: text.erase(at, random() % 20); break;
                default: text.insert(at, text.substr(random() % text.size(), random() % 20));
            }
            if (text.empty()) text = " ";
        }
        const auto parsed = parse_machine(text, "m.toml");
        // Whatever is accepted is a machine that can be written and read.
        EXPECT_TRUE(parsed ? parse_machine(to_toml(*parsed, ""), "again").ok() : !parsed.error().context().empty())
            << text;
    }
}

TEST(machine_file, is_read_from_disk) {
    const std::string path = testing::TempDir() + "laconic_machine_" + std::to_string(getpid()) + ".toml";
    std::ofstream(path) << "[host]\ncores = 3\n";
    EXPECT_EQ(load_machine(path)->cores, 3);
    unlink(path.c_str());
    const auto absent = load_machine(path);
    EXPECT_EQ(absent.error().code(), errc::io);
    EXPECT_NE(absent.error().context().find("LACONIC_MACHINE"), std::string::npos);
}

}  // namespace
}  // namespace laconic::model
