// SPDX-License-Identifier: BSD-3-Clause
// A descriptor in, its bytes out, in pieces between which progress is shown.
#include "cli/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/command.hpp"

namespace laconic::cli {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;

}  // namespace

input_file::input_file(const std::string& path, std::string_view remedy)
    : path_(path), descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail_data(fmt::format("cannot read '{}': {}; {}", path, std::strerror(errno), remedy));
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return;
    // Standard input may stand in the middle of a file. Files of /proc are regular and say they are empty.
    start_ = ::lseek(descriptor_, 0, SEEK_CUR);
    if (start_ >= 0 && about.st_size > 0)
        size_ = static_cast<std::uint64_t>(std::max<off_t>(0, about.st_size - start_));
}

input_file::~input_file() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::size_t input_file::read_some(std::span<std::byte> bytes) {
    while (true) {
        const ssize_t got = ::read(descriptor_, bytes.data(), std::min(bytes.size(), piece_bytes));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) fail_data(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
    }
}

std::size_t input_file::read(std::span<std::byte> bytes, progress* shown) {
    std::size_t filled = 0;
    if (peeked_ && !bytes.empty()) {
        bytes[filled++] = *peeked_;
        peeked_.reset();
    }
    while (filled < bytes.size()) {
        const std::size_t got = read_some(bytes.subspan(filled));
        if (got == 0) break;
        filled += got;
        if (shown != nullptr) shown->advance(got);
    }
    taken_ += filled;
    return filled;
}

void input_file::append(buffer& bytes, std::size_t most, progress* shown) {
    std::size_t filled = bytes.size();
    const std::size_t wanted = most > SIZE_MAX - filled ? SIZE_MAX : filled + most;
    // What a file is expected to hold, or little, and then as much again as has come.
    const std::uint64_t expected = size_ && *size_ > taken_ ? *size_ - taken_ : piece_bytes;
    std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(expected, wanted - filled));
    while (room > 0) {
        bytes.resize(filled + room);
        const std::size_t got = read(bytes.bytes().subspan(filled), shown);
        filled += got;
        if (got < room || filled == wanted || at_end()) break;
        room = std::min(filled, wanted - filled);
    }
    bytes.truncate(filled);
}

bool input_file::at_end() {
    if (peeked_) return false;
    std::byte next{};
    if (read_some({&next, 1}) == 0) return true;
    peeked_ = next;
    return false;
}

void input_file::rewind() {
    if (::lseek(descriptor_, start_, SEEK_SET) < 0)
        fail_data(fmt::format("cannot read '{}' a second time: {}", path_, std::strerror(errno)));
    peeked_.reset();
    taken_ = 0;
}

}  // namespace laconic::cli
