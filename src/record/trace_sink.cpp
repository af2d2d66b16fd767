// SPDX-License-Identifier: BSD-3-Clause
// Life of a trace: options, part files, and the gathering at the end.
#include "record/trace_sink.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include "base/options.hpp"

namespace laconic::record {
namespace {

/// Before MPI_Init few functions may be called, but a program may call those in a loop.
constexpr std::size_t most_early_calls = 4096;

void say(const std::string& what) noexcept { std::fprintf(stderr, "laconic: %s\n", what.c_str()); }

trace::timing_mode mode_of(const std::string& word) noexcept {
    if (word == "none") return trace::timing_mode::none;
    if (word == "lossless") return trace::timing_mode::lossless;
    if (word == "lossy") return trace::timing_mode::lossy;
    return trace::timing_mode::mean;
}

/// Part files of an earlier run would pass for ranks of this one.
void remove_old_parts(const std::string& folder) {
    DIR* const open = ::opendir(folder.c_str());
    if (open == nullptr) return;
    while (const dirent* entry = ::readdir(open)) {
        const std::string name = entry->d_name;
        if (!name.starts_with("rank-") || !(name.ends_with(".part") || name.ends_with(".part.new"))) continue;
        ::unlinkat(::dirfd(open), name.c_str(), 0);
    }
    ::closedir(open);
}

std::string command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    while (!text.empty() && text.back() == '\0') text.pop_back();
    for (char& c : text)
        if (c == '\0') c = ' ';
    return text;
}

trace::file_facts facts_of_the_run() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    std::string mpi(version.data());
    mpi = mpi.substr(0, mpi.find('\n'));
    for (char& c : mpi)
        if (c == '\t') c = ' ';
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    std::array<char, 32> ended{};
    std::strftime(ended.data(), ended.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return {{"command", command_line()}, {"ended", ended.data()}, {"mpi", mpi}, {"laconic", LACONIC_VERSION}};
}

}  // namespace

bool trace_sink::start() {
    using base::option_id;
    const std::array wanted{option_id::trace, option_id::trace_timing, option_id::trace_error, option_id::trace_method,
                            option_id::trace_memory};
    const auto options = base::option_set::resolve({}, wanted);
    if (!options) {
        const char* asked = std::getenv("LACONIC_TRACE");
        wanted_ = asked != nullptr && *asked != '\0';
        trouble_ = options.error().message();
        return wanted_;
    }
    file_ = options->text(option_id::trace);
    if (file_.empty()) return false;
    wanted_ = true;
    // The program may change its directory.
    std::error_code error;
    if (const auto absolute = std::filesystem::absolute(file_, error); !error) file_ = absolute.string();
    options_.timing.mode = mode_of(options->text(option_id::trace_timing));
    options_.timing.relative = options->real(option_id::trace_error);
    options_.timing.method = trace::timing_method_of(options->text(option_id::trace_method));
    options_.memory_bytes = options->bytes(option_id::trace_memory);
    if (const status bad = options_.timing.check(); !bad.ok())
        trouble_ = options->origin(bad.code() == errc::unsupported ? option_id::trace_method : option_id::trace_error) +
                   ": " + bad.message();
    return true;
}

void trace_sink::call(trace::view signature, std::uint64_t start_ns, std::uint64_t end_ns) noexcept {
    if (recorder_) [[likely]] {
        recorder_->call(signature, start_ns, end_ns - start_ns);
    } else if (wanted_ && early_.size() < most_early_calls) {
        try {
            early_.push_back({{signature.begin(), signature.end()}, start_ns, end_ns});
        } catch (const std::bad_alloc&) {
            wanted_ = false;
        }
    }
}

std::unique_ptr<trace::recorder> trace_sink::make_recorder() {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "/rank-%05u", options_.rank);
    ::mkdir(folder().c_str(), 0777);
    options_.part_path = folder() + name.data();
    auto made = trace::recorder::make(options_);
    if (!made) {
        // Without part files a crash loses the trace; a program that ends well has it nevertheless.
        trouble_ = made.error().message();
        options_.part_path.clear();
        made = trace::recorder::make(options_);
    }
    if (!made) return nullptr;
    return std::move(*made);
}

void trace_sink::begin(bool spawned, spin_lock& lock) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    int rank = 0;
    int ranks = 1;
    PMPI_Comm_rank(comm_, &rank);
    PMPI_Comm_size(comm_, &ranks);
    options_.rank = static_cast<std::uint32_t>(rank);
    options_.ranks = static_cast<std::uint32_t>(ranks);
    if (spawned) {
        long process = getpid();
        PMPI_Bcast(&process, 1, MPI_LONG, 0, comm_);
        file_ += ".spawned-" + std::to_string(process);
    }
    const int refused = trouble_.empty() ? 0 : 1;
    int refused_anywhere = 0;
    PMPI_Allreduce(&refused, &refused_anywhere, 1, MPI_INT, MPI_MAX, comm_);
    if (refused_anywhere != 0) {
        if (rank == 0)
            say("no trace is recorded: " + (refused != 0 ? trouble_ : "the options of another rank are refused"));
        wanted_ = false;
        PMPI_Comm_free(&comm_);
        return;
    }
    if (rank == 0) remove_old_parts(folder());
    PMPI_Barrier(comm_);
    auto made = make_recorder();
    const spin_guard guard(lock);
    recorder_ = std::move(made);
    if (recorder_)
        for (const early_call& each : early_)
            recorder_->call(each.signature, each.start_ns, each.end_ns - each.start_ns);
    early_ = {};
}

void trace_sink::join(bool spawned, spin_lock& lock) noexcept {
    if (!wanted_) return;
    try {
        begin(spawned, lock);
    } catch (const std::exception&) {
        // finish() takes part all the same.
        trouble_ = "no memory to begin a trace";
    }
}

contribution trace_sink::part_of(const trace::recorder* all) const noexcept {
    contribution own;
    try {
        own.trouble = trouble_;
        if (all != nullptr) {
            if (!all->state().ok()) own.trouble = all->state().message();
            if (auto finished = all->finish())
                own.trace = std::move(*finished);
            else
                own.trouble = finished.error().message();
        }
        if (!own.trouble.empty()) own.trouble = "rank " + std::to_string(options_.rank) + ": " + own.trouble;
    } catch (const std::exception&) {
        // The others wait for this rank: it comes with empty hands.
        own.trace.core.clear();
    }
    return own;
}

void trace_sink::end(std::unique_ptr<trace::recorder> all) {
    contribution own = part_of(all.get());
    const gathered done =
        gather(comm_, std::move(own), file_, options_.rank == 0 ? facts_of_the_run() : trace::file_facts{});
    if (options_.rank == 0 && !done.written)
        say("the trace '" + file_ + "' is not written: " + done.trouble +
            (options_.part_path.empty() ? "" : "; what was recorded is in '" + folder() + "'"));
    else if (options_.rank == 0 && !done.trouble.empty())
        say("the trace '" + file_ + "' is not all there could be: " + done.trouble);
    if (done.written) {
        if (all) all->remove_parts();
        // On a file system that the ranks share the last one to go removes the folder.
        PMPI_Barrier(comm_);
        ::rmdir(folder().c_str());
    }
    PMPI_Comm_free(&comm_);
}

void trace_sink::finish(spin_lock& lock) noexcept {
    if (comm_ == MPI_COMM_NULL) return;
    std::unique_ptr<trace::recorder> all;
    {
        const spin_guard guard(lock);
        all = std::move(recorder_);
        wanted_ = false;
    }
    try {
        end(std::move(all));
    } catch (const std::exception&) {
        say("the trace is not written: no memory");
    }
}

void trace_sink::abandon() noexcept {
    if (recorder_) recorder_->abandon();
    wanted_ = false;
    comm_ = MPI_COMM_NULL;
}

}  // namespace laconic::record
