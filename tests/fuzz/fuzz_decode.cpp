// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary bytes as a frame: every engine, with one thread and with two, and the C face say the same of it and decode
// it to the same bits.
#include "frames.hpp"
#include "laconic/laconic.h"

namespace laconic::fuzz {
namespace {

struct description {
    errc code = errc::ok;
    frame_info info;

    bool operator==(const description& other) const {
        const frame_info &a = info, &b = other.info;
        return code == other.code && a.version == b.version && a.codec == b.codec && a.type == b.type &&
               a.count == b.count && std::memcmp(&a.bound, &b.bound, sizeof a.bound) == 0 &&
               std::memcmp(&a.step, &b.step, sizeof a.step) == 0 && a.row_length == b.row_length &&
               a.contributions == b.contributions && a.magnitude == b.magnitude && a.frame_bytes == b.frame_bytes &&
               a.blocks == b.blocks && a.zero_blocks == b.zero_blocks && a.raw_blocks == b.raw_blocks &&
               a.exact_sums == b.exact_sums && a.checksummed == b.checksummed;
    }
};

description described(view frame) {
    const auto info = inspect(frame);
    return {info.error().code(), info ? *info : frame_info{}};
}

outcome decoded_in_c(view frame, element_type type, std::size_t count, unsigned threads) {
    bytes values(count * size_of(type));
    laconic_options options{};
    options.threads = threads;
    const int code = laconic_decompress(address_of(frame), frame.size(), values.data(), count,
                                        static_cast<laconic_type>(type), &options);
    if (code != 0) return {static_cast<errc>(code), {}};
    return {errc::ok, std::move(values)};
}

void run(view data) {
    const description found = same_on_every_engine([&] { return described(data); });
    const codec::frame_header announced = fields_of(data);
    const auto type = static_cast<unsigned>(announced.type) - 1 < 4 ? announced.type : element_type::f32;
    if (announced.count > most_values) return;
    const auto count = static_cast<std::size_t>(announced.count);
    const outcome values = same_on_every_engine([&] { return decoded(data, type, count); });
    LACONIC_HOLDS(found.code == errc::ok || !values.ok());
    // Payloads of the others are only looked at when they are decoded.
    if (announced.codec == codec_id::fle) LACONIC_HOLDS(values.ok() == (found.code == errc::ok));
    if (values.ok() && announced.count > (std::uint64_t{1} << 16)) {
        run_options two;
        two.threads = 2;
        LACONIC_HOLDS(same_on_every_engine([&] { return decoded(data, type, count, two); }) == values);
        LACONIC_HOLDS(decoded_in_c(data, type, count, 2) == values);
    }
    LACONIC_HOLDS(decoded_in_c(data, type, count, 1) == values);
    std::size_t c_count = 0;
    laconic_type c_type = LACONIC_F32;
    const int code = laconic_inspect(address_of(data), data.size(), &c_count, &c_type);
    LACONIC_HOLDS(static_cast<errc>(code) == found.code);
    if (code == 0) LACONIC_HOLDS(c_count == count && static_cast<element_type>(c_type) == type);
    if (!values.ok() || announced.codec != codec_id::fle) return;

    // Integers, where there are only those: the decoded values are theirs.
    std::vector<std::int32_t> integers(count);
    const errc extracted = same_on_every_engine([&] {
        std::vector<std::int32_t> q(count);
        const errc said = extract(data, q).error().code();
        if (said == errc::ok && integers_of(data).honest) integers = q;
        return said;
    });
    if (extracted != errc::ok || !integers_of(data).honest) return;
    on_every_engine([&](std::string_view) {
        std::vector<std::int32_t> q(count);
        LACONIC_HOLDS(extract(data, q).ok() && q == integers);
    });
    with_element(type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<T> y = values_in<T>(values.data);
        for (std::size_t i = 0; i < count; ++i) {
            // Exact for the 2^30 and 21 bits of honest frames of f32; f64 rounds once either way.
            const T expected = [&] {
                if constexpr (sizeof(T) == 8)
                    return integers[i] * announced.step;
                else
                    return static_cast<T>(static_cast<float>(integers[i] * announced.step));
            }();
            const auto value = static_cast<double>(static_cast<real_type<T>>(y[i]));
            // A product that rounds to zero keeps its sign; only the zero of q = 0 may be masked.
            if (static_cast<real_type<T>>(expected) == 0)
                LACONIC_HOLDS(value == 0 && (integers[i] == 0 || std::memcmp(&y[i], &expected, sizeof(T)) == 0));
            else
                LACONIC_HOLDS(std::memcmp(&y[i], &expected, sizeof(T)) == 0);
        }
        return 0;
    });
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    laconic::fuzz::run({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
