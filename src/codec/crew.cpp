// SPDX-License-Identifier: BSD-3-Clause
// Parts. Where the parts of a received sequence begin is found by reading the heads of its chunks, which costs a
// twentieth of adding them. What the caller writes goes where it belongs, what helpers write into the crew's memory,
// from where the caller moves it behind its own: compressed it is small. Where anything is wrong with a sequence one
// thread looks at it again, so that its finding is the same.
#include "codec/crew.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <thread>

#include "base/arithmetic.hpp"
#include "codec/engine.hpp"
#include "codec/float_environment.hpp"
#include "codec/generic/chunk_reader.hpp"
#include "codec/helpers.hpp"

namespace laconic::codec {
namespace {

constexpr std::size_t line = 64;

/// An array of whole chunks, and what is left, cut into parts.
struct cut {
    std::size_t count = 0;
    unsigned parts = 1;
    std::array<std::size_t, most_parts + 1> chunk{};  ///< that a part begins with

    cut(std::size_t values, unsigned into) noexcept : count(values), parts(into) {
        const std::size_t chunks = base::divide_up(values, chunk_values);
        for (unsigned part = 0; part <= parts; ++part) chunk[part] = chunks * part / parts;
    }
    [[nodiscard]] std::size_t first(unsigned part) const noexcept {
        return std::min(count, chunk[part] * chunk_values);
    }
    [[nodiscard]] std::size_t values(unsigned part) const noexcept { return first(part + 1) - first(part); }
    template <class V>
    [[nodiscard]] std::span<V> of(std::span<V> all, unsigned part) const noexcept {
        return all.subspan(first(part), values(part));
    }
};

/// A bare sequence and where its parts begin.
class parted {
public:
    explicit parted(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    /// False when it is damaged.
    template <class T>
    [[nodiscard]] bool split(const cut& at) noexcept {
        std::size_t offset = 0;
        std::size_t chunk = 0;
        for (unsigned part = 0; part < at.parts; ++part) {
            for (; chunk < at.chunk[part]; ++chunk)
                if (!step<T>(offset)) return false;
            begin_[part] = offset;
        }
        begin_[at.parts] = bytes_.size();
        return true;
    }
    [[nodiscard]] sequence part(unsigned number) const noexcept {
        const std::size_t begin = begin_[number], end = begin_[number + 1];
        return {bytes_.data() + begin, end - begin, nullptr, 0, bytes_.size() - end};
    }

private:
    /// Over the whole chunk at `offset`.
    template <class T>
    [[nodiscard]] bool step(std::size_t& offset) const noexcept {
        const std::size_t left = bytes_.size() - offset;
        std::size_t bytes = left < least_chunk_bytes<T> ? 0 : short_chunk_bytes<T>(bytes_.data() + offset);
        if (bytes == 0) {
            chunk_cursor<T> cursor({bytes_.data() + offset, left});
            chunk_view view;
            if (cursor.next(chunk_values, view) != stream_fault::none) return false;
            bytes = view.bytes;
        }
        offset += bytes;
        return bytes <= left;
    }

    std::span<const std::byte> bytes_;
    std::array<std::size_t, most_parts + 1> begin_;
};

/// What came of one part.
struct outcome {
    stream_fault fault = stream_fault::none;
    sum_report sum;
    std::uint64_t raw_blocks = 0;
};

std::size_t room_for(element_type type, std::size_t most_values) noexcept {
    return base::round_up(bare_sum_bound(type, most_values), line);
}

std::size_t longest_part(std::size_t count, unsigned parts) noexcept {
    return base::divide_up(base::divide_up(count, chunk_values), std::size_t{parts}) * chunk_values;
}

/// Whether the crew's memory is enough for work that writes.
bool has_room(const crew& with, element_type type, std::size_t count, unsigned parts) noexcept {
    return with.memory().size() >= parts * room_for(type, longest_part(count, parts));
}

/// Every part writes chunks: body(part, where) -> outcome. The caller has the first parts one after the other, and
/// writes them where they belong.
template <class T, class Body>
outcome write_parts(const crew& with, const cut& at, std::span<std::byte> out, const Body& body) noexcept {
    const std::size_t room = room_for(element_type_of<T>::value, longest_part(at.count, at.parts));
    std::array<outcome, most_parts> found;
    const auto caller = std::this_thread::get_id();
    unsigned straight = 0;  // parts that the caller has written
    std::size_t end = 0;    // of them
    with.each(at.parts, at.chunk[at.parts], [&](unsigned part) {
        if (std::this_thread::get_id() != caller) {
            found[part] = body(part, sink{with.memory().data() + part * room, nullptr});
            return;
        }
        found[part] = body(part, sink{out.data() + end, nullptr});
        end += found[part].sum.bytes;
        ++straight;
    });
    outcome all;
    for (unsigned part = 0; part < at.parts; ++part) {
        const outcome& one = found[part];
        if (one.fault != stream_fault::none) return one;
        if (part >= straight)
            std::memcpy(out.data() + all.sum.bytes, with.memory().data() + part * room, one.sum.bytes);
        all.sum.bytes += one.sum.bytes;
        all.sum.exact &= one.sum.exact;
        all.sum.magnitude = std::max(all.sum.magnitude, one.sum.magnitude);
        all.raw_blocks += one.raw_blocks;
    }
    return all;
}

/// `a`, where the sum that grows at the start of `out` does not meet it.
std::span<const std::byte> clear_of(std::span<std::byte> out, std::span<const std::byte> a) noexcept {
    if (a.data() != out.data() || a.size() + slack_bytes > out.size()) return a;
    const sequence moved = move_to_end(a, out);
    return {moved.bytes, moved.size};
}

/// Least chunks of a part of work on a sequence.
template <class T>
std::size_t least_of(std::span<const std::byte> bare, std::size_t count) noexcept {
    return bare.size() > count * sizeof(T) / 4 * 3 ? crew::least_raw_chunks : crew::least_chunks;
}

/// How many parts a sum is worth and has memory for; 1: none but the whole.
template <class T>
unsigned parts_of_sum(const crew& with, std::size_t count, std::span<const std::byte> in,
                      std::span<std::byte> out) noexcept {
    const unsigned parts =
        with.threads() == 1 ? 1 : with.parts_for(base::divide_up(count, chunk_values), least_of<T>(in, count));
    constexpr element_type type = element_type_of<T>::value;
    return parts > 1 && out.size() >= bare_sum_bound(type, count) && has_room(with, type, count, parts) ? parts : 1;
}

/// Two sequences made one part by part; nothing where that does not pay, or where one thread has to look again. `a`
/// then lies clear of `out`.
/// kernel   (part of a, part of b, values, to, its sum) -> what was wrong
template <class T, class Kernel>
std::optional<sum_report> in_parts(std::span<const std::byte>& a, std::span<const std::byte> b, std::size_t count,
                                   std::span<std::byte> out, const crew& with, const Kernel& kernel) {
    const unsigned parts = parts_of_sum<T>(with, count, a.size() > b.size() ? a : b, out);
    if (parts < 2) return {};
    const cut at(count, parts);
    a = clear_of(out, a);
    parted left(a), right(b);
    if (!left.split<T>(at) || !right.split<T>(at)) return {};
    const outcome all = write_parts<T>(with, at, out, [&](unsigned part, sink to) {
        outcome one;
        one.fault = kernel(left.part(part), right.part(part), at.values(part), to, one.sum);
        return one;
    });
    if (all.fault != stream_fault::none) return {};
    return all.sum;
}

}  // namespace

void crew::run(unsigned parts, std::size_t chunks, void (*work)(const void*, unsigned) noexcept,
               const void* all) const noexcept {
    const float_environment standard;
    help_with(threads_ - 1, parts, chunks, work, all);
}

std::size_t crew::memory_for(unsigned threads, element_type type, std::size_t count) noexcept {
    if (threads < 2) return 0;
    std::size_t most_bytes = 0;
    for (unsigned parts = 2; parts <= crew(threads).parts_for(base::divide_up(count, chunk_values), least_raw_chunks);
         ++parts)
        most_bytes = std::max(most_bytes, parts * room_for(type, longest_part(count, parts)));
    return most_bytes;
}

template <class T>
encode_report encode(std::span<const T> values, const quantiser<T>& how, std::span<std::byte> out,
                     const crew& with) noexcept {
    constexpr element_type type = element_type_of<T>::value;
    const unsigned parts = with.threads() == 1 ? 1 : with.parts_for(base::divide_up(values.size(), chunk_values));
    if (parts == 1 || !has_room(with, type, values.size(), parts)) return encode<T>(values, how, out);
    const cut at(values.size(), parts);
    const outcome all = write_parts<T>(with, at, out, [&](unsigned part, sink to) {
        const std::span<const T> mine = at.of(values, part);
        const encode_report seen = current_kernels<T>().encode(bytes_of(mine), mine.size(), how, to);
        return outcome{stream_fault::none, {seen.bytes, true, seen.magnitude}, seen.raw_blocks};
    });
    return {all.sum.bytes, all.sum.magnitude, all.raw_blocks};
}

template <class T>
status decode(std::span<const std::byte> bare, real_type<T> step, std::uint64_t magnitude, std::span<T> values,
              std::uint32_t divisor, const crew& with, bool* exact) {
    const unsigned parts = with.threads() == 1 ? 1
                                               : with.parts_for(base::divide_up(values.size(), chunk_values),
                                                                least_of<T>(bare, values.size()));
    if (parts > 1) {
        const cut at(values.size(), parts);
        parted from(bare);
        if (from.split<T>(at)) {
            std::array<stream_fault, most_parts> found{};
            std::array<bool, most_parts> added_exactly;
            added_exactly.fill(true);
            with.each(parts, at.chunk[parts], [&](unsigned part) {
                const std::span<T> mine = at.of(values, part);
                found[part] = current_kernels<T>().decode(from.part(part), {step, divisor, magnitude},
                                                          reinterpret_cast<std::byte*>(mine.data()), mine.size(),
                                                          added_exactly[part]);
            });
            if (std::all_of(found.begin(), found.end(), [](stream_fault f) { return f == stream_fault::none; })) {
                if (exact != nullptr)
                    *exact &= std::all_of(added_exactly.begin(), added_exactly.end(), [](bool one) { return one; });
                return {};
            }
        }
    }
    return decode<T>(bare, step, magnitude, values, divisor, exact);
}

template <class T>
result<sum_report> add(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count, real_type<T> step,
                       std::uint64_t magnitude, std::span<std::byte> out, const crew& with) {
    const auto kernel = [&](const sequence& left, const sequence& right, std::size_t values, sink to, sum_report& sum) {
        return current_kernels<T>().add(left, right, values, {step, 0, magnitude}, to, sum);
    };
    if (const auto all = in_parts<T>(a, b, count, out, with, kernel)) return *all;
    return add<T>(a, b, count, step, magnitude, out);
}

template <class T>
result<sum_report> add_values(std::span<const T> values, const quantiser<T>& how, std::span<const std::byte> bare,
                              std::uint64_t magnitude, std::span<std::byte> out, const crew& with) {
    if (const unsigned parts = parts_of_sum<T>(with, values.size(), bare, out); parts > 1) {
        const cut at(values.size(), parts);
        parted received(bare);
        const std::uint64_t others = magnitude <= narrow_magnitude(how.row) ? 0 : magnitude;
        if (received.split<T>(at)) {
            const outcome all = write_parts<T>(with, at, out, [&](unsigned part, sink to) {
                const std::span<const T> mine = at.of(values, part);
                outcome one;
                one.fault = current_kernels<T>().add_values(bytes_of(mine), mine.size(), how, received.part(part),
                                                            others, to, one.sum);
                return one;
            });
            if (all.fault == stream_fault::none) return all.sum;
        }
    }
    return add_values<T>(values, how, bare, magnitude, out);
}

template <class T>
result<sum_report> extreme(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count, bool larger,
                           real_type<T> step, std::uint64_t magnitude, std::span<std::byte> out, const crew& with) {
    const auto kernel = [&](const sequence& left, const sequence& right, std::size_t values, sink to, sum_report& sum) {
        return current_kernels<T>().extreme(left, right, values, larger, {step, 0, magnitude}, to, sum);
    };
    if (const auto all = in_parts<T>(a, b, count, out, with, kernel)) return *all;
    return extreme<T>(a, b, count, larger, step, magnitude, out);
}

template <class T>
bool quantise(std::span<const T> values, const quantiser<T>& how, std::span<std::int32_t> q,
              const crew& with) noexcept {
    const unsigned parts = with.threads() == 1 ? 1 : with.parts_for(base::divide_up(values.size(), chunk_values));
    if (parts == 1) return quantise<T>(values, how, q);
    const cut at(values.size(), parts);
    std::array<std::uint64_t, most_parts> missed{};
    with.each(parts, at.chunk[parts], [&](unsigned part) {
        const std::span<const T> mine = at.of(values, part);
        std::uint64_t magnitude = 0;
        missed[part] =
            current_kernels<T>().quantise(bytes_of(mine), mine.size(), how, at.of(q, part).data(), magnitude);
    });
    return std::all_of(missed.begin(), missed.end(), [](std::uint64_t n) { return n == 0; });
}

template <class T>
result<sum_report> add_integers(std::span<const std::int32_t> q, const quantiser<T>& how, std::uint64_t own,
                                const std::span<const std::byte>* bare, std::uint64_t magnitude,
                                std::span<std::byte> out, const crew& with) {
    if (const unsigned parts = parts_of_sum<T>(with, q.size(), {}, out); parts > 1) {
        const cut at(q.size(), parts);
        parted received(bare == nullptr ? std::span<const std::byte>() : *bare);
        if (bare == nullptr || received.split<T>(at)) {
            const outcome all = write_parts<T>(with, at, out, [&](unsigned part, sink to) {
                const std::span<const std::int32_t> mine = at.of(q, part);
                const sequence other = bare == nullptr ? sequence{} : received.part(part);
                outcome one;
                one.fault = current_kernels<T>().add_ints(mine.data(), mine.size(), {how.step, how.row, magnitude}, own,
                                                          bare == nullptr ? nullptr : &other, to, one.sum);
                return one;
            });
            if (all.fault == stream_fault::none) return all.sum;
        }
    }
    return add_integers<T>(q, how, own, bare, magnitude, out);
}

template <class T>
value_range<T> range_of(std::span<const T> values, const crew& with) noexcept {
    const unsigned parts = with.threads() == 1 ? 1 : with.parts_for(base::divide_up(values.size(), chunk_values));
    if (parts == 1) return laconic::range_of<T>(values);
    const cut at(values.size(), parts);
    std::array<value_range<T>, most_parts> found;
    with.each(parts, at.chunk[parts], [&](unsigned part) {
        const std::span<const T> mine = at.of(values, part);
        current_kernels<T>().range(bytes_of(mine), mine.size(), found[part]);
    });
    value_range<T> all;
    bool any = false;
    for (unsigned part = 0; part < parts; ++part) {
        const value_range<T>& one = found[part];
        all.nonfinite += one.nonfinite;
        if (one.nonfinite == at.values(part)) continue;
        all.min = any ? std::min(all.min, one.min) : one.min;
        all.max = any ? std::max(all.max, one.max) : one.max;
        all.max_abs = std::max(all.max_abs, one.max_abs);
        any = true;
    }
    return all;
}

#define LACONIC_INSTANTIATE(T)                                                                                        \
    template encode_report encode(std::span<const T>, const quantiser<T>&, std::span<std::byte>,                      \
                                  const crew&) noexcept;                                                              \
    template status decode(std::span<const std::byte>, real_type<T>, std::uint64_t, std::span<T>, std::uint32_t,      \
                           const crew&, bool*);                                                                       \
    template result<sum_report> add<T>(std::span<const std::byte>, std::span<const std::byte>, std::size_t,           \
                                       real_type<T>, std::uint64_t, std::span<std::byte>, const crew&);               \
    template result<sum_report> add_values(std::span<const T>, const quantiser<T>&, std::span<const std::byte>,       \
                                           std::uint64_t, std::span<std::byte>, const crew&);                         \
    template result<sum_report> extreme<T>(std::span<const std::byte>, std::span<const std::byte>, std::size_t, bool, \
                                           real_type<T>, std::uint64_t, std::span<std::byte>, const crew&);           \
    template bool quantise(std::span<const T>, const quantiser<T>&, std::span<std::int32_t>, const crew&) noexcept;   \
    template result<sum_report> add_integers(std::span<const std::int32_t>, const quantiser<T>&, std::uint64_t,       \
                                             const std::span<const std::byte>*, std::uint64_t, std::span<std::byte>,  \
                                             const crew&);                                                            \
    template value_range<T> range_of(std::span<const T>, const crew&) noexcept;

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::codec
