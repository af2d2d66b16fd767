// SPDX-License-Identifier: BSD-3-Clause
// Raw fields (*.f32, *.f64) named on the command line flow in; per field, bound and engine one row flows out: the ratio
// of szx, that of the published layout, and speeds. Speeds are in GB/s of thread CPU time, medians of repetitions in
// which memcpy, encoding and decoding take turns; "of memcpy" is the median of their ratios.
//     cmake --build build --target bench_szx && build/bin/bench_szx ../shared/data/*.f32
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/szx_reference_size.hpp"
#include "codec/szx/szx.hpp"

namespace {

constexpr std::size_t tiled_bytes = 32'000'000;
constexpr int repetitions = 9;

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
    return of[of.size() / 2];
}

template <class T>
std::vector<T> read_field(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<T> field(bytes.size() / sizeof(T));
    if (!field.empty()) std::memcpy(field.data(), bytes.data(), field.size() * sizeof(T));
    return field;
}

struct speeds {
    std::vector<double> encode, decode, encode_ratio, decode_ratio;
};

template <class T>
void measure_engine(const std::vector<T>& x, double e, const char* engine) {
    using namespace laconic;
    std::vector<std::byte> out(codec::szx_bound(element_type_of<T>::value, x.size()), std::byte{1});
    std::vector<T> y(x.size());
    speeds of;
    const double size = static_cast<double>(x.size() * sizeof(T)) * 1e-9;
    for (int repetition = 0; repetition <= repetitions; ++repetition) {
        const double start = thread_seconds();
        std::memcpy(y.data(), x.data(), x.size() * sizeof(T));
        const double copied = thread_seconds();
        const std::size_t bytes = codec::szx_encode<T>(x, e, out).value().bytes;
        const double encoded = thread_seconds();
        static_cast<void>(codec::szx_decode<T>(std::span<const std::byte>(out).first(bytes), y).value());
        const double decoded = thread_seconds();
        if (repetition == 0) continue;  // only warms up
        of.encode.push_back(size / (encoded - copied));
        of.decode.push_back(size / (decoded - encoded));
        of.encode_ratio.push_back((copied - start) / (encoded - copied));
        of.decode_ratio.push_back((copied - start) / (decoded - encoded));
    }
    std::printf("  %-7s %5.2f (%.2f of memcpy) %6.2f (%.2f)", engine, median(of.encode), median(of.encode_ratio),
                median(of.decode), median(of.decode_ratio));
}

template <class T>
void measure_field(const std::string& path) {
    using namespace laconic;
    const auto field = read_field<T>(path);
    if (field.empty()) return;
    const auto range = range_of<T>(field);
    std::vector<T> tiled(tiled_bytes / sizeof(T));
    for (std::size_t i = 0; i < tiled.size(); ++i) tiled[i] = field[i % field.size()];
    for (const double lambda : {1e-2, 1e-3, 1e-4}) {
        const double e = lambda * (static_cast<double>(range.max) - static_cast<double>(range.min));
        std::vector<std::byte> out(codec::szx_bound(element_type_of<T>::value, field.size()));
        const auto raw = static_cast<double>(field.size() * sizeof(T));
        const auto bytes = codec::szx_encode<T>(field, e, out).value().bytes;
        const auto published = cli::szx_reference_size(std::span<const T>(field), e);
        std::printf("%-34s %g  ratio %6.2f  published %6.2f", path.substr(path.rfind('/') + 1).c_str(), lambda,
                    raw / static_cast<double>(bytes), raw / static_cast<double>(published));
        for (const std::string_view engine : available_engines()) {
            if (!use_engine(engine).ok()) continue;
            measure_engine(tiled, e, std::string(engine).c_str());
        }
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        const std::string path = arguments[i];
        if (path.ends_with(".f64"))
            measure_field<double>(path);
        else
            measure_field<float>(path);
    }
}
