// SPDX-License-Identifier: BSD-3-Clause
// Fields of several roughnesses in, rates by ratio out.
#include "cli/calibrate_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "cli/bench_tools.hpp"
#include "codec/crew.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic::cli {
namespace {

using model::work_kind;

/// Values far beyond the reach of a bound of 1, which travel uncompressed.
constexpr float wild = 1e25F;

/// A walk of small steps with a wave in it: against a bound of 1 its differences have about log2(roughness) bits.
void fill_field(std::span<float> field, float roughness, std::uint32_t seed) {
    float level = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        level += roughness * (static_cast<float>(seed >> 8) / 8388608.0F - 1.0F);
        // The walk comes back, or its magnitude would leave the reach of the bound.
        level *= 0.999F;
        field[i] = level + 100.0F * std::sin(0.001F * static_cast<float>(i));
    }
}

/// A field in pieces, as the engine sends it.
struct pieces {
    std::size_t values = 0, whole = 0;

    template <class Body>
    void each(const Body& body) const {
        for (std::size_t first = 0, i = 0; first < whole; first += values, ++i)
            body(first, std::min(values, whole - first), i);
    }
};

class codec_measure {
public:
    codec_measure(const rate_settings& settings, codec_id codec)
        : settings_(settings),
          codec_(codec),
          cut_{settings.segment_bytes / sizeof(float), settings.bytes / sizeof(float)} {
        slot_ =
            std::max(sum_bound(element_type::f32, cut_.values), compress_bound(element_type::f32, cut_.values, codec));
        const std::size_t count = (cut_.whole + cut_.values - 1) / cut_.values;
        field_ = touched(settings.bytes);
        other_ = touched(settings.bytes);
        frames_ = touched(count * slot_);
        sums_ = touched(count * slot_);
        sizes_.resize(count);
        if (codec == codec_id::fle) integers_ = touched(settings.bytes);
    }

    /// One row of the table: GB/s by work, and the ratio.
    struct row {
        double ratio = 1;
        std::array<double, model::work_count> gbps{};
    };

    row measure(float roughness, double bits_per_value) {
        fill_field(field_.as<float>(), roughness, 1);
        fill_field(other_.as<float>(), roughness, 2);
        options_ = {};
        options_.codec = codec_;
        options_.rate = bits_per_value;
        // One step for all pieces, so that they can be added.
        options_.max_abs = static_cast<double>(range_of<float>(field_.as<float>()).max_abs) + 1e4;
        std::array<stopwatch, model::work_count> watches;
        const auto timed = [&](work_kind work, auto&& body) {
            watches[static_cast<std::size_t>(work)].time([&] { cut_.each(body); });
        };
        const bool adds = codec_ == codec_id::fle;
        const bool has_integers = adds && roughness < wild;
        // The first round warms up.
        for (unsigned round = 0; round <= settings_.repetitions; ++round) {
            if (round == 1) watches = {};
            timed(work_kind::compress,
                  [&](std::size_t first, std::size_t count, std::size_t i) { encode(first, count, i); });
            timed(work_kind::decompress, [&](std::size_t first, std::size_t count, std::size_t i) {
                need(decompress<float>(frame(i), other_.as<float>().subspan(first, count)), "decompress");
            });
            if (!adds) continue;
            timed(work_kind::fused, [&](std::size_t first, std::size_t count, std::size_t i) {
                static_cast<void>(need(add(values(first, count), frame(i), slot(i)), "add"));
            });
            timed(work_kind::add, [&](std::size_t, std::size_t, std::size_t i) {
                static_cast<void>(need(add(frame(i), frame(i), slot(i)), "add"));
            });
            if (!has_integers) continue;
            timed(work_kind::quantise, [&](std::size_t first, std::size_t count, std::size_t i) {
                const auto got = quantise(values(first, count), bound::abs(1), whole(first, count), options_);
                descriptions_.resize(sizes_.size());
                descriptions_[i] = need(got, "quantise");
            });
            timed(work_kind::add_integers, [&](std::size_t first, std::size_t count, std::size_t i) {
                static_cast<void>(need(add(descriptions_[i], whole(first, count), frame(i), slot(i)), "add"));
            });
        }
        row out;
        std::size_t compressed = 0;
        for (const std::size_t size : sizes_) compressed += size;
        out.ratio = static_cast<double>(settings_.bytes) / static_cast<double>(compressed);
        for (std::size_t work = 0; work < model::work_count; ++work)
            if (watches[work].rounds() > 0) out.gbps[work] = watches[work].gbps(settings_.bytes);
        const auto rate = [&](work_kind work) -> double& { return out.gbps[static_cast<std::size_t>(work)]; };
        if (adds && !has_integers) {
            rate(work_kind::quantise) = rate(work_kind::compress);
            rate(work_kind::add_integers) = rate(work_kind::fused);
        }
        return out;
    }

private:
    std::span<const float> values(std::size_t first, std::size_t count) {
        return field_.as<float>().subspan(first, count);
    }
    std::span<std::int32_t> whole(std::size_t first, std::size_t count) {
        return integers_.as<std::int32_t>().subspan(first, count);
    }
    std::span<const std::byte> frame(std::size_t i) const { return frames_.bytes().subspan(i * slot_, sizes_[i]); }
    std::span<std::byte> slot(std::size_t i) { return sums_.bytes().subspan(i * slot_, slot_); }
    void encode(std::size_t first, std::size_t count, std::size_t i) {
        const auto out = frames_.bytes().subspan(i * slot_, slot_);
        sizes_[i] = need(compress<float>(values(first, count), bound::abs(1), out, options_), "compress");
    }

    rate_settings settings_;
    codec_id codec_;
    pieces cut_;
    std::size_t slot_ = 0;
    buffer field_, other_, frames_, sums_, integers_;
    std::vector<std::size_t> sizes_;
    std::vector<quantised_array> descriptions_;
    frame_options options_;
};

/// Rows by ascending ratio; of two that are nearly equal one is left out.
model::codec_rates table_of(std::vector<codec_measure::row> rows) {
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
    model::codec_rates table{};
    for (const codec_measure::row& row : rows) {
        const double ratio = std::max(1.0, row.ratio);
        if (table.rows > 0 && ratio < 1.05 * table.ratio[table.rows - 1]) continue;
        if (table.rows == model::codec_rates::most) break;
        table.ratio[table.rows] = ratio;
        for (std::size_t work = 0; work < model::work_count; ++work)
            table.bytes_per_s[work][table.rows] = row.gbps[work] * 1e9;
        ++table.rows;
    }
    return table;
}

/// Compressed size / that of fle, over the fields that fle compresses as fields of simulations are compressed.
double size_factor_of(const std::vector<codec_measure::row>& rows, const std::vector<codec_measure::row>& of_fle) {
    double product = 1, count = 0;
    for (std::size_t i = 0; i < std::min(rows.size(), of_fle.size()); ++i) {
        if (!(of_fle[i].ratio > 2 && of_fle[i].ratio < 20)) continue;
        product *= of_fle[i].ratio / rows[i].ratio;
        ++count;
    }
    return count > 0 ? std::clamp(std::pow(product, 1 / count), 0.1, 10.0) : 1;
}

void measure_memory(const rate_settings& settings, model::machine& where) {
    buffer a = touched(settings.bytes), b = touched(settings.bytes);
    fill_field(a.as<float>(), 1, 1);
    fill_field(b.as<float>(), 1, 2);
    stopwatch copies, additions, scans;
    const std::span<float> to = a.as<float>(), from = b.as<float>();
    float largest = 0;
    for (unsigned round = 0; round < settings.repetitions; ++round) {
        additions.time([&] {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
        });
        scans.time([&] { largest = std::max(largest, range_of<float>(from).max_abs); });
        copies.time([&] { std::memcpy(to.data(), from.data(), settings.bytes); });
    }
    if (!std::isfinite(largest + to[0])) fail_data("the field for the measurement is not finite");
    where.copy_bytes_per_s = copies.gbps(settings.bytes) * 1e9;
    where.add_bytes_per_s = additions.gbps(settings.bytes) * 1e9;
    where.scan_bytes_per_s = scans.gbps(settings.bytes) * 1e9;
}

/// Sums of messages of 1 MiB, by one thread and by all.
void measure_threads(const rate_settings& settings, model::machine& where) {
    if (settings.threads < 2) return;
    constexpr std::size_t count = std::size_t{1} << 18;
    buffer field = touched(count * sizeof(float));
    fill_field(field.as<float>(), 8, 1);
    const std::span<const float> values = field.as<float>();
    const auto how = codec::choose_step<float>(1, 1e4).contribution;
    buffer stream = touched(codec::bare_sum_bound(element_type::f32, count)), sum = touched(stream.bytes().size());
    const std::size_t size = codec::encode<float>(values, how, stream.bytes()).bytes;
    const std::span<const std::byte> received = std::span<const std::byte>(stream.bytes()).first(size);
    buffer memory = touched(codec::crew::memory_for(settings.threads, element_type::f32, count));
    codec::crew all(settings.threads);
    all.use_memory(memory.bytes());
    const auto measured = [&](const codec::crew& with) {
        stopwatch watch;
        // The first ones wake the others up.
        for (unsigned round = 0; round < 20 * settings.repetitions; ++round) {
            if (round == settings.repetitions) watch = {};
            watch.time([&] {
                static_cast<void>(
                    need(codec::add_values<float>(values, how, received, 1 << 20, sum.bytes(), with), "add"));
            });
        }
        return watch.gbps(count * sizeof(float));
    };
    const double alone = measured(codec::crew());
    const double gain = (measured(all) / alone - 1) / (settings.threads - 1);
    where.thread_gain = std::clamp(gain, 0.0, 1.0);
}

}  // namespace

void measure_rates(const rate_settings& settings, model::machine& where) {
    measure_memory(settings, where);
    measure_threads(settings, where);
    std::vector<codec_measure::row> of_fle;
    for (std::size_t i = 0; i < model::rated_codecs.size(); ++i) {
        const codec_id codec = model::rated_codecs[i];
        const auto known = codecs();
        const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.id == codec; });
        if (found == known.end() || !found->available) continue;
        rate_settings mine = settings;
        // These are slower by a factor of 50: less to do says as much.
        if (codec == codec_id::zfp_abs || codec == codec_id::zfp_rate)
            mine.bytes = std::max(settings.segment_bytes, settings.bytes / 16);
        codec_measure measure(mine, codec);
        std::vector<codec_measure::row> rows;
        if (codec == codec_id::zfp_rate)
            for (const double bits : {4.0, 8.0, 16.0}) rows.push_back(measure.measure(8, bits));
        else
            for (const float roughness : {0.05F, 1.0F, 8.0F, 64.0F, 2048.0F, 16384.0F, wild})
                rows.push_back(measure.measure(roughness, 8));
        if (codec == codec_id::fle) of_fle = rows;
        const double size_factor = codec == codec_id::zfp_rate ? 1 : size_factor_of(rows, of_fle);
        where.codecs[i] = table_of(std::move(rows));
        where.codecs[i].size_factor = size_factor;
    }
}

}  // namespace laconic::cli
