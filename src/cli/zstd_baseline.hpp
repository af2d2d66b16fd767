// SPDX-License-Identifier: BSD-3-Clause
// Lossless compression as a yardstick for the benchmark: bytes and a level flow in, libzstd's bytes flow out, and back.
// No codec of the library; a build without libzstd has it not available.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace laconic::cli {

class zstd_baseline {
public:
    [[nodiscard]] static bool available() noexcept;
    [[nodiscard]] static std::size_t bound(std::size_t bytes) noexcept;

    explicit zstd_baseline(int level);
    zstd_baseline(const zstd_baseline&) = delete;
    zstd_baseline& operator=(const zstd_baseline&) = delete;
    ~zstd_baseline();

    /// Both throw a data failure with libzstd's reason.
    [[nodiscard]] std::size_t compress(std::span<const std::byte> in, std::span<std::byte> out);
    void decompress(std::span<const std::byte> in, std::span<std::byte> out);

private:
    struct contexts;
    std::unique_ptr<contexts> contexts_;
    int level_;
};

}  // namespace laconic::cli
