// SPDX-License-Identifier: BSD-3-Clause
// Payloads that compress with any codec and combine values, not streams. The caller's arrays, a quantisation and a
// codec flow in, compressed pieces flow out:
//   per_hop    (CPR-P2P)  compressed before each send, decompressed after each receive
//   once       (C-Coll's data movement)  compressed where the piece begins, forwarded as it is
//   pipelined  (C-Coll's computation)    per hop while combining, in small chunks between which messages move; final
//              results are forwarded as they are
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "codec/crew.hpp"
#include "collective/arrays.hpp"
#include "collective/quantisation.hpp"

namespace laconic::collective {

/// How one piece is compressed. zfp_rate takes `rate` bits per value and keeps no bound.
struct piece_codec {
    codec_id codec = codec_id::fle;
    double rate = 8;
    unsigned threads = 1;
};

enum class recoding : std::uint8_t { every_hop, never, in_chunks };

template <class T>
class payload_coded final : public payload {
public:
    payload_coded(const arrays<T>& data, const quantisation<T>& plan, piece_codec codec, recoding when) noexcept
        : data_(data), plan_(plan), codec_(codec), when_(when), crew_(codec.threads) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override;
    /// Two pieces of values: a received partial result, and what this rank holds of it; and what threads write beside
    /// each other.
    [[nodiscard]] std::size_t private_bytes(std::size_t count) const noexcept override;
    void use_memory(std::span<std::byte> memory) noexcept override {
        memory_ = memory;
        crew_.use_memory(memory);
    }

    [[nodiscard]] message begin(part piece, std::span<std::byte> scratch) override;
    [[nodiscard]] message combine(part piece, const operands& what) override;
    [[nodiscard]] message relay(part piece, std::span<const std::byte> received, std::span<std::byte> scratch,
                                bool finishes) override;
    void finish(part piece, std::span<const std::byte> final_message) override;

private:
    void copy_values(part piece) override { data_.copy(piece); }
    /// At the end of the memory; what threads write stands at its beginning.
    [[nodiscard]] std::span<T> values(int which, std::size_t count) const noexcept {
        return {reinterpret_cast<T*>(memory_.data() + memory_.size()) - static_cast<std::size_t>(2 - which) * count,
                count};
    }
    [[nodiscard]] std::size_t portion_bound(std::size_t values) const noexcept;
    /// A portion behind its size.
    [[nodiscard]] std::size_t framed_bound() const noexcept;
    /// Into how many parts several threads cut so many portions; 1: one thread does them.
    [[nodiscard]] unsigned parts_of(std::size_t portions) const noexcept;
    /// How long they take, in chunks of fle.
    [[nodiscard]] std::size_t chunks_in(std::size_t portions) const noexcept;
    [[nodiscard]] bool decode(std::span<const std::byte> from, std::span<T> to);
    [[nodiscard]] message encode(std::span<const T> from, std::span<std::byte> scratch);
    /// Portions in a row, each behind its size. polls: whether it is this thread that looks after messages.
    [[nodiscard]] result<std::size_t> encode_portions(std::span<const T> from, std::span<std::byte> to, bool polls);
    [[nodiscard]] status decode_portions(std::span<const std::byte>& from, std::span<T> to, bool polls);
    /// The same by several threads; 0, or false: one has to look at it again.
    [[nodiscard]] std::size_t encode_together(std::span<const T> from, std::span<std::byte> to,
                                              unsigned parts) noexcept;
    [[nodiscard]] bool decode_together(std::span<const std::byte> from, std::span<T> to, unsigned parts) noexcept;
    [[nodiscard]] laconic::result<std::size_t> encode_portion(std::span<const T> from, std::span<std::byte> to);
    [[nodiscard]] status decode_portion(std::span<const std::byte> from, std::span<T> to);

    arrays<T> data_;
    quantisation<T> plan_;
    piece_codec codec_;
    recoding when_;
    codec::crew crew_;
    std::span<std::byte> memory_;
};

}  // namespace laconic::collective
