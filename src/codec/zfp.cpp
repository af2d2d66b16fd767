// SPDX-License-Identifier: BSD-3-Clause
// Chunks, their table and the verification around libzfp's streams.
#include "codec/zfp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/no_memory.hpp"
#include "codec/engine.hpp"
#include "codec/float_environment.hpp"
#include "codec/layout.hpp"
#include "codec/strict_limit.hpp"
#if defined(LACONIC_HAVE_ZFP)
#include "codec/zfp_chunk.hpp"
#endif

namespace laconic::codec {
namespace {

constexpr std::size_t parameter_bytes = 4;
constexpr std::size_t entry_bytes = 4;
static_assert(zfp_chunk_values <= 65536);  // an index has 16 bits
constexpr std::size_t group_values = 4;    // libzfp's blocks

constexpr std::size_t chunks_in(std::size_t count) noexcept {
    return count / zfp_chunk_values + static_cast<std::size_t>(count % zfp_chunk_values != 0);
}
constexpr std::size_t head_bytes(std::size_t count) noexcept {
    return count == 0 ? 0 : parameter_bytes + entry_bytes * chunks_in(count);
}

/// Bits per 4 values, as libzfp rounds a rate.
template <class T>
unsigned group_bits(double bits_per_value) noexcept {
    constexpr double least = sizeof(T) == 4 ? 1 + 8 : 1 + 11;  // a flag and the exponent
    return static_cast<unsigned>(std::max(std::floor(group_values * bits_per_value + 0.5), least));
}
constexpr std::size_t rated_bytes(std::size_t count, unsigned bits) noexcept {
    return ((count + group_values - 1) / group_values * bits + 7) / 8;
}

template <class T>
std::size_t rate_bound(std::size_t count, double bits_per_value) noexcept {
    const unsigned bits = group_bits<T>(bits_per_value);
    return head_bytes(count) + count / zfp_chunk_values * rated_bytes(zfp_chunk_values, bits) +
           rated_bytes(count % zfp_chunk_values, bits);
}

#if defined(LACONIC_HAVE_ZFP)

constexpr std::uint32_t entry_patched = 0x80000000U;  // the chunk begins with values that libzfp does not bring back
constexpr std::size_t patch_count_bytes = 4;

status no_memory() { return base::no_memory("no memory for a chunk of the zfp codec (about 100 KB)"); }
status damaged(const std::string& what) {
    return {errc::corrupt, "the zfp payload is damaged or not for this element count and type: " + what};
}

template <class T>
constexpr std::size_t bytes_for(std::size_t patches) noexcept {
    return patch_count_bytes + patches * (sizeof(std::uint16_t) + sizeof(T));
}

template <class T>
bool is_promised_bits(T x) noexcept {
    return !std::isfinite(x) || (x == 0 && std::signbit(x));
}

/// The values of a chunk that libzfp does not give back as promised: their indices and bits.
template <class T>
class patch_list {
public:
    void collect(const std::byte* originals, const T* decoded, std::size_t count, T limit) noexcept {
        size_ = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const T x = load_as<T>(originals + i * sizeof(T));
            if (std::abs(x - decoded[i]) <= limit && !is_promised_bits(x)) continue;
            index_[size_] = static_cast<std::uint16_t>(i);
            value_[size_++] = x;
        }
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return size_ == 0 ? 0 : bytes_for<T>(size_); }
    void write(std::byte* to) const noexcept {
        if (size_ == 0) return;
        store_as(to, static_cast<std::uint32_t>(size_));
        std::memcpy(to + patch_count_bytes, index_.data(), size_ * sizeof index_[0]);
        std::memcpy(to + patch_count_bytes + size_ * sizeof index_[0], value_.data(), size_ * sizeof(T));
    }

private:
    std::size_t size_ = 0;
    std::array<std::uint16_t, zfp_chunk_values> index_;
    std::array<T, zfp_chunk_values> value_;
};

/// Bytes of the patches in front of `chunk`, checked, or 0.
template <class T>
std::size_t measure_patches(std::span<const std::byte> chunk, std::size_t count) noexcept {
    if (chunk.size() < patch_count_bytes) return 0;
    const std::size_t size = load_as<std::uint32_t>(chunk.data());
    if (size == 0 || size > count || bytes_for<T>(size) > chunk.size()) return 0;
    for (std::size_t i = 0; i < size; ++i)
        if (load_as<std::uint16_t>(chunk.data() + patch_count_bytes + 2 * i) >= count) return 0;
    return bytes_for<T>(size);
}
/// Precondition: measured.
template <class T>
void apply_patches(const std::byte* patches, std::byte* values) noexcept {
    const std::size_t size = load_as<std::uint32_t>(patches);
    const std::byte* const index = patches + patch_count_bytes;
    const std::byte* const value = index + size * sizeof(std::uint16_t);
    for (std::size_t i = 0; i < size; ++i)
        std::memcpy(values + load_as<std::uint16_t>(index + 2 * i) * sizeof(T), value + i * sizeof(T), sizeof(T));
}

/// Replaces what libzfp cannot convert to integers by the value before it.
template <class T>
void fill_gaps(T* values, std::size_t count) noexcept {
    T last = 0;
    for (std::size_t i = 0; i < count; ++i) last = values[i] = std::isfinite(values[i]) ? values[i] : last;
}

/// Runs over chunks: `code(first value, values, bytes so far)` returns the bytes of one, or 0 to give up.
template <class Code>
bool over_chunks(std::size_t count, coding_report& report, const progress& watch, Code code) {
    report.blocks = chunks_in(count);
    report.bytes = head_bytes(count);
    for (std::size_t done = 0; done < count && !report.cancelled;) {
        const std::size_t n = std::min(zfp_chunk_values, count - done);
        const std::size_t bytes = code(done, n);
        if (bytes == 0) return false;
        report.bytes += bytes;
        done += n;
        report.cancelled = !watch.report(done, count, report.bytes);
    }
    return true;
}

std::byte* entry_of(std::byte* payload, std::size_t first) noexcept {
    return payload + parameter_bytes + entry_bytes * (first / zfp_chunk_values);
}
std::uint32_t entry_at(std::span<const std::byte> payload, std::size_t first) noexcept {
    return load_as<std::uint32_t>(payload.data() + parameter_bytes + entry_bytes * (first / zfp_chunk_values));
}

/// Checks the table against the payload.
template <class T>
status check_table(std::span<const std::byte> payload, std::size_t count) {
    if (payload.size() < head_bytes(count))
        return {errc::truncated, "the zfp payload ends inside its table of chunk sizes"};
    std::size_t rest = payload.size() - head_bytes(count);
    for (std::size_t first = 0; first < count; first += zfp_chunk_values) {
        const std::size_t size = entry_at(payload, first) & ~entry_patched;
        if (size == 0) return damaged("a chunk is empty");
        if (size > rest)
            return {errc::truncated, "the zfp payload ends in the middle of a chunk; read or receive it again"};
        rest -= size;
    }
    return rest == 0 ? status{} : damaged(std::to_string(rest) + " bytes are left over");
}

/// Decodes chunks. With accuracy they may also be uncompressed (of exactly the values' size) or patched.
template <class T>
result<coding_report> decode(std::span<const std::byte> payload, std::span<T> values, const zfp_parameters& how,
                             bool with_accuracy, const progress& watch) {
    auto* const to = reinterpret_cast<std::byte*>(values.data());
    zfp_chunk<T> chunk(std::min(values.size(), zfp_chunk_values), how);
    if (!chunk.ok()) return no_memory();
    coding_report report;
    const bool sound = over_chunks(values.size(), report, watch, [&](std::size_t first, std::size_t n) -> std::size_t {
        const float_environment standard;
        const std::uint32_t entry = entry_at(payload, first);
        const std::size_t size = entry & ~entry_patched;
        auto from = payload.subspan(report.bytes, size);
        std::byte* const here = to + first * sizeof(T);
        if (with_accuracy && entry == n * sizeof(T)) {
            std::memcpy(here, from.data(), size);
            ++report.raw_blocks;
            return size;
        }
        const bool patched = (entry & entry_patched) != 0;
        const std::byte* const patches = from.data();
        if (patched) {
            const std::size_t bytes = with_accuracy ? measure_patches<T>(from, n) : 0;
            if (bytes == 0) return 0;
            from = from.subspan(bytes);
        }
        if (!chunk.decompress(from, n)) return 0;
        std::memcpy(here, chunk.decoded(), n * sizeof(T));
        if (patched) apply_patches<T>(patches, here);
        return size;
    });
    if (!sound) return damaged("a chunk contradicts itself or its size");
    return report;
}

#else

status absent() {
    return {errc::unsupported,
            "this build of laconic has no zfp; install libzfp-dev, configure with -DLACONIC_ZFP=on and build again"};
}

#endif

}  // namespace

bool zfp_available() noexcept {
#if defined(LACONIC_HAVE_ZFP)
    return true;
#else
    return false;
#endif
}

std::size_t zfp_abs_bound(element_type type, std::size_t count) noexcept {
    return head_bytes(count) + count * size_of(type);
}

std::size_t zfp_rate_bound(element_type type, std::size_t count, double bits_per_value) noexcept {
    return type == element_type::f32 ? rate_bound<float>(count, bits_per_value)
                                     : rate_bound<double>(count, bits_per_value);
}

#if defined(LACONIC_HAVE_ZFP)

template <class T>
result<coding_report> zfp_abs_encode(std::span<const T> values, double e, std::span<std::byte> out,
                                     const progress& watch) {
    if (!(e >= 0 && e <= std::numeric_limits<double>::max()))
        return status{errc::invalid_bound, "the bound is " + std::to_string(e) + "; give a finite value >= 0"};
    const std::size_t need = zfp_abs_bound(element_type_of<T>::value, values.size());
    if (out.size() < need) return too_small(out.size(), need);
    coding_report report;
    if (values.empty()) return report;
    zfp_parameters how;
    if (e > 0) how.least_exponent = std::max(std::ilogb(e), ZFP_MIN_EXP);
    const T limit = strict_limit<T>(e);
    zfp_chunk<T> chunk(std::min(values.size(), zfp_chunk_values), how);
    if (!chunk.ok()) return no_memory();
    store_as(out.data(), static_cast<std::int32_t>(how.least_exponent));
    patch_list<T> patches;
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    over_chunks(values.size(), report, watch, [&](std::size_t first, std::size_t n) -> std::size_t {
        const float_environment standard;
        const std::size_t raw = n * sizeof(T);
        const std::byte* const originals = from + first * sizeof(T);
        std::byte* const to = out.data() + report.bytes;
        std::memcpy(chunk.values(), originals, raw);
        fill_gaps(chunk.values(), n);
        const std::size_t stream_bytes = e > 0 ? chunk.compress(n) : 0;
        if (stream_bytes > 0 && stream_bytes < raw && chunk.check(n)) {
            patches.collect(originals, chunk.decoded(), n, limit);
            const std::size_t bytes = patches.bytes() + stream_bytes;
            if (bytes < raw) {
                patches.write(to);
                std::memcpy(to + patches.bytes(), chunk.bytes(), stream_bytes);
                store_as(entry_of(out.data(), first),
                         static_cast<std::uint32_t>(bytes) | (patches.bytes() == 0 ? 0 : entry_patched));
                return bytes;
            }
        }
        std::memcpy(to, originals, raw);
        ++report.raw_blocks;
        store_as(entry_of(out.data(), first), static_cast<std::uint32_t>(raw));
        return raw;
    });
    return report;
}

template <class T>
result<coding_report> zfp_rate_encode(std::span<const T> values, double bits_per_value, std::span<std::byte> out,
                                      const progress& watch) {
    if (!(bits_per_value > 0 && bits_per_value <= 8 * sizeof(T)))
        return status{errc::invalid_argument, "the rate is " + std::to_string(bits_per_value) +
                                                  " bits per value; give one above 0 and at most " +
                                                  std::to_string(8 * sizeof(T))};
    const std::size_t need = rate_bound<T>(values.size(), bits_per_value);
    if (out.size() < need) return too_small(out.size(), need);
    coding_report report;
    if (values.empty()) return report;
    zfp_parameters how;
    how.least_bits = how.most_bits = group_bits<T>(bits_per_value);
    zfp_chunk<T> chunk(std::min(values.size(), zfp_chunk_values), how);
    if (!chunk.ok()) return no_memory();
    store_as(out.data(), static_cast<std::uint32_t>(how.most_bits));
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    const bool sound = over_chunks(values.size(), report, watch, [&](std::size_t first, std::size_t n) -> std::size_t {
        const float_environment standard;
        std::memcpy(chunk.values(), from + first * sizeof(T), n * sizeof(T));
        fill_gaps(chunk.values(), n);
        const std::size_t bytes = rated_bytes(n, how.most_bits);
        if (!zfp_sizes_agree(chunk.compress(n), bytes)) return 0;
        std::memcpy(out.data() + report.bytes, chunk.bytes(), bytes);
        store_as(entry_of(out.data(), first), static_cast<std::uint32_t>(bytes));
        return bytes;
    });
    if (!sound) return status{errc::unsupported, "this libzfp writes streams of other sizes than version 1.0 does"};
    return report;
}

template <class T>
result<coding_report> zfp_abs_decode(std::span<const std::byte> payload, std::span<T> values, const progress& watch) {
    if (status bad = check_table<T>(payload, values.size()); !bad.ok()) return bad;
    if (values.empty()) return coding_report{};
    zfp_parameters how;
    how.least_exponent = load_as<std::int32_t>(payload.data());
    if (how.least_exponent < ZFP_MIN_EXP || how.least_exponent > std::numeric_limits<double>::max_exponent)
        return damaged("no bound has the exponent " + std::to_string(how.least_exponent));
    return decode(payload, values, how, true, watch);
}

template <class T>
result<coding_report> zfp_rate_decode(std::span<const std::byte> payload, std::span<T> values, const progress& watch) {
    if (status bad = check_table<T>(payload, values.size()); !bad.ok()) return bad;
    if (values.empty()) return coding_report{};
    const auto bits = load_as<std::uint32_t>(payload.data());
    if (bits < group_bits<T>(0) || bits > group_values * 8 * sizeof(T))
        return damaged("no rate has " + std::to_string(bits) + " bits per 4 values");
    zfp_parameters how;
    how.least_bits = how.most_bits = bits;
    return decode(payload, values, how, false, watch);
}

#else

template <class T>
result<coding_report> zfp_abs_encode(std::span<const T>, double, std::span<std::byte>, const progress&) {
    return absent();
}
template <class T>
result<coding_report> zfp_rate_encode(std::span<const T>, double, std::span<std::byte>, const progress&) {
    return absent();
}
template <class T>
result<coding_report> zfp_abs_decode(std::span<const std::byte>, std::span<T>, const progress&) {
    return absent();
}
template <class T>
result<coding_report> zfp_rate_decode(std::span<const std::byte>, std::span<T>, const progress&) {
    return absent();
}

#endif

template result<coding_report> zfp_abs_encode(std::span<const float>, double, std::span<std::byte>, const progress&);
template result<coding_report> zfp_abs_encode(std::span<const double>, double, std::span<std::byte>, const progress&);
template result<coding_report> zfp_rate_encode(std::span<const float>, double, std::span<std::byte>, const progress&);
template result<coding_report> zfp_rate_encode(std::span<const double>, double, std::span<std::byte>, const progress&);
template result<coding_report> zfp_abs_decode(std::span<const std::byte>, std::span<float>, const progress&);
template result<coding_report> zfp_abs_decode(std::span<const std::byte>, std::span<double>, const progress&);
template result<coding_report> zfp_rate_decode(std::span<const std::byte>, std::span<float>, const progress&);
template result<coding_report> zfp_rate_decode(std::span<const std::byte>, std::span<double>, const progress&);

}  // namespace laconic::codec
