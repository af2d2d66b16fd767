// SPDX-License-Identifier: BSD-3-Clause
// The functions of fle.hpp with several threads: a bare sequence is cut between chunks, every thread works on a part,
// and the parts are put together. Bytes, values and reports are those of one thread; nothing is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/fle.hpp"
#include "codec/helpers.hpp"

namespace laconic::codec {

/// A caller and the threads that may help it. With one thread no other is ever asked, or made.
class crew {
public:
    /// Chunks of a part, at least: below that nothing is gained (measured, docs/adr/0008).
    static constexpr std::size_t least_chunks = 16;
    /// Where values travel uncompressed, so that a chunk takes far longer.
    static constexpr std::size_t least_raw_chunks = 2;

    crew() noexcept = default;
    explicit crew(unsigned threads) noexcept : threads_(std::clamp(threads, 1U, most_parts)) {}
    [[nodiscard]] unsigned threads() const noexcept { return threads_; }

    /// Memory in which the parts of sequences of up to `count` elements are written.
    [[nodiscard]] static std::size_t memory_for(unsigned threads, element_type type, std::size_t count) noexcept;
    /// With less than memory_for() one thread writes.
    void use_memory(std::span<std::byte> memory) noexcept { memory_ = memory; }
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }

    /// Into how many parts work on so many chunks is cut. least: chunks of a part.
    [[nodiscard]] unsigned parts_for(std::size_t chunks, std::size_t least = least_chunks) const noexcept {
        // More than threads: one that comes late finds something left to do.
        const std::size_t finest = threads_ == 1 ? 1 : std::min(2 * threads_, most_parts);
        return static_cast<unsigned>(std::clamp<std::size_t>(chunks / least, 1, finest));
    }
    /// Calls work(part) for every part once, with standard floating point. `chunks`: in all parts, as a measure of
    /// work.
    template <class Work>
    void each(unsigned parts, std::size_t chunks, const Work& work) const noexcept {
        run(
            parts, chunks, [](const void* all, unsigned part) noexcept { (*static_cast<const Work*>(all))(part); },
            std::addressof(work));
    }

private:
    void run(unsigned parts, std::size_t chunks, void (*work)(const void*, unsigned) noexcept,
             const void* all) const noexcept;

    unsigned threads_ = 1;
    std::span<std::byte> memory_;
};

// As the functions of fle.hpp with the same names.

template <class T>
encode_report encode(std::span<const T> values, const quantiser<T>& how, std::span<std::byte> out,
                     const crew& with) noexcept;
template <class T>
[[nodiscard]] status decode(std::span<const std::byte> bare, real_type<T> step, std::uint64_t magnitude,
                            std::span<T> values, std::uint32_t divisor, const crew& with, bool* exact = nullptr);
template <class T>
[[nodiscard]] result<sum_report> add(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count,
                                     real_type<T> step, std::uint64_t magnitude, std::span<std::byte> out,
                                     const crew& with);
template <class T>
[[nodiscard]] result<sum_report> add_values(std::span<const T> values, const quantiser<T>& how,
                                            std::span<const std::byte> bare, std::uint64_t magnitude,
                                            std::span<std::byte> out, const crew& with);
template <class T>
[[nodiscard]] result<sum_report> extreme(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count,
                                         bool larger, real_type<T> step, std::uint64_t magnitude,
                                         std::span<std::byte> out, const crew& with);
template <class T>
[[nodiscard]] bool quantise(std::span<const T> values, const quantiser<T>& how, std::span<std::int32_t> q,
                            const crew& with) noexcept;
template <class T>
[[nodiscard]] result<sum_report> add_integers(std::span<const std::int32_t> q, const quantiser<T>& how,
                                              std::uint64_t own, const std::span<const std::byte>* bare,
                                              std::uint64_t magnitude, std::span<std::byte> out, const crew& with);
/// As laconic::range_of().
template <class T>
[[nodiscard]] value_range<T> range_of(std::span<const T> values, const crew& with) noexcept;

}  // namespace laconic::codec
