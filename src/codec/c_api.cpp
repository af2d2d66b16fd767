// SPDX-License-Identifier: BSD-3-Clause
// The C face of the codec: pointers and sizes in, error codes out; the reason of the last failure is kept per thread.
#include "codec/c_api.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "laconic/arithmetic.hpp"
#include "laconic/laconic.h"

namespace laconic {

namespace {
thread_local std::string last_message;
}

int report_to_c(const status& outcome) noexcept {
    try {
        last_message = outcome.ok() ? std::string() : outcome.message();
    } catch (...) {
        last_message.clear();
    }
    return static_cast<int>(outcome.code());
}

namespace {

std::span<const std::byte> input(const void* data, size_t size) { return {static_cast<const std::byte*>(data), size}; }
std::span<std::byte> output(void* data, size_t size) { return {static_cast<std::byte*>(data), size}; }

status unknown_type(int type) {
    return {errc::invalid_argument, "element type " + std::to_string(type) + "; use LACONIC_F32, _F64, _F16 or _BF16"};
}

status finish(const result<std::size_t>& done, size_t* bytes) {
    if (done.ok()) *bytes = *done;
    return done.error();
}

bool c_progress(void* user, const progress_info& now) {
    const auto& options = *static_cast<const laconic_options*>(user);
    return options.progress(options.progress_user, now.values, now.total, now.bytes) != 0;
}

/// `options` must outlive the call that is made with the result.
frame_options options_from(const laconic_options* options) {
    frame_options ours;
    if (options == nullptr) return ours;
    // A number beyond a byte must not become that of a codec.
    const auto codec = static_cast<unsigned>(options->codec);
    if (codec != 0) ours.codec = static_cast<codec_id>(codec <= 0xFF ? codec : 0xFF);
    ours.checksum = options->checksum != 0;
    if (options->max_abs > 0) ours.max_abs = options->max_abs;
    ours.row_length = options->row_length;
    if (options->rate != 0) ours.rate = options->rate;
    ours.run.threads = options->threads == 0 ? 1 : options->threads;
    if (options->progress != nullptr) {
        ours.run.progress = c_progress;
        ours.run.progress_user = const_cast<laconic_options*>(options);
    }
    return ours;
}

/// body(T{}) for a known type.
template <class Body>
status with_c_type(laconic_type type, Body body) {
    switch (type) {
        case LACONIC_F32: return body(float{});
        case LACONIC_F64: return body(double{});
        case LACONIC_F16: return body(half{});
        case LACONIC_BF16: return body(bfloat16{});
    }
    return unknown_type(type);
}

template <class T>
std::span<T> array_of(std::conditional_t<std::is_const_v<T>, const void*, void*> data, size_t count) {
    return {static_cast<T*>(data), count};
}

/// A known type and a count whose worst case a size_t can hold.
bool is_size(laconic_type type, size_t count) noexcept {
    return type >= LACONIC_F32 && type <= LACONIC_BF16 && count <= SIZE_MAX / 64;
}

using operation_on_two = result<std::size_t>(std::span<const std::byte>, std::span<const std::byte>,
                                             std::span<std::byte>, const run_options&);

int on_two(operation_on_two* operation, const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out,
           size_t capacity, size_t* frame_bytes) {
    return guarded([&]() -> status {
        if (a == nullptr || b == nullptr) return null_argument(a == nullptr ? "a" : "b");
        if (out == nullptr) return null_argument("out");
        if (frame_bytes == nullptr) return null_argument("frame_bytes");
        return finish(operation(input(a, a_bytes), input(b, b_bytes), output(out, capacity), {}), frame_bytes);
    });
}

}  // namespace
}  // namespace laconic

using namespace laconic;

extern "C" {

const char* laconic_version(void) { return LACONIC_VERSION_STRING; }

const char* laconic_error_name(int code) { return name_of(static_cast<errc>(code)).data(); }

const char* laconic_last_message(void) { return last_message.c_str(); }

size_t laconic_compress_bound(laconic_type type, size_t count) {
    if (!is_size(type, count)) return 0;
    std::size_t most = 0;
    for (const codec_description& codec : codecs())
        most = std::max(most, compress_bound(static_cast<element_type>(type), count, codec.id));
    return most;
}

size_t laconic_sum_bound(laconic_type type, size_t count) {
    return is_size(type, count) ? sum_bound(static_cast<element_type>(type), count) : 0;
}

int laconic_compress(const void* values, size_t count, laconic_type type, laconic_bound_kind kind, double bound_value,
                     void* out, size_t capacity, size_t* frame_bytes, const laconic_options* options) {
    return guarded([&]() -> status {
        if (values == nullptr && count > 0) return null_argument("values");
        if (out == nullptr) return null_argument("out");
        if (frame_bytes == nullptr) return null_argument("frame_bytes");
        if (kind != LACONIC_ABSOLUTE && kind != LACONIC_RELATIVE)
            return {errc::invalid_argument,
                    "bound kind " + std::to_string(kind) + "; use LACONIC_ABSOLUTE or LACONIC_RELATIVE"};
        const bound limit = kind == LACONIC_RELATIVE ? bound::rel(bound_value) : bound::abs(bound_value);
        return with_c_type(type, [&](auto zero) {
            return finish(compress(array_of<const decltype(zero)>(values, count), limit, output(out, capacity),
                                   options_from(options)),
                          frame_bytes);
        });
    });
}

int laconic_decompress(const void* frame, size_t frame_bytes, void* values, size_t count, laconic_type type,
                       const laconic_options* options) {
    return guarded([&]() -> status {
        if (frame == nullptr) return null_argument("frame");
        if (values == nullptr && count > 0) return null_argument("values");
        return with_c_type(type, [&](auto zero) {
            return decompress(input(frame, frame_bytes), array_of<decltype(zero)>(values, count),
                              options_from(options).run);
        });
    });
}

int laconic_inspect(const void* frame, size_t frame_bytes, size_t* count, laconic_type* type) {
    return guarded([&]() -> status {
        if (frame == nullptr) return null_argument("frame");
        auto info = inspect(input(frame, frame_bytes));
        if (!info) return info.error();
        if (count != nullptr) *count = static_cast<size_t>(info->count);
        if (type != nullptr) *type = static_cast<laconic_type>(info->type);
        return {};
    });
}

int laconic_add(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                size_t* frame_bytes) {
    return on_two(add, a, a_bytes, b, b_bytes, out, capacity, frame_bytes);
}

int laconic_subtract(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                     size_t* frame_bytes) {
    return on_two(subtract, a, a_bytes, b, b_bytes, out, capacity, frame_bytes);
}

int laconic_minimum(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                    size_t* frame_bytes) {
    return on_two(minimum, a, a_bytes, b, b_bytes, out, capacity, frame_bytes);
}

int laconic_maximum(const void* a, size_t a_bytes, const void* b, size_t b_bytes, void* out, size_t capacity,
                    size_t* frame_bytes) {
    return on_two(maximum, a, a_bytes, b, b_bytes, out, capacity, frame_bytes);
}

int laconic_scale(const void* a, size_t a_bytes, int factor, void* out, size_t capacity, size_t* frame_bytes) {
    return guarded([&]() -> status {
        if (a == nullptr) return null_argument("a");
        if (out == nullptr) return null_argument("out");
        if (frame_bytes == nullptr) return null_argument("frame_bytes");
        return finish(scale(input(a, a_bytes), factor, output(out, capacity)), frame_bytes);
    });
}

int laconic_add_values(const void* values, size_t count, laconic_type type, const void* frame, size_t bytes, void* out,
                       size_t capacity, size_t* frame_bytes) {
    return guarded([&]() -> status {
        if (values == nullptr && count > 0) return null_argument("values");
        if (frame == nullptr) return null_argument("frame");
        if (out == nullptr) return null_argument("out");
        if (frame_bytes == nullptr) return null_argument("frame_bytes");
        return with_c_type(type, [&](auto zero) {
            return finish(
                add(array_of<const decltype(zero)>(values, count), input(frame, bytes), output(out, capacity)),
                frame_bytes);
        });
    });
}

}  // extern "C"
