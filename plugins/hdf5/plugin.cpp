// SPDX-License-Identifier: BSD-3-Clause
// The filter as HDF5 loads it: chunks flow through filter_chunk(), the two exported functions say what this library is.
#include <H5PLextern.h>
#include <hdf5.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <span>

#include "chunk.hpp"
#include "dataset.hpp"
#include "parameters.hpp"
#include "report.hpp"

namespace laconic::hdf5 {
namespace {

/// Memory as HDF5 hands it to filters and takes it back.
class chunk_memory {
public:
    explicit chunk_memory(std::size_t size_bytes) noexcept
        : start_(H5allocate_memory(size_bytes == 0 ? 1 : size_bytes, false)), size_bytes_(size_bytes) {}
    chunk_memory(const chunk_memory&) = delete;
    chunk_memory& operator=(const chunk_memory&) = delete;
    ~chunk_memory() {
        if (start_ != nullptr) H5free_memory(start_);
    }

    [[nodiscard]] bool missing() const noexcept { return start_ == nullptr; }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {static_cast<std::byte*>(start_), size_bytes_}; }
    /// Puts this memory in the place of HDF5's own.
    void become(void** buffer, std::size_t* buffer_size) noexcept {
        H5free_memory(*buffer);
        *buffer = start_;
        *buffer_size = size_bytes_;
        start_ = nullptr;
    }

private:
    void* start_;
    std::size_t size_bytes_;
};

/// What failed filters return.
constexpr std::size_t failure = 0;

std::size_t fail(const char* why) noexcept {
    report(why);
    return failure;
}

std::size_t compress_chunk(const parameters& how, bool optional, std::size_t size_bytes, std::size_t* buffer_size,
                           void** buffer) {
    const std::size_t element_bytes = size_of(*how.type);
    if (size_bytes % element_bytes != 0 || how.count != size_bytes / element_bytes)
        return fail("the chunk has another size than when the dataset was created");
    chunk_memory stored(room_for(how));
    if (stored.missing()) return fail("not enough memory for a compressed chunk");
    const auto used = encode(how, {static_cast<const std::byte*>(*buffer), size_bytes}, stored.bytes());
    if (!used) return fail(used.error().context().c_str());
    // HDF5 stores the chunk as it is then.
    if (optional && *used >= size_bytes) return failure;
    stored.become(buffer, buffer_size);
    return *used;
}

std::size_t decompress_chunk(const parameters& how, std::size_t stored_bytes, std::size_t* buffer_size, void** buffer) {
    const std::size_t element_bytes = size_of(*how.type);
    if (how.count > std::numeric_limits<std::size_t>::max() / element_bytes || !plausible(how, stored_bytes))
        return fail("the chunk is too short for the elements it should hold: the file is damaged");
    chunk_memory elements(static_cast<std::size_t>(how.count) * element_bytes);
    if (elements.missing()) return fail("not enough memory for a decompressed chunk");
    const status outcome = decode(how, {static_cast<const std::byte*>(*buffer), stored_bytes}, elements.bytes());
    if (!outcome.ok()) return fail(outcome.context().c_str());
    const std::size_t size_bytes = elements.bytes().size();
    elements.become(buffer, buffer_size);
    return size_bytes;
}

/// H5Z_func_t: replaces *buffer; returns the bytes in use, or 0 on failure.
std::size_t filter_chunk(unsigned flags, std::size_t parameter_count, const unsigned values[], std::size_t size_bytes,
                         std::size_t* buffer_size, void** buffer) {
    try {
        const auto how = parameters::read({values, parameter_count});
        if (!how) return fail(how.error().context().c_str());
        if (!how->type) return fail("the dataset is not of little-endian float or double");
        return (flags & H5Z_FLAG_REVERSE) != 0
                   ? decompress_chunk(*how, size_bytes, buffer_size, buffer)
                   : compress_chunk(*how, (flags & H5Z_FLAG_OPTIONAL) != 0, size_bytes, buffer_size, buffer);
    } catch (const std::exception& thrown) {
        return fail(thrown.what());
    }
}

}  // namespace
}  // namespace laconic::hdf5

extern "C" {

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }

const void* H5PLget_plugin_info(void) {
    using namespace laconic::hdf5;
    static const H5Z_class2_t filter = {
        H5Z_CLASS_T_VERS, filter_id,    1, 1, "laconic: error-bounded compression of float and double", &can_apply,
        &set_local,       &filter_chunk};
    return &filter;
}

}  // extern "C"
