// SPDX-License-Identifier: BSD-3-Clause
// A window of the file is mapped and moves on as it fills; the file behind the last record is zeros, which readers take
// as the end.
#include "record/side_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace laconic::record {
namespace {

constexpr char magic[] = "LACLOG1\n";
constexpr std::size_t magic_bytes = 8;
constexpr std::size_t window_size = std::size_t{1} << 20;
constexpr std::size_t page = 4096;
constexpr std::size_t head_bytes = 20;

}  // namespace

bool side_log::open(const std::string& path) noexcept {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) return false;
    path_ = path;
    end_ = 0;
    if (!map(magic_bytes)) {
        ::unlink(path.c_str());
        return false;
    }
    std::memcpy(window_, magic, magic_bytes);
    end_ = magic_bytes;
    return true;
}

void side_log::rename(const std::string& path) noexcept {
    if (file_ >= 0 && ::rename(path_.c_str(), path.c_str()) == 0) path_ = path;
}

bool side_log::map(std::size_t bytes) noexcept {
    if (window_) munmap(window_, window_bytes_);
    window_ = nullptr;
    window_begin_ = end_ / page * page;
    window_bytes_ = std::max(window_size, (end_ - window_begin_ + bytes + page) / page * page);
    if (ftruncate(file_, static_cast<off_t>(window_begin_ + window_bytes_)) == 0) {
        void* at =
            mmap(nullptr, window_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(window_begin_));
        if (at != MAP_FAILED) {
            window_ = static_cast<std::byte*>(at);
            return true;
        }
    }
    close(file_);
    file_ = -1;
    return false;
}

void side_log::record(std::span<const std::byte> signature, std::uint64_t start_ns, std::uint64_t end_ns) noexcept {
    if (file_ < 0) return;
    // Four bytes of zeros must stay behind the record: they say that it is the last.
    const std::size_t bytes = head_bytes + signature.size();
    if (end_ - window_begin_ + bytes + 4 > window_bytes_ && !map(bytes + 4)) return;
    std::byte* at = window_ + (end_ - window_begin_);
    const auto size = static_cast<std::uint32_t>(signature.size());
    std::memcpy(at + 4, &start_ns, 8);
    std::memcpy(at + 12, &end_ns, 8);
    std::memcpy(at + head_bytes, signature.data(), signature.size());
    std::memcpy(at, &size, 4);
    end_ += bytes;
}

void side_log::flush() noexcept {
    if (file_ < 0) return;
    if (window_) munmap(window_, window_bytes_);
    window_ = nullptr;
    window_bytes_ = 0;
    window_begin_ = end_;
    // A full disk or a vanished file: nothing to do about it here.
    if (ftruncate(file_, static_cast<off_t>(end_)) != 0) return;
}

}  // namespace laconic::record
