// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary bytes as a frame, and as a sequence of frames: every reader takes it or every reader refuses it, and none
// leaves its buffers.
#include <optional>

#include "frames.hpp"
#include "laconic/streaming.hpp"

namespace laconic::fuzz {
namespace {

/// A source that hands out pieces of sizes that go around in an odd circle.
byte_source in_pieces(view data) {
    return [data, turn = std::size_t{0}](std::span<std::byte> to) mutable -> result<std::size_t> {
        constexpr std::size_t sizes[] = {1, 63, 7, 4096, 2, 65, 129};
        const std::size_t n = std::min({sizes[turn++ % 7], to.size(), data.size()});
        if (n > 0) std::memcpy(to.data(), data.data(), n);
        data = data.subspan(n);
        return n;
    };
}

/// The values of a sequence of frames by inspect() and decompress(); nothing where a frame is refused or too long.
struct sequence_found {
    std::optional<bytes> values;
    bool too_long = false;
};
sequence_found frame_by_frame(view data, element_type type) {
    sequence_found found;
    bytes all;
    do {
        const auto size = frame_size(data.first(std::min<std::size_t>(data.size(), 64)));
        if (!size || *size > data.size()) return found;
        const view frame = data.first(static_cast<std::size_t>(*size));
        const auto info = inspect(frame);
        if (!info) return found;
        found.too_long = info->count > most_values;
        if (found.too_long || info->type != type) return found;
        const outcome one = decoded(frame, type, static_cast<std::size_t>(info->count));
        if (!one.ok()) return found;
        all.insert(all.end(), one.data.begin(), one.data.end());
        data = data.subspan(frame.size());
    } while (!data.empty());
    found.values = std::move(all);
    return found;
}

/// The values of a frame_reader, pulled a few at a time.
template <class T>
std::optional<bytes> by_reader(view data) {
    frame_reader<T> from(in_pieces(data));
    bytes all;
    std::size_t turn = 0;
    for (;;) {
        std::vector<T> piece(turn++ % 2 == 0 ? 37 : 4099);
        const auto got = from.pull(std::span<T>(piece));
        if (!got) {
            LACONIC_HOLDS(from.pull(std::span<T>(piece)).error().code() == got.error().code());
            return {};
        }
        const auto* const bytes_in = reinterpret_cast<const std::byte*>(piece.data());
        all.insert(all.end(), bytes_in, bytes_in + *got * sizeof(T));
        if (*got < piece.size()) return all;
    }
}

void run(view data) {
    const auto info = inspect(data);
    const auto size = frame_size(data.first(std::min<std::size_t>(data.size(), 64)));
    const codec::frame_header announced = fields_of(data);
    if (info) {
        LACONIC_HOLDS(size.ok() && *size == data.size());
        LACONIC_HOLDS(info->frame_bytes == data.size() && info->count == announced.count);
        LACONIC_HOLDS(info->type == announced.type && info->codec == announced.codec);
        LACONIC_HOLDS(info->zero_blocks + info->raw_blocks <= info->blocks);
    }
    if (announced.count <= most_values) {
        const outcome values = decoded(data, announced.type, static_cast<std::size_t>(announced.count));
        LACONIC_HOLDS(info.ok() || !values.ok());
        // Payloads of the others are only looked at when they are decoded.
        if (announced.codec == codec_id::fle) LACONIC_HOLDS(values.ok() == info.ok());
        // A reader that reports progress goes through the chunks in spans.
        run_options watched;
        watched.progress = [](void*, const progress_info& now) { return now.values <= now.total; };
        LACONIC_HOLDS(same(decoded(data, announced.type, static_cast<std::size_t>(announced.count), watched), values));
        if (info) {
            const auto count = static_cast<std::size_t>(info->count);
            LACONIC_HOLDS(decoded(data, announced.type, count + 1).code == errc::mismatch);
        }
    }
    const sequence_found expected = frame_by_frame(data, announced.type);
    if (expected.too_long) return;
    const auto read = with_element(announced.type, [&](auto zero) { return by_reader<decltype(zero)>(data); });
    LACONIC_HOLDS(read == expected.values);
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    laconic::fuzz::on_every_engine([&](std::string_view) {
        laconic::fuzz::run({reinterpret_cast<const std::byte*>(data), size});
    });
    return 0;
}
