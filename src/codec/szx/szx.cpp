// SPDX-License-Identifier: BSD-3-Clause
// Spans in, the current engine's chunk loops inside, the table of chunk sizes in front. Progress is told between two
// chunks, outside the codec's own floating-point environment.
#include "codec/szx/szx.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "codec/float_environment.hpp"
#include "codec/strict_limit.hpp"
#include "codec/szx/engine.hpp"
#include "codec/szx/layout.hpp"

namespace laconic::codec {
namespace {

constexpr const szx_engine* engines[] = {
    &scalar_szx,
#if defined(LACONIC_X86_ENGINES)
    &avx2_szx,
    &avx512_szx,
#endif
};

template <class T>
const szx_table<T>& table_of(const szx_engine& engine) noexcept {
    if constexpr (sizeof(T) == 4)
        return engine.f32;
    else
        return engine.f64;
}

/// The loops of the engine in use; an engine that szx has none for gets the portable ones, which give the same bytes.
template <class T>
const szx_table<T>& current_table() noexcept {
    const std::string_view name = engine_name();
    for (const szx_engine* engine : engines)
        if (engine->name == name) return table_of<T>(*engine);
    return table_of<T>(scalar_szx);
}

constexpr std::size_t chunks_in(std::size_t count) noexcept {
    return count / szx_chunk_values + static_cast<std::size_t>(count % szx_chunk_values != 0);
}

status damaged(std::string_view what) {
    return {errc::corrupt, "the szx payload is damaged or not for this element count and type: " + std::string(what)};
}

template <class T>
std::size_t bound_of(std::size_t count) noexcept {
    return chunks_in(count) * (szx_table_entry_bytes + sizeof(T)) + blocks_in(count) + count * sizeof(T) +
           (count == 0 ? 0 : szx_slack_bytes);
}

/// Sizes of all chunks, checked: each within what a chunk of its count may have, all together the payload.
template <class T>
status check_table(std::span<const std::byte> payload, std::size_t count) {
    const std::size_t chunks = chunks_in(count);
    if (payload.size() / szx_table_entry_bytes < chunks)
        return {errc::truncated, "the szx payload ends inside its table of chunk sizes"};
    std::size_t rest = payload.size() - chunks * szx_table_entry_bytes;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const std::size_t n = std::min(szx_chunk_values, count - chunk * szx_chunk_values);
        const std::size_t size = load_as<std::uint32_t>(payload.data() + chunk * szx_table_entry_bytes);
        if (size < szx_chunk_head_bytes<T>(n) || size > szx_chunk_bytes<T>(n))
            return damaged("chunk " + std::to_string(chunk) + " cannot have " + std::to_string(size) + " bytes");
        if (size > rest)
            return {errc::truncated, "the szx payload ends in chunk " + std::to_string(chunk) + " of " +
                                         std::to_string(chunks) + "; read or receive it again"};
        rest -= size;
    }
    return rest == 0 ? status{} : damaged(std::to_string(rest) + " bytes are left over");
}

}  // namespace

std::size_t szx_bound(element_type type, std::size_t count) noexcept {
    return type == element_type::f32 ? bound_of<float>(count) : bound_of<double>(count);
}

template <class T>
result<coding_report> szx_encode(std::span<const T> values, double e, std::span<std::byte> out, const progress& watch) {
    if (!(e >= 0 && e <= std::numeric_limits<double>::max()))
        return status{errc::invalid_bound, "the bound is " + std::to_string(e) + "; give a finite value >= 0"};
    const std::size_t need = bound_of<T>(values.size());
    if (out.size() < need) return too_small(out.size(), need);
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    const szx_table<T>& table = current_table<T>();
    coding_report report;
    report.blocks = blocks_in(values.size());
    report.bytes = chunks_in(values.size()) * szx_table_entry_bytes;
    const T limit = strict_limit<T>(e);
    szx_tally tally;
    for (std::size_t done = 0, chunk = 0; done < values.size() && !report.cancelled; ++chunk) {
        const std::size_t n = std::min(szx_chunk_values, values.size() - done);
        std::size_t bytes = 0;
        {
            const float_environment standard;
            bytes = table.encode(from + done * sizeof(T), n, limit, out.data() + report.bytes, tally);
        }
        store_as(out.data() + chunk * szx_table_entry_bytes, static_cast<std::uint32_t>(bytes));
        report.bytes += bytes;
        done += n;
        report.cancelled = !watch.report(done, values.size(), report.bytes);
    }
    report.constant_blocks = tally.constant_blocks;
    report.raw_blocks = tally.raw_blocks;
    return report;
}

template <class T>
result<coding_report> szx_decode(std::span<const std::byte> payload, std::span<T> values, const progress& watch) {
    if (status bad = check_table<T>(payload, values.size()); !bad.ok()) return bad;
    auto* const to = reinterpret_cast<std::byte*>(values.data());
    const szx_table<T>& table = current_table<T>();
    coding_report report;
    report.blocks = blocks_in(values.size());
    report.bytes = chunks_in(values.size()) * szx_table_entry_bytes;
    szx_tally tally;
    // A copy with room behind it, for chunks too near the end of the payload.
    std::array<std::byte, szx_chunk_bytes<T>(szx_chunk_values) + szx_slack_bytes> guarded;
    for (std::size_t done = 0, chunk = 0; done < values.size() && !report.cancelled; ++chunk) {
        const std::size_t n = std::min(szx_chunk_values, values.size() - done);
        const std::size_t size = load_as<std::uint32_t>(payload.data() + chunk * szx_table_entry_bytes);
        const std::byte* at = payload.data() + report.bytes;
        if (payload.size() - report.bytes - size < szx_slack_bytes) {
            std::memcpy(guarded.data(), at, size);
            std::memset(guarded.data() + size, 0, szx_slack_bytes);
            at = guarded.data();
        }
        stream_fault fault{};
        {
            const float_environment standard;
            fault = table.decode(at, size, to + done * sizeof(T), n, tally);
        }
        if (fault != stream_fault::none) return damaged("chunk " + std::to_string(chunk) + " contradicts itself");
        report.bytes += size;
        done += n;
        report.cancelled = !watch.report(done, values.size(), report.bytes);
    }
    report.constant_blocks = tally.constant_blocks;
    report.raw_blocks = tally.raw_blocks;
    return report;
}

template result<coding_report> szx_encode(std::span<const float>, double, std::span<std::byte>, const progress&);
template result<coding_report> szx_encode(std::span<const double>, double, std::span<std::byte>, const progress&);
template result<coding_report> szx_decode(std::span<const std::byte>, std::span<float>, const progress&);
template result<coding_report> szx_decode(std::span<const std::byte>, std::span<double>, const progress&);

}  // namespace laconic::codec
