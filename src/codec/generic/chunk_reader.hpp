// SPDX-License-Identifier: BSD-3-Clause
// Finds the chunks of a bare sequence: bytes in, checked views out. No chunk is touched before its sizes are known to
// lie inside the sequence, and whatever docs/format/stream.md tells a reader to check is checked here, for decoding
// and for sums alike.
#pragma once

#include "codec/chunk_head.hpp"
#include "codec/engine.hpp"
#include "codec/exact.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

/// A checked chunk; `plain` when every block is a plain or signed one of at most 32 planes.
struct chunk_view {
    block_rates rates;
    const std::byte* begin = nullptr;
    const std::byte* payload = nullptr;
    std::size_t bytes = 0;
    bool plain = true;
};

/// The patient path over a chunk.
template <class T>
void read_chunk(const chunk_view& view, std::size_t count, std::uint32_t row, chunk_model<T>& model) noexcept {
    read_chunk(view.begin, view.payload, view.rates, count, row, model);
}

template <class T>
class chunk_cursor {
public:
    explicit chunk_cursor(const sequence& from) noexcept
        : begin_(from.bytes),
          at_(from.bytes),
          end_(from.bytes + from.size + from.beyond),
          stop_(from.bytes + from.size),
          table_(from.table),
          first_entry_(from.first_entry) {}

    /// Steps to the next chunk, of `count` values. The view's bytes may be read up to slack_bytes past their end; it
    /// is valid until the next call.
    stream_fault next(std::size_t count, chunk_view& view) noexcept {
        if (const stream_fault fault = measure(count, view); fault != stream_fault::none) return fault;
        if (table_ != nullptr) {
            if (load_as<std::uint32_t>(table_) - first_entry_ != chunk_entry(at_ - begin_))
                return stream_fault::corrupt;
            table_ += table_entry_bytes;
        }
        at_ += view.bytes;
        if (LACONIC_UNLIKELY(static_cast<std::size_t>(end_ - at_) < slack_bytes)) {
            std::memcpy(guarded_, view.begin, view.bytes);
            view.payload = guarded_ + (view.payload - view.begin);
            view.begin = guarded_;
        }
        return stream_fault::none;
    }
    [[nodiscard]] bool at_end() const noexcept { return at_ == stop_; }

private:
    stream_fault measure(std::size_t count, chunk_view& view) const noexcept {
        const auto available = static_cast<std::size_t>(end_ - at_);
        std::size_t head = 0;
        if (const auto fault = read_head<T>(at_, available, count, view.rates, head); fault != stream_fault::none)
            return fault;
        view.begin = at_;
        view.payload = at_ + head;
        std::size_t planes = 0;
        unsigned seen = 0;
        unsigned widest = 0;
        for (const unsigned rate : view.rates.of) {
            planes += rate & width_mask;
            seen |= rate;
            widest = widest < (rate & width_mask) ? (rate & width_mask) : widest;
        }
        view.plain = (seen & kind_mask) == 0 && widest <= 32;
        view.bytes = head + planes * 4;
        if (LACONIC_UNLIKELY(!view.plain)) return measure_blocks(count, head, available, view);
        return view.bytes <= available ? stream_fault::none : stream_fault::truncated;
    }

    stream_fault measure_blocks(std::size_t count, std::size_t head, std::size_t available,
                                chunk_view& view) const noexcept {
        view.bytes = head;
        view.plain = true;
        for (std::size_t block = 0; block < blocks_in(count); ++block) {
            const unsigned rate = view.rates[block];
            const std::size_t bytes = block_bytes<T>(rate, lanes_in(count, block));
            if (available - view.bytes < bytes) return stream_fault::truncated;
            if ((rate & kind_mask) == kind_mixed) {
                const std::size_t planes = (rate & width_mask) * std::size_t{4};
                if (!flags_are_valid(load_as<std::uint32_t>(view.begin + view.bytes + planes), rate))
                    return stream_fault::corrupt;
            }
            view.bytes += bytes;
            view.plain &= (rate & kind_raw) == 0 && (rate & width_mask) <= 32;
        }
        return stream_fault::none;
    }

    const std::byte* begin_;
    const std::byte* at_;
    const std::byte* end_;
    const std::byte* stop_;
    const std::byte* table_;
    std::uint32_t first_entry_;
    // A copy of a chunk with room behind it, for chunks whose over-reads could leave the caller's buffer.
    alignas(64) std::byte guarded_[sum_chunk_bytes<T> + slack_bytes];
};

}  // namespace
}  // namespace laconic::codec
