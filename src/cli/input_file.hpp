// SPDX-License-Identifier: BSD-3-Clause
// A file, pipe or standard input that is read piece by piece: a path (or "-") flows in, bytes flow out in order, into
// memory that grows no faster than they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/files.hpp"
#include "cli/progress.hpp"

namespace laconic::cli {

/// Every member throws a data failure that names the path when the system refuses.
class input_file {
public:
    /// remedy  where there is no such file
    explicit input_file(const std::string& path, std::string_view remedy = name_a_file_or_input);
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;
    ~input_file();

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Bytes from the place where reading began to the end that a regular file had then; nothing for pipes. The file
    /// is read to its end all the same, wherever that is.
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

    /// Fills the span from the front; returns how many bytes there were, fewer only at the end.
    [[nodiscard]] std::size_t read(std::span<std::byte> bytes, progress* shown = nullptr);
    /// Adds up to `most` bytes at the end of the buffer, fewer only at the end of the file.
    void append(buffer& bytes, std::size_t most, progress* shown = nullptr);
    /// Whether nothing follows; waits for a pipe to say so.
    [[nodiscard]] bool at_end();
    /// Back to where reading began. Precondition: size() knows the size.
    void rewind();

private:
    [[nodiscard]] std::size_t read_some(std::span<std::byte> bytes);

    std::string path_;
    int descriptor_;
    std::int64_t start_ = 0;
    std::optional<std::uint64_t> size_;
    std::uint64_t taken_ = 0;
    std::optional<std::byte> peeked_;  ///< read by at_end(), not yet handed out
};

}  // namespace laconic::cli
