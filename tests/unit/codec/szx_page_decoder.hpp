// SPDX-License-Identifier: BSD-3-Clause
// A decoder written from docs/format/szx.md alone, value by value and without any of the codec's code: payloads flow
// in, values flow out. It holds the page against the codec. Only for sound payloads: at() throws on others.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace laconic::testing {

template <class T>
class szx_page_decoder {
public:
    szx_page_decoder(const std::vector<std::byte>& payload, std::size_t count) : payload_(payload), count_(count) {}

    std::vector<T> decode() {
        const std::size_t chunks = (count_ + 5119) / 5120;
        std::size_t chunk_at = 4 * chunks;
        std::vector<T> values;
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            at_ = chunk_at;
            decode_chunk(std::min<std::size_t>(5120, count_ - 5120 * chunk), values);
            chunk_at += number(4 * chunk, 4);
            if (at_ != chunk_at) throw std::runtime_error("a chunk's size differs from its table entry");
        }
        if (chunk_at != payload_.size()) throw std::runtime_error("bytes are left over");
        return values;
    }

private:
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t bytes) const {
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < bytes; ++i) n |= std::to_integer<std::uint64_t>(payload_.at(at + i)) << (8 * i);
        return n;
    }
    std::uint64_t take(std::size_t bytes) {
        at_ += bytes;
        return number(at_ - bytes, bytes);
    }
    static T value_of(std::uint64_t bits) {
        if constexpr (sizeof(T) == 4)
            return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        else
            return std::bit_cast<double>(bits);
    }

    void decode_chunk(std::size_t count, std::vector<T>& values) {
        step_ = value_of(take(sizeof(T)));
        const std::size_t heads = at_;
        at_ += (count + 31) / 32;
        for (std::size_t block = 0; 32 * block < count; ++block) {
            const std::size_t lanes = std::min<std::size_t>(32, count - 32 * block);
            const auto head = static_cast<unsigned>(number(heads + block, 1));
            T y[32];
            if (head == 0x20)
                for (std::size_t i = 0; i < lanes; ++i) y[i] = value_of(take(sizeof(T)));
            else if (head == 0x60)
                decode_signed(y);
            else if (head == 0xA0)
                decode_wide(y);
            else
                decode_block(head, y);
            values.insert(values.end(), y, y + lanes);
        }
    }
    void decode_signed(T (&y)[32]) {
        const std::uint64_t mask = take(4);
        decode_block(static_cast<unsigned>(take(1)), y);
        for (unsigned i = 0; i < 32; ++i)
            if (((mask >> i) & 1) != 0) y[i] = T(-0.0);
    }
    void decode_wide(T (&y)[32]) {
        const auto width = static_cast<unsigned>(take(1));
        const T mid = value_of(take(sizeof(T)));
        decode_planes(width, ~std::uint64_t{0}, mid, y);
    }
    void decode_block(unsigned head, T (&y)[32]) {
        static constexpr unsigned f32_bytes[] = {0, 2, 3, 4};
        static constexpr unsigned f64_bytes[] = {0, 2, 4, 8};
        const unsigned bytes = (sizeof(T) == 4 ? f32_bytes : f64_bytes)[head >> 6];
        const std::uint64_t leading = take(bytes);
        const T mid = value_of(bytes == 0 ? 0 : leading << (8 * (sizeof(T) - bytes)));
        const unsigned width = head & 31;
        if (width == 0)
            for (T& v : y) v = mid;
        else
            decode_planes(width, (head & 32) != 0 ? take(4) : ~std::uint64_t{0}, mid, y);
    }
    void decode_planes(unsigned width, std::uint64_t mask, T mid, T (&y)[32]) {
        unsigned lanes = 0;
        for (unsigned i = 0; i < 32; ++i) lanes += static_cast<unsigned>((mask >> i) & 1);
        const unsigned plane_bytes = (lanes + 7) / 8;
        std::int64_t q[32] = {};
        for (unsigned p = 0; p < width; ++p) {
            const std::uint64_t plane = take(plane_bytes);
            unsigned next = 0;
            std::uint64_t bit = 0;
            for (unsigned i = 0; i < 32; ++i) {
                if (((mask >> i) & 1) != 0) bit = (plane >> next++) & 1;
                const auto weight = static_cast<std::int64_t>(std::uint64_t{1} << p);
                if (bit != 0) q[i] += p + 1 == width ? -weight : weight;
            }
        }
        for (unsigned i = 0; i < 32; ++i) {
            const T product = static_cast<T>(q[i]) * step_;
            y[i] = mid + product;
        }
    }

    const std::vector<std::byte>& payload_;
    std::size_t count_;
    std::size_t at_ = 0;
    T step_ = 0;
};

}  // namespace laconic::testing
