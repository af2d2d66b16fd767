// SPDX-License-Identifier: BSD-3-Clause
// Random frames for comparing readers: arrays, bounds, rows and sums by dice; and the same frames with a few bytes
// damaged, in places where damage is not always noticed.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "golden.hpp"

namespace laconic::golden {
namespace {

template <class T>
bytes random_frame(splitmix& random) {
    constexpr std::array<std::size_t, 6> most{1, 40, 100, 300, 300, 2300};
    const auto n = static_cast<std::size_t>(random.below(most[random.below(most.size())] + 1));
    const auto field = [&random] { return std::string(field_names()[random.below(field_names().size())]); };
    frame_options options;
    options.checksum = random.below(4) == 0;
    options.max_abs = random.below(2) == 0 ? 4 : -1;
    if (random.below(3) == 0) options.row_length = 30 + random.below(n + 20);
    if (random.below(12) == 0) options.codec = codec_id::raw;
    const double e = std::ldexp(1 + random.unit() / 2, -static_cast<int>(random.below(sizeof(T) == 8 ? 50 : 26)));
    bytes frame = compressed(make_field<T>(field(), n, random()), bound::abs(e), options);
    if (options.codec == codec_id::raw) return frame;
    for (std::uint64_t more = random.below(4); more > 0; --more) {
        const bytes next = compressed(make_field<T>(field(), n, random()), bound::abs(e), options);
        if (inspect(next).value().step != inspect(frame).value().step) break;
        constexpr std::array<pair_function, 5> operations{add, add, subtract, minimum, maximum};
        if (inspect(next).value().bound * static_cast<double>(inspect(frame).value().contributions) ==
            inspect(frame).value().bound)
            frame = combined(operations[random.below(operations.size())], frame, next);
    }
    if (random.below(8) == 0) frame = scaled(frame, static_cast<std::int32_t>(random.below(2001)) - 1000);
    return frame;
}

bytes random_frame(splitmix& random, std::uint64_t type) {
    switch (type) {
        case 1: return random_frame<float>(random);
        case 2: return random_frame<double>(random);
        case 3: return random_frame<half>(random);
        default: return random_frame<bfloat16>(random);
    }
}

/// Another step, of as many bits as the type allows; integers and raw parts stay.
bytes with_random_step(splitmix& random, bytes frame, std::uint64_t type) {
    if (frame[5] != std::byte{1} || (std::to_integer<unsigned>(frame[7]) & 2U) != 0) return frame;
    double step = std::ldexp(1.5 + random.unit() / 2, static_cast<int>(random.below(60)) - 40);
    if (type != 2) step = static_cast<double>(static_cast<float>(step));
    return patched(std::move(frame), 16, step);
}

bytes damaged(splitmix& random, bytes frame) {
    // Without a checksum, so that what lies behind it is reached.
    if (random.below(8) != 0) {
        frame[7] &= std::byte{0xFD};
        std::fill_n(frame.begin() + 56, 8, std::byte{0});
    }
    for (std::uint64_t k = random.below(3) + 1; k > 0; --k) {
        // Headers, tables and heads of chunks are where damage is noticed.
        const std::size_t reach = random.below(3) == 0 ? frame.size() : std::min<std::size_t>(frame.size(), 96);
        const auto at = static_cast<std::size_t>(random.below(reach));
        const bool is_checksum = at >= 56 && at < 64;
        if (!is_checksum) frame[at] ^= static_cast<std::byte>(1U << random.below(8));
    }
    if (random.below(6) == 0) frame.resize(static_cast<std::size_t>(random.below(frame.size() + 1)));
    if (random.below(6) == 0) frame.resize(frame.size() + static_cast<std::size_t>(random.below(9)));
    return frame;
}

}  // namespace

std::vector<file> random_files(std::uint64_t seed, std::size_t count) {
    std::vector<file> files;
    splitmix random(seed);
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t type = random.below(4) + 1;
        bytes frame = random_frame(random, type);
        if (random.below(4) == 0) frame = with_random_step(random, std::move(frame), type);
        files.push_back({"frame_" + std::to_string(k), frame});
        files.push_back({"damaged_" + std::to_string(k), damaged(random, std::move(frame))});
    }
    return files;
}

}  // namespace laconic::golden
