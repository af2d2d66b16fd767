// SPDX-License-Identifier: BSD-3-Clause
// Paths in, bytes out: files and standard input are read whole into aligned buffers.
#include "cli/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/input_file.hpp"
#include "codec/element.hpp"

namespace laconic::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "raw files are little-endian arrays, read as they are");

constexpr std::size_t alignment = 64;

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

buffer read_file(const std::string& path, std::string_view remedy) {
    input_file source(path, remedy);
    progress shown("reading", source.size().value_or(0));
    buffer bytes;
    source.append(bytes, std::numeric_limits<std::size_t>::max(), &shown);
    return bytes;
}

buffer read_array(const std::string& path, element_type type, std::string_view remedy) {
    buffer bytes = read_file(path, remedy);
    check_array_size(path, bytes.size(), type);
    return bytes;
}

void check_array_size(const std::string& path, std::uint64_t bytes, element_type type) {
    const std::size_t width = size_of(type);
    if (bytes % width != 0)
        fail_data(
            fmt::format("'{}' has {} bytes, which is no multiple of the {} bytes of {}; check the file and --type",
                        path, bytes, width, codec::name_of(type)));
}

}  // namespace laconic::cli
