// SPDX-License-Identifier: BSD-3-Clause
// Payloads that compress with any codec and combine values, not streams. The caller's arrays, a quantisation and a
// codec flow in, compressed pieces flow out:
//   per_hop    (CPR-P2P)  compressed before each send, decompressed after each receive
//   once       (C-Coll's data movement)  compressed where the piece begins, forwarded as it is
//   pipelined  (C-Coll's computation)    per hop while combining, in small chunks between which messages move; final
//              results are forwarded as they are
#pragma once

#include <cstdint>

#include "collective/arrays.hpp"
#include "collective/quantisation.hpp"

namespace laconic::collective {

/// How one piece is compressed. zfp_rate takes `rate` bits per value and keeps no bound.
struct piece_codec {
    codec_id codec = codec_id::fle;
    double rate = 8;
};

enum class recoding : std::uint8_t { every_hop, never, in_chunks };

template <class T>
class payload_coded final : public payload {
public:
    payload_coded(const arrays<T>& data, const quantisation<T>& plan, piece_codec codec, recoding when) noexcept
        : data_(data), plan_(plan), codec_(codec), when_(when) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override;
    /// Two pieces of values: a received partial result, and what this rank holds of it.
    [[nodiscard]] std::size_t private_bytes(std::size_t count) const noexcept override { return 2 * count * sizeof(T); }
    void use_memory(std::span<std::byte> memory) noexcept override { memory_ = memory; }

    void copy(part piece) override { data_.copy(piece); }
    [[nodiscard]] message begin(part piece, std::span<std::byte> scratch) override;
    [[nodiscard]] message combine(part piece, const operands& what) override;
    [[nodiscard]] message relay(part piece, std::span<const std::byte> received, std::span<std::byte> scratch,
                                bool finishes) override;
    void finish(part piece, std::span<const std::byte> final_message) override;

private:
    [[nodiscard]] std::span<T> values(int which, std::size_t count) const noexcept {
        return {reinterpret_cast<T*>(memory_.data()) + static_cast<std::size_t>(which) * count, count};
    }
    /// Values per portion: all at once, or what C-Coll compresses between two looks at its messages.
    [[nodiscard]] std::size_t portion(std::size_t count) const noexcept;
    [[nodiscard]] bool decode(std::span<const std::byte> from, std::span<T> to);
    [[nodiscard]] message encode(std::span<const T> from, std::span<std::byte> scratch);
    [[nodiscard]] laconic::result<std::size_t> encode_portion(std::span<const T> from, std::span<std::byte> to);
    [[nodiscard]] status decode_portion(std::span<const std::byte> from, std::span<T> to);

    arrays<T> data_;
    quantisation<T> plan_;
    piece_codec codec_;
    recoding when_;
    std::span<std::byte> memory_;
};

}  // namespace laconic::collective
