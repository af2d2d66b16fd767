// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary bytes as what the first byte says: a trace file, a core, a part file, a timing block, or a sequence of
// calls to record. Readers take it or refuse it; what they take they can write, merge and walk through; what was
// recorded comes back.
#include <xxhash.h>

#include "laconic/trace.hpp"
#include "laconic/trace_arguments.hpp"
#include "laconic/trace_columns.hpp"
#include "support.hpp"
#include "trace/communicators.hpp"
#include "trace/container.hpp"
#include "trace/merge.hpp"
#include "trace/model.hpp"
#include "trace/part_file.hpp"
#include "trace/rank_traffic.hpp"
#include "trace/recorder.hpp"
#include "trace/replay.hpp"
#ifdef LACONIC_FUZZ_EXPORTERS
#include "cli/command.hpp"
#include "cli/trace_export.hpp"
#endif

namespace laconic::fuzz {
namespace {

/// A few bytes may stand for 2^62 calls and 2^24 ranks.
constexpr std::uint64_t most_calls_read = 300;
constexpr std::size_t most_ranks_read = 4;
constexpr std::uint64_t most_ranks_merged = 256;

void walk(const trace_file& file) {
    const auto ranks = file.ranks();
    LACONIC_HOLDS(ranks.size() == file.facts().ranks_there);
    for (std::size_t i = 0; i < std::min(ranks.size(), most_ranks_read); ++i) {
        auto calls = file.calls_of(ranks[i]);
        if (!calls) continue;
        trace::rank_traffic traffic([](std::int32_t) { return trace::comm_shape{4, 1}; });
        for (std::uint64_t n = 0; n < most_calls_read && !calls->at_end(); ++n) {
            const auto call = calls->next();
            if (!call) break;
            const trace_arguments about = arguments_of(call->signature);
            LACONIC_HOLDS(about.inputs <= about.arguments.size());
            for (const trace::traffic& each : traffic.read(call->signature))
                LACONIC_HOLDS(each.comm < trace::first_local + static_cast<std::int32_t>(traffic.made().size()));
        }
    }
}

/// What reads the calls of all ranks, to the end: only where these are few.
constexpr std::uint64_t most_calls_in_all = 2000;
constexpr std::uint32_t most_ranks_in_all = 64;

bool is_small(const trace_file& file) {
    if (file.facts().ranks > most_ranks_in_all) return false;
    std::uint64_t calls = 0;
    for (const std::uint32_t rank : file.ranks()) {
        const auto own = file.calls_of(rank);
        if (!own) continue;
        if (own->count() > most_calls_in_all) return false;
        calls += own->count();
    }
    return calls <= most_calls_in_all;
}

void read_columns(const trace_file& file) {
    std::uint64_t sends = 0;
    bool whole = true;
    for (const std::uint32_t rank : file.ranks()) {
        const auto columns = columns_of(file, rank);
        whole &= columns.ok();
        if (!columns) continue;
        const std::size_t calls = columns->function.size();
        LACONIC_HOLDS(calls == file.calls_of(rank)->count());
        LACONIC_HOLDS(columns->thread.size() == calls && columns->sent_bytes.size() == calls &&
                      columns->received_bytes.size() == calls);
        LACONIC_HOLDS(columns->start_ns.size() == columns->duration_ns.size() && columns->start_ns.size() <= calls);
        trace::rank_traffic traffic;
        auto again = file.calls_of(rank);
        while (!again->at_end())
            for (const trace::traffic& each : traffic.read(again->next().value().signature))
                sends += each.what == trace::traffic::kind::send || each.what == trace::traffic::kind::send_started;
    }
    const auto matrix = communication_matrix_of(file);
    if (!matrix) return;
    LACONIC_HOLDS(whole && matrix->ranks == file.facts().ranks);
    std::uint64_t messages = matrix->messages_elsewhere;
    for (const std::uint64_t each : matrix->messages) messages += each;
    LACONIC_HOLDS(messages == sends);
}

void read_communicators(const trace_file& file) {
    const auto known = trace::communicators::of(file);
    if (!known) return;
    const std::uint32_t ranks = file.facts().ranks;
    for (const trace::communicator& each : known->all()) {
        LACONIC_HOLDS(each.parent < static_cast<std::int32_t>(known->all().size()));
        for (const auto* group : {&each.group, &each.other})
            for (const std::uint32_t rank : *group) LACONIC_HOLDS(rank < ranks);
    }
    for (const std::uint32_t rank : file.ranks())
        for (std::int32_t local = -1; local < trace::first_local + 4; ++local) {
            const trace::comm_shape shape = known->shape(rank, local);
            LACONIC_HOLDS(shape.size == 0 || known->number(rank, local) >= 0);
            for (const std::uint32_t peer : {0U, 1U, ranks, trace::no_root}) {
                const std::uint32_t world = known->world_rank(rank, local, peer);
                LACONIC_HOLDS(world == trace::no_root || world < ranks);
            }
        }
}

void write_exports([[maybe_unused]] const trace_file& file) {
#ifdef LACONIC_FUZZ_EXPORTERS
    std::size_t written = 0;
    const cli::text_sink sink = [&](std::string_view text) { written += text.size(); };
    for (const char* name : {"chrome", "csv"}) {
        const auto to = cli::exporter_named(name, sink);
        to->begin();
        for (const std::uint32_t rank : file.ranks()) {
            auto calls = file.calls_of(rank);
            for (std::uint64_t n = 0; calls && !calls->at_end(); ++n) {
                const auto call = calls->next();
                if (!call) break;
                to->call(rank, n, *call, cli::described(call->signature));
            }
        }
        to->end();
    }
    LACONIC_HOLDS(written > 0);
    try {
        (void)cli::export_smpi(file, "a trace", sink);
    } catch (const cli::failure& refused) {
        LACONIC_HOLDS(refused.exit_code() == cli::exit_data);
    }
#endif
}

void read_file(view data) {
    const auto file = trace_file::parse(data);
    if (!file) return;
    walk(*file);
    if (is_small(*file)) {
        read_columns(*file);
        read_communicators(*file);
        write_exports(*file);
    }
    const auto same = difference(*file, *file);
    LACONIC_HOLDS(same.ok() && same->equal);
}

void read_core(view data) {
    const auto model = trace::decoded(data);
    if (!model) return;
    // What is read is written in the same bytes but for what the reader takes in a laxer form.
    const auto again = trace::decoded(trace::encoded(*model));
    LACONIC_HOLDS(again.ok());
    LACONIC_HOLDS(trace::encoded(*again) == trace::encoded(*model));
    const auto file = trace::file_of(data, {});
    LACONIC_HOLDS(file.ok());
    read_file(*file);
    if (model->ranks > most_ranks_merged) return;
    const auto whole = trace::expanded(*model);
    if (!whole) return;
    const trace::model fitted = trace::fitted(*whole);
    for (const trace::model_class& group : model->classes) {
        const std::uint32_t rank = group.ranks.ranks().front();
        auto before = trace::replay::of_rank(*model, rank);
        auto after = trace::replay::of_rank(fitted, rank);
        LACONIC_HOLDS(before.ok() == after.ok());
        if (!before) continue;
        LACONIC_HOLDS(before->calls() == after->calls());
        for (std::uint64_t n = 0; n < most_calls_read && !before->at_end(); ++n, before->next(), after->next()) {
            const auto a = before->signature();
            const auto b = after->signature();
            LACONIC_HOLDS(a.ok() == b.ok());
            if (!a) break;
            LACONIC_HOLDS(std::equal(a->begin(), a->end(), b->begin(), b->end()));
        }
    }
}

/// The head's checksum is put right: a fuzzer does not find it.
void read_part(view data) {
    constexpr std::size_t head = 40;
    bytes file(data.begin(), data.end());
    if (file.size() >= head) {
        std::uint64_t snapshot = 0;
        std::memcpy(&snapshot, file.data() + 16, sizeof snapshot);
        if (snapshot <= file.size() - head) {
            const std::uint64_t checksum = XXH3_64bits(file.data() + head, static_cast<std::size_t>(snapshot));
            std::memcpy(file.data() + 24, &checksum, sizeof checksum);
        }
    }
    if (const auto opened = trace_file::parse(file)) walk(*opened);
}

void read_timing(view data) {
    auto times = trace::timing_reader::open(data);
    if (!times) return;
    const std::byte signatures[3] = {std::byte{2}, std::byte{4}, std::byte{6}};
    for (std::uint64_t n = 0; n < std::min(times->calls(), most_calls_read); ++n)
        if (!times->next({&signatures[n * n % 3], 1})) break;
}

/// Bytes are calls: small numbers, now and then with an argument that changes.
void record(view data) {
    trace::recorder_options options;
    options.timing = {trace::timing_mode::lossless, trace::timing_method::position, 0.1};
    const auto to = trace::recorder::make(options);
    LACONIC_HOLDS(to.ok());
    std::vector<bytes> calls;
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto value = static_cast<std::uint64_t>(data[i]);
        bytes call;
        trace::put_varint(call, 2 + 2 * (value % 8));
        if (value % 3 == 0) trace::put_varint(call, value > 128 ? i : value);
        (*to)->call(call, now += value, value);
        calls.push_back(std::move(call));
    }
    const auto done = (*to)->finish();
    LACONIC_HOLDS(done.ok());
    bytes file = trace::file_of(done->core, {}).value();
    trace::put_bytes(file, trace::timing_section(0, done->timing));
    const auto opened = trace_file::parse(file);
    LACONIC_HOLDS(opened.ok());
    auto at = opened->calls_of(0);
    LACONIC_HOLDS(at.ok() && at->count() == calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto call = at->next();
        LACONIC_HOLDS(call.ok());
        LACONIC_HOLDS(std::equal(call->signature.begin(), call->signature.end(), calls[i].begin(), calls[i].end()));
        LACONIC_HOLDS(call->duration_ns == static_cast<std::uint64_t>(data[i]));
    }
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace laconic::fuzz;
    if (size == 0) return 0;
    const view rest(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
    switch (data[0] % 5) {
        case 0: read_file(rest); break;
        case 1: read_core(rest); break;
        case 2: read_part(rest); break;
        case 3: read_timing(rest); break;
        default: record(rest); break;
    }
    return 0;
}
