// SPDX-License-Identifier: BSD-3-Clause
// How well sums compress. A field of floats and a bound relative to its range flow in; out flows, for each codec, the
// ratio of the sum of 1, 2, 4 ... 512 copies of the field, every copy begun elsewhere, at the absolute bound of one.
//
// usage: laconic-scale-sizes FIELD.f32 REL
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"

namespace {

using namespace laconic;

std::vector<float> read_field(const char* path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        std::fprintf(stderr, "laconic-scale-sizes: cannot read '%s'\n", path);
        std::exit(2);
    }
    std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    return values;
}

double ratio(const std::vector<float>& values, codec_id codec, double limit, std::vector<std::byte>& frame) {
    frame_options how;
    how.codec = codec;
    frame.resize(compress_bound(element_type::f32, values.size(), codec));
    const auto done = compress<float>(values, bound::abs(limit), frame, how);
    if (!done) {
        std::fprintf(stderr, "laconic-scale-sizes: %s\n", done.error().context().c_str());
        std::exit(1);
    }
    return static_cast<double>(values.size() * sizeof(float)) / static_cast<double>(*done);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: laconic-scale-sizes FIELD.f32 REL\n");
        return 2;
    }
    const std::vector<float> field = read_field(argv[1]);
    const auto [low, high] = std::minmax_element(field.begin(), field.end());
    const double limit = std::strtod(argv[2], nullptr) * (static_cast<double>(*high) - static_cast<double>(*low));
    std::mt19937_64 random(2026);
    std::vector<double> sum(field.size(), 0);
    std::vector<float> rounded(field.size());
    std::vector<std::byte> frame;
    std::string fle = "fle", szx = "szx";
    for (std::size_t copies = 0, target = 1; target <= 512; target *= 2) {
        for (; copies < target; ++copies) {
            const std::size_t shift = copies == 0 ? 0 : random() % field.size();
            for (std::size_t i = 0; i < field.size(); ++i)
                sum[i] += static_cast<double>(field[(i + shift) % field.size()]);
        }
        for (std::size_t i = 0; i < field.size(); ++i) rounded[i] = static_cast<float>(sum[i]);
        fle += " " + std::to_string(ratio(rounded, codec_id::fle, limit, frame)).substr(0, 6);
        szx += " " + std::to_string(ratio(rounded, codec_id::szx, limit, frame)).substr(0, 6);
    }
    std::printf("%s\n%s\n", fle.c_str(), szx.c_str());
}
