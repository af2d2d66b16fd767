// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary values and bounds: every engine writes the same frame whatever the caller's rounding, it fits where
// compress_bound() says, what comes back keeps the element promise in exact arithmetic, and the split form (quantise,
// encode, add, extract) agrees with the whole one.
#include <cfenv>

#include "encode_input.hpp"
#include "frames.hpp"

namespace laconic::fuzz {
namespace {

__extension__ using exact_real = __float128;

/// |x - y| <= e; what is not finite, and -0.0, bit for bit.
template <class T>
bool keeps_promise(T x, T y, exact_real e) {
    const auto a = static_cast<double>(static_cast<real_type<T>>(x));
    const auto b = static_cast<double>(static_cast<real_type<T>>(y));
    if (!std::isfinite(a) || (a == 0 && std::signbit(a))) return std::memcmp(&x, &y, sizeof x) == 0;
    if (!std::isfinite(b)) return false;
    const exact_real difference = static_cast<exact_real>(a) - static_cast<exact_real>(b);
    return (difference < 0 ? -difference : difference) <= e;
}

/// The caller's rounding, for as long as this lives.
class rounding_mode {
public:
    explicit rounding_mode(unsigned which) noexcept : before_(std::fegetround()) {
        constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD};
        std::fesetround(modes[which & 3U]);
    }
    ~rounding_mode() { std::fesetround(before_); }
    rounding_mode(const rounding_mode&) = delete;
    rounding_mode& operator=(const rounding_mode&) = delete;

private:
    int before_;
};

/// Values at the address that an input asks for, in memory of exactly their size.
template <class T>
class placed {
public:
    placed(const std::vector<T>& values, bool misaligned)
        : memory_(values.size() * sizeof(T) + (misaligned ? 1 : 0)), count_(values.size()), shift_(misaligned ? 1 : 0) {
        if (!values.empty()) std::memcpy(memory_.data() + shift_, values.data(), values.size() * sizeof(T));
    }
    [[nodiscard]] std::span<const T> span() const noexcept {
        return {reinterpret_cast<const T*>(memory_.data() + shift_), count_};
    }

private:
    bytes memory_;
    std::size_t count_, shift_;
};

/// What the bound is in absolute terms.
template <class T>
exact_real absolute(bound limit, std::span<const T> values) {
    if (limit.kind == bound_kind::absolute) return static_cast<exact_real>(limit.value);
    double least = 0, most = 0;
    bool any = false;
    for (const T value : values) {
        const auto v = static_cast<double>(static_cast<real_type<T>>(value));
        if (!std::isfinite(v)) continue;
        least = any ? std::min(least, v) : v;
        most = any ? std::max(most, v) : v;
        any = true;
    }
    // A constant field is lossless; what the product rounds is far below anything that a value resolves.
    const exact_real range = static_cast<exact_real>(most) - static_cast<exact_real>(least);
    return static_cast<exact_real>(limit.value) * range;
}

struct countdown {
    std::uint32_t left = 0;
};

template <class T>
outcome compressed(std::span<const T> values, const encode_input& in) {
    frame_options options = in.options;
    countdown calls{in.cancel_at};
    if (in.cancel_at > 0) {
        options.run.progress = [](void* user, const progress_info&) {
            return --static_cast<countdown*>(user)->left > 0;
        };
        options.run.progress_user = &calls;
    }
    const std::size_t capacity = compress_bound(in.type, values.size(), in.options.codec);
    const rounding_mode theirs(in.rounding);
    return written(capacity, [&](auto out) { return compress(values, in.limit, out, options); });
}

/// Bits of values, with every -0.0 made +0.0.
template <class T>
std::vector<T> without_signed_zeros(std::vector<T> values) {
    for (T& v : values)
        if (static_cast<real_type<T>>(v) == 0) v = T{};
    return values;
}

/// quantise, encode, extract and add of integers.
template <class T>
void check_split_form(const std::vector<T>& values, const encode_input& in) {
    const std::size_t n = values.size();
    const std::span<const T> x(values);
    std::vector<std::int32_t> integers(n);
    const auto array = quantise(x, in.limit, std::span(integers), in.options);
    const errc code = array.error().code();
    on_every_engine([&](std::string_view) {
        std::vector<std::int32_t> again(n);
        const auto same = quantise(x, in.limit, std::span(again), in.options);
        LACONIC_HOLDS(same.error().code() == code);
        if (array) LACONIC_HOLDS(again == integers && same->magnitude == array->magnitude && same->step == array->step);
    });
    if (!array) {
        LACONIC_HOLDS(code == errc::unrepresentable);
        return;
    }
    const std::size_t capacity = compress_bound(in.type, n);
    const outcome frame = same_on_every_engine(
        [&] { return written(capacity, [&](auto out) { return encode(*array, integers, out); }); });
    if (!frame.ok()) {
        LACONIC_HOLDS(frame.code == errc::unrepresentable && in.type == element_type::f64);
        return;
    }
    encode_input plain;
    plain.type = in.type;
    plain.limit = in.limit;
    plain.options.max_abs = in.options.max_abs;
    plain.options.row_length = in.options.row_length;
    const std::vector<T> positive = without_signed_zeros(values);
    LACONIC_HOLDS(compressed(std::span<const T>(positive), plain) == frame);
    std::vector<std::int32_t> back(n);
    const auto described = extract(frame.data, back);
    LACONIC_HOLDS(described.ok() && back == integers && described->magnitude == array->magnitude);
    LACONIC_HOLDS(described->step == array->step && described->bound == array->bound &&
                  described->row_length == array->row_length && described->type == array->type);
    const std::size_t room = sum_bound(in.type, n);
    const outcome sum = same_on_every_engine(
        [&] { return written(room, [&](auto out) { return add(*array, integers, frame.data, out); }); });
    LACONIC_HOLDS(sum == written(room, [&](auto out) { return add(frame.data, frame.data, out); }));
}

template <class T>
void check(const std::vector<T>& values, const encode_input& in) {
    const placed<T> at(values, in.misaligned);
    const outcome frame = same_on_every_engine([&] { return compressed(at.span(), in); });
    const codec_description* const codec = find_codec(in.options.codec);
    const bool available = codec != nullptr && codec->available;
    const bool bad_bound = !std::isfinite(in.limit.value) || in.limit.value < 0;
    if (bad_bound) LACONIC_HOLDS(frame.code == errc::invalid_bound);
    if (!bad_bound && !available) LACONIC_HOLDS(frame.code == errc::unsupported);
    if (!frame.ok()) {
        const bool may_rate = in.options.codec == codec_id::zfp_rate && frame.code == errc::invalid_argument;
        const bool may_type = sizeof(T) == 2 && in.options.codec != codec_id::fle && frame.code == errc::unsupported;
        LACONIC_HOLDS(bad_bound || !available || may_rate || may_type ||
                      (in.cancel_at > 0 && frame.code == errc::cancelled));
        return;
    }
    const auto info = inspect(frame.data);
    LACONIC_HOLDS(info.ok() && info->count == values.size() && info->type == in.type);
    LACONIC_HOLDS(info->codec == in.options.codec && info->checksummed == in.options.checksum);
    if (info->codec == codec_id::fle) {
        const integers_found found = integers_of(frame.data);
        LACONIC_HOLDS(found.honest && found.tidy && found.magnitude == info->magnitude);
    }
    const outcome back = same_on_every_engine([&] {
        const rounding_mode theirs(in.rounding);
        return decoded(frame.data, in.type, values.size());
    });
    LACONIC_HOLDS(back.ok());
    if (!codec->keeps_bound) return;
    const std::vector<T> y = values_in<T>(back.data);
    const exact_real e = absolute(in.limit, std::span<const T>(values));
    // The header's own bound holds, too, but for what rounding to a 16-bit type adds.
    if (sizeof(T) != 2 && in.options.codec != codec_id::raw) LACONIC_HOLDS(static_cast<exact_real>(info->bound) <= e);
    for (std::size_t i = 0; i < y.size(); ++i) {
        LACONIC_HOLDS(keeps_promise(values[i], y[i], e));
        if (sizeof(T) != 2) LACONIC_HOLDS(keeps_promise(values[i], y[i], static_cast<exact_real>(info->bound)));
    }
    if (in.options.codec == codec_id::fle) check_split_form(values, in);
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace laconic::fuzz;
    reader from(data, size);
    const encode_input in = encode_input_from(from);
    const bytes rest = from.rest();
    with_element(in.type, [&](auto zero) {
        using T = decltype(zero);
        check(values_from<T>(in, rest), in);
        return 0;
    });
    return 0;
}
