// SPDX-License-Identifier: BSD-3-Clause
// Values and a frame: the fused sum is the same bytes on every engine, and those of compressing the values with the
// frame's step and adding.
#include <cmath>

#include "codec/engine.hpp"
#include "frames.hpp"
#include "laconic/laconic.h"
#include "pair_input.hpp"

namespace laconic::fuzz {
namespace {

/// `count` values: bit patterns that go around, or multiples of the frame's step, exact and not quite.
template <class T>
std::vector<T> values_from(const pair_input& in, std::size_t count, double step) {
    std::vector<T> values(count);
    if (in.b.empty()) return values;
    const auto byte_at = [&](std::size_t i) { return static_cast<std::int8_t>(in.b[i % in.b.size()]); };
    for (std::size_t i = 0; i < count; ++i) {
        if ((in.mode & 4U) == 0) {
            auto* const to = reinterpret_cast<std::byte*>(&values[i]);
            for (std::size_t k = 0; k < sizeof(T); ++k) to[k] = in.b[(i * sizeof(T) + k) % in.b.size()];
            continue;
        }
        const double near = (in.mode & 8U) != 0 ? 0.01 * byte_at(i + 1) : 0.0;
        const double q = std::ldexp(byte_at(i), static_cast<int>(in.spare % 24)) + near;
        const double v = q * step;
        values[i] = static_cast<T>(static_cast<real_type<T>>(std::abs(v) < 1e38 ? v : 1e38));
    }
    return values;
}

/// compress(values) with the step and the bound of a frame.
template <class T>
bytes compressed_like(const std::vector<T>& values, const codec::frame_header& like) {
    using namespace codec;
    const auto how = quantiser_of<T>(static_cast<real_type<T>>(like.step), like.contribution_bound, like.row);
    bytes out(compress_bound(like.type, values.size()));
    std::byte* const table = out.data() + frame_header_bytes;
    const encode_report report =
        current_kernels<T>().encode(reinterpret_cast<const std::byte*>(values.data()), values.size(), how,
                                    {table + table_bytes(codec_id::fle, values.size()), table});
    frame_header header;
    header.type = like.type;
    header.count = values.size();
    header.step = like.step;
    header.contribution_bound = like.contribution_bound;
    header.row = like.row;
    header.magnitude = report.magnitude;
    header.payload_bytes = report.bytes;
    out.resize(seal_frame(header, out.data()));
    out.shrink_to_fit();
    return out;
}

template <class T>
void run(const pair_input& in, codec::frame_header header) {
    header.type = element_type_of<T>::value;
    const auto count = static_cast<std::size_t>(header.count);
    const std::vector<T> values = values_from<T>(in, count, header.step);
    const std::span<const T> x(values);
    const view frame(in.a);
    const std::size_t capacity = sum_bound(header.type, count);
    const outcome fused =
        same_on_every_engine([&] { return written(capacity, [&](auto out) { return add(x, frame, out); }); });
    run_options watched;
    watched.progress = [](void*, const progress_info& now) { return now.values <= now.total; };
    watched.threads = 2;
    LACONIC_HOLDS(same(fused, written(capacity, [&](auto out) { return add(x, frame, out, watched); })));
    bytes c_out(capacity);
    std::size_t c_bytes = 0;
    const int code = laconic_add_values(address_of(values), count, static_cast<laconic_type>(header.type),
                                        address_of(frame), frame.size(), c_out.data(), capacity, &c_bytes);
    LACONIC_HOLDS(static_cast<errc>(code) == fused.code);
    const auto info = inspect(frame);
    LACONIC_HOLDS(fused.ok() == (info.ok() && header.codec == codec_id::fle && header.contributions != ~0U));
    if (!fused.ok()) return;
    c_out.resize(c_bytes);
    LACONIC_HOLDS(c_out == fused.data);
    LACONIC_HOLDS(inspect(fused.data).ok());
    const outcome decoded_sum = same_on_every_engine([&] { return decoded(fused.data, header.type, count); });
    LACONIC_HOLDS(decoded_sum.ok());

    const integers_found found = integers_of(frame);
    if (!found.honest || !found.tidy) return;
    LACONIC_HOLDS(integers_of(fused.data).honest);
    const bytes own = same_on_every_engine([&] { return compressed_like(values, header); });
    LACONIC_HOLDS(inspect(own).ok());
    const outcome sum = written(capacity, [&](auto out) { return add(own, frame, out); });
    LACONIC_HOLDS(sum == fused);
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace laconic::fuzz;
    pair_input in = pair_from(data, size, false);
    const auto header = fields_of(in.a);
    if (header.count > most_values) return 0;
    with_element(header.type, [&](auto zero) {
        run<decltype(zero)>(in, header);
        return 0;
    });
    return 0;
}
