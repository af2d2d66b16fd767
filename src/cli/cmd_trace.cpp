// SPDX-License-Identifier: BSD-3-Clause
// laconic trace: a command that starts an MPI program flows in; it runs under the recorder's library of its MPI, and
// its exit status flows out. The trace itself is written by the program's rank 0.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/options.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/mpi_launcher.hpp"

namespace laconic::cli {
namespace {

namespace fs = std::filesystem;
using base::option_id;

struct request_of_trace {
    std::string out, timing, error, method, memory, mpi;
    std::vector<std::string> command;
};

fs::path library_of(const std::string& flavour) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
    const std::string name = fmt::format("liblaconic_preload_{}.so", flavour);
    for (const fs::path& folder : {fs::path("../lib"), fs::path("..") / LACONIC_LIBRARY_FOLDER, fs::path(".")})
        if (const fs::path file = self / folder / name; fs::exists(file, error)) return fs::canonical(file, error);
    fail_data(fmt::format("there is no {} in '{}'; build laconic with that MPI installed, or say --mpi", name,
                          (self / "../lib").lexically_normal().string()));
}

std::string flavour_for(const request_of_trace& request, const mpi_launcher& launcher) {
    if (request.mpi.empty() && launcher.flavour.empty())
        fail_usage(
            fmt::format("cannot tell the MPI of '{}'; say --mpi mpich or --mpi openmpi", request.command.front()));
    if (!request.mpi.empty() && !launcher.flavour.empty() && request.mpi != launcher.flavour)
        fail_usage(
            fmt::format("--mpi is {}, but '{}' is of {}", request.mpi, request.command.front(), launcher.flavour));
    return launcher.flavour.empty() ? request.mpi : launcher.flavour;
}

/// What the ranks are to find in their environment.
variables settings(const request_of_trace& request, const CLI::App& app, const fs::path& library, std::string& out) {
    std::vector<base::flag_value> flags;
    if (!request.out.empty()) flags.push_back({option_id::trace, request.out});
    if (!request.timing.empty()) flags.push_back({option_id::trace_timing, request.timing});
    if (!request.error.empty()) flags.push_back({option_id::trace_error, request.error});
    if (!request.method.empty()) flags.push_back({option_id::trace_method, request.method});
    if (const auto bytes = base::parse_bytes(request.memory); !request.memory.empty() && !bytes)
        fail_usage("--memory: " + bytes.error().context());
    if (!request.memory.empty()) flags.push_back({option_id::trace_memory, request.memory});
    if (const CLI::Option* config = app.get_option_no_throw("--config"); config != nullptr && config->count() > 0)
        flags.push_back({option_id::config, config->as<std::string>()});
    const std::array wanted{option_id::trace, option_id::trace_timing, option_id::trace_error, option_id::trace_method,
                            option_id::trace_memory};
    const auto options = base::option_set::resolve(flags, wanted);
    if (!options) fail_usage(options.error().context());
    out = options->text(option_id::trace).empty() ? "app.trace" : options->text(option_id::trace);
    out = fs::absolute(out).string();
    std::string preload = library.string();
    if (const char* before = std::getenv("LD_PRELOAD"); before != nullptr && *before != '\0')
        preload += fmt::format(":{}", before);
    return {{"LD_PRELOAD", preload},
            {"LACONIC_TRACE", out},
            {"LACONIC_TRACE_TIMING", options->text(option_id::trace_timing)},
            {"LACONIC_TRACE_ERROR", options->text(option_id::trace_error)},
            {"LACONIC_TRACE_METHOD", options->text(option_id::trace_method)},
            {"LACONIC_TRACE_MEMORY", options->text(option_id::trace_memory)}};
}

int status_of(const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) fail_data(fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        ::execvp(words.front(), words.data());
        fmt::print(stderr, "laconic trace: cannot run '{}': {}\n", words.front(), std::strerror(errno));
        std::fflush(stderr);
        ::_exit(errno == ENOENT ? 127 : 126);
    }
    // Ctrl-C goes to the launcher as well, which ends the ranks.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGQUIT, SIG_IGN);
    int state = 0;
    while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

int run(const request_of_trace& request, const CLI::App& app) {
    const mpi_launcher found = launcher_of(request.command.front());
    const mpi_launcher launcher{flavour_for(request, found), found.takes_options};
    std::string out;
    const variables all = settings(request, app, library_of(launcher.flavour), out);
    std::vector<std::string> command = request.command;
    // The launcher itself need not run under the recorder, where there is another way.
    if (launcher.takes_options) {
        command = with_variables(launcher, command, all);
    } else {
        for (const auto& [name, value] : all) ::setenv(name.c_str(), value.c_str(), 1);
    }
    std::error_code error;
    const fs::path parts = out + ".parts";
    const auto before = fs::last_write_time(out, error);
    const int status = status_of(command);
    if (status == 126 || status == 127) return status;
    std::error_code absent;
    if (const auto after = fs::last_write_time(out, absent); !absent && (error || after != before)) return status;
    if (fs::exists(parts, absent))
        fmt::print(stderr, "laconic trace: the program did not come to MPI_Finalize; see laconic stat {}\n",
                   parts.string());
    else
        fmt::print(stderr, "laconic trace: no '{}': '{}' ran no program that is linked with a shared library of {}\n",
                   out, request.command.front(), launcher.flavour);
    return status;
}

std::string with_default(option_id id) {
    return fmt::format("{} (default {})", base::describe(id).help, base::describe(id).default_value);
}

}  // namespace

action declare_trace(CLI::App& app) {
    auto request = std::make_shared<request_of_trace>();
    app.add_option("-o,--output", request->out, "the trace (default app.trace)")->type_name("FILE");
    app.add_option("--timing", request->timing, with_default(option_id::trace_timing))
        ->type_name(std::string(base::describe(option_id::trace_timing).choices))
        ->check(CLI::IsMember({"none", "mean", "lossless", "lossy"}).description(""));
    app.add_option("--error", request->error, with_default(option_id::trace_error))
        ->type_name("E")
        ->check(CLI::Range(1e-6, 0.5).description(""));
    app.add_option("--method", request->method, with_default(option_id::trace_method))
        ->type_name(std::string(base::describe(option_id::trace_method).choices));
    app.add_option("--memory", request->memory, with_default(option_id::trace_memory))->type_name("BYTES");
    app.add_option("--mpi", request->mpi, "which MPI the command runs, where its name does not say")
        ->type_name("mpich|openmpi")
        ->check(CLI::IsMember({"mpich", "openmpi"}).description(""));
    app.add_option("COMMAND", request->command, "behind --: a launcher with its options, program and arguments")
        ->type_name("COMMAND")
        ->required();
    app.positionals_at_end();
    return [request, &app] { return run(*request, app); };
}

}  // namespace laconic::cli
