// SPDX-License-Identifier: BSD-3-Clause
// Chrome's trace events, comma-separated columns, and SimGrid's time-independent traces.
#include "cli/trace_export.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

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

/// The actions of smpirun -replay: point-to-point calls and collectives of the world, datatypes as SMPI numbers them.
class smpi_exporter : public trace_exporter {
public:
    explicit smpi_exporter(text_sink out) : out_(std::move(out)) {}

    void call(std::uint32_t rank, std::uint64_t, const trace_call& call, const described_call& about) override {
        if (call.timed && last_end_.count(rank) != 0 && call.start_ns > last_end_[rank])
            // A flop is a nanosecond: give the platform's hosts 1 Gflop/s.
            out_(fmt::format("{} compute {}\n", rank, call.start_ns - last_end_[rank]));
        if (call.timed) last_end_[rank] = call.start_ns + call.duration_ns;
        const std::string action = action_of(rank, about);
        if (action.empty())
            ++skipped_[about.function];
        else
            out_(fmt::format("{} {}\n", rank, action));
    }
    [[nodiscard]] std::string left_out() const override {
        std::string all;
        for (const auto& [function, times] : skipped_)
            all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", function, times);
        return all;
    }

private:
    /// What SMPI knows a type by, and what such an element takes.
    struct type {
        int number;
        int bytes;
    };
    static type type_of(const json& arguments, const char* name) {
        static const std::map<std::string, type> known{
            {"MPI_DOUBLE", {0, 8}}, {"MPI_INT", {1, 4}},   {"MPI_CHAR", {2, 1}}, {"MPI_SHORT", {3, 2}},
            {"MPI_LONG", {4, 8}},   {"MPI_FLOAT", {5, 4}}, {"MPI_BYTE", {6, 1}}};
        const auto value = arguments.find(name);
        if (value == arguments.end() || !value->is_string()) return {-1, 0};
        const auto found = known.find(value->get<std::string>());
        return found == known.end() ? type{-1, 0} : found->second;
    }
    static std::int64_t number_of(const json& arguments, const char* name) {
        const auto value = arguments.find(name);
        return value != arguments.end() && value->is_number_integer() ? value->get<std::int64_t>() : -1;
    }

    std::string action_of(std::uint32_t rank, const described_call& about) {
        const json& of = about.arguments;
        const std::string& name = about.function;
        if (name == "MPI_Init" || name == "MPI_Init_thread") return "init";
        if (name == "MPI_Finalize") return "finalize";
        const auto text = [&](const char* key) {
            const auto value = of.find(key);
            return value != of.end() && value->is_string() ? value->get<std::string>() : std::string();
        };
        if (name == "MPI_Waitall") return waitall(rank, of);
        if (name == "MPI_Wait") return wait(rank, text("request"));
        if (text("comm") != "MPI_COMM_WORLD") return {};
        if (name == "MPI_Barrier") return "barrier";
        const type element = type_of(of, of.contains("sendtype") ? "sendtype" : "datatype");
        if (element.number < 0) return {};
        const std::int64_t count = number_of(of, of.contains("sendcount") ? "sendcount" : "count");
        const std::int64_t to = number_of(of, "dest");
        const std::int64_t from = number_of(of, "source");
        const std::int64_t tag = number_of(of, "tag");
        const std::int64_t root = number_of(of, "root");
        if (count < 0) return {};
        const auto remember = [&](std::string key) { waits_[{rank, text("request")}] = std::move(key); };
        if ((name == "MPI_Send" || name == "MPI_Isend") && to >= 0) {
            if (name == "MPI_Isend") remember(fmt::format("{} {} {}", rank, to, tag));
            return fmt::format("{} {} {} {} {}", name == "MPI_Send" ? "send" : "isend", to, tag, count, element.number);
        }
        if ((name == "MPI_Recv" || name == "MPI_Irecv") && from >= 0) {
            if (name == "MPI_Irecv") remember(fmt::format("{} {} {}", from, rank, tag));
            return fmt::format("{} {} {} {} {}", name == "MPI_Recv" ? "recv" : "irecv", from, tag, count,
                               element.number);
        }
        if (name == "MPI_Bcast") return fmt::format("bcast {} {} {}", count, root, element.number);
        if (name == "MPI_Reduce") return fmt::format("reduce {} 0 {} {}", count, root, element.number);
        if (name == "MPI_Allreduce") return fmt::format("allreduce {} 0 {}", count, element.number);
        const type other = type_of(of, "recvtype");
        const std::int64_t received = number_of(of, "recvcount");
        if (other.number < 0 || received < 0) return {};
        const std::string types = fmt::format("{} {}", element.number, other.number);
        if (name == "MPI_Alltoall") return fmt::format("alltoall {} {} {}", count, received, types);
        if (name == "MPI_Allgather") return fmt::format("allgather {} {} {}", count, received, types);
        if (name == "MPI_Gather") return fmt::format("gather {} {} {} {}", count, received, root, types);
        if (name == "MPI_Scatter") return fmt::format("scatter {} {} {} {}", count, received, root, types);
        return {};
    }

    std::string wait(std::uint32_t rank, const std::string& request) {
        const auto known = waits_.find({rank, request});
        return known == waits_.end() ? std::string() : "wait " + known->second;
    }
    /// SMPI's waitall waits for everything that is outstanding.
    static std::string waitall(std::uint32_t, const json& of) {
        const std::int64_t count = number_of(of, "count");
        return count < 0 ? std::string() : fmt::format("waitall {}", count);
    }

    text_sink out_;
    std::map<std::uint32_t, std::uint64_t> last_end_;
    std::map<std::pair<std::uint32_t, std::string>, std::string> waits_;
    std::map<std::string, std::uint64_t> skipped_;
};

}  // namespace

std::unique_ptr<trace_exporter> exporter_named(std::string_view name, text_sink out) {
    if (name == "chrome") return std::make_unique<chrome_exporter>(std::move(out));
    if (name == "csv") return std::make_unique<csv_exporter>(std::move(out));
    if (name == "smpi") return std::make_unique<smpi_exporter>(std::move(out));
    return nullptr;
}

}  // namespace laconic::cli
