// SPDX-License-Identifier: BSD-3-Clause
// The fuzzer's mutator for targets whose input holds frames: bytes are mutated as libFuzzer does, or a field of the
// header is, and most of the time the frames are then repaired, so that the mutation gets past the headers.
// LACONIC_FUZZ_FRAMES is 1 where an input is one frame, 2 where it is a pair_input.
#include <random>

#include "pair_input.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);

namespace laconic::fuzz {
namespace {

using generator = std::mt19937;

std::byte* at(std::uint8_t* data) noexcept { return reinterpret_cast<std::byte*>(data); }

/// A field of the header takes another plausible value.
void mutate_header(std::uint8_t* frame, generator& random) {
    const auto pick = [&](auto... values) {
        const std::uint64_t all[] = {static_cast<std::uint64_t>(values)...};
        return all[random() % std::size(all)];
    };
    const auto put = [&](std::size_t offset, std::uint64_t value, std::size_t size) {
        std::memcpy(frame + offset, &value, size);
    };
    const auto power_of_two = [&](int least, int most) {
        const int exponent = least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
        const std::uint64_t fraction = random() % 2 == 0 ? 0 : std::uint64_t{random() % (1U << 20)} << 32;
        return static_cast<std::uint64_t>(exponent + 1023) << 52 | fraction;
    };
    switch (random() % 8) {
        case 0: put(5, pick(1, 1, 1, 2, 3, 4, 5), 1); break;
        case 1: put(6, pick(1, 2, 3, 4), 1); break;
        case 2: put(7, random() % 4, 1); break;
        case 3: put(8, pick(0, 1, 31, 32, 33, 63, 64, 65, 255, 500, 2047, 2048, 2049, 4097, 65537, 69000), 8); break;
        case 4: put(16, random() % 4 == 0 ? power_of_two(-1022, 1023) : power_of_two(-30, 30), 8); break;
        case 5: put(32, random() % 2 == 0 ? random() : (std::uint64_t{1} << random() % 62) - 1, 8); break;
        case 6: put(40, pick(1, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF), 4); break;
        default: put(44, pick(0, 0, 32, 33, 40, 63, 64, 100, 2047), 4); break;
    }
}

/// Most of the time the frame obeys the rules afterwards; sometimes its header only lies about the integers.
bytes mended(view damaged, std::size_t most_bytes, generator& random) {
    repairs how;
    how.most_bytes = std::max(most_bytes, codec::frame_header_bytes);
    how.honest = random() % 4 != 0;
    if (random() % 8 == 0) how.most_count = most_values;
    return repaired(damaged, how);
}

std::size_t mutate_frame(std::uint8_t* data, std::size_t size, std::size_t max_size, generator& random) {
    if (size >= codec::frame_header_bytes && random() % 3 == 0)
        mutate_header(data, random);
    else
        size = LLVMFuzzerMutate(data, size, max_size);
    if (random() % 8 == 0 || max_size < codec::frame_header_bytes) return size;
    const bytes frame = mended({at(data), size}, max_size, random);
    if (frame.size() > max_size) return size;
    std::memcpy(data, frame.data(), frame.size());
    return frame.size();
}

[[maybe_unused]] std::size_t mutate_pair(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                         generator& random) {
    if (max_size < prefix_bytes + 4 * codec::frame_header_bytes) return LLVMFuzzerMutate(data, size, max_size);
    if (size < prefix_bytes) {
        std::memset(data + size, 0, prefix_bytes - size);
        size = prefix_bytes;
    }
    // The prefix, the first frame, or what follows it.
    const unsigned what = random() % 8;
    if (what == 0) (void)LLVMFuzzerMutate(data, prefix_bytes, prefix_bytes);
    pair_input in = pair_from(data, size, false);
    const std::size_t half_size = (max_size - prefix_bytes) / 2;
    bytes part = what < 5 ? in.a : in.b;
    part.resize(std::min(part.size(), half_size));
    const std::size_t had = part.size();
    part.resize(half_size);
    if (what > 0) {
        const bool frame = what < 5 || (in.mode & mode_edits) == 0;
        auto* const start = reinterpret_cast<std::uint8_t*>(part.data());
        part.resize(frame ? mutate_frame(start, had, half_size, random) : LLVMFuzzerMutate(start, had, half_size));
        (what < 5 ? in.a : in.b) = part;
    }
    // Frames that meet must have the same step, bound, count and type.
    if (in.a.size() >= 48 && in.b.size() >= 48 && (in.mode & mode_edits) == 0 && random() % 4 != 0) {
        std::memcpy(in.b.data() + 6, in.a.data() + 6, 26);
        std::memcpy(in.b.data() + 44, in.a.data() + 44, 4);
        in.b = mended(in.b, half_size, random);
    }
    in.a.resize(std::min(in.a.size(), half_size));
    in.b.resize(std::min(in.b.size(), half_size));
    const auto size_a = static_cast<std::uint16_t>(in.a.size());
    std::memcpy(data + at_frame_size, &size_a, sizeof size_a);
    if (!in.a.empty()) std::memcpy(data + prefix_bytes, in.a.data(), in.a.size());
    if (!in.b.empty()) std::memcpy(data + prefix_bytes + in.a.size(), in.b.data(), in.b.size());
    return prefix_bytes + in.a.size() + in.b.size();
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    laconic::fuzz::generator random(seed);
#if LACONIC_FUZZ_FRAMES == 1
    return laconic::fuzz::mutate_frame(data, size, max_size, random);
#else
    return laconic::fuzz::mutate_pair(data, size, max_size, random);
#endif
}
