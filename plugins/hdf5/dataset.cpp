// SPDX-License-Identifier: BSD-3-Clause
// Looks at a new dataset through HDF5's property lists.
#include "dataset.hpp"

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>

#include "parameters.hpp"
#include "report.hpp"

namespace laconic::hdf5 {
namespace {

std::optional<element_type> element_of(hid_t type) {
    if (H5Tequal(type, H5T_IEEE_F32LE) > 0) return element_type::f32;
    if (H5Tequal(type, H5T_IEEE_F64LE) > 0) return element_type::f64;
    return std::nullopt;
}

/// The bits of a fill value that someone chose. 0 needs no care: it comes back as 0 anyway.
std::optional<std::uint64_t> fill_of(hid_t creation, hid_t type) {
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    if (H5Pfill_value_defined(creation, &defined) < 0 || defined != H5D_FILL_VALUE_USER_DEFINED) return std::nullopt;
    std::uint64_t bits = 0;
    if (H5Pget_fill_value(creation, type, &bits) < 0 || bits == 0) return std::nullopt;
    return bits;
}

/// Length of the last dimension of chunks with more than one; 0 where it is of no use.
std::uint32_t row_of(hid_t space) {
    std::array<hsize_t, H5S_MAX_RANK> extent{};
    const int dimensions = H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    if (dimensions < 2) return 0;
    const hsize_t row = extent[static_cast<std::size_t>(dimensions) - 1];
    return row <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(row) : 0;
}

herr_t set_local_or_throw(hid_t creation, hid_t type, hid_t space) {
    // After a filter that rearranges bytes the elements are no numbers, and an error bound means nothing.
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t none = 0;
    if (H5Pget_filter2(creation, 0, &flags, &none, nullptr, 0, nullptr, &config) != filter_id) {
        report("another filter (shuffle, scale-offset, ...) stands before the laconic filter; put laconic first");
        return -1;
    }
    parameter_values stored;
    auto& [values, given] = stored;
    if (H5Pget_filter_by_id2(creation, filter_id, &flags, &given, values.data(), 0, nullptr, &config) < 0) return -1;
    // HDF5 reports how many there are, whether they fit or not.
    const auto asked = parameters::read({values.data(), given > values.size() ? 0 : given});
    if (!asked) {
        report(asked.error());
        return -1;
    }
    // A creation list may come from another dataset: what it says about that one's chunks is replaced.
    parameters how = *asked;
    how.type = element_of(type);
    how.count = 0;
    how.fill = std::nullopt;
    how.row_length = 0;
    if (how.type) {
        const hssize_t elements = H5Sget_simple_extent_npoints(space);
        if (elements < 0) return -1;
        how.count = static_cast<std::uint64_t>(elements);
        how.fill = fill_of(creation, type);
        if (how.rows) how.row_length = row_of(space);
    }
    stored = how.write();
    return H5Pmodify_filter(creation, filter_id, flags, given, values.data());
}

}  // namespace

htri_t can_apply(hid_t /*creation*/, hid_t type, hid_t /*space*/) {
    const htri_t single = H5Tequal(type, H5T_IEEE_F32LE);
    const htri_t twice = H5Tequal(type, H5T_IEEE_F64LE);
    if (single < 0 || twice < 0) return -1;
    return single > 0 || twice > 0 ? 1 : 0;
}

herr_t set_local(hid_t creation, hid_t type, hid_t space) {
    try {
        return set_local_or_throw(creation, type, space);
    } catch (const std::exception& failure) {
        report(failure.what());
        return -1;
    }
}

}  // namespace laconic::hdf5
