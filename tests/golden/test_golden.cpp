// SPDX-License-Identifier: BSD-3-Clause
// Golden files against the library: every file of stream/v1 decodes to the elements that index.json names, or is
// refused with the code that it names, by every function and on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "golden.hpp"

namespace laconic::golden {
namespace {

const std::filesystem::path directory = LACONIC_GOLDEN_DIR;

struct entry {
    std::string name;
    std::string status;
    nlohmann::json about;
    bytes content;
};

std::vector<entry> entries() {
    std::ifstream in(directory / "index.json");
    std::vector<entry> all;
    for (const auto& about : nlohmann::json::parse(in)) {
        entry one{about.at("file"), about.at("status"), about, {}};
        std::ifstream file(directory / one.name, std::ios::binary);
        EXPECT_TRUE(file) << one.name;
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto* from = reinterpret_cast<const std::byte*>(text.data());
        one.content.assign(from, from + text.size());
        all.push_back(std::move(one));
    }
    EXPECT_GT(all.size(), 400U);
    return all;
}

template <class Body>
void on_every_engine(Body body) {
    const std::string before(engine_name());
    for (const std::string_view name : available_engines()) {
        ASSERT_TRUE(use_engine(name).ok());
        body(std::string(name));
    }
    ASSERT_TRUE(use_engine(before).ok());
}

std::string hex(std::uint64_t value) {
    std::array<char, 17> text;
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

TEST(files, decode_to_the_same_elements_as_ever) {
    const auto all = entries();
    on_every_engine([&](const std::string& engine) {
        for (const entry& one : all) {
            if (one.status != "ok") continue;
            const verdict found = judge(one.content);
            const std::string where = one.name + " " + engine;
            ASSERT_EQ(laconic::name_of(found.code), one.status) << where;
            EXPECT_EQ(name_of(found.type), one.about.at("type").get<std::string>()) << where;
            EXPECT_EQ(found.count, one.about.at("count")) << where;
            EXPECT_EQ(found.frames, one.about.at("frames")) << where;
            EXPECT_EQ(found.contributions, one.about.at("contributions")) << where;
            EXPECT_EQ(found.row_length, one.about.at("row_length")) << where;
            EXPECT_EQ(hex(found.hash), one.about.at("xxh3_64").get<std::string>()) << where;
        }
    });
}

TEST(files, decode_with_threads_as_without) {
    run_options threads;
    threads.threads = 3;
    for (const entry& one : entries()) {
        if (one.status != "ok") continue;
        for (const auto frame : frames_of(one.content)) {
            const frame_info info = inspect(frame).value();
            const auto count = static_cast<std::size_t>(info.count);
            EXPECT_TRUE(decoded(frame, info.type, count, threads).value() == decoded(frame, info.type, count).value())
                << one.name;
        }
    }
}

TEST(malformed_files, are_refused_with_the_same_code_as_ever) {
    const auto all = entries();
    on_every_engine([&](const std::string& engine) {
        for (const entry& one : all) {
            if (one.status == "ok") continue;
            EXPECT_EQ(laconic::name_of(judge(one.content).code), one.status) << one.name << " " << engine;
        }
    });
}

/// What a damaged frame's header says, as far as it can be used for calling anything.
struct guess {
    element_type type = element_type::f32;
    std::size_t count = 0;
};

guess guess_of(std::span<const std::byte> frame) {
    guess found;
    if (frame.size() < 64) return found;
    std::uint64_t count = 0;
    std::memcpy(&count, frame.data() + 8, sizeof count);
    if (count < 1'000'000) found.count = static_cast<std::size_t>(count);
    const auto type = std::to_integer<unsigned>(frame[6]);
    if (type >= 1 && type <= 4) found.type = static_cast<element_type>(type);
    return found;
}

/// A frame of zeros with the header of `frame`, or none if that header is what is wrong.
bytes partner_of(std::span<const std::byte> frame) {
    const guess is = guess_of(frame);
    if (frame.size() < 64 || frame[5] != std::byte{1}) return {};
    forge zeros;
    zeros.count = is.count;
    zeros.table.clear();
    for (std::size_t done = 0; done < is.count; done += 2048) {
        zeros.table.push_back(static_cast<std::uint32_t>(zeros.payload.size() / 4));
        const std::size_t blocks = (std::min<std::size_t>(is.count - done, 2048) + 31) / 32;
        zeros.payload.resize(zeros.payload.size() + (is.type == element_type::f64 ? 8 : 4) + (blocks + 7) / 8 * 4);
    }
    bytes made = zeros.frame();
    std::memcpy(made.data(), frame.data(), 48);
    made[7] &= std::byte{1};
    return inspect(made) ? made : bytes{};
}

template <class T>
result<std::size_t> fused_add(std::span<const std::byte> frame, std::size_t count, std::span<std::byte> out) {
    const std::vector<T> zeros(count);
    return add(std::span<const T>(zeros), frame, out);
}

result<std::size_t> fused_add(std::span<const std::byte> frame, const guess& is, std::span<std::byte> out) {
    switch (is.type) {
        case element_type::f64: return fused_add<double>(frame, is.count, out);
        case element_type::f16: return fused_add<half>(frame, is.count, out);
        case element_type::bf16: return fused_add<bfloat16>(frame, is.count, out);
        default: return fused_add<float>(frame, is.count, out);
    }
}

/// Expects `frame` to be refused with that code, whatever is done with it.
void expect_refused(std::span<const std::byte> frame, std::string_view code, const std::string& where) {
    const guess is = guess_of(frame);
    bytes out(sum_bound(is.type, is.count));
    run_options threads;
    threads.threads = 2;
    const auto expect = [&](std::string_view what, const status& found) {
        EXPECT_EQ(laconic::name_of(found.code()), code) << where << ": " << what << ": " << found.message();
    };
    expect("inspect", inspect(frame).error());
    expect("decompress", decoded(frame, is.type, is.count).error());
    expect("decompress with threads", decoded(frame, is.type, is.count, threads).error());
    // Payloads of other codecs than fle are not looked at.
    if (frame.size() > 64 && frame[5] == std::byte{5} && add(frame, frame, out).error().code() == errc::unsupported)
        return;
    expect("fused add", fused_add(frame, is, out).error());
    expect("add", add(frame, frame, out).error());
    expect("subtract", subtract(frame, frame, out).error());
    expect("minimum", minimum(frame, frame, out).error());
    expect("maximum", maximum(frame, frame, out).error());
    expect("scale", scale(frame, 2, out).error());
    const bytes partner = partner_of(frame);
    if (partner.empty()) return;
    expect("add to another", add(partner, frame, out).error());
    expect("add another", add(frame, partner, out).error());
}

TEST(malformed_files, hold_frames_that_are_refused_by_every_function_alike) {
    const auto all = entries();
    on_every_engine([&](const std::string& engine) {
        for (const entry& one : all) {
            if (one.status == "ok" || one.status == "mismatch") continue;
            for (const auto frame : frames_of(one.content)) {
                if (inspect(frame)) continue;
                expect_refused(frame, one.status, one.name + " " + engine);
                break;
            }
        }
    });
}

TEST(files, with_something_behind_them_are_corrupt) {
    for (const entry& one : entries()) {
        if (one.status != "ok" || one.about.at("frames") != 1) continue;
        bytes longer = one.content;
        longer.push_back(std::byte{0});
        EXPECT_EQ(inspect(longer).error().code(), errc::corrupt) << one.name;
        const guess is = guess_of(longer);
        EXPECT_EQ(decoded(longer, is.type, is.count).error().code(), errc::corrupt) << one.name;
    }
}

}  // namespace
}  // namespace laconic::golden
