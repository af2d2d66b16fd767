// SPDX-License-Identifier: BSD-3-Clause
// The public face of traces: bytes of files in, facts, summaries and calls out.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "trace/join.hpp"
#include "trace/merge.hpp"
#include "trace/part_file.hpp"
#include "trace/replay.hpp"
#include "trace/trace_state.hpp"

namespace laconic {
namespace {

using trace::bytes;
using trace::view;

result<bytes> read_whole(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) return status(errc::io, "cannot open '" + path.string() + "': " + std::strerror(errno));
    bytes all(static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg())));
    in.seekg(0);
    if (!all.empty() && !in.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size())))
        return status(errc::io, "cannot read '" + path.string() + "': " + std::strerror(errno));
    return all;
}

bool is_part(view file) { return file.size() >= 4 && std::memcmp(file.data(), "lacp", 4) == 0; }

/// Cores in pairs, so that each is merged log2 times.
result<bytes> merged_all(std::vector<bytes> cores) {
    for (std::size_t step = 1; step < cores.size(); step *= 2)
        for (std::size_t at = 0; at + step < cores.size(); at += 2 * step) {
            auto both = trace::merge(cores[at], cores[at + step]);
            if (!both) return both.error();
            cores[at] = std::move(*both);
        }
    return std::move(cores.front());
}

/// Part files by the name of their rank, "rank-00007" of "rank-00007.0001.part", in order.
result<bytes> core_of_directory(const std::filesystem::path& folder, std::uint64_t& size) {
    std::vector<std::filesystem::path> files;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (at->path().extension() == ".part") files.push_back(at->path());
    if (failed) return status(errc::io, "cannot list '" + folder.string() + "': " + failed.message());
    if (files.empty())
        return status(errc::io, "there are no part files (*.part) of a trace in '" + folder.string() + "'");
    std::sort(files.begin(), files.end());
    std::vector<bytes> cores;
    for (std::size_t i = 0; i < files.size();) {
        const auto name = [&](std::size_t at) { return files[at].stem().stem(); };
        std::vector<trace::core> parts;
        const std::size_t first = i;
        for (; i < files.size() && name(i) == name(first); ++i) {
            const auto data = read_whole(files[i]);
            if (!data) return data.error();
            size += data->size();
            auto part = trace::core_of_part(*data);
            if (!part) return status(part.error().code(), files[i].string() + ": " + part.error().context());
            parts.push_back(std::move(*part));
        }
        trace::core whole = std::move(parts.back());
        // Earlier parts may be from before the rank was known.
        for (std::size_t part = parts.size() - 1; part-- > 0;) {
            parts[part].ranks = whole.ranks;
            parts[part].classes.front().ranks = whole.classes.front().ranks;
            whole = trace::joined(std::move(parts[part]), std::move(whole));
        }
        cores.push_back(trace::encoded(trace::fitted(whole)));
    }
    return merged_all(std::move(cores));
}

call_durations public_form(const trace::call_statistics& of) {
    call_durations made;
    made.count = of.count;
    if (of.count == 0) return made;
    made.sum_ns = of.sum_ns;
    made.min_ns = of.min_ns;
    made.max_ns = of.max_ns;
    made.histogram.assign(of.histogram.begin(), of.histogram.end());
    return made;
}

/// The head of a signature says which function it is; it stands in the shape.
std::uint32_t function_of_shape(view shape) {
    trace::wire_reader in(shape);
    if (in.varint() == 0) return function_of(in.take(in.left()));
    return static_cast<std::uint32_t>(in.varint() >> 1);
}

bool turns_differ(const trace::model& calls, const trace::model_class& group) {
    for (const std::uint32_t rule : trace::class_of(calls, group).rules)
        for (const trace::model_symbol& each : calls.rules[rule].body)
            if (each.count.expressed) return true;
    return false;
}

/// Calls of each function, and of all; also proves that every rank can be walked through.
status count_calls(trace_file::state& of) {
    const trace::model& calls = of.calls;
    std::vector<std::uint64_t> by_signature(calls.signatures.size(), 0);
    std::vector<trace::call_statistics> times(calls.signatures.size());
    for (const trace::model_class& group : calls.classes) {
        std::vector<std::uint32_t> ranks = group.ranks.ranks();
        std::uint64_t each_stands_for = 1;
        if (!turns_differ(calls, group)) {
            each_stands_for = ranks.size();
            ranks.resize(1);
        }
        for (const std::uint32_t rank : ranks) {
            const auto walk = trace::replay::of_rank(calls, rank);
            if (!walk) return walk.error();
            const auto counted = walk->calls_by_signature();
            if (walk->calls() > trace::most_calls / each_stands_for - of.facts.calls / each_stands_for)
                return {errc::corrupt, "the trace holds more calls than there can be"};
            of.facts.calls += walk->calls() * each_stands_for;
            for (std::size_t i = 0; i < counted.size(); ++i) by_signature[i] += counted[i] * each_stands_for;
        }
        of.facts.ranks_there += static_cast<std::uint32_t>(group.ranks.size());
        if (group.times.empty()) continue;
        const auto used = trace::class_of(calls, group).signatures;
        for (std::size_t i = 0; i < used.size(); ++i) times[used[i]].add(group.times[i]);
    }
    std::map<std::uint32_t, std::pair<function_summary, trace::call_statistics>> sums;
    for (std::size_t i = 0; i < by_signature.size(); ++i) {
        const std::uint32_t function = function_of_shape(calls.shapes[calls.signatures[i].shape]);
        auto& [summary, durations] = sums[function];
        summary.function = function;
        summary.calls += by_signature[i];
        ++summary.signatures;
        durations.add(times[i]);
    }
    for (auto& [function, sum] : sums) {
        sum.first.durations = public_form(sum.second);
        of.functions.push_back(std::move(sum.first));
    }
    std::stable_sort(of.functions.begin(), of.functions.end(),
                     [](const auto& a, const auto& b) { return a.calls > b.calls; });
    return {};
}

/// From `core` to everything that the trace says of itself.
status complete_state(trace_file::state& of, view core) {
    auto calls = trace::decoded(core);
    if (!calls) return calls.error();
    of.calls = std::move(*calls);
    of.facts.ranks = static_cast<std::uint32_t>(of.calls.ranks);
    of.facts.signatures = of.calls.signatures.size();
    of.facts.grammars = of.calls.classes.size();
    of.facts.rules = of.calls.rules.size();
    of.facts.expressions = of.calls.expressions.size();
    of.facts.timing = "none";
    for (const auto& group : of.calls.classes)
        if (!group.times.empty()) of.facts.timing = "mean";
    for (const auto& [rank, block] : of.timing) {
        const auto opened = trace::timing_reader::open(block);
        if (!opened) return opened.error();
        of.facts.timing = opened->options().mode == trace::timing_mode::lossless ? "lossless" : "lossy";
        if (opened->options().mode == trace::timing_mode::lossy)
            of.facts.timing_method = name_of(opened->options().method);
        break;
    }
    return count_calls(of);
}

}  // namespace

std::uint32_t function_of(std::span<const std::byte> signature) noexcept {
    trace::wire_reader in(signature);
    const std::uint64_t head = in.varint();
    return in.failed() ? 0 : static_cast<std::uint32_t>(head >> 1);
}

result<trace_file> trace_file::open(const std::string& path) try {
    std::error_code unknown;
    if (!std::filesystem::is_directory(path, unknown)) {
        const auto data = read_whole(path);
        if (!data) return data.error();
        return parse(*data);
    }
    auto made = std::make_shared<state>();
    const auto core = core_of_directory(path, made->facts.file_bytes);
    if (!core) return core.error();
    made->facts.core_bytes = core->size();
    made->facts.complete = false;
    if (status bad = complete_state(*made, *core); !bad.ok()) return bad;
    return trace_file(std::move(made));
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory for the trace '" + path + "'");
}

result<trace_file> trace_file::parse(std::span<const std::byte> file) try {
    auto made = std::make_shared<state>();
    made->facts.file_bytes = file.size();
    bytes core;
    if (is_part(file)) {
        const auto part = trace::core_of_part(file);
        if (!part) return part.error();
        core = trace::encoded(trace::fitted(*part));
        made->facts.core_bytes = core.size();
        made->facts.complete = false;
    } else {
        made->file.assign(file.begin(), file.end());
        auto parts = trace::parts_of(made->file);
        if (!parts) return parts.error();
        core = std::move(parts->core);
        made->facts.core_bytes = parts->core_bytes;
        made->facts.timing_bytes = parts->timing_bytes;
        made->facts.texts = std::move(parts->facts);
        made->facts.complete = parts->complete;
        for (const trace::timing_block& each : parts->timing) made->timing.emplace(each.rank, each.block);
    }
    if (status bad = complete_state(*made, core); !bad.ok()) return bad;
    return trace_file(std::move(made));
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory for a trace of " + std::to_string(file.size()) + " bytes");
}

const trace_facts& trace_file::facts() const noexcept { return state_->facts; }

std::vector<std::uint32_t> trace_file::ranks() const {
    std::vector<std::uint32_t> all;
    for (const auto& group : state_->calls.classes) {
        const auto some = group.ranks.ranks();
        all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<function_summary> trace_file::functions() const { return state_->functions; }

struct trace_calls::state {
    std::shared_ptr<const trace_file::state> of;
    trace::replay walk;
    std::unique_ptr<trace::timing_reader> times;
    bool begun = false;
};

trace_calls::trace_calls(std::unique_ptr<state> inner) : state_(std::move(inner)) {}
trace_calls::trace_calls(trace_calls&&) noexcept = default;
trace_calls& trace_calls::operator=(trace_calls&&) noexcept = default;
trace_calls::~trace_calls() = default;

std::uint64_t trace_calls::count() const noexcept { return state_->walk.calls(); }
bool trace_calls::at_end() const noexcept { return state_->walk.at_end() || (state_->begun && state_->walk.at_last()); }

result<trace_call> trace_calls::next() {
    state& s = *state_;
    // The signature of the call before lives until here.
    if (s.begun) s.walk.next();
    s.begun = true;
    const auto signature = s.walk.signature();
    if (!signature) return signature.error();
    trace_call made;
    made.signature = *signature;
    if (s.times) {
        const auto time = s.times->next(*signature);
        if (!time) return time.error();
        made.timed = true;
        made.start_ns = time->start_ns;
        made.duration_ns = time->duration_ns;
    }
    return made;
}

result<trace_calls> trace_file::calls_of(std::uint32_t rank) const {
    auto walk = trace::replay::of_rank(state_->calls, rank);
    if (!walk) return walk.error();
    std::unique_ptr<trace_calls::state> made(new trace_calls::state{state_, std::move(*walk), nullptr, false});
    if (const auto block = state_->timing.find(rank); block != state_->timing.end()) {
        auto times = trace::timing_reader::open(block->second);
        if (!times) return times.error();
        if (times->calls() != made->walk.calls())
            return status(errc::corrupt, "rank " + std::to_string(rank) + " made " +
                                             std::to_string(made->walk.calls()) + " calls, but times are there for " +
                                             std::to_string(times->calls()));
        made->times = std::make_unique<trace::timing_reader>(std::move(*times));
    }
    return trace_calls(std::move(made));
}

}  // namespace laconic
