// SPDX-License-Identifier: BSD-3-Clause
// The C face of the codec: pointers and sizes in, error codes out; the reason of the last failure is kept per thread.
#include "codec/c_api.hpp"

#include <cstdint>

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

status null_argument(const char* name) { return {errc::invalid_argument, std::string(name) + " is NULL"}; }
status unknown_type(int type) {
    return {errc::invalid_argument, "element type " + std::to_string(type) + "; use LACONIC_F32 or LACONIC_F64"};
}

status finish(const result<std::size_t>& done, size_t* bytes) {
    if (done.ok()) *bytes = *done;
    return done.error();
}

template <class T>
status compress_as(const void* values, size_t count, bound limit, std::span<std::byte> out, size_t* frame_bytes) {
    return finish(compress(std::span(static_cast<const T*>(values), count), limit, out), frame_bytes);
}

/// A known type and a count whose worst case a size_t can hold.
bool is_size(laconic_type type, size_t count) noexcept {
    return (type == LACONIC_F32 || type == LACONIC_F64) && count <= SIZE_MAX / 64;
}

/// Runs a body that may throw std::bad_alloc (while it words an error) behind the C boundary.
template <class Body>
int guarded(Body body) noexcept {
    try {
        return report_to_c(body());
    } catch (...) {
        return report_to_c({errc::out_of_memory, {}});
    }
}

}  // namespace
}  // namespace laconic

using namespace laconic;

extern "C" {

const char* laconic_version(void) { return LACONIC_VERSION_STRING; }

const char* laconic_error_name(int code) { return name_of(static_cast<errc>(code)).data(); }

const char* laconic_last_message(void) { return last_message.c_str(); }

size_t laconic_compress_bound(laconic_type type, size_t count) {
    return is_size(type, count) ? compress_bound(static_cast<element_type>(type), count) : 0;
}

size_t laconic_sum_bound(laconic_type type, size_t count) {
    return is_size(type, count) ? sum_bound(static_cast<element_type>(type), count) : 0;
}

int laconic_compress(const void* values, size_t count, laconic_type type, laconic_bound_kind kind, double bound_value,
                     void* out, size_t capacity, size_t* frame_bytes) {
    return guarded([&]() -> status {
        if (values == nullptr && count > 0) return null_argument("values");
        if (out == nullptr) return null_argument("out");
        if (frame_bytes == nullptr) return null_argument("frame_bytes");
        if (kind != LACONIC_ABSOLUTE && kind != LACONIC_RELATIVE)
            return {errc::invalid_argument,
                    "bound kind " + std::to_string(kind) + "; use LACONIC_ABSOLUTE or LACONIC_RELATIVE"};
        const bound limit = kind == LACONIC_RELATIVE ? bound::rel(bound_value) : bound::abs(bound_value);
        if (type == LACONIC_F32) return compress_as<float>(values, count, limit, output(out, capacity), frame_bytes);
        if (type == LACONIC_F64) return compress_as<double>(values, count, limit, output(out, capacity), frame_bytes);
        return unknown_type(type);
    });
}

int laconic_decompress(const void* frame, size_t frame_bytes, void* values, size_t count, laconic_type type) {
    return guarded([&]() -> status {
        if (frame == nullptr) return null_argument("frame");
        if (values == nullptr && count > 0) return null_argument("values");
        if (type == LACONIC_F32)
            return decompress(input(frame, frame_bytes), std::span(static_cast<float*>(values), count));
        if (type == LACONIC_F64)
            return decompress(input(frame, frame_bytes), std::span(static_cast<double*>(values), count));
        return unknown_type(type);
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
    return guarded([&]() -> status {
        if (a == nullptr || b == nullptr) return null_argument(a == nullptr ? "a" : "b");
        if (out == nullptr) return null_argument("out");
        if (frame_bytes == nullptr) return null_argument("frame_bytes");
        return finish(add(input(a, a_bytes), input(b, b_bytes), output(out, capacity)), frame_bytes);
    });
}

}  // extern "C"
