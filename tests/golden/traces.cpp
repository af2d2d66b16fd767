// SPDX-License-Identifier: BSD-3-Clause
// A 2-D stencil on six ranks, forty turns, with times that a generator without libm makes: usual ones, a few very
// long, some of 0 ns, gaps and overlaps.
#include "traces.hpp"

#include <xxhash.h>

#include "../unit/trace/programs.hpp"
#include "trace/container.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"

namespace laconic::golden {
namespace {

using namespace laconic::trace;

constexpr int ranks = 6;

class generator {
public:
    explicit generator(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()(std::uint64_t below) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (state_ >> 33) % below;
    }

private:
    std::uint64_t state_;
};

result<rank_trace> recorded(int me, const timing_options& timing) {
    recorder_options options;
    options.rank = static_cast<std::uint32_t>(me);
    options.ranks = ranks;
    options.timing = timing;
    auto to = recorder::make(options);
    if (!to) return to.error();
    generator random(2026 + static_cast<std::uint64_t>(me));
    std::uint64_t end = 1'000'000 * (1 + static_cast<std::uint64_t>(me));
    for (const bytes& call : stencil(me, {3, 2}, false, 40)) {
        // Threads overlap now and then: the next call starts before this one ends.
        const std::uint64_t start = random(25) == 0 ? end - 20 : end + random(300) + (random(60) == 0 ? 5'000'000 : 0);
        const std::uint64_t usual = 200 + 1000 * (call.size() % 5);
        const std::uint64_t duration = random(50) == 0   ? random(3'000'000'000)
                                       : random(40) == 0 ? 0
                                                         : usual + random(usual / 4);
        (*to)->call(call, start, duration);
        end = start + duration;
    }
    return (*to)->finish();
}

}  // namespace

const std::vector<golden_trace>& golden_traces() {
    using enum timing_method;
    using enum timing_mode;
    static const std::vector<golden_trace> all{
        {"grid-none", {none, position, 0.1}, 0x8f6a75ecb1ba0c6cU},
        {"grid-mean", {mean, position, 0.1}, 0x8f6a75ecb1ba0c6cU},
        {"grid-lossless", {lossless, position, 0.1}, 0xf83bd29a2f80b2b4U},
        {"grid-lossy", {lossy, position, 0.1}, 0xfef3c15995cab2c6U},
        {"grid-lossy-fine", {lossy, position, 0.001}, 0xdf4a84552974857fU},
        {"grid-cfg", {lossy, cfg, 0.1}, 0xffed1a9d8e153a34U},
        {"grid-hist", {lossy, hist, 0.1}, 0xa849a04354829886U},
        {"grid-sz", {lossy, sz, 0.1}, 0x272151fe15f8793fU},
        {"grid-zfp", {lossy, zfp, 0.1}, 0xadbcef995abaf21eU},
        {"grid-sz_clustered", {lossy, sz_clustered, 0.1}, 0x272151fe15f8793fU},
        {"grid-zfp_clustered", {lossy, zfp_clustered, 0.1}, 0xd49ed6392492a7a6U},
    };
    return all;
}

result<bytes> written(const golden_trace& of) {
    if (status bad = of.timing.check(); !bad.ok()) return bad;
    bytes core, times;
    for (int me = 0; me < ranks; ++me) {
        auto own = recorded(me, of.timing);
        if (!own) return own.error();
        core = me == 0 ? own->core : merge(core, own->core).value();
        if (of.timing.keeps_calls()) put_bytes(times, timing_section(static_cast<std::uint32_t>(me), own->timing));
    }
    auto file = file_of(core, {{"program", "stencil"}, {"laconic", "golden"}});
    if (!file) return file.error();
    put_bytes(*file, times);
    put_bytes(*file, end_section());
    return file;
}

result<std::uint64_t> digest_of(const trace_file& file) {
    bytes all;
    for (const std::uint32_t rank : file.ranks()) {
        put_varint(all, rank);
        auto calls = file.calls_of(rank);
        if (!calls) return calls.error();
        while (!calls->at_end()) {
            const auto call = calls->next();
            if (!call) return call.error();
            put_block(all, call->signature);
            if (!call->timed) continue;
            put_varint(all, call->start_ns);
            put_varint(all, call->duration_ns);
        }
    }
    return XXH3_64bits(all.data(), all.size());
}

}  // namespace laconic::golden
