// SPDX-License-Identifier: BSD-3-Clause
// memfd_create(2), found by others through /proc.
#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace laconic::base {
namespace {

status refused(const std::string& what, int code) {
    return {errc::io, what + ": " + std::strerror(code) + "; do without shared memory (shared_memory = off)"};
}

}  // namespace

shared_memory::shared_memory(shared_memory&& other) noexcept { *this = std::move(other); }

shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
    if (this == &other) return *this;
    unmap();
    memory_ = std::exchange(other.memory_, {});
    where_ = std::exchange(other.where_, {});
    open_ = std::exchange(other.open_, false);
    return *this;
}

shared_memory::~shared_memory() { unmap(); }

void shared_memory::unmap() noexcept {
    seal();
    if (!memory_.empty()) munmap(memory_.data(), memory_.size());
    memory_ = {};
}

void shared_memory::seal() noexcept {
    if (open_) close(static_cast<int>(where_.descriptor));
    open_ = false;
}

status shared_memory::map(int descriptor, std::size_t bytes) {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) return refused("no " + std::to_string(bytes) + " bytes of shared memory", errno);
    memory_ = {static_cast<std::byte*>(mapped), bytes};
    return {};
}

result<shared_memory> shared_memory::create(std::size_t bytes) {
    const std::size_t whole = bytes + reserved;
    shared_memory made;
    const int descriptor = memfd_create("laconic", MFD_CLOEXEC);
    if (descriptor < 0) return refused("no shared memory", errno);
    made.where_ = {getpid(), descriptor, 0};
    made.open_ = true;
    if (ftruncate(descriptor, static_cast<off_t>(whole)) != 0)
        return refused("no " + std::to_string(whole) + " bytes of shared memory", errno);
    if (getrandom(&made.where_.token, sizeof made.where_.token, 0) != sizeof made.where_.token)
        return refused("no random number for shared memory", errno);
    if (auto bad = made.map(descriptor, whole); !bad.ok()) return bad;
    std::memcpy(made.memory_.data(), &made.where_.token, sizeof made.where_.token);
    return made;
}

result<shared_memory> shared_memory::open(address where, std::size_t bytes) {
    const std::size_t whole = bytes + reserved;
    const std::string path = "/proc/" + std::to_string(where.process) + "/fd/" + std::to_string(where.descriptor);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return refused("no shared memory at " + path, errno);
    shared_memory opened;
    opened.where_.descriptor = descriptor;
    opened.open_ = true;
    struct stat about {};
    std::int64_t token = 0;
    const bool ours = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
                      about.st_size == static_cast<off_t>(whole) &&
                      pread(descriptor, &token, sizeof token, 0) == sizeof token && token == where.token;
    if (!ours) return refused("another file at " + path, EINVAL);
    if (auto bad = opened.map(descriptor, whole); !bad.ok()) return bad;
    opened.seal();
    return opened;
}

}  // namespace laconic::base
