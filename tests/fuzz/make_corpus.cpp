// SPDX-License-Identifier: BSD-3-Clause
// Writes the seed corpus: one small file per kind of frame, pair and array, into a folder per target.
// usage: fuzz_make_corpus FOLDER
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include "frames.hpp"

namespace laconic::fuzz {
namespace {

std::filesystem::path root;

void write(const std::string& target, const std::string& name, const bytes& data) {
    std::filesystem::create_directories(root / target);
    std::ofstream to(root / target / name, std::ios::binary);
    to.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    if (!to) throw std::runtime_error("cannot write " + name);
}

template <class V>
void append(bytes& to, V value) {
    to.resize(to.size() + sizeof value);
    std::memcpy(to.data() + to.size() - sizeof value, &value, sizeof value);
}

/// A field by name; the same on every machine.
template <class T>
std::vector<T> field(const std::string& name, std::size_t n, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<T> x(n);
    double walk = 0;
    for (std::size_t i = 0; i < n; ++i) {
        walk += static_cast<int>(random() % 17) - 8;
        double v = walk / 64;
        if (name == "zeros") v = 0;
        if (name == "signed" && i % 7 == 0) v = -0.0;
        if (name == "signed" && i % 5 == 0) v = 0.0;
        if (name == "special" && i % 37 == 5) v = i % 2 == 0 ? std::nan("") : -HUGE_VAL;
        if (name == "special" && i % 41 == 7) v = 60000;
        if (name == "spikes" && i % 50 == 3) v = 30000 * (1 + seed);
        x[i] = static_cast<T>(static_cast<real_type<T>>(v));
    }
    return x;
}

template <class T>
bytes frame_of(const std::string& name, std::size_t n, double e, frame_options options = {}, unsigned seed = 1) {
    const auto x = field<T>(name, n, seed);
    const auto type = element_type_of<T>::value;
    const outcome frame = written(compress_bound(type, n, options.codec), [&](auto out) {
        return compress(std::span<const T>(x), bound::abs(e), out, options);
    });
    if (!frame.ok()) throw std::runtime_error("cannot compress " + name);
    return frame.data;
}

bytes sum_of(const bytes& a, const bytes& b) {
    const auto info = inspect(a).value();
    const outcome sum = written(sum_bound(info.type, info.count), [&](auto out) { return add(a, b, out); });
    if (!sum.ok()) throw std::runtime_error("cannot add");
    return sum.data;
}

/// Prefix, frame, and what meets it: see pair_input.hpp.
bytes pair_of(unsigned mode, std::int32_t factor, const bytes& a, const bytes& rest) {
    bytes all;
    append(all, static_cast<std::uint8_t>(mode));
    append(all, std::uint8_t{0});
    append(all, static_cast<std::uint16_t>(a.size()));
    append(all, factor);
    all.insert(all.end(), a.begin(), a.end());
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
}

void write_frame(const std::string& name, const bytes& frame) {
    write("frame", name, frame);
    write("decode", name, frame);
}

template <class T>
void write_type(const std::string& type) {
    frame_options fixed;
    fixed.max_abs = 1000;
    frame_options rows = fixed;
    rows.row_length = 40;
    frame_options checked = fixed;
    checked.checksum = true;
    write_frame(type + "-empty", frame_of<T>("smooth", 0, 1e-2));
    write_frame(type + "-one", frame_of<T>("smooth", 1, 1e-2));
    write_frame(type + "-smooth", frame_of<T>("smooth", 300, 1e-2, fixed));
    write_frame(type + "-chunks", frame_of<T>("zeros", 4200, 1e-2, fixed));
    write_frame(type + "-rows", frame_of<T>("smooth", 333, 1e-2, rows));
    write_frame(type + "-signed", frame_of<T>("signed", 100, 1e-2, checked));
    write_frame(type + "-special", frame_of<T>("special", 130, 1e-2, fixed));
    write_frame(type + "-lossless", frame_of<T>("smooth", 70, 0));
    write_frame(type + "-spans", frame_of<T>("zeros", 66000, 1e-2, checked));
    // Sums: mixed blocks, held and not, and multiples beyond 2^24.
    const bytes tame = frame_of<T>("signed", 130, 1e-2, fixed, 2);
    const bytes wild = frame_of<T>("special", 130, 1e-2, fixed, 3);
    write_frame(type + "-mixed", sum_of(tame, wild));
    write_frame(type + "-held", sum_of(wild, wild));
    const outcome large = written(sum_bound(element_type_of<T>::value, 130),
                                  [&](auto out) { return scale(sum_of(tame, wild), -1000003, out); });
    write_frame(type + "-large", large.data);

    write("add", type + "-tame", pair_of(0, 3, tame, frame_of<T>("smooth", 130, 1e-2, fixed, 4)));
    write("add", type + "-mixed", pair_of(0, -2, sum_of(tame, wild), wild));
    write("add", type + "-large", pair_of(0, 70000, large.data, tame));
    write("add", type + "-rows",
          pair_of(0, 5, frame_of<T>("smooth", 333, 1e-2, rows), frame_of<T>("signed", 333, 1e-2, rows, 5)));
    bytes edits;
    for (const unsigned edit : {0x011000U, 0x20020U, 0x7F0031U}) {
        append(edits, static_cast<std::uint16_t>(edit));
        append(edits, static_cast<std::uint8_t>(edit >> 16));
    }
    write("add", type + "-edits", pair_of(1, 2, frame_of<T>("smooth", 200, 1e-2, checked), edits));

    bytes values;
    for (unsigned i = 0; i < 60; ++i) append(values, static_cast<std::uint8_t>(i * i * 37));
    for (const unsigned mode : {0U, 4U, 12U}) {
        write("fused", type + "-tame-" + std::to_string(mode), pair_of(mode, 0, tame, values));
        write("fused", type + "-mixed-" + std::to_string(mode), pair_of(mode, 0, sum_of(tame, wild), values));
    }
    write("fused", type + "-rows", pair_of(4, 0, frame_of<T>("smooth", 333, 1e-2, rows), values));

    for (const auto& codec : codecs()) {
        if (!codec.available || codec.id == codec_id::fle) continue;
        frame_options options;
        options.codec = codec.id;
        for (const char* name : {"smooth", "special"}) {
            const auto x = field<T>(name, 150);
            const outcome frame = written(compress_bound(element_type_of<T>::value, x.size(), codec.id), [&](auto out) {
                return compress(std::span<const T>(x), bound::abs(1e-2), out, options);
            });
            // Not every codec takes every type.
            if (frame.ok()) write_frame(type + "-" + std::string(codec.name) + "-" + name, frame.data);
        }
    }
}

/// Every kind of values with every type, absolute and relative, with rows and without.
void write_encode() {
    std::mt19937 random(9);
    for (unsigned kinds = 0; kinds < 32; ++kinds) {
        bytes input;
        append(input, static_cast<std::uint8_t>(kinds | (kinds % 5 == 0 ? 0xC0U : 0U)));
        append(input, static_cast<std::uint8_t>(random()));
        append(input, static_cast<std::uint8_t>(random() % 0x80 / 4 * 4 + 1 + random() % 2));
        for (unsigned i = 0; i < 90; ++i) append(input, static_cast<std::uint8_t>(random()));
        write("encode", "kind-" + std::to_string(kinds), input);
    }
}

}  // namespace
}  // namespace laconic::fuzz

int main(int argc, char** argv) {
    using namespace laconic;
    using namespace laconic::fuzz;
    if (argc != 2 || *argv[1] == '-') {
        std::cerr << "usage: fuzz_make_corpus FOLDER\n";
        return 2;
    }
    root = argv[1];
    write_type<float>("f32");
    write_type<double>("f64");
    write_type<half>("f16");
    write_type<bfloat16>("bf16");
    write_encode();
    // Two frames in a row.
    bytes both = frame_of<float>("smooth", 100, 1e-2);
    const bytes second = frame_of<float>("special", 40, 1e-3);
    both.insert(both.end(), second.begin(), second.end());
    write_frame("f32-sequence", both);
    return 0;
}
