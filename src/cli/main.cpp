// SPDX-License-Identifier: BSD-3-Clause
// The command line: arguments flow in, the chosen subcommand runs, an exit code flows out (0 done, 1 bad data, 2 bad
// usage). Every failure becomes one line on standard error; no exception leaves.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {
namespace {

/// The parser of the innermost subcommand on the command line.
const CLI::App& innermost(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : innermost(*parsed.front());
}

int report(const CLI::App& root, int exit_code, std::string_view message) {
    // What was printed so far belongs before the complaint when both go to the same place.
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", full_name(innermost(root)), message);
    return exit_code;
}

/// Bytes that standard output refused (a full disk) must not end in exit code 0.
void flush_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        fail_data(fmt::format("cannot write standard output: {}", std::strerror(errno)));
}

int run(CLI::App& root, int argc, char** argv) {
    action chosen;
    try {
        declare_all(root, chosen);
        root.parse(argc, argv);
        if (const status engine = check_engine(); !engine.ok()) fail_usage(engine.context());
        const int exit_code = chosen();
        flush_output();
        return exit_code;
    } catch (const CLI::CallForHelp&) {
        const CLI::App& asked = innermost(root);
        fmt::print("{}", asked.help());
        return std::fflush(stdout) == 0 ? exit_ok : exit_data;
    } catch (const CLI::CallForVersion& version) {
        fmt::print("{}\n", version.what());
        return std::fflush(stdout) == 0 ? exit_ok : exit_data;
    } catch (const CLI::ParseError& error) {
        return report(root, exit_usage, fmt::format("{}; see '{} --help'", error.what(), full_name(innermost(root))));
    } catch (const failure& error) {
        return report(root, error.exit_code(), error.what());
    } catch (const std::bad_alloc&) {
        return report(root, exit_data, "not enough memory; split the input or use a larger machine");
    } catch (const std::exception& error) {
        return report(root, exit_data, error.what());
    }
}

}  // namespace
}  // namespace laconic::cli

int main(int argc, char** argv) {
    CLI::App root;
    return laconic::cli::run(root, argc, argv);
}
