// SPDX-License-Identifier: BSD-3-Clause
// A field in, one row of speeds, ratio and error per engine out. memcpy and the codec's operations take turns in
// every repetition, on buffers that were allocated and touched before, so that all meet the same machine state.
#include "cli/codec_bench.hpp"

#include <algorithm>
#include <cstring>

#include "cli/bench_tools.hpp"
#include "cli/exact_error.hpp"
#include "cli/reference_size.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic::cli {
namespace {

template <class T>
struct workspace {
    std::size_t count;
    buffer f_store, g_store, out_store;
    buffer frame_f, frame_g, sum;
    std::span<T> f = f_store.as<T>(), g = g_store.as<T>(), out = out_store.as<T>();

    workspace(std::span<const T> field, std::size_t values)
        : count(values),
          f_store(touched(values * sizeof(T))),
          g_store(touched(values * sizeof(T))),
          out_store(touched(values * sizeof(T))),
          frame_f(touched(compress_bound(element_type_of<T>::value, values))),
          frame_g(touched(compress_bound(element_type_of<T>::value, values))),
          sum(touched(sum_bound(element_type_of<T>::value, values))) {
        tile(field, 0, f);
        // What another rank would hold.
        tile(field, field.size() / 3, g);
    }
};

template <class T>
codec_measurement measure_engine(workspace<T>& space, const codec_bench_settings& settings, const std::string& engine) {
    need(use_engine(engine), "switching to engine " + engine);
    const std::span<const T> f = space.f, g = space.g;
    const bound limit = bound::abs(settings.bound);
    const run_options& run = settings.run;
    frame_options options;
    options.run = run;
    options.row_length = settings.row_length;
    const std::size_t bytes = f.size_bytes();
    const std::size_t size_g = need(compress(g, limit, space.frame_g.bytes(), options), "compress");
    const auto frame_g = space.frame_g.bytes().first(size_g);
    std::size_t size_f = 0, size_sum = 0;
    const auto frame_f = [&] { return space.frame_f.bytes().first(size_f); };

    stopwatch copying, compressing, decompressing, adding, fusing, scanning;
    for (unsigned repetition = 0; repetition <= settings.repetitions; ++repetition) {
        // The first round only warms up.
        if (repetition == 1) copying = compressing = decompressing = adding = fusing = scanning = {};
        copying.time([&] { std::memcpy(space.out.data(), f.data(), bytes); });
        compressing.time([&] { size_f = need(compress(f, limit, space.frame_f.bytes(), options), "compress"); });
        decompressing.time(
            [&] { need(decompress(std::span<const std::byte>(frame_f()), space.out, run), "decompress"); });
        adding.time([&] { size_sum = need(laconic::add(frame_f(), frame_g, space.sum.bytes(), run), "add"); });
        fusing.time([&] { need(laconic::add(g, frame_f(), space.sum.bytes(), run), "fused add"); });
        scanning.time([&] { static_cast<void>(range_of(f).max_abs); });
    }

    need(decompress(std::span<const std::byte>(frame_f()), space.out), "decompress");
    const exact_error error = measure_error(f, std::span<const T>(space.out), settings.bound);
    codec_measurement row;
    row.engine = engine;
    row.memcpy_gbps = copying.gbps(bytes);
    row.compress_gbps = compressing.gbps(bytes);
    row.decompress_gbps = decompressing.gbps(bytes);
    row.add_gbps = adding.gbps(bytes);
    row.fused_gbps = fusing.gbps(bytes);
    row.scan_gbps = scanning.gbps(bytes);
    row.ratio = static_cast<double>(bytes) / static_cast<double>(size_f);
    row.max_error = error.max;
    row.violations = error.violations;
    row.bound = settings.bound;
    if (settings.bound > 0)
        row.mean_error_over_bound =
            need(laconic::compare(f, std::span<const T>(space.out)), "compare").mean_error / settings.bound;
    row.raw_blocks = need(inspect(frame_f()), "inspect").raw_blocks;
    row.values = f.size();
    row.frame_bytes = size_f;
    row.sum_frame_bytes = size_sum;
    return row;
}

}  // namespace

template <class T>
std::vector<codec_measurement> measure_codec(std::span<const T> field, const codec_bench_settings& settings) {
    workspace<T> space(field, std::max<std::size_t>(1, settings.bytes / sizeof(T)));
    const std::span<const T> tiled = space.f;
    const std::uint64_t reference = settings.bound > 0 ? reference_size(tiled, settings.bound) : 0;
    const std::uint64_t fz_light = settings.bound > 0 ? fz_light_size(tiled, settings.bound) : 0;
    const auto ratio_of = [&](std::uint64_t bytes) {
        return bytes > 0 ? static_cast<double>(tiled.size_bytes()) / static_cast<double>(bytes) : 0;
    };
    const std::string before(engine_name());
    std::vector<codec_measurement> rows;
    for (const std::string& engine : settings.engines) {
        codec_measurement row = measure_engine(space, settings, engine);
        row.reference_bytes = reference;
        row.reference_ratio = ratio_of(reference);
        row.fz_light_bytes = fz_light;
        row.fz_light_ratio = ratio_of(fz_light);
        rows.push_back(std::move(row));
    }
    need(use_engine(before), "switching back to engine " + before);
    return rows;
}

template std::vector<codec_measurement> measure_codec(std::span<const float>, const codec_bench_settings&);
template std::vector<codec_measurement> measure_codec(std::span<const double>, const codec_bench_settings&);

}  // namespace laconic::cli
