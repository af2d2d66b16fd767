// SPDX-License-Identifier: BSD-3-Clause
// The growing grammar: sequences go in, the same sequences come out, and regular ones stay small whatever their length.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "dice.hpp"
#include "trace/grammar.hpp"

namespace laconic::trace {
namespace {

using sequence = std::vector<std::uint32_t>;

sequence unfolded(const rule_list& rules) {
    sequence all;
    for (rule_cursor at(rules); !at.at_end(); at.next()) all.push_back(at.terminal());
    return all;
}

std::size_t symbols_of(const rule_list& rules) {
    std::size_t all = 0;
    for (const rule_body& body : rules) all += body.size();
    return all;
}

/// Adds `terms`, comparing what comes out at every power of two and at the end.
grammar grown(const sequence& terms) {
    grammar made;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        made.add(terms[i]);
        if ((i & (i + 1)) == 0) {
            EXPECT_EQ(unfolded(made.rules()),
                      sequence(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(i) + 1));
        }
    }
    const rule_list rules = made.rules();
    const auto lengths = lengths_of(rules);
    EXPECT_TRUE(lengths.ok()) << lengths.error().message();
    EXPECT_EQ(lengths.ok() ? (*lengths)[0] : 0, terms.size());
    EXPECT_TRUE(unfolded(rules) == terms);
    return made;
}

TEST(grammar, gives_back_random_sequences_of_every_alphabet) {
    dice random(1);
    for (const std::uint32_t alphabet : {1U, 2U, 3U, 5U, 20U, 1000U})
        for (int round = 0; round < 60; ++round) {
            sequence terms(random(3000));
            for (auto& each : terms) each = random(alphabet);
            grown(terms);
            if (HasFailure()) FAIL() << "alphabet " << alphabet << ", round " << round;
        }
}

/// Nested loops with random bodies, counts and irregularities.
void random_program(dice& random, int depth, sequence& out) {
    const std::size_t statements = 1 + random(4);
    std::vector<sequence> blocks(statements);
    for (auto& block : blocks)
        if (depth > 0 && random(2) == 0)
            random_program(random, depth - 1, block);
        else
            for (std::size_t i = 0; i <= random(3); ++i) block.push_back(random(12));
    const std::size_t turns = 1 + random(9);
    for (std::size_t turn = 0; turn < turns && out.size() < 200000; ++turn)
        for (const auto& block : blocks) {
            out.insert(out.end(), block.begin(), block.end());
            if (random(50) == 0) out.push_back(100 + random(3));
        }
}

TEST(grammar, gives_back_random_programs) {
    for (unsigned seed = 0; seed < 400; ++seed) {
        dice random(seed);
        sequence terms;
        random_program(random, 4, terms);
        grown(terms);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(grammar, no_pair_twice_and_no_rule_used_once) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        dice random(seed);
        sequence terms;
        random_program(random, 3, terms);
        // The open end and the symbols of an unfinished turn are not compared with the rest until calls follow.
        terms.insert(terms.end(), {997, 998, 999});
        const rule_list rules = grown(terms).rules();
        std::vector<std::uint64_t> uses(rules.size(), 0);
        std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>> pairs;
        std::size_t repeated = 0;
        for (const rule_body& body : rules)
            for (std::size_t i = 0; i < body.size(); ++i) {
                if (body[i].is_rule()) uses[body[i].rule()] += body[i].count;
                if (i == 0) continue;
                EXPECT_NE(body[i - 1].value, body[i].value);
                repeated += !pairs.emplace(body[i - 1].value, body[i - 1].count, body[i].value, body[i].count).second;
            }
        for (std::size_t rule = 1; rule < rules.size(); ++rule) EXPECT_GE(uses[rule], 2U) << "rule " << rule;
        EXPECT_EQ(repeated, 0U);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(grammar, a_loop_of_a_million_turns_takes_no_memory) {
    for (const std::size_t body : {1U, 2U, 3U, 9U, 100U}) {
        grammar made;
        const auto turn = [&] {
            for (std::size_t i = 0; i < body; ++i) made.add(static_cast<std::uint32_t>(i));
        };
        for (int i = 0; i < 10; ++i) turn();
        const std::size_t before = made.bytes_used();
        for (int i = 10; i < 1'000'000; ++i) turn();
        EXPECT_EQ(made.bytes_used(), before);
        const rule_list rules = made.rules();
        EXPECT_LE(symbols_of(rules), body + 1);
        EXPECT_EQ((*lengths_of(rules))[0], body * 1'000'000);
    }
}

TEST(grammar, nested_loops_are_as_short_as_their_program) {
    grammar made;
    for (int outer = 0; outer < 1000; ++outer) {
        made.add(1);
        for (int inner = 0; inner < 100; ++inner)
            for (const std::uint32_t call : {2U, 3U, 4U}) made.add(call);
        made.add(5);
        for (int run = 0; run < 7; ++run) made.add(6);
    }
    const rule_list rules = made.rules();
    EXPECT_LE(symbols_of(rules), 8U);
    EXPECT_EQ((*lengths_of(rules))[0], 1000U * (1 + 300 + 1 + 7));
}

TEST(grammar, a_program_with_changing_arguments_costs_the_changes_only) {
    grammar made;
    for (std::uint32_t turn = 0; turn < 10000; ++turn) {
        for (const std::uint32_t call : {1U, 2U, 3U, 4U, 5U, 6U, 7U}) made.add(call);
        made.add(1000 + turn);
    }
    EXPECT_LE(symbols_of(made.rules()), 2 * 10000U + 20);
}

TEST(rules, refuses_what_is_no_grammar) {
    const auto code = [](const rule_list& rules) { return lengths_of(rules).error().code(); };
    const auto r = [](std::uint32_t number) { return rule_flag | number; };
    EXPECT_EQ(code({{{1, 2}, {r(1), 3}}, {{2, 1}, {3, 1}}}), errc::ok);
    EXPECT_EQ(code({{}}), errc::ok);
    EXPECT_EQ(code({{{r(1), 1}}}), errc::corrupt);
    EXPECT_EQ(code({{{r(0), 1}}}), errc::corrupt);
    EXPECT_EQ(code({{{r(1), 1}}, {{r(2), 1}}, {{5, 1}, {r(1), 1}}}), errc::corrupt);
    EXPECT_EQ(code({{{r(1), 1}}, {}}), errc::corrupt);
    EXPECT_EQ(code({{{1, 0}}}), errc::corrupt);
    EXPECT_EQ(code({{{1, most_calls}, {2, 1}}}), errc::corrupt);
    rule_list tower(70);
    for (std::uint32_t i = 0; i < 69; ++i) tower[i] = {{r(i + 1), 2}};
    tower[69] = {{1, 1}};
    EXPECT_EQ(code(tower), errc::corrupt);
}

TEST(rules, tidy_numbers_rules_as_they_are_met) {
    const auto r = [](std::uint32_t number) { return rule_flag | number; };
    const rule_list rules{{{r(3), 2}, {7, 1}, {r(1), 1}}, {{r(2), 4}}, {{9, 2}}, {{r(1), 1}, {5, 1}}, {{8, 8}}};
    const rule_list expected{{{r(1), 2}, {7, 1}, {9, 8}}, {{9, 8}, {5, 1}}};
    EXPECT_EQ(tidy(rules), expected);
    EXPECT_EQ(unfolded(tidy(rules)), unfolded(rules));
}

}  // namespace
}  // namespace laconic::trace
