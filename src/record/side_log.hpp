// SPDX-License-Identifier: BSD-3-Clause
// The uncompressed side log: records flow in, a file that survives a crash of the process flows out (it is mapped, so
// what was written belongs to the kernel). Layout: docs/format/trace-signature.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace laconic::record {

class side_log {
public:
    side_log() = default;
    side_log(const side_log&) = delete;
    side_log& operator=(const side_log&) = delete;

    /// Creates the file. Returns false, with nothing open, when the system refuses.
    [[nodiscard]] bool open(const std::string& path) noexcept;
    void rename(const std::string& path) noexcept;
    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

    void record(std::span<const std::byte> signature, std::uint64_t start_ns, std::uint64_t end_ns) noexcept;
    /// Cuts the file to what was written. More may follow.
    void flush() noexcept;
    /// Forgets the file without touching it: for the child of a fork.
    void abandon() noexcept { file_ = -1, window_ = nullptr; }

private:
    [[nodiscard]] bool map(std::size_t bytes) noexcept;

    std::string path_;
    int file_ = -1;
    std::byte* window_ = nullptr;
    std::size_t window_begin_ = 0, window_bytes_ = 0, end_ = 0;
};

}  // namespace laconic::record
