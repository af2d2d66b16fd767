// SPDX-License-Identifier: BSD-3-Clause
// What a subcommand is: a row {name, summary, examples, declare} in the table of its program. declare() adds options to
// a parser and returns the action to run once they are parsed; the action's exit code, or the failure that it
// throws, flows back to main(), which prints "laconic NAME: message" and ends the program.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "laconic/status.hpp"

namespace laconic::cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_data = 1;   ///< the input or the system is at fault
inline constexpr int exit_usage = 2;  ///< the command line or the environment is at fault

/// Ends the command with an exit code and one line that names the offending value and the remedy.
class failure : public std::exception {
public:
    failure(int exit_code, std::string message) : exit_code_(exit_code), message_(std::move(message)) {}
    [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
    [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
    int exit_code_;
    std::string message_;
};

/// Whether this process is the one to print a failure: always, except in the MPI programs, where one rank speaks for
/// all. Each program defines it.
[[nodiscard]] bool speaks_for_the_job(int exit_code);

/// Where a command may be that the parser `where` does not have: "see 'laconic --help'". Each program defines it.
[[nodiscard]] std::string where_to_look(const CLI::App& where);

[[noreturn]] inline void fail_usage(std::string message) { throw failure(exit_usage, std::move(message)); }
[[noreturn]] inline void fail_data(std::string message) { throw failure(exit_data, std::move(message)); }

/// Runs a subcommand after its options were parsed; returns the exit code.
using action = std::function<int()>;

struct command {
    std::string_view name;      ///< "compress", or "bench codec" for a subcommand of a subcommand
    std::string_view summary;   ///< one line
    std::string_view examples;  ///< lines of the Examples section of --help
    action (*declare)(CLI::App& app);
};

/// The subcommands of this program; each program links one definition.
[[nodiscard]] std::span<const command> commands() noexcept;
/// Lines of the Examples section of this program's own --help; each program links one definition.
[[nodiscard]] std::string_view program_examples() noexcept;

/// The declare functions, in cmd_*.cpp. audit, bench_collective, bench_redistribute and calibrate have two definitions:
/// the dispatcher of `laconic` (cmd_bench_collective.cpp) and the command itself in the MPI programs
/// (cmd_bench_collective_mpi.cpp).
action declare_compress(CLI::App& app);
action declare_decompress(CLI::App& app);
action declare_inspect(CLI::App& app);
action declare_add(CLI::App& app);
action declare_subtract(CLI::App& app);
action declare_scale(CLI::App& app);
action declare_negate(CLI::App& app);
action declare_minimum(CLI::App& app);
action declare_maximum(CLI::App& app);
action declare_compare(CLI::App& app);
action declare_info(CLI::App& app);
action declare_bench_codec(CLI::App& app);
action declare_audit(CLI::App& app);
action declare_bench_collective(CLI::App& app);
action declare_bench_redistribute(CLI::App& app);
action declare_calibrate(CLI::App& app);
action declare_predict(CLI::App& app);
action declare_plan(CLI::App& app);
action declare_trace(CLI::App& app);
action declare_stat(CLI::App& app);
action declare_dump(CLI::App& app);
action declare_diff(CLI::App& app);
action declare_export(CLI::App& app);
action declare_completion(CLI::App& app);

/// The parser with every subcommand of the table declared; `chosen` receives the action of the one that is parsed.
void declare_all(CLI::App& root, action& chosen);

/// The parser that the leading words of the command line lead to, e.g. that of "bench codec". `unknown` receives the
/// first word that should name a subcommand and does not, if there is one.
[[nodiscard]] const CLI::App& addressed(const CLI::App& root, std::span<char* const> words, std::string& unknown);

}  // namespace laconic::cli
