// SPDX-License-Identifier: BSD-3-Clause
// What is in a message: packed elements flow in and out as they are, or, with a bound, as a frame of laconic's codec.
#pragma once

#include <span>

#include "laconic/exchange.hpp"
#include "mpi/channel.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic::redistribute {

class message_codec {
public:
    /// Lossless: messages hold packed elements. Else element.type is known.
    message_codec(exchange_element element, bool lossy) : element_(element), lossy_(lossy) {}

    [[nodiscard]] status prepare(std::size_t longest_chunk_bytes) {
        if (!lossy_ || packed_.reserve(longest_chunk_bytes).ok()) return {};
        return no_memory("a packed message", longest_chunk_bytes, "use engine batched, or a smaller batch_bytes");
    }
    /// What prepare() takes.
    [[nodiscard]] std::size_t packed_bytes(std::size_t longest_chunk_bytes) const noexcept {
        return lossy_ ? longest_chunk_bytes : 0;
    }
    /// The largest message there can be for a chunk of so many bytes.
    [[nodiscard]] std::size_t capacity(std::size_t chunk_bytes) const noexcept;
    [[nodiscard]] std::size_t staging_bytes() const noexcept { return packed_.bytes().size(); }

    /// Where to pack a chunk that is to go into `message`; then encode() makes the message and tells its size.
    [[nodiscard]] std::byte* pack_here(std::byte* message) const noexcept {
        return lossy_ ? packed_.bytes().data() : message;
    }
    [[nodiscard]] result<std::size_t> encode(std::size_t chunk_bytes, double limit, std::span<std::byte> message) const;
    /// The packed elements of a message: in the message itself, or decoded.
    [[nodiscard]] result<const std::byte*> decode(std::span<const std::byte> message, std::size_t chunk_bytes) const;

private:
    exchange_element element_;
    bool lossy_;
    mpi::workspace packed_;
};

}  // namespace laconic::redistribute
