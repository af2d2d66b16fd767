// SPDX-License-Identifier: BSD-3-Clause
// The sample, and the decision.
#include "collective/select.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "codec/fle.hpp"
#include "laconic/codec.hpp"

namespace laconic::collective {
namespace {

constexpr std::size_t sampled_chunks = 8;

}  // namespace

template <class T>
double sample_ratio(std::span<const T> values, bound limit, double share) {
    if (values.empty() || limit.value == 0) return 0;
    const std::size_t each = std::min(values.size(), codec::chunk_values);
    const std::size_t chunks = std::clamp<std::size_t>(values.size() / each, 1, sampled_chunks);
    const auto chunk = [&](std::size_t i) { return values.subspan((values.size() - each) / chunks * i, each); };
    value_range<T> seen = range_of(chunk(0));
    for (std::size_t i = 1; i < chunks; ++i) {
        const value_range<T> more = range_of(chunk(i));
        if (static_cast<double>(more.min) < static_cast<double>(seen.min)) seen.min = more.min;
        if (static_cast<double>(more.max) > static_cast<double>(seen.max)) seen.max = more.max;
        if (static_cast<double>(more.max_abs) > static_cast<double>(seen.max_abs)) seen.max_abs = more.max_abs;
    }
    const double e = share * codec::resolve_bound(limit, static_cast<double>(seen.min), static_cast<double>(seen.max));
    const auto how = codec::choose_step<T>(e, static_cast<double>(seen.max_abs)).contribution;
    std::array<std::byte, 32768> out;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < chunks; ++i) bytes += codec::encode<T>(chunk(i), how, out).bytes;
    return static_cast<double>(chunks * each * sizeof(T)) / static_cast<double>(bytes);
}

bool is_too_short(const question& asked) noexcept { return asked.bytes < (std::size_t{1} << 18) || asked.ranks < 2; }

cell choose(const question& asked) noexcept {
    if (is_too_short(asked) || asked.ratio < 1.5) return {};
    switch (asked.op) {
        case operation::allreduce:
        case operation::reduce:
        case operation::reduce_scatter: return {schedule_kind::ring, payload_kind::fused, codec_id::fle};
        case operation::allgather:
        case operation::bcast: return {schedule_kind::ring, payload_kind::once, codec_id::fle};
        default: return {schedule_kind::pairwise, payload_kind::once, codec_id::fle};
    }
}

template double sample_ratio(std::span<const float>, bound, double);
template double sample_ratio(std::span<const double>, bound, double);
template double sample_ratio(std::span<const half>, bound, double);
template double sample_ratio(std::span<const bfloat16>, bound, double);

}  // namespace laconic::collective
