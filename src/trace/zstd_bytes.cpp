// SPDX-License-Identifier: BSD-3-Clause
// zstd, where it is installed.
#include "trace/zstd_bytes.hpp"

#ifdef LACONIC_HAVE_ZSTD
#include <zstd.h>
#endif

#include <new>
#include <string>

namespace laconic::trace {

#ifdef LACONIC_HAVE_ZSTD

bool has_zstd() noexcept { return true; }

std::optional<bytes> deflated(view data, int level) {
    bytes out(ZSTD_compressBound(data.size()));
    const std::size_t size = ZSTD_compress(out.data(), out.size(), data.data(), data.size(), level);
    if (ZSTD_isError(size) != 0 || size >= data.size()) return {};
    out.resize(size);
    return out;
}

result<bytes> inflated(view data, std::uint64_t size) try {
    const status damaged(errc::corrupt, "a compressed block of the trace is damaged");
    // What the frame says comes before memory for what the file says: one cannot ask for more than the other backs.
    if (ZSTD_getFrameContentSize(data.data(), data.size()) != size) return damaged;
    // zstd reaches 2^17 bytes out of a few, hardly more.
    if (size / (std::uint64_t{1} << 18) > data.size()) return damaged;
    bytes out(static_cast<std::size_t>(size));
    const std::size_t got = ZSTD_decompress(out.data(), out.size(), data.data(), data.size());
    if (ZSTD_isError(got) != 0 || got != size) return damaged;
    return out;
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory for a block of " + std::to_string(size) + " bytes");
}

#else

bool has_zstd() noexcept { return false; }
std::optional<bytes> deflated(view, int) { return {}; }
result<bytes> inflated(view, std::uint64_t) {
    return status(errc::unsupported, "the trace is compressed with zstd, which this build of laconic lacks");
}

#endif

}  // namespace laconic::trace
