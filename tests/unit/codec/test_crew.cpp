// SPDX-License-Identifier: BSD-3-Clause
// Bare sequences with several threads: bytes, values, reports and refusals are those of one.
#include <gtest/gtest.h>

#include "codec/crew.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

using namespace codec;
using bytes = std::vector<std::byte>;

constexpr std::array team_sizes{1U, 2U, 3U, 7U};
/// Around the cuts: too short for two parts, whole chunks, a chunk and a bit, many.
constexpr std::array<std::size_t, 7> counts{0,
                                            5,
                                            (2 * crew::least_chunks - 1) * chunk_values,
                                            2 * crew::least_chunks* chunk_values,
                                            2 * crew::least_chunks* chunk_values + 1,
                                            40 * chunk_values - 33,
                                            100 * chunk_values + 777};

struct crew_with_memory {
    bytes memory;
    crew with;

    crew_with_memory(unsigned threads, element_type type, std::size_t count)
        : memory(crew::memory_for(threads, type, count)), with(threads) {
        with.use_memory(memory);
    }
};

/// All that the functions make of two arrays.
struct outcomes {
    bytes first, sum, in_place, fused, largest, integers, more;
    std::vector<bool> exact;
    std::vector<std::uint64_t> numbers;
    std::vector<std::byte> values;
    std::vector<std::int32_t> q;
    bool operator==(const outcomes&) const = default;
};

template <class T>
std::vector<T> field_of(const char* name, std::size_t count, std::uint64_t seed) {
    if constexpr (sizeof(T) == 2) {
        const auto wide = make_field<float>(name, count, seed);
        return {wide.begin(), wide.end()};
    } else {
        return make_field<T>(name, count, seed);
    }
}

template <class T>
outcomes run_all(const std::vector<T>& x, const std::vector<T>& y, double e, const crew& with) {
    constexpr element_type type = element_type_of<T>::value;
    const std::size_t count = x.size();
    const auto choice = choose_step<T>(e, 400);
    const auto& how = choice.contribution;
    const std::uint64_t one = magnitude_of<T>(how, 400);
    const std::span<const T> in(x), other(y);
    outcomes found;
    const auto kept = [&](bytes& out, const result<sum_report>& done) {
        EXPECT_TRUE(done.ok()) << done.error().message();
        out.resize(done ? done->bytes : 0);
        found.exact.push_back(done.ok() && done->exact);
        found.numbers.push_back(done ? done->magnitude : 0);
    };
    const auto room = [&] { return bytes(bare_sum_bound(type, count)); };
    found.first = room();
    const encode_report seen = encode<T>(in, how, found.first, with);
    found.first.resize(seen.bytes);
    found.numbers.insert(found.numbers.end(), {seen.magnitude, seen.raw_blocks});
    bytes second = room();
    second.resize(encode<T>(other, how, second, with).bytes);
    found.sum = room();
    kept(found.sum, add<T>(found.first, second, count, how.step, 2 * one, found.sum, with));
    found.in_place = room();
    std::copy(found.first.begin(), found.first.end(), found.in_place.begin());
    const auto before = std::span<const std::byte>(found.in_place).first(found.first.size());
    kept(found.in_place, add<T>(before, second, count, how.step, 2 * one, found.in_place, with));
    found.fused = room();
    kept(found.fused, add_values<T>(other, how, found.first, 2 * one, found.fused, with));
    found.largest = room();
    kept(found.largest, extreme<T>(found.first, second, count, true, how.step, one, found.largest, with));
    found.q.assign(count, 0);
    const bool whole = quantise<T>(in, how, found.q, with);
    found.exact.push_back(whole);
    if (whole) {
        found.integers = room();
        kept(found.integers, add_integers<T>(found.q, how, one, nullptr, one, found.integers, with));
        const std::span<const std::byte> received(found.integers);
        found.more = room();
        kept(found.more, add_integers<T>(found.q, how, one, &received, 2 * one, found.more, with));
    } else {
        found.q.clear();
    }
    std::vector<T> values(count);
    const status done = decode<T>(found.sum, choice.result_step, 2 * one, std::span(values), 1, with);
    EXPECT_TRUE(done.ok()) << done.message();
    const auto raw = std::as_bytes(std::span(values));
    found.values.assign(raw.begin(), raw.end());
    return found;
}

template <class T>
void compare(const char* name, std::size_t count) {
    const auto x = field_of<T>(name, count, 1);
    const auto y = field_of<T>(name, count, 2);
    const auto alone = run_all<T>(x, y, 1e-3, crew());
    EXPECT_TRUE(alone.sum == alone.in_place);
    const value_range<T> range = laconic::range_of<T>(x);
    for (const unsigned threads : team_sizes) {
        const crew_with_memory some(threads, element_type_of<T>::value, count);
        const std::string what = std::string(name) + ", " + std::to_string(count) + ", " + std::to_string(threads);
        EXPECT_TRUE(run_all<T>(x, y, 1e-3, some.with) == alone) << what;
        if (threads != 3) continue;
        // Without memory for parts one thread writes.
        EXPECT_TRUE(run_all<T>(x, y, 1e-3, crew(threads)) == alone) << what << ", no memory";
        const value_range<T> found = range_of<T>(std::span<const T>(x), some.with);
        EXPECT_EQ(found.min, range.min) << what;
        EXPECT_EQ(found.max, range.max) << what;
        EXPECT_EQ(found.max_abs, range.max_abs) << what;
        EXPECT_EQ(found.nonfinite, range.nonfinite) << what;
    }
}

TEST(parallel_crew, threads_change_no_bit) {
    favour_helpers(true);
    for (const std::size_t count : counts) compare<float>("smooth", count);
    compare<float>("spikes", counts.back());
    compare<float>("special", counts[4]);
    compare<double>("special", counts[5]);
    compare<double>("noise", counts[4]);
    compare<half>("smooth", counts[5]);
    compare<bfloat16>("special", counts[4]);
    favour_helpers(false);
}

TEST(parallel_crew, ranges_of_parts_without_a_finite_value) {
    std::vector<float> x(100 * chunk_values, std::numeric_limits<float>::quiet_NaN());
    for (const unsigned threads : team_sizes)
        EXPECT_EQ(range_of<float>(std::span<const float>(x), crew(threads)).nonfinite, x.size());
    x[33 * chunk_values] = -3;
    x[33 * chunk_values + 1] = -5;
    for (const unsigned threads : team_sizes) {
        const auto found = range_of<float>(std::span<const float>(x), crew(threads));
        EXPECT_EQ(found.min, -5.0F);
        EXPECT_EQ(found.max, -3.0F);
        EXPECT_EQ(found.max_abs, 5.0F);
        EXPECT_EQ(found.nonfinite, x.size() - 2);
    }
}

/// Damage anywhere is found, and called the same.
TEST(parallel_crew, damaged_sequences_are_refused_alike) {
    const std::size_t count = 70 * chunk_values + 100;
    const auto x = make_field<float>("smooth", count);
    const auto choice = choose_step<float>(1e-3, 400);
    const auto& how = choice.contribution;
    bytes good(bare_sum_bound(element_type::f32, count));
    good.resize(encode<float>(std::span<const float>(x), how, good).bytes);
    bytes out(bare_sum_bound(element_type::f32, count));
    std::vector<float> values(count);
    std::mt19937_64 random(7);
    for (int round = 0; round < 15; ++round) {
        bytes bad = good;
        if (round % 3 == 0)
            bad.resize(random() % good.size());
        else if (round % 3 == 1)
            bad.push_back(std::byte{0});
        else
            for (int hit = 0; hit < 20; ++hit) bad[random() % bad.size()] ^= static_cast<std::byte>(random() | 1);
        const auto errors = [&](const crew& with) {
            return std::array{
                decode<float>(bad, choice.result_step, 1 << 20, std::span(values), 1, with).code(),
                add<float>(bad, good, count, how.step, 1 << 20, out, with).error().code(),
                add<float>(good, bad, count, how.step, 1 << 20, out, with).error().code(),
                add_values<float>(std::span<const float>(x), how, bad, 1 << 20, out, with).error().code()};
        };
        const auto alone = errors(crew());
        if (round % 3 != 2) {
            EXPECT_NE(alone[0], errc::ok) << round;
        }
        for (const unsigned threads : team_sizes) {
            const crew_with_memory some(threads, element_type::f32, count);
            EXPECT_EQ(errors(some.with), alone) << round << ", " << threads;
        }
    }
}

}  // namespace
}  // namespace laconic::testing
