// SPDX-License-Identifier: BSD-3-Clause
// The command line: arguments flow in, the chosen subcommand runs, an exit code flows out (0 done, 1 bad data, 2 bad
// usage). Every failure becomes one line on standard error; no exception leaves.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/table_options.hpp"

namespace laconic::cli {
namespace {

int report(const CLI::App& where, int exit_code, std::string_view message) {
    if (!speaks_for_the_job(exit_code)) return exit_ok;
    // What was printed so far belongs before the complaint when both go to the same place.
    std::fflush(stdout);
    // Not fmt::print: it throws when standard error is full.
    std::fputs(fmt::format("{}: {}\n", full_name(where), message).c_str(), stderr);
    return exit_code;
}

/// What the parser complains of, with the value and the remedy.
std::string complaint(const CLI::App& where, const CLI::ParseError& error) {
    const std::string_view told = error.what();
    // The parser names them from the last to the first.
    const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    if (const auto extra = where.remaining(); is_extra && extra.size() > 1)
        return fmt::format("The following arguments were not expected: {}; see '{} --help'", fmt::join(extra, " "),
                           full_name(where));
    for (const CLI::Option* option : where.get_options()) {
        const std::string name = option->get_name();
        const bool once = option->get_items_expected_max() == 1 && option->count() > 1;
        if (told.starts_with(name + ": At Most 1") && once)
            return fmt::format("{} is given {} times; give it once", name, option->count());
        if (option->count() == 1 && told == fmt::format("Could not convert: {} = {}", name, option->results().front()))
            return fmt::format("{} is '{}'; give a {}", name, option->results().front(),
                               option->get_type_name() == "N" ? "whole number >= 0" : "number");
    }
    return fmt::format("{}; see '{} --help'", told, full_name(where));
}

/// A standard stream that was closed (2>&-) must not become the next file that is opened: messages would end up in
/// it. It is opened the wrong way round, so that using it still fails.
void occupy_standard_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is this one.
        static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

/// Bytes that standard output refused (a full disk) must not end in exit code 0.
void flush_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        fail_data(fmt::format("cannot write standard output: {}", std::strerror(errno)));
}

int run_chosen(CLI::App& root, const CLI::App& where, const action& chosen, int argc, char** argv) {
    try {
        root.parse(argc, argv);
        // A command that hands its arguments over leaves its options to the program it hands them to.
        if (!where.get_prefix_command()) apply_common_options(where);
        const int exit_code = chosen();
        flush_output();
        return exit_code;
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", where.help());
        flush_output();
        return exit_ok;
    } catch (const CLI::CallForVersion& version) {
        fmt::print("{}\n", version.what());
        flush_output();
        return exit_ok;
    } catch (const CLI::ParseError& error) {
        return report(where, exit_usage, complaint(where, error));
    }
}

int run(CLI::App& root, int argc, char** argv) {
    action chosen;
    const CLI::App* where = &root;
    try {
        declare_all(root, chosen);
        std::string unknown;
        const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
        where = &addressed(root, words.subspan(words.empty() ? 0 : 1), unknown);
        if (!unknown.empty()) fail_usage(fmt::format("no command '{}'; {}", unknown, where_to_look(*where)));
        return run_chosen(root, *where, chosen, argc, argv);
    } catch (const failure& error) {
        return report(*where, error.exit_code(), error.what());
    } catch (const std::bad_alloc&) {
        return report(*where, exit_data, "not enough memory; split the input or use a larger machine");
    } catch (const std::exception& error) {
        return report(*where, exit_data, error.what());
    }
}

}  // namespace
}  // namespace laconic::cli

int main(int argc, char** argv) {
    laconic::cli::occupy_standard_streams();
    // Past a limit on the size of files (ulimit -f), write() then fails with a reason instead of ending the program.
    std::signal(SIGXFSZ, SIG_IGN);
    CLI::App root;
    return laconic::cli::run(root, argc, argv);
}
