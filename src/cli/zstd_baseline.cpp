// SPDX-License-Identifier: BSD-3-Clause
// libzstd, with contexts that are made once: bytes in, bytes out; its error codes become data failures.
#include "cli/zstd_baseline.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"

#if defined(LACONIC_HAVE_ZSTD)
#include <zstd.h>

namespace laconic::cli {
namespace {

std::size_t need(std::size_t got) {
    if (ZSTD_isError(got) != 0) fail_data(fmt::format("zstd failed: {}", ZSTD_getErrorName(got)));
    return got;
}

}  // namespace

struct zstd_baseline::contexts {
    ZSTD_CCtx* compression = ZSTD_createCCtx();
    ZSTD_DCtx* decompression = ZSTD_createDCtx();
};

bool zstd_baseline::available() noexcept { return true; }
std::size_t zstd_baseline::bound(std::size_t bytes) noexcept { return ZSTD_compressBound(bytes); }

zstd_baseline::zstd_baseline(int level) : contexts_(std::make_unique<contexts>()), level_(level) {}
zstd_baseline::~zstd_baseline() {
    ZSTD_freeCCtx(contexts_->compression);
    ZSTD_freeDCtx(contexts_->decompression);
}

std::size_t zstd_baseline::compress(std::span<const std::byte> in, std::span<std::byte> out) {
    return need(ZSTD_compressCCtx(contexts_->compression, out.data(), out.size(), in.data(), in.size(), level_));
}

void zstd_baseline::decompress(std::span<const std::byte> in, std::span<std::byte> out) {
    need(ZSTD_decompressDCtx(contexts_->decompression, out.data(), out.size(), in.data(), in.size()));
}

}  // namespace laconic::cli

#else

namespace laconic::cli {

struct zstd_baseline::contexts {};

bool zstd_baseline::available() noexcept { return false; }
std::size_t zstd_baseline::bound(std::size_t) noexcept { return 0; }
zstd_baseline::zstd_baseline(int level) : level_(level) {}
zstd_baseline::~zstd_baseline() = default;
std::size_t zstd_baseline::compress(std::span<const std::byte>, std::span<std::byte>) {
    fail_data(fmt::format("this build has no libzstd (level {})", level_));
}
void zstd_baseline::decompress(std::span<const std::byte>, std::span<std::byte>) {
    fail_data(fmt::format("this build has no libzstd (level {})", level_));
}

}  // namespace laconic::cli

#endif
