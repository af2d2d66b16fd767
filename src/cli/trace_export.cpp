// SPDX-License-Identifier: BSD-3-Clause
// Chrome's trace events and comma-separated columns.
#include "cli/trace_export.hpp"

#include <fmt/format.h>

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

std::string line_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// A complete event ("ph": "X") per call; a rank is a thread. Without times calls follow each other, a microsecond
/// each.
class chrome_exporter : public trace_exporter {
public:
    explicit chrome_exporter(text_sink out) : out_(std::move(out)) {}
    void begin() override { out_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"); }
    void call(std::uint32_t rank, std::uint64_t number, const trace_call& call, const described_call& about) override {
        if (number == 0)
            event({{"name", "thread_name"},
                   {"ph", "M"},
                   {"pid", 0},
                   {"tid", rank},
                   {"args", {{"name", fmt::format("rank {}", rank)}}}});
        const double start_us = call.timed ? static_cast<double>(call.start_ns) * 1e-3 : static_cast<double>(number);
        const double duration_us = call.timed ? static_cast<double>(call.duration_ns) * 1e-3 : 1;
        event({{"name", about.function},
               {"ph", "X"},
               {"ts", start_us},
               {"dur", duration_us},
               {"pid", 0},
               {"tid", rank},
               {"args", about.arguments}});
    }
    void end() override { out_("\n]}\n"); }

private:
    void event(const json& of) {
        out_((first_ ? "" : ",\n") + line_of(of));
        first_ = false;
    }
    text_sink out_;
    bool first_ = true;
};

/// RFC 4180; the arguments are one column of JSON.
class csv_exporter : public trace_exporter {
public:
    explicit csv_exporter(text_sink out) : out_(std::move(out)) {}
    void begin() override { out_("rank,call,start_ns,duration_ns,function,thread,arguments\n"); }
    void call(std::uint32_t rank, std::uint64_t number, const trace_call& call, const described_call& about) override {
        const std::string times = call.timed ? fmt::format("{},{}", call.start_ns, call.duration_ns) : ",";
        std::string arguments;
        for (const char each : line_of(about.arguments)) arguments += each == '"' ? "\"\"" : std::string(1, each);
        out_(fmt::format("{},{},{},{},{},\"{}\"\n", rank, number, times, about.function, about.thread, arguments));
    }

private:
    text_sink out_;
};

}  // namespace

std::unique_ptr<trace_exporter> exporter_named(std::string_view name, text_sink out) {
    if (name == "chrome") return std::make_unique<chrome_exporter>(std::move(out));
    if (name == "csv") return std::make_unique<csv_exporter>(std::move(out));
    return nullptr;
}

}  // namespace laconic::cli
