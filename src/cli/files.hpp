// SPDX-License-Identifier: BSD-3-Clause
// Files in and out of commands: a path (or "-") flows in, an aligned buffer with its bytes flows out; and the other
// way round, bytes flow into a temporary beside the target that takes the target's place only when all is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "laconic/codec.hpp"

namespace laconic::cli {

/// Bytes at a 64-byte boundary. New bytes are not initialised, so untouched ones take no memory.
class buffer {
public:
    buffer() : buffer(0) {}
    /// Throws a data failure that names the size when there is not enough memory.
    explicit buffer(std::size_t size);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_.get(), size_}; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_.get(), size_}; }
    /// Precondition: size() is a multiple of sizeof(T).
    template <class T>
    [[nodiscard]] std::span<T> as() noexcept {
        return {reinterpret_cast<T*>(data_.get()), size_ / sizeof(T)};
    }
    /// Keeps the bytes there are, in a buffer of another size.
    void resize(std::size_t size);
    /// Forgets the bytes from `size` on. Precondition: size <= this->size().
    void truncate(std::size_t size) noexcept { size_ = size; }

private:
    struct release {
        void operator()(std::byte* data) const noexcept { std::free(data); }
    };
    std::unique_ptr<std::byte[], release> data_;
    std::size_t size_ = 0;
};

inline constexpr std::string_view name_a_file = "name an existing file";
inline constexpr std::string_view name_a_file_or_input = "name an existing file or - for standard input";

/// All bytes of a file or, for "-", of standard input. Throws a data failure that names the path and the remedy.
[[nodiscard]] buffer read_file(const std::string& path, std::string_view remedy = name_a_file_or_input);

/// read_file, and a data failure unless the size is a whole number of elements.
[[nodiscard]] buffer read_array(const std::string& path, element_type type,
                                std::string_view remedy = name_a_file_or_input);

/// A data failure that names the path unless so many bytes are a whole number of elements.
void check_array_size(const std::string& path, std::uint64_t bytes, element_type type);

/// A file that is complete or does not exist. Bytes go to a temporary beside `path`; commit() renames it; without a
/// commit the destructor, or a signal that asks the program to end, removes it and an existing target stays as it was.
/// "-" is standard output; devices and pipes are written directly.
class output_file {
public:
    /// Throws a data failure when `path` cannot be written, a usage failure for binary output to a terminal.
    /// flag  that gave the path, for messages
    explicit output_file(const std::string& path, std::string_view flag = "-o");
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file();

    /// Throws a data failure, e.g. on a full disk.
    void write(std::span<const std::byte> bytes);
    void commit();

private:
    [[noreturn]] void refuse() const;
    void follow_links();
    void create_temporary();

    std::string name_, flag_;  ///< for messages
    std::string target_;       ///< with symbolic links followed
    std::string temporary_;    ///< empty: written directly
    int descriptor_ = -1;
};

/// Before long work: throws what output_file would when `path` cannot be written, and leaves nothing behind.
void check_writable(const std::string& path, std::string_view flag);

}  // namespace laconic::cli
