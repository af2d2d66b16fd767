// SPDX-License-Identifier: BSD-3-Clause
// Memory that several processes of one machine see. One creates it and says where it is (process and descriptor); the
// others open it there. It has no name, so that nothing is left behind whichever process dies when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "laconic/status.hpp"

namespace laconic::base {

class shared_memory {
public:
    /// Where others find it, while its descriptor is open; the token tells it from anything else that is there in
    /// another namespace of processes.
    struct address {
        std::int64_t process = -1;
        std::int64_t descriptor = -1;
        std::int64_t token = 0;
    };
    /// Bytes at the beginning that are not the caller's.
    static constexpr std::size_t reserved = 64;

    shared_memory() = default;
    shared_memory(shared_memory&& other) noexcept;
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory();

    /// bytes() are zeroed, aligned to 64 bytes, and taken from the system page by page as they are touched.
    /// returns io when the system gives none.
    [[nodiscard]] static result<shared_memory> create(std::size_t bytes);
    /// returns io when there is no such memory of that size, or this process may not see it.
    [[nodiscard]] static result<shared_memory> open(address where, std::size_t bytes);

    [[nodiscard]] std::span<std::byte> bytes() const noexcept {
        return memory_.empty() ? memory_ : memory_.subspan(reserved);
    }
    [[nodiscard]] address where() const noexcept { return where_; }
    /// Nobody can open it any more; whoever has opened it keeps it.
    void seal() noexcept;

private:
    [[nodiscard]] status map(int descriptor, std::size_t bytes);
    void unmap() noexcept;

    std::span<std::byte> memory_;
    address where_;
    bool open_ = false;  // its descriptor, which is this process's own
};

}  // namespace laconic::base
