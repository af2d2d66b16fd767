// SPDX-License-Identifier: BSD-3-Clause
// The option table and its resolution: every row is well-formed, the stronger source wins, and a bad value from any
// source is refused with a sentence that names the source, the value and the remedy.
#include "base/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace laconic::base {
namespace {

/// No LACONIC_* variable at the start of a test; a TOML file that goes away with it.
class option_test : public testing::Test {
protected:
    option_test() {
        for (const option& row : options()) unsetenv(std::string(row.environment).c_str());
    }
    ~option_test() override { unlink(path_.c_str()); }

    void environment(option_id id, const char* text) { setenv(std::string(describe(id).environment).c_str(), text, 1); }
    void file(const std::string& content) {
        std::ofstream(path_) << content;
        environment(option_id::config, path_.c_str());
    }
    static option_set resolve(std::vector<flag_value> flags = {}) {
        auto resolved = option_set::resolve(flags);
        EXPECT_TRUE(resolved.ok()) << resolved.error().message();
        return resolved.ok() ? *resolved : option_set{};
    }
    static status refusal(std::vector<flag_value> flags = {}) { return option_set::resolve(flags).error(); }

    std::string path_ = testing::TempDir() + "laconic_options_" + std::to_string(getpid()) + ".toml";
};

void expect_mentions(const status& why, std::initializer_list<std::string> words) {
    EXPECT_FALSE(why.ok());
    for (const std::string& word : words)
        EXPECT_NE(why.message().find(word), std::string::npos) << "'" << word << "' missing in: " << why.message();
}

TEST(option_table, derives_every_spelling_from_the_key) {
    std::set<std::string> seen;
    for (const option& row : options()) {
        std::string environment = "LACONIC_", flag = "--";
        for (const char c : row.key) {
            environment += c == '_' ? '_' : static_cast<char>(std::toupper(c));
            flag += c == '_' ? '-' : c;
        }
        EXPECT_EQ(row.environment, environment);
        EXPECT_EQ(row.flag, flag);
        EXPECT_FALSE(row.help.empty());
        EXPECT_LE(row.help.size(), 100u) << row.key;
        EXPECT_EQ(row.type == option_type::choice, !row.choices.empty()) << row.key;
        EXPECT_TRUE(seen.insert(std::string(row.key)).second) << row.key << " stands in the table twice";
        EXPECT_EQ(find_option(row.key), &row);
        EXPECT_EQ(&describe(row.id), &row);
    }
    EXPECT_EQ(find_option("speed"), nullptr);
}

TEST_F(option_test, starts_from_the_defaults) {
    const option_set set = resolve();
    for (const option& row : options()) {
        EXPECT_EQ(set.text(row.id), row.default_value) << row.key;
        EXPECT_FALSE(set.is_set(row.id)) << row.key;
        EXPECT_EQ(set.origin(row.id), "default");
    }
    EXPECT_EQ(set.bytes(option_id::segment_bytes), *parse_bytes(describe(option_id::segment_bytes).default_value));
    EXPECT_EQ(set.text(option_id::algorithm), "auto");
    EXPECT_EQ(set.bound_scope(), scope::result);
    EXPECT_EQ(set.limit().value, 0.0);
}

TEST_F(option_test, prefers_flag_to_environment_to_file) {
    file("algorithm = 'from_file'\nsegment_bytes = 4096\nscope = 'contribution'\n");
    environment(option_id::algorithm, "from_environment");
    environment(option_id::segment_bytes, "64K");
    const option_set set = resolve({{option_id::algorithm, "from_flag"}});
    EXPECT_EQ(set.text(option_id::algorithm), "from_flag");
    EXPECT_EQ(set.origin(option_id::algorithm), "--algorithm");
    EXPECT_EQ(set.bytes(option_id::segment_bytes), 65536u);
    EXPECT_EQ(set.origin(option_id::segment_bytes), "LACONIC_SEGMENT_BYTES");
    EXPECT_EQ(set.bound_scope(), scope::contribution);
    EXPECT_EQ(set.origin(option_id::scope), path_ + ":3: scope");
}

TEST_F(option_test, reads_numbers_and_text_from_the_file_alike) {
    file("abs = 1e-3");
    EXPECT_EQ(resolve().limit().value, 1e-3);
    EXPECT_EQ(resolve().limit().kind, bound_kind::absolute);
    file("rel = '1e-3'\nsegment_bytes = '1M'");
    EXPECT_EQ(resolve().limit().value, 1e-3);
    EXPECT_EQ(resolve().limit().kind, bound_kind::relative);
    EXPECT_EQ(resolve().bytes(option_id::segment_bytes), 1u << 20);
    file("");
    EXPECT_EQ(resolve().limit().value, 0.0);
}

TEST_F(option_test, reads_counts) {
    EXPECT_EQ(resolve().count(option_id::threads), 1u);
    file("threads = 3");
    EXPECT_EQ(resolve().count(option_id::threads), 3u);
    EXPECT_EQ(resolve({{option_id::threads, "0"}}).count(option_id::threads), 0u);
    for (const char* const bad : {"-1", "two", "1.5", "65536", "18446744073709551616", " 1", "2K"})
        expect_mentions(refusal({{option_id::threads, bad}}), {"--threads", "'" + std::string(bad) + "'", "65535"});
    file("threads = 2.5");
    expect_mentions(refusal(), {path_ + ":1: threads", "'2.5'", "whole number"});
}

TEST_F(option_test, reads_the_file_that_the_flag_names) {
    file("abs = 1");
    const std::string named = path_;
    environment(option_id::config, "/nowhere/laconic.toml");
    EXPECT_EQ(resolve({{option_id::config, named}}).limit().value, 1.0);
}

TEST_F(option_test, treats_an_empty_variable_as_unset) {
    environment(option_id::abs, "");
    environment(option_id::config, "");
    EXPECT_FALSE(resolve().is_set(option_id::abs));
}

TEST_F(option_test, leaves_alone_what_is_not_wanted) {
    file("algorithm = 'named'\nscope = 'everything'\n");
    environment(option_id::abs, "-1");
    const option_id wanted[]{option_id::algorithm, option_id::rel};
    const auto set = option_set::resolve({}, wanted);
    ASSERT_TRUE(set.ok()) << set.error().message();
    EXPECT_EQ(set->text(option_id::algorithm), "named");
    EXPECT_EQ(set->bound_scope(), scope::result);
    EXPECT_FALSE(set->is_set(option_id::abs));
    file("speed = 1\n");
    expect_mentions(option_set::resolve({}, wanted).error(), {"speed", "no such option"});
}

TEST_F(option_test, lets_a_stronger_bound_silence_a_weaker_one) {
    environment(option_id::abs, "0.5");
    const option_set set = resolve({{option_id::rel, "1e-4"}});
    EXPECT_EQ(set.limit().kind, bound_kind::relative);
    EXPECT_FALSE(set.is_set(option_id::abs));
    file("rel = 0.1");
    EXPECT_EQ(resolve().limit().kind, bound_kind::absolute);
}

TEST_F(option_test, refuses_two_bounds_from_one_source) {
    environment(option_id::abs, "0.5");
    environment(option_id::rel, "0.25");
    const status why = refusal();
    EXPECT_EQ(why.code(), errc::invalid_argument);
    expect_mentions(why, {"LACONIC_ABS", "0.5", "LACONIC_REL", "0.25", "give one"});
    expect_mentions(refusal({{option_id::abs, "1"}, {option_id::rel, "1"}}), {"--abs", "--rel"});
}

TEST_F(option_test, names_source_value_and_remedy_of_a_bad_value) {
    environment(option_id::abs, "-1");
    EXPECT_EQ(refusal().code(), errc::invalid_bound);
    expect_mentions(refusal(), {"LACONIC_ABS", "'-1'", ">= 0"});
    unsetenv("LACONIC_ABS");

    expect_mentions(refusal({{option_id::rel, "nan"}}), {"--rel", "'nan'", "finite"});
    expect_mentions(refusal({{option_id::scope, "everything"}}), {"--scope", "'everything'", "result|contribution"});
    expect_mentions(refusal({{option_id::scope, "result|contribution"}}), {"--scope"});
    expect_mentions(refusal({{option_id::trace_memory, "0"}}), {"--trace-memory", "'0'", "at least 1"});

    file("abs = 1\nsegment_bytes = -4096\n");
    expect_mentions(refusal(), {path_ + ":2: segment_bytes", "'-4096'", "64M"});
    file("abs = inf\n");
    expect_mentions(refusal(), {path_ + ":1: abs", "'inf'", "finite"});
    file("abs = [1, 2]\n");
    expect_mentions(refusal(), {path_ + ":1", "'abs'", "a string, a number or a boolean"});
}

TEST_F(option_test, refuses_files_it_cannot_use) {
    file("speed = 9\n");
    expect_mentions(refusal(), {path_ + ":1: speed", "no such option", "laconic info --options"});
    file("config = 'other.toml'\n");
    expect_mentions(refusal(), {path_ + ":1: config", "remove"});
    file("abs = = 3\n");
    expect_mentions(refusal(), {path_ + ":1", "not valid TOML"});
    EXPECT_EQ(refusal().code(), errc::invalid_argument);

    environment(option_id::config, "/nowhere/laconic.toml");
    EXPECT_EQ(refusal().code(), errc::io);
    expect_mentions(refusal(), {"/nowhere/laconic.toml", "No such file", "LACONIC_CONFIG"});
    environment(option_id::config, testing::TempDir().c_str());
    EXPECT_EQ(refusal().code(), errc::io);
    expect_mentions(refusal(), {testing::TempDir()});
}

}  // namespace
}  // namespace laconic::base
