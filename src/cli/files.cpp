// SPDX-License-Identifier: BSD-3-Clause
// Paths in, bytes out: files and standard input are read whole into aligned buffers.
#include "cli/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"

namespace laconic::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "raw files are little-endian arrays, read as they are");

constexpr std::size_t alignment = 64;
constexpr std::size_t piece_bytes = std::size_t{8} << 20;

/// A descriptor that is closed unless it is standard input.
class input {
public:
    explicit input(const std::string& path)
        : descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0)
            fail_data(fmt::format("cannot read '{}': {}; name an existing file or - for standard input", path,
                                  std::strerror(errno)));
    }
    input(const input&) = delete;
    input& operator=(const input&) = delete;
    ~input() {
        if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

/// The size a regular file has now, which only serves as a first guess: the file is read to its end.
std::size_t expected_size(int descriptor) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    return static_cast<std::size_t>(about.st_size);
}

}  // namespace

buffer::buffer(std::size_t size) : size_(size) {
    const bool representable = size <= std::numeric_limits<std::size_t>::max() - 2 * alignment;
    const std::size_t rounded = representable ? std::max(alignment, (size + alignment - 1) / alignment * alignment) : 0;
    data_.reset(representable ? static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)) : nullptr);
    if (!data_) fail_data(fmt::format("not enough memory for {} bytes; split the input or use a larger machine", size));
}

void buffer::resize(std::size_t size) {
    buffer other(size);
    std::memcpy(other.data_.get(), data_.get(), std::min(size, size_));
    *this = std::move(other);
}

buffer read_file(const std::string& path) {
    const input source(path);
    const std::size_t expected = expected_size(source.descriptor());
    progress shown("reading", expected);
    // One byte more than expected, so that the read which finds the end needs no larger buffer.
    buffer bytes(expected > 0 ? expected + 1 : piece_bytes);
    std::size_t filled = 0;
    while (true) {
        if (filled == bytes.size()) bytes.resize(2 * bytes.size());
        const std::size_t wanted = std::min(piece_bytes, bytes.size() - filled);
        const ssize_t got = ::read(source.descriptor(), bytes.bytes().data() + filled, wanted);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_data(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
        shown.advance(static_cast<std::uint64_t>(got));
    }
    bytes.truncate(filled);
    return bytes;
}

buffer read_array(const std::string& path, element_type type) {
    buffer bytes = read_file(path);
    const std::size_t width = size_of(type);
    if (bytes.size() % width != 0)
        fail_data(
            fmt::format("'{}' has {} bytes, which is no multiple of the {} bytes of {}; check the file and --type",
                        path, bytes.size(), width, name_of(type)));
    return bytes;
}

}  // namespace laconic::cli
