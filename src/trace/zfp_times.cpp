// SPDX-License-Identifier: BSD-3-Clause
// libzfp's functions, found when they are needed, and the one-dimensional streams that they make of times.
#include "trace/zfp_times.hpp"

#ifdef LACONIC_HAVE_ZFP
#include <dlfcn.h>
#include <zfp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "trace/timing_methods.hpp"
#endif

namespace laconic::trace {

#ifdef LACONIC_HAVE_ZFP
namespace {

using values = std::vector<std::uint64_t>;

/// What is used of libzfp.
struct zfp_functions {
    std::string trouble;
    decltype(&::zfp_field_1d) field_1d = nullptr;
    decltype(&::zfp_field_free) field_free = nullptr;
    decltype(&::zfp_stream_open) open = nullptr;
    decltype(&::zfp_stream_close) close = nullptr;
    decltype(&::zfp_stream_set_accuracy) set_accuracy = nullptr;
    decltype(&::zfp_stream_set_bit_stream) set_bit_stream = nullptr;
    decltype(&::zfp_stream_rewind) rewind = nullptr;
    decltype(&::zfp_compress) compress = nullptr;
    decltype(&::zfp_decompress) decompress = nullptr;
    decltype(&::stream_open) bits_open = nullptr;
    decltype(&::stream_close) bits_close = nullptr;

    zfp_functions() {
        const std::string name = "libzfp.so." + std::to_string(ZFP_VERSION_MAJOR);
        void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            trouble = name + " cannot be loaded; install it (Debian: libzfp1), or use another timing method";
            return;
        }
        const auto find = [&](const char* symbol, auto& into) {
            into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(::dlsym(library, symbol));
            if (into == nullptr) trouble = name + " has no " + symbol + "; use another timing method";
        };
        find("zfp_field_1d", field_1d);
        find("zfp_field_free", field_free);
        find("zfp_stream_open", open);
        find("zfp_stream_close", close);
        find("zfp_stream_set_accuracy", set_accuracy);
        find("zfp_stream_set_bit_stream", set_bit_stream);
        find("zfp_stream_rewind", rewind);
        find("zfp_compress", compress);
        find("zfp_decompress", decompress);
        find("stream_open", bits_open);
        find("stream_close", bits_close);
    }
};

const zfp_functions& zfp() {
    static const zfp_functions all;
    return all;
}

double tolerance_of(const values& all, double relative) {
    double sum = 0;
    for (const std::uint64_t each : all) sum += static_cast<double>(each);
    return std::max(1e-3, all.empty() ? 0 : relative * sum / static_cast<double>(all.size()));
}

/// The stream and the array of one call.
struct zfp_call {
    zfp_call(double* data, std::size_t count, void* buffer, std::size_t size, double tolerance)
        : field(zfp().field_1d(data, zfp_type_double, count)),
          stream(zfp().open(nullptr)),
          bits(zfp().bits_open(buffer, size)) {
        zfp().set_accuracy(stream, tolerance);
        if (bits != nullptr) zfp().set_bit_stream(stream, bits);
        zfp().rewind(stream);
    }
    zfp_call(const zfp_call&) = delete;
    zfp_call& operator=(const zfp_call&) = delete;
    ~zfp_call() {
        zfp().field_free(field);
        zfp().bits_close(bits);
        zfp().close(stream);
    }
    zfp_field* field;
    zfp_stream* stream;
    bitstream* bits;
};

}  // namespace

status load_zfp() {
    if (!zfp().trouble.empty()) return {errc::unsupported, zfp().trouble};
    return {};
}

void write_zfp(bytes& out, const values& all, double relative) {
    const double tolerance = tolerance_of(all, relative);
    put_word(out, std::bit_cast<std::uint64_t>(tolerance));
    std::vector<double> times(all.begin(), all.end());
    bytes coded(64 + 16 * all.size());
    std::size_t size = 0;
    if (!all.empty()) {
        const zfp_call call(times.data(), times.size(), coded.data(), coded.size(), tolerance);
        size = zfp().compress(call.stream, call.field);
    }
    coded.resize(size);
    put_block(out, coded);
}

status read_zfp(wire_reader& in, std::uint64_t calls, values& all) {
    const double tolerance = std::bit_cast<double>(in.word<std::uint64_t>());
    const view block = in.block();
    // Four values take at least a bit.
    if (in.failed() || !(tolerance > 0) || calls > 32 * (block.size() + 1)) return damaged_times();
    if (calls == 0) return {};
    // zfp reads whole words, and past the end of what is damaged: at most 64 bytes per block of four values.
    bytes padded(block.begin(), block.end());
    padded.resize(block.size() + 64 + 16 * static_cast<std::size_t>(calls));
    std::vector<double> times(static_cast<std::size_t>(calls));
    const zfp_call call(times.data(), times.size(), padded.data(), padded.size(), tolerance);
    if (zfp().decompress(call.stream, call.field) == 0) return damaged_times();
    for (const double each : times)
        all.push_back(each > 0 && each < 1.8e19 ? static_cast<std::uint64_t>(std::round(each)) : 0);
    return {};
}

#else

status load_zfp() { return {errc::unsupported, "this build of laconic lacks libzfp; use another timing method"}; }
void write_zfp(bytes&, const std::vector<std::uint64_t>&, double) {}
status read_zfp(wire_reader&, std::uint64_t, std::vector<std::uint64_t>&) { return load_zfp(); }

#endif

}  // namespace laconic::trace
