// SPDX-License-Identifier: BSD-3-Clause
// The table itself and its resolution: flags, environment and TOML file come in as text, a checked option_set goes out.
#include "base/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/config_file.hpp"
#include "base/units.hpp"

namespace laconic::base {
namespace {

constexpr std::array<option, option_count> table{{
    {option_id::abs, "abs", "LACONIC_ABS", "--abs", option_type::bound, "", "",
     "largest absolute error of an element; 0: lossless in the library, the programs want more than 0"},
    {option_id::rel, "rel", "LACONIC_REL", "--rel", option_type::bound, "", "",
     "largest error of an element as a fraction of (max - min) of the data"},
    {option_id::scope, "scope", "LACONIC_SCOPE", "--scope", option_type::choice, "result",
     "result|contribution|probable",
     "what a collective's bound limits: the result, every contribution, or the result with 'confidence'"},
    {option_id::confidence, "confidence", "LACONIC_CONFIDENCE", "--confidence", option_type::number, "0.9544", "",
     "how sure the bound of scope 'probable' is, between 0 and 1"},
    {option_id::algorithm, "algorithm", "LACONIC_ALGORITHM", "--algorithm", option_type::text, "auto", "",
     "a row of 'laconic info --algorithms', or schedule/payload[:codec]"},
    {option_id::segment_bytes, "segment_bytes", "LACONIC_SEGMENT_BYTES", "--segment-bytes", option_type::bytes, "0", "",
     "uncompressed bytes per message of a collective, short ones may be joined; 0: as suits the call"},
    {option_id::check, "check", "LACONIC_CHECK", "--check", option_type::choice, "off", "off|on",
     "compare the arguments of all ranks before every collective, also where nothing else needs that"},
    {option_id::audit, "audit", "LACONIC_AUDIT", "--audit", option_type::choice, "off", "off|on",
     "compute every collective's exact result too, and report how far the returned one is from it"},
    {option_id::ranks_per_node, "ranks_per_node", "LACONIC_RANKS_PER_NODE", "--ranks-per-node", option_type::count, "0",
     "", "ranks of a node for hierarchical collectives; 0: those that share memory"},
    {option_id::shared_memory, "shared_memory", "LACONIC_SHARED_MEMORY", "--shared-memory", option_type::choice, "on",
     "off|on", "hierarchical collectives: ranks of a node add through memory that all of them see, or by messages"},
    {option_id::codec_threads, "codec_threads", "LACONIC_CODEC_THREADS", "--codec-threads", option_type::count, "0", "",
     "threads that compress and add for a rank of a collective; 0: its share of the node's processors"},
    {option_id::rate, "rate", "LACONIC_RATE", "--rate", option_type::number, "8", "",
     "bits per value of codec zfp_rate, which keeps no bound"},
    {option_id::codec, "codec", "LACONIC_CODEC", "--codec", option_type::text, "fle", "",
     "how 'laconic compress' makes bytes of values: a row of 'laconic info --codecs'"},
    {option_id::threads, "threads", "LACONIC_THREADS", "--threads", option_type::count, "1", "",
     "threads of the commands that compress, decompress or compute with frames; 0: all there are"},
    {option_id::force_isa, "force_isa", "LACONIC_FORCE_ISA", "--force-isa", option_type::text, "", "",
     "use this codec engine of 'laconic info --isa' instead of the fastest"},
    {option_id::machine, "machine", "LACONIC_MACHINE", "--machine", option_type::path, "", "",
     "TOML file of laconic calibrate that auto and predict use"},
    {option_id::trace, "trace", "LACONIC_TRACE", "--trace", option_type::path, "", "",
     "under the recorder's library: the file that the trace goes to; unset: no trace"},
    {option_id::trace_timing, "trace_timing", "LACONIC_TRACE_TIMING", "--trace-timing", option_type::choice, "mean",
     "none|mean|lossless|lossy", "what a trace keeps of times: nothing, statistics, or every call's"},
    {option_id::trace_error, "trace_error", "LACONIC_TRACE_ERROR", "--trace-error", option_type::bound, "0.1", "",
     "largest relative error of lossy times, from 1e-6 to 0.5"},
    {option_id::trace_method, "trace_method", "LACONIC_TRACE_METHOD", "--trace-method", option_type::choice, "position",
     "position|cfg|hist|sz|zfp|sz_clustered|zfp_clustered", "how lossy times are coded: ours, or one of the published"},
    {option_id::trace_memory, "trace_memory", "LACONIC_TRACE_MEMORY", "--trace-memory", option_type::bytes, "256M", "",
     "memory for the calls of a rank that a trace has not put away yet; less than 1M is 1M"},
    {option_id::config, "config", "LACONIC_CONFIG", "--config", option_type::path, "", "",
     "TOML file to read options from; environment and flags override it"},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].id) != i) return false;
    return true;
}
static_assert(in_order(), "the option table must stand in the order of option_id");

status refuse(errc code, const std::string& origin, const std::string& why) { return {code, origin + ": " + why}; }

bool lists(std::string_view choices, std::string_view word) {
    while (true) {
        const auto bar = choices.find('|');
        if (choices.substr(0, bar) == word) return true;
        if (bar == std::string_view::npos) return false;
        choices.remove_prefix(bar + 1);
    }
}

/// A whole number from 0 to most_count and nothing after it.
bool reads_count(std::string_view text, std::uint64_t& number) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end && number <= most_count;
}

/// None named: all of them.
bool wants(std::span<const option_id> wanted, option_id id) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), id) != wanted.end();
}

}  // namespace

std::span<const option> options() noexcept { return table; }

const option& describe(option_id id) noexcept { return table[static_cast<std::size_t>(id)]; }

const option* find_option(std::string_view key) noexcept {
    for (const option& row : table)
        if (row.key == key) return &row;
    return nullptr;
}

std::string_view name_of(option_type type) noexcept {
    switch (type) {
        case option_type::bound: return "bound";
        case option_type::number: return "number";
        case option_type::bytes: return "bytes";
        case option_type::count: return "count";
        case option_type::choice: return "choice";
        case option_type::text: return "text";
        case option_type::path: return "path";
    }
    return "?";
}

option_set::option_set() {
    for (const option& row : table)
        if (!row.default_value.empty())
            // The unit tests hold every default against its own type.
            static_cast<void>(set(row.id, std::string(row.default_value), option_source::default_value, "default"));
}

status option_set::set(option_id id, std::string text, option_source source, std::string origin) {
    const option& row = describe(id);
    value next;
    switch (row.type) {
        case option_type::bound: {
            const auto parsed = parse_bound(text);
            if (!parsed) return refuse(parsed.error().code(), origin, parsed.error().context());
            next.real = *parsed;
            break;
        }
        case option_type::number: {
            const auto parsed = parse_bound(text);
            if (!parsed)
                return refuse(errc::invalid_argument, origin, "'" + text + "' is no number; give a finite one >= 0");
            next.real = *parsed;
            break;
        }
        case option_type::bytes: {
            const auto parsed = parse_bytes(text);
            if (!parsed) return refuse(parsed.error().code(), origin, parsed.error().context());
            if (*parsed == 0 && row.default_value != "0")
                return refuse(errc::invalid_argument, origin, "'" + text + "' is too small; give at least 1 byte");
            next.whole = *parsed;
            break;
        }
        case option_type::count:
            if (!reads_count(text, next.whole))
                return refuse(errc::invalid_argument, origin,
                              "'" + text + "' is not a whole number from 0 to " + std::to_string(most_count));
            break;
        case option_type::choice:
            if (!lists(row.choices, text))
                return refuse(errc::invalid_argument, origin,
                              "'" + text + "' is not one of " + std::string(row.choices));
            break;
        case option_type::text:
        case option_type::path: break;
    }
    next.text = std::move(text);
    next.origin = std::move(origin);
    next.source = source;
    values_[static_cast<std::size_t>(id)] = std::move(next);
    return {};
}

status option_set::read_file(const std::string& path, std::span<const option_id> wanted) {
    const auto entries = read_config(path);
    if (!entries) return entries.error();
    for (const config_entry& entry : *entries) {
        const std::string origin = path + ":" + std::to_string(entry.line) + ": " + entry.key;
        const option* row = find_option(entry.key);
        if (row == nullptr)
            return refuse(errc::invalid_argument, origin, "no such option; 'laconic info --options' lists them");
        if (row->id == option_id::config)
            return refuse(errc::invalid_argument, origin, "a configuration file cannot name another; remove the line");
        if (!wants(wanted, row->id)) continue;
        if (auto done = set(row->id, entry.text, option_source::file, origin); !done.ok()) return done;
    }
    return {};
}

status option_set::settle_bound() {
    const value& abs = at(option_id::abs);
    const value& rel = at(option_id::rel);
    if (!is_set(option_id::abs) || !is_set(option_id::rel)) return {};
    if (abs.source == rel.source)
        return {errc::invalid_argument, abs.origin + " = " + abs.text + " and " + rel.origin + " = " + rel.text +
                                            " exclude each other; give one of them"};
    values_[static_cast<std::size_t>(abs.source < rel.source ? option_id::abs : option_id::rel)] = value{};
    return {};
}

result<option_set> option_set::resolve(std::span<const flag_value> flags, std::span<const option_id> wanted) {
    option_set resolved;
    std::string file;
    if (const char* named = std::getenv(describe(option_id::config).environment.data())) file = named;
    for (const flag_value& flag : flags)
        if (flag.id == option_id::config) file = flag.text;
    if (!file.empty())
        if (auto done = resolved.read_file(file, wanted); !done.ok()) return done;

    for (const option& row : table) {
        if (!wants(wanted, row.id)) continue;
        // string_view::data() is terminated here: every row is a literal.
        const char* text = std::getenv(row.environment.data());
        if (text == nullptr || *text == '\0') continue;
        auto done = resolved.set(row.id, text, option_source::environment, std::string(row.environment));
        if (!done.ok()) return done;
    }
    for (const flag_value& flag : flags) {
        if (!wants(wanted, flag.id)) continue;
        auto done = resolved.set(flag.id, flag.text, option_source::flag, std::string(describe(flag.id).flag));
        if (!done.ok()) return done;
    }
    if (auto done = resolved.settle_bound(); !done.ok()) return done;
    return resolved;
}

bound option_set::limit() const noexcept {
    if (is_set(option_id::rel)) return bound::rel(at(option_id::rel).real);
    if (is_set(option_id::abs)) return bound::abs(at(option_id::abs).real);
    return bound::lossless();
}

laconic::scope option_set::bound_scope() const noexcept {
    const std::string& name = text(option_id::scope);
    return name == "contribution" ? scope::contribution : name == "probable" ? scope::probable : scope::result;
}

}  // namespace laconic::base
