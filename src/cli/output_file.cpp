// SPDX-License-Identifier: BSD-3-Clause
// Bytes in, one complete file out: they gather in a temporary beside the target that replaces it in one rename.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <random>

#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;

/// The temporary that a signal handler removes, whichever thread runs it. A plain array, because a handler may not
/// touch a std::string.
std::array<char, PATH_MAX> doomed{};
std::atomic<bool> is_doomed = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remove_temporary(int signal_number) {
    if (is_doomed.load(std::memory_order_acquire)) ::unlink(doomed.data());
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

void remove_on_signal(const std::string& path) {
    if (path.size() >= doomed.size()) return;
    is_doomed = false;
    std::memcpy(doomed.data(), path.c_str(), path.size() + 1);
    is_doomed.store(true, std::memory_order_release);
    for (const int number : ending_signals) {
        struct sigaction current {};
        // Under nohup, SIGHUP is ignored and must stay so.
        if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_IGN) continue;
        struct sigaction wanted {};
        wanted.sa_handler = remove_temporary;
        ::sigaction(number, &wanted, nullptr);
    }
}

/// With its slash; empty for a name alone.
std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

output_file::output_file(const std::string& path, std::string_view flag) : name_(path), flag_(flag), target_(path) {
    if (path == "-") {
        if (is_terminal(stdout))
            fail_usage(
                fmt::format("{0} - would write binary data to the terminal; give {0} a file or use a pipe", flag_));
        descriptor_ = STDOUT_FILENO;
        return;
    }
    struct stat about {};
    const bool exists = ::stat(path.c_str(), &about) == 0;
    if (exists && S_ISDIR(about.st_mode))
        fail_data(fmt::format("cannot write '{}': it is a directory; give {} a file", path, flag_));
    if (exists && !S_ISREG(about.st_mode)) {
        // Renaming over /dev/null or a named pipe would replace it.
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) refuse();
        return;
    }
    // Nothing there yet is fine, also at the end of a link; a path that leads nowhere is not.
    if (!exists && errno != ENOENT) refuse();
    if (exists && ::access(path.c_str(), W_OK) != 0) refuse();
    follow_links();
    create_temporary();
    if (exists && ::fchmod(descriptor_, about.st_mode & 07777) != 0) refuse();
}

void output_file::refuse() const {
    fail_data(fmt::format("cannot write '{}': {}; give {} a file in a writable directory{}", name_,
                          std::strerror(errno), flag_, flag_ == "-o" ? ", or - for standard output" : ""));
}

void output_file::follow_links() {
    std::array<char, PATH_MAX> leads_to{};
    // As many as the kernel follows.
    for (int link = 0; link < 40; ++link) {
        const ssize_t length = ::readlink(target_.c_str(), leads_to.data(), leads_to.size());
        if (length < 0) return;
        const std::string next(leads_to.data(), static_cast<std::size_t>(length));
        target_ = next.starts_with('/') ? next : directory_of(target_) + next;
    }
    errno = ELOOP;
    refuse();
}

void output_file::create_temporary() {
    const std::string directory = directory_of(target_);
    // Short whatever the target is called: its name may already be as long as the file system allows.
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
        // Processes of other hosts and containers may have the same number.
        std::string candidate = fmt::format("{}.laconic-{}-{:08x}.tmp", directory, ::getpid(), random());
        // Before it is there: a signal may come right after.
        remove_on_signal(candidate);
        descriptor_ = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ >= 0) {
            temporary_ = std::move(candidate);
            return;
        }
        is_doomed = false;
        if (errno != EEXIST) break;
    }
    refuse();
}

output_file::~output_file() {
    if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        is_doomed = false;
    }
}

void output_file::write(std::span<const std::byte> bytes) {
    progress shown("writing", bytes.size());
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), piece_bytes));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) fail_data(fmt::format("cannot write '{}': {}", name_, std::strerror(errno)));
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        shown.advance(static_cast<std::uint64_t>(put));
    }
}

void output_file::commit() {
    // Network file systems report a full disk only here.
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (::close(descriptor) != 0) fail_data(fmt::format("cannot write '{}': {}", name_, std::strerror(errno)));
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) refuse();
    is_doomed = false;
    temporary_.clear();
}

void check_writable(const std::string& path, std::string_view flag) {
    struct stat about {};
    // Who reads a named pipe would take its closing for the end.
    const bool direct = ::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode) &&
                        ::access(path.c_str(), W_OK) == 0;
    if (!direct) output_file(path, flag);
}

}  // namespace laconic::cli
