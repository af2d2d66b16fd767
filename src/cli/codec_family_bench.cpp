// SPDX-License-Identifier: BSD-3-Clause
// A field in, one row per codec out. Every round copies, then lets each codec compress and decompress on the same
// buffers, so that all meet the same machine state; slow codecs sit rounds out, which keeps a run short.
#include "cli/codec_family_bench.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include "cli/bench_tools.hpp"
#include "cli/exact_error.hpp"
#include "cli/fle_size_model.hpp"
#include "cli/szx_reference_size.hpp"
#include "cli/zstd_baseline.hpp"

namespace laconic::cli {
namespace {

constexpr std::size_t long_chunk_values = 65536;
constexpr std::size_t szx_chunk_values = 5120;  // docs/format/szx.md
/// A codec that takes longer than this for a round takes part in every fifth one.
constexpr double slow_seconds = 0.25;

/// One codec in the ring: `compress` fills the frame and returns its size, `decompress` reads that many bytes of it.
struct contender {
    family_measurement row;
    std::size_t room = 0;
    std::function<std::size_t()> compress;
    std::function<void(std::size_t)> decompress;
    stopwatch compressing, decompressing;
    bool slow = false;

    void meet(std::size_t& size) {
        compressing.time([&] { size = compress(); });
        decompressing.time([&] { decompress(size); });
    }
};

template <class T>
struct arena {
    buffer values_store, restored_store, frame;
    std::span<const T> values = values_store.as<T>();
    std::span<T> restored = restored_store.as<T>();

    arena(std::span<const T> field, std::size_t count)
        : values_store(touched(count * sizeof(T))), restored_store(touched(count * sizeof(T))) {
        tile(field, 0, values_store.as<T>());
    }
};

template <class T>
contender zstd_contender(arena<T>& space, int level) {
    contender c;
    c.room = zstd_baseline::bound(space.values.size_bytes());
    auto codec = std::make_shared<zstd_baseline>(level);
    c.compress = [&space, codec] { return codec->compress(std::as_bytes(space.values), space.frame.bytes()); };
    c.decompress = [&space, codec](std::size_t size) {
        codec->decompress(space.frame.bytes().first(size), std::as_writable_bytes(space.restored));
    };
    return c;
}

template <class T>
contender library_contender(arena<T>& space, const family_settings& settings, const std::string& name) {
    contender c;
    frame_options options;
    options.run = settings.run;
    options.codec = need(codec_named(name == "fle-rows" ? "fle" : name), "--codecs");
    if (name == "fle-rows") c.row.row_length = options.row_length = settings.row_length;
    if (options.codec == codec_id::zfp_rate) c.row.rate = options.rate = settings.rate;
    const bound limit = bound::abs(settings.bound);
    c.room = compress_bound(element_type_of<T>::value, space.values.size(), options.codec);
    c.compress = [&space, options, limit, name] {
        return need(compress(space.values, limit, space.frame.bytes(), options), name);
    };
    c.decompress = [&space, options, name](std::size_t size) {
        const std::span<const std::byte> frame = space.frame.bytes().first(size);
        need(decompress(frame, space.restored, options.run), name);
    };
    return c;
}

/// What the frame and the restored values in the arena say; outside the measured rounds.
template <class T>
void judge(const arena<T>& space, const family_settings& settings, std::size_t size, family_measurement& row) {
    const std::span<const T> restored = space.restored;
    const exact_error error = measure_error(space.values, restored, settings.bound);
    const comparison measures = need(compare(space.values, restored), "compare");
    row.bound = settings.bound;
    row.values = space.values.size();
    row.frame_bytes = size;
    row.ratio = static_cast<double>(space.values.size_bytes()) / static_cast<double>(size);
    row.max_error = error.max;
    row.violations = error.violations;
    row.mean_error_over_bound = settings.bound > 0 ? measures.mean_error / settings.bound : 0;
    row.psnr = measures.psnr;
    row.nrmse = measures.nrmse;
    if (row.codec == "szx") {
        if (settings.bound > 0) row.published_bytes = szx_reference_size(space.values, settings.bound);
        // Blocks do not look beyond themselves: a further chunk costs its table entry and its step.
        row.long_chunk_bytes = size - (row.values - 1) / szx_chunk_values * (4 + sizeof(T));
    }
    if (row.codec.starts_with("fle")) {
        const frame_info info = need(inspect(space.frame.bytes().first(size)), "inspect");
        row.long_chunk_bytes = fle_model_size(restored, info.step, info.row_length, long_chunk_values);
    }
}

}  // namespace

std::vector<std::string> family_names() {
    std::vector<std::string> names{"fle", "fle-rows"};
    for (const codec_description& codec : codecs())
        if (codec.available && codec.name != "fle") names.emplace_back(codec.name);
    if (zstd_baseline::available()) names.insert(names.end(), {"zstd-1", "zstd-3"});
    return names;
}

template <class T>
std::vector<family_measurement> measure_family(std::span<const T> field, const family_settings& settings) {
    arena<T> space(field, std::max<std::size_t>(1, settings.bytes / sizeof(T)));
    const std::size_t bytes = space.values.size_bytes();
    std::vector<contender> ring;
    std::size_t room = 0;
    for (const std::string& name : settings.codecs) {
        ring.push_back(name == "zstd-1"   ? zstd_contender(space, 1)
                       : name == "zstd-3" ? zstd_contender(space, 3)
                                          : library_contender(space, settings, name));
        ring.back().row.codec = name;
        room = std::max(room, ring.back().room);
    }
    space.frame = touched(room);

    // The first round warms up, and is the one whose results are looked at.
    for (contender& c : ring) {
        std::size_t size = 0;
        c.meet(size);
        c.slow = c.compressing.last() + c.decompressing.last() > slow_seconds;
        judge(space, settings, size, c.row);
        c.compressing = c.decompressing = {};
    }
    stopwatch copying;
    for (unsigned round = 0; round < settings.repetitions; ++round) {
        copying.time([&] { std::memcpy(space.restored.data(), space.values.data(), bytes); });
        for (contender& c : ring) {
            std::size_t size = 0;
            if (!c.slow || round % 5 == 0) c.meet(size);
        }
    }
    std::vector<family_measurement> rows;
    for (contender& c : ring) {
        c.row.memcpy_gbps = copying.gbps(bytes);
        c.row.compress_gbps = c.compressing.gbps(bytes);
        c.row.decompress_gbps = c.decompressing.gbps(bytes);
        c.row.repetitions = c.compressing.rounds();
        rows.push_back(c.row);
    }
    return rows;
}

template std::vector<family_measurement> measure_family(std::span<const float>, const family_settings&);
template std::vector<family_measurement> measure_family(std::span<const double>, const family_settings&);

}  // namespace laconic::cli
