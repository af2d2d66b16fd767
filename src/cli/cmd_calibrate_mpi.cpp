// SPDX-License-Identifier: BSD-3-Clause
// laconic-<flavour> calibrate: the ranks of an mpiexec flow in; the network between them and the rates of one core flow
// out as a machine of the cost model, in TOML or JSON.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/calibrate_network_mpi.hpp"
#include "cli/calibrate_rates.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/session_mpi.hpp"
#include "cli/terminal.hpp"
#include "collective/execution.hpp"
#include "collective/registry.hpp"
#include "laconic/codec.hpp"
#include "mpi/channel.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

struct calibrate_request {
    std::string out;
    bool json = false;
    bool quick = false;
    std::vector<std::string> operations;  ///< whose rows are timed; none: all
};

/// What is written besides the numbers.
struct circumstances {
    topology where;
    network_found found;
};

std::string comment_of(const circumstances& how) {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
    const std::time_t now = std::time(nullptr);
    std::array<char, 32> day{};
    std::tm utc{};
    if (::gmtime_r(&now, &utc) != nullptr) std::strftime(day.data(), day.size(), "%Y-%m-%d", &utc);
    std::string text = fmt::format(
        "laconic {} calibrate, {}, {}, first host {}\n{} ranks on {} nodes; codec engine {}\n", LACONIC_VERSION,
        LACONIC_FLAVOUR, day.data(), host.data(), how.where.ranks, how.where.nodes, engine_name());
    if (!how.found.intra) text += "intra_node was not measured: no node had two ranks\n";
    if (!how.found.inter) text += "inter_node and host were not measured: all ranks were on one node\n";
    return text;
}

json level_json(const model::level& way) {
    json steps = json::array();
    for (std::size_t i = 0; i < way.steps.rows; ++i)
        steps.push_back({{"bytes", way.steps.bytes[i]}, {"us", way.steps.seconds[i] * 1e6}});
    return {{"latency_us", way.alpha_s * 1e6},
            {"bandwidth_gb_s", 1e-9 / way.beta_s_per_byte},
            {"overhead_us", way.overhead_s * 1e6},
            {"exchange_factor", way.exchange_factor},
            {"processor_us_per_mb", way.processor_s_per_byte * 1e12},
            {"steps", std::move(steps)}};
}

json machine_json(const circumstances& how, const model::machine& m) {
    json object{{"flavour", LACONIC_FLAVOUR},
                {"ranks", how.where.ranks},
                {"nodes", how.where.nodes},
                {"intra_node", how.found.intra ? level_json(m.intra) : json(nullptr)},
                {"inter_node", how.found.inter ? level_json(m.inter) : json(nullptr)},
                {"host",
                 {{"injection_gb_s", 1e-9 / m.host_beta_s_per_byte},
                  {"burst_kb", m.inter.burst_bytes / 1e3},
                  {"cores", m.cores}}},
                {"memory",
                 {{"add_gb_s", m.add_bytes_per_s / 1e9},
                  {"copy_gb_s", m.copy_bytes_per_s / 1e9},
                  {"scan_gb_s", m.scan_bytes_per_s / 1e9}}},
                {"engine",
                 {{"calibrated_nodes", m.calibrated_nodes},
                  {"thread_gain", m.thread_gain},
                  {"call_us", m.call_s * 1e6},
                  {"call_raw_us", m.call_raw_s * 1e6},
                  {"message_us", m.message_s * 1e6},
                  {"eager_bytes", m.eager_bytes}}},
                {"codecs", json::object()},
                {"toml", model::to_toml(m, comment_of(how))}};
    for (std::size_t i = 0; i < model::rated_names.size(); ++i) {
        json& rows = object["codecs"][std::string(model::rated_names[i])] = json::array();
        for (std::size_t row = 0; row < m.codecs[i].rows; ++row) {
            json one{{"ratio", m.codecs[i].ratio[row]}};
            for (std::size_t work = 0; work < model::work_count; ++work)
                if (m.codecs[i].bytes_per_s[work][row] > 0)
                    one[fmt::format("{}_gb_s", model::work_names[work])] = m.codecs[i].bytes_per_s[work][row] / 1e9;
            rows.push_back(std::move(one));
        }
    }
    return object;
}

void write_file(const std::string& path, const std::string& text) {
    output_file file(path, "--out");
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

void print_summary(const calibrate_request& request, const circumstances& how, const model::machine& m) {
    const auto level_text = [](bool measured, const model::level& way) {
        if (!measured) return std::string("not measured");
        return fmt::format("{}, {:.3g} GB/s, {} per message", base::human_time(way.alpha_s), 1e-9 / way.beta_s_per_byte,
                           base::human_time(way.overhead_s));
    };
    print_pairs({{"inside a node", level_text(how.found.intra, m.intra)},
                 {"between nodes", level_text(how.found.inter, m.inter)},
                 {"memory",
                  fmt::format("add {:.3g} GB/s, copy {:.3g} GB/s", m.add_bytes_per_s / 1e9, m.copy_bytes_per_s / 1e9)},
                 {"written to", request.out}});
    fmt::print("{}\n", dim("use it with --machine or LACONIC_MACHINE"));
}

std::vector<operation> operations_of(const calibrate_request& request) {
    std::vector<operation> found;
    for (const std::string& name : listed("--ops", request.operations)) {
        const auto op = collective::operation_named(name);
        if (!op) throw failure(exit_usage, "--ops: " + op.error().context());
        if (std::find(found.begin(), found.end(), *op) != found.end())
            throw failure(exit_usage, fmt::format("--ops names '{}' twice", name));
        found.push_back(*op);
    }
    for (int i = 0; request.operations.empty() && i < model::operation_count; ++i)
        found.push_back(static_cast<operation>(i));
    return found;
}

void warn_of_turns(const topology& where) {
    const std::optional<int> node = where.crowded();
    if (!node) return;
    const int processors = where.processors[static_cast<std::size_t>(*node)];
    // Not fmt::print: it throws when standard error is full.
    std::fputs(fmt::format("laconic calibrate: warning: {} ranks share {} of a node and wait for their turns, which "
                           "times are full of; start no more ranks on a node than it has processors\n",
                           where.on_node(*node).size(),
                           processors == 1 ? "1 processor" : fmt::format("{} processors", processors))
                   .c_str(),
               stderr);
}

/// Collective: measures on all ranks. What rank 0 has is what counts.
model::machine measure(const calibrate_request& request, int rank, circumstances& how) {
    network_settings network;
    rate_settings rates;
    if (request.quick) {
        network.seconds_per_size = 0.005;
        network.stock_largest = 1 << 20;
        rates.bytes = 1 << 20;
        rates.repetitions = 2;
    }
    model::machine m = model::default_machine();
    how.where = find_topology();
    network.takes_turns = how.where.crowded().has_value();
    if (rank == 0) warn_of_turns(how.where);
    how.found = measure_network(how.where, network, m);
    if (const auto channel = collective::usable_channel(MPI_COMM_WORLD); channel.ok())
        rates.threads = (*channel)->least_processors();
    // One rank: what ranks lose to each other is in the number of cores.
    if (rank == 0) measure_rates(rates, m);
    sleep_until_all_arrive();
    // The rest is measured against the formulas, so all ranks need the rates of the one that measured.
    MPI_Bcast(&m, sizeof m, MPI_BYTE, 0, MPI_COMM_WORLD);
    measure_calls(how.where, network, m);
    measure_rows(how.where, network, operations_of(request), m);
    return m;
}

void report(const calibrate_request& request, const circumstances& how, const model::machine& m) {
    if (!request.out.empty()) write_file(request.out, model::to_toml(m, comment_of(how)));
    if (request.json)
        fmt::print("{}\n", machine_json(how, m).dump(2));
    else if (request.out.empty())
        fmt::print("{}", model::to_toml(m, comment_of(how)));
    else
        print_summary(request, how, m);
}

int run(const calibrate_request& request) {
    mpi_session session;
    ::setenv("NO_COLOR", "1", 1);
    std::optional<failure> mine;
    if (session.ranks() < 2)
        mine = failure(exit_usage, "1 rank has nobody to send to; start at least 2, with mpiexec -n 2");
    const std::string ours =
        fmt::format("{}--ops {}", request.quick ? "--quick " : "",
                    request.operations.empty() ? "all" : fmt::format("{}", fmt::join(request.operations, ",")));
    if (const std::string theirs = session.of_rank_0(ours); theirs != ours)
        mine = failure(
            exit_usage,
            fmt::format("the ranks have different options, '{}' and '{}'; give all of them the same", theirs, ours));
    try {
        static_cast<void>(operations_of(request));
        // Before minutes of measuring.
        if (session.rank() == 0 && !request.out.empty()) check_writable(request.out, "--out");
    } catch (const failure& why) {
        mine = why;
    }
    if (!session.all_agree_to_go_on(mine)) return exit_ok;
    circumstances how;
    model::machine m;
    // A rank that fails alone would leave the others waiting.
    try {
        m = measure(request, session.rank(), how);
    } catch (const failure& why) {
        session.abort(why, "calibrate");
    } catch (const std::bad_alloc&) {
        session.abort(failure(exit_data, "not enough memory; try --quick"), "calibrate");
    }
    try {
        if (session.rank() == 0) report(request, how, m);
    } catch (const failure& why) {
        mine = why;
    }
    static_cast<void>(session.all_agree_to_go_on(mine));
    return exit_ok;
}

}  // namespace

action declare_calibrate(CLI::App& app) {
    auto request = std::make_shared<calibrate_request>();
    app.add_option("--out", request->out, "write the machine to this TOML file instead of standard output")
        ->type_name("FILE");
    app.add_flag("--quick", request->quick, "some seconds instead of up to minutes, with less certain numbers");
    app.add_option("--ops", request->operations, "time the rows of these operations only, as in allreduce,bcast")
        ->type_name("LIST");
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
