// SPDX-License-Identifier: BSD-3-Clause
// Machines as TOML: text flows in, is held against ranges, and a machine flows out; and the way back. Every number
// stands in one list of fields, from which reading, writing and messages follow.
#include <algorithm>
#include <charconv>
#include <vector>

#include "base/config_file.hpp"
#include "model/machine.hpp"

namespace laconic::model {
namespace {

constexpr double giga = 1e9;
constexpr double kilo = 1e3;
constexpr double micro = 1e-6;
constexpr std::string_view version_text = "4";

constexpr std::string_view row_prefix = "row.";
/// All tables have room for as many rows.
constexpr std::size_t longest = codec_rates::most;
static_assert(size_fit::most == longest && step_fit::most == longest);

/// Latencies and sizes may be 0; rates may not.
enum class unit { us, us_per_mb, kb, gb_per_s_as_beta, gb_per_s, factor, lanes, bytes, count, share };

struct range {
    double least, most;
    std::string_view text;
};
constexpr range range_of(unit what) {
    switch (what) {
        case unit::us: return {0, 1e8, "microseconds, 0 to 1e8"};
        case unit::us_per_mb: return {0, 1e9, "microseconds for 10^6 bytes, 0 to 1e9"};
        case unit::kb: return {0, 1e6, "kilobytes (10^3 bytes), 0 to 1e6"};
        case unit::gb_per_s_as_beta:
        case unit::gb_per_s: return {1e-6, 1e6, "GB/s (10^9 bytes), 1e-6 to 1e6"};
        case unit::factor: return {0.1, 1000, "a factor, 0.1 to 1000"};
        case unit::lanes: return {1, 1000, "a number of messages, 1 to 1000"};
        case unit::bytes: return {1, 1e9, "bytes, 1 to 1e9"};
        case unit::share: return {0, 1, "a share, 0 to 1"};
        case unit::count: break;
    }
    return {0, 1e6, "a number, 0 to 1e6"};
}

double to_field(unit what, double number) {
    if (what == unit::us) return number * micro;
    if (what == unit::us_per_mb) return number * (micro * micro);
    if (what == unit::kb) return number * kilo;
    if (what == unit::gb_per_s_as_beta) return 1 / (number * giga);
    return what == unit::gb_per_s ? number * giga : number;
}
double from_field(unit what, double value) {
    if (what == unit::us) return value / micro;
    if (what == unit::us_per_mb) return value / (micro * micro);
    if (what == unit::kb) return value / kilo;
    if (what == unit::gb_per_s_as_beta) return 1 / value / giga;
    return what == unit::gb_per_s ? value / giga : value;
}

/// Six significant digits: no measurement has more.
std::string digits(double value) {
    std::array<char, 32> buffer{};
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6);
    return {buffer.data(), error == std::errc{} ? end : buffer.data()};
}

/// What a file has of it.
double as_written(double value) {
    const std::string text = digits(value);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Calls visit(table, key, unit, field) for every number that stands alone.
template <class Machine, class Visit>
void each_number(Machine& m, const Visit& visit) {
    const auto visit_level = [&](std::string_view table, auto& level) {
        visit(table, "latency_us", unit::us, level.alpha_s);
        visit(table, "bandwidth_gb_s", unit::gb_per_s_as_beta, level.beta_s_per_byte);
        visit(table, "overhead_us", unit::us, level.overhead_s);
        visit(table, "exchange_factor", unit::factor, level.exchange_factor);
        visit(table, "processor_us_per_mb", unit::us_per_mb, level.processor_s_per_byte);
    };
    visit_level("intra_node", m.intra);
    visit_level("inter_node", m.inter);
    visit("inter_node", "burst_kb", unit::kb, m.inter.burst_bytes);
    visit("host", "injection_gb_s", unit::gb_per_s_as_beta, m.host_beta_s_per_byte);
    visit("host", "cores", unit::count, m.cores);
    visit("memory", "add_gb_s", unit::gb_per_s, m.add_bytes_per_s);
    visit("memory", "copy_gb_s", unit::gb_per_s, m.copy_bytes_per_s);
    visit("memory", "scan_gb_s", unit::gb_per_s, m.scan_bytes_per_s);
    visit("engine", "lanes_raw", unit::lanes, m.lanes_raw);
    visit("engine", "lanes_compressed", unit::lanes, m.lanes_compressed);
    visit("engine", "eager_bytes", unit::bytes, m.eager_bytes);
    visit("engine", "thread_gain", unit::share, m.thread_gain);
    visit("engine", "call_us", unit::us, m.call_s);
    visit("engine", "call_raw_us", unit::us, m.call_raw_s);
    visit("engine", "message_us", unit::us, m.message_s);
    visit("engine", "calibrated_nodes", unit::count, m.calibrated_nodes);
}

/// The table of a row: row.OPERATION.SCHEDULE.PAYLOAD.CODEC.
std::string row_table(const row_fit& row) {
    std::string table(row_prefix);
    for (const std::string_view name : {operation_names[static_cast<std::size_t>(row.op)],
                                        schedule_names[static_cast<std::size_t>(row.what.schedule)],
                                        payload_names[static_cast<std::size_t>(row.what.payload)]})
        table += std::string(name) + ".";
    for (const codec_description& codec : codecs())
        if (codec.id == row.what.codec) table += codec.name;
    return table;
}

status refuse(const std::string& where, const std::string& why) { return {errc::invalid_argument, where + ": " + why}; }

class reader {
public:
    reader(const std::vector<base::config_entry>& entries, std::string name) : name_(std::move(name)) {
        for (const base::config_entry& entry : entries) left_.push_back(&entry);
    }

    status read(machine& m) {
        if (const base::config_entry* version = take("version"); version != nullptr && version->text != version_text)
            return refuse(place(*version),
                          "version '" + version->text + "' is unknown here; run laconic calibrate again");
        status done;
        each_number(m, [&](std::string_view table, std::string_view key, unit what, double& field) {
            const base::config_entry* entry = take(std::string(table) + "." + std::string(key));
            if (!done.ok() || entry == nullptr) return;
            double number = 0;
            done = number_in(*entry, range_of(what), number);
            if (done.ok()) field = to_field(what, number);
        });
        if (done.ok()) done = read_steps("intra_node", m.intra.steps);
        if (done.ok()) done = read_steps("inter_node", m.inter.steps);
        for (std::size_t i = 0; done.ok() && i < rated_names.size(); ++i)
            done = read_codec("codec." + std::string(rated_names[i]), m.codecs[i]);
        for (std::size_t i = 0; done.ok() && i < operation_names.size(); ++i)
            done = read_fit("stock." + std::string(operation_names[i]), m.stock[i]);
        while (done.ok()) {
            const auto next = std::find_if(left_.begin(), left_.end(),
                                           [](const auto* entry) { return entry->key.starts_with(row_prefix); });
            if (next == left_.end()) break;
            done = read_row(**next, m);
        }
        if (!done.ok()) return done;
        if (!left_.empty())
            return refuse(place(*left_.front()), "no such setting; laconic calibrate writes a file with all there are");
        return {};
    }

private:
    const base::config_entry* take(const std::string& key) {
        const auto found =
            std::find_if(left_.begin(), left_.end(), [&](const auto* entry) { return entry->key == key; });
        if (found == left_.end()) return nullptr;
        const base::config_entry* const entry = *found;
        left_.erase(found);
        return entry;
    }
    std::string place(const base::config_entry& entry) const {
        return name_ + ":" + std::to_string(entry.line) + ": " + entry.key;
    }
    status number_in(const base::config_entry& entry, const range& allowed, double& number) const {
        const char* const end = entry.text.data() + entry.text.size();
        const auto [rest, error] = std::from_chars(entry.text.data(), end, number);
        if (error == std::errc{} && rest == end && number >= allowed.least && number <= allowed.most) return {};
        return refuse(place(entry), "'" + entry.text + "'; give " + std::string(allowed.text));
    }
    /// The array of that name, if there is one; `line` receives the place of its first number.
    status column(const std::string& key, const range& allowed, std::vector<double>& numbers, std::string& where) {
        numbers.clear();
        while (const base::config_entry* entry = take(key + "[" + std::to_string(numbers.size()) + "]")) {
            if (numbers.empty()) where = place(*entry);
            if (numbers.size() == longest)
                return refuse(place(*entry), "more than " + std::to_string(longest) + " numbers; leave some out");
            if (status done = number_in(*entry, allowed, numbers.emplace_back()); !done.ok()) return done;
        }
        return {};
    }
    static bool ascends(const std::vector<double>& numbers) {
        for (std::size_t i = 1; i < numbers.size(); ++i)
            if (!(as_written(numbers[i]) >= as_written(numbers[i - 1]) * 1.01)) return false;
        return true;
    }

    status read_codec(const std::string& table, codec_rates& rates) {
        std::vector<double> ratio, rate;
        std::string where;
        if (const base::config_entry* entry = take(table + ".size_factor"))
            if (status done = number_in(*entry, range_of(unit::factor), rates.size_factor); !done.ok()) return done;
        if (status done = column(table + ".ratio", {1, 1e6, "original / compressed size, 1 to 1e6"}, ratio, where);
            !done.ok())
            return done;
        // Without ratios the table stays as it is built in; rates that are there are then left over and refused.
        if (ratio.empty()) return {};
        if (!ascends(ratio)) return refuse(where, "ratios must grow by at least 1 % from one to the next");
        const double size_factor = rates.size_factor;
        rates = {};
        rates.size_factor = size_factor;
        rates.rows = ratio.size();
        std::copy(ratio.begin(), ratio.end(), rates.ratio.begin());
        for (std::size_t work = 0; work < work_count; ++work) {
            const std::string key = table + "." + std::string(work_names[work]) + "_gb_s";
            if (status done = column(key, range_of(unit::gb_per_s), rate, where); !done.ok()) return done;
            if (!rate.empty() && rate.size() != ratio.size())
                return refuse(where, std::to_string(rate.size()) + " numbers; give " + std::to_string(ratio.size()) +
                                         ", one for each of " + table + ".ratio");
            for (std::size_t i = 0; i < rate.size(); ++i) rates.bytes_per_s[work][i] = rate[i] * giga;
        }
        return {};
    }

    /// Two arrays of a table: sizes in bytes, and what stands beside each of them.
    status read_curve(const std::string& table, std::string_view sizes, std::string_view beside, unit unit_of,
                      std::vector<double>& bytes, std::vector<double>& values) {
        std::string where, other;
        const std::string sizes_key = table + "." + std::string(sizes), values_key = table + "." + std::string(beside);
        if (status done = column(sizes_key, {1, 1e15, "a size in bytes, 1 to 1e15"}, bytes, where); !done.ok())
            return done;
        if (status done = column(values_key, range_of(unit_of), values, other); !done.ok()) return done;
        if (bytes.size() != values.size())
            return refuse(bytes.empty() ? other : where, std::string(sizes) + " has " + std::to_string(bytes.size()) +
                                                             " numbers and " + std::string(beside) + " " +
                                                             std::to_string(values.size()) + "; give as many of both");
        if (!ascends(bytes)) return refuse(where, "sizes must grow by at least 1 % from one to the next");
        for (double& value : values) value = to_field(unit_of, value);
        return {};
    }

    status read_steps(const std::string& table, step_fit& fit) {
        std::vector<double> bytes, seconds;
        status done = read_curve(table, "step_bytes", "step_us", unit::us, bytes, seconds);
        if (!done.ok() || bytes.empty()) return done;
        fit.rows = bytes.size();
        std::copy(bytes.begin(), bytes.end(), fit.bytes.begin());
        std::copy(seconds.begin(), seconds.end(), fit.seconds.begin());
        return {};
    }

    status read_fit(const std::string& table, size_fit& fit) {
        std::vector<double> bytes, factor;
        status done = read_curve(table, "bytes", "factor", unit::factor, bytes, factor);
        if (!done.ok() || bytes.empty()) return done;
        fit = {};
        fit.rows = bytes.size();
        std::copy(bytes.begin(), bytes.end(), fit.bytes.begin());
        std::copy(factor.begin(), factor.end(), fit.factor.begin());
        return {};
    }

    /// The table that `first` is of: row.OPERATION.SCHEDULE.PAYLOAD.CODEC.
    status read_row(const base::config_entry& first, machine& m) {
        std::array<std::string_view, 4> names;
        const std::string_view key = first.key;
        std::size_t at = row_prefix.size();
        for (std::string_view& name : names) {
            const auto end = std::min(key.find('.', at), key.size());
            name = key.substr(at, end - at);
            at = std::min(end + 1, key.size());
        }
        const auto op = value_named<operation>(operation_names, names[0]);
        const auto schedule = value_named<schedule_kind>(schedule_names, names[1]);
        const auto payload = value_named<payload_kind>(payload_names, names[2]);
        const auto codec = codec_named(names[3]);
        if (!op || !schedule || !payload || !codec)
            return refuse(place(first),
                          "no such row; tables of rows are called row.OPERATION.SCHEDULE.PAYLOAD.CODEC, as in "
                          "row.allreduce.ring.fused.fle");
        if (m.fitted_rows == machine::most_rows)
            return refuse(place(first), "more than " + std::to_string(machine::most_rows) + " rows; leave some out");
        row_fit& fit = m.rows[m.fitted_rows];
        fit = {*op, {*schedule, *payload, *codec}, {}};
        const std::size_t before = left_.size();
        const std::string where = place(first);
        status done = read_fit(row_table(fit), fit.factor);
        if (done.ok() && left_.size() == before) return refuse(where, "no such setting; a row has bytes and factor");
        ++m.fitted_rows;
        return done;
    }

    std::string name_;
    std::vector<const base::config_entry*> left_;
};

template <std::size_t N>
std::string list(const std::array<double, N>& numbers, std::size_t count, double scale) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + digits(numbers[i] / scale);
    return text + "]\n";
}

std::string steps_text(const step_fit& fit) {
    if (fit.rows == 0) return {};
    return "step_bytes = " + list(fit.bytes, fit.rows, 1) + "step_us = " + list(fit.seconds, fit.rows, micro);
}

}  // namespace

result<machine> parse_machine(std::string_view text, const std::string& name) {
    const auto entries = base::parse_tables(text, name);
    if (!entries) return entries.error();
    machine m = default_machine();
    if (status done = reader(*entries, name).read(m); !done.ok()) return done;
    return m;
}

result<machine> load_machine(const std::string& path) {
    const result<std::string> text = base::read_text(path, "check LACONIC_MACHINE or --machine");
    if (!text) return text.error();
    return parse_machine(*text, path);
}

std::string to_toml(const machine& what, std::string_view comment) {
    std::string text;
    while (!comment.empty()) {
        const auto end = comment.find('\n');
        text += "# " + std::string(comment.substr(0, end)) + "\n";
        comment.remove_prefix(end == std::string_view::npos ? comment.size() : end + 1);
    }
    text += "version = " + std::string(version_text) + "\n";
    std::string_view open;
    each_number(what, [&](std::string_view table, std::string_view key, unit unit_of, const double& field) {
        if (table != open) text += "\n[" + std::string(table) + "]\n";
        open = table;
        text += std::string(key) + " = " + digits(from_field(unit_of, field)) + "\n";
        // The arrays of a level belong to its table.
        if (unit_of == unit::us_per_mb) text += steps_text(table == "intra_node" ? what.intra.steps : what.inter.steps);
    });
    for (std::size_t i = 0; i < rated_names.size(); ++i) {
        const codec_rates& rates = what.codecs[i];
        if (rates.rows == 0) continue;
        text += "\n[codec." + std::string(rated_names[i]) + "]\nsize_factor = " + digits(rates.size_factor) +
                "\nratio = " + list(rates.ratio, rates.rows, 1);
        for (std::size_t work = 0; work < work_count; ++work)
            if (rates.bytes_per_s[work][0] > 0)
                text += std::string(work_names[work]) + "_gb_s = " + list(rates.bytes_per_s[work], rates.rows, giga);
    }
    const auto add_fit = [&](const std::string& table, const size_fit& fit) {
        if (fit.rows == 0) return;
        text +=
            "\n[" + table + "]\nbytes = " + list(fit.bytes, fit.rows, 1) + "factor = " + list(fit.factor, fit.rows, 1);
    };
    for (std::size_t i = 0; i < operation_names.size(); ++i)
        add_fit("stock." + std::string(operation_names[i]), what.stock[i]);
    for (std::size_t i = 0; i < what.fitted_rows; ++i) add_fit(row_table(what.rows[i]), what.rows[i].factor);
    return text;
}

}  // namespace laconic::model
