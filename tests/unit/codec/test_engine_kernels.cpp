// SPDX-License-Identifier: BSD-3-Clause
// Every loop of every engine, of all four types, with and without row prediction, against the scalar engine: the same
// bytes, the same integers, the same values.
#include <gtest/gtest.h>

#include "codec/engine.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

using namespace codec;

template <class T>
class engine_kernels : public ::testing::Test {};
using types = ::testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(engine_kernels, types);

template <class T>
std::vector<T> field_of(const char* name, std::size_t n, std::uint64_t seed) {
    std::vector<T> x;
    for (const real_type<T> v : make_field<real_type<T>>(name, n, seed)) x.push_back(T(v));
    return x;
}
template <class T>
const std::byte* bytes_of(const std::vector<T>& x) {
    return reinterpret_cast<const std::byte*>(x.data());
}
sequence whole(const std::vector<std::byte>& bytes) { return {bytes.data(), bytes.size()}; }

template <class T>
struct products {
    std::vector<std::vector<std::byte>> streams;
    std::vector<std::vector<std::byte>> arrays;
    std::vector<std::uint64_t> counts;
    bool operator==(const products&) const = default;

    /// The first `bytes` of what a kernel wrote, and what it found.
    const std::vector<std::byte>& keep(std::vector<std::byte> out, std::size_t bytes, stream_fault fault) {
        EXPECT_EQ(fault, stream_fault::none);
        out.resize(bytes);
        return streams.emplace_back(std::move(out));
    }
};

/// All kernels on two arrays. The integers of a quantised array are compared only when all elements have one.
template <class T>
products<T> run(const std::vector<T>& x, const std::vector<T>& y, const quantiser<T>& how) {
    const kernels<T>& loops = current_kernels<T>();
    const std::size_t n = x.size();
    const element_type type = element_type_of<T>::value;
    products<T> made;
    const auto encoded = [&](const std::vector<T>& values) {
        std::vector<std::byte> out(bare_bound(type, n));
        const auto report = loops.encode(bytes_of(values), n, how, {out.data()});
        made.counts.push_back(report.magnitude);
        made.counts.push_back(report.raw_blocks);
        return made.keep(std::move(out), report.bytes, stream_fault::none);
    };
    const auto a = encoded(x);
    const auto b = encoded(y);
    const std::uint64_t one = std::max(made.counts[0], made.counts[2]);

    const auto combined = [&](std::uint64_t magnitude, auto kernel) {
        std::vector<std::byte> out(bare_sum_bound(type, n));
        sum_report report;
        const stream_fault fault = kernel(sum_rule<T>{how.step, how.row, magnitude}, sink{out.data()}, report);
        made.counts.push_back(static_cast<std::uint64_t>(report.exact));
        return made.keep(std::move(out), report.bytes, fault);
    };
    const auto sum = combined(2 * one, [&](const auto& rule, sink out, sum_report& report) {
        return loops.add(whole(a), whole(b), n, rule, out, report);
    });
    combined(2 * one, [&](const auto& rule, sink out, sum_report& report) {
        return loops.subtract(whole(a), whole(b), n, rule, out, report);
    });
    for (const std::int32_t factor : {-3, 7})
        combined(7 * one, [&](const auto& rule, sink out, sum_report& report) {
            return loops.scale(whole(a), factor, n, rule, out, report);
        });
    for (const bool larger : {false, true})
        combined(one, [&](const auto& rule, sink out, sum_report& report) {
            return loops.extreme(whole(a), whole(b), n, larger, rule, out, report);
        });
    const auto fused = combined(2 * one, [&](const auto&, sink out, sum_report& report) {
        return loops.add_values(bytes_of(y), n, how, whole(a), one, out, report);
    });
    EXPECT_TRUE(fused == sum);

    for (const auto& [stream, magnitude] : {std::pair(a, one), std::pair(sum, 2 * one)}) {
        std::vector<std::byte> values(n * sizeof(T));
        bool exact = true;
        EXPECT_EQ(loops.decode(whole(stream), {how.step, 1, magnitude, how.row}, values.data(), n, exact),
                  stream_fault::none);
        made.counts.push_back(exact ? 1 : 0);
        made.arrays.push_back(std::move(values));
        std::vector<std::int32_t> q(n);
        std::uint64_t missed = 0;
        EXPECT_EQ(loops.integers(whole(stream), how.row, q.data(), n, missed), stream_fault::none);
        made.arrays.emplace_back(bytes_of(q), bytes_of(q) + n * sizeof(std::int32_t));
        made.counts.push_back(missed);
    }

    std::vector<std::int32_t> q(n);
    std::uint64_t magnitude = 0;
    const bool complete = loops.quantise(bytes_of(y), n, how, q.data(), magnitude) == 0;
    made.counts.push_back(static_cast<std::uint64_t>(complete));
    if (complete) {
        made.counts.push_back(magnitude);
        made.arrays.emplace_back(bytes_of(q), bytes_of(q) + n * sizeof(std::int32_t));
        const sequence stream = whole(a);
        for (const sequence* const other : std::array<const sequence*, 2>{nullptr, &stream})
            combined(magnitude + (other == nullptr ? 0 : one), [&](const auto& rule, sink out, sum_report& report) {
                return loops.add_ints(q.data(), n, rule, magnitude, other, out, report);
            });
    }
    return made;
}

TYPED_TEST(engine_kernels, agree) {
    for (const char* name : field_names) {
        for (const double e : {1.0, 1e-3, 1e-6}) {
            for (const std::uint32_t row : {0U, 32U, 217U}) {
                for (const std::size_t n : {1U, 40U, 2100U}) {
                    const auto x = field_of<TypeParam>(name, n, 1);
                    const auto y = field_of<TypeParam>(name, n, 2);
                    auto how = choose_step<TypeParam>(e, 10).contribution;
                    how.row = row;
                    products<TypeParam> expected;
                    on_every_engine([&](const std::string& engine) {
                        const auto made = run(x, y, how);
                        if (engine == "scalar") expected = made;
                        EXPECT_TRUE(made == expected)
                            << engine << " " << name << " e " << e << " row " << row << " n " << n;
                    });
                }
            }
        }
    }
}

}  // namespace
}  // namespace laconic::testing
