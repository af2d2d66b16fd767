// SPDX-License-Identifier: BSD-3-Clause
// Two encoded cores in, one out.
#include "trace/merge.hpp"

#include <new>

#include "trace/model.hpp"

namespace laconic::trace {

result<bytes> merge(view first, view second) try {
    core parts[2];
    const view given[2] = {first, second};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto read = decoded(given[i]);
        if (!read) return read.error();
        auto whole = expanded(*read);
        if (!whole) return whole.error();
        parts[i] = std::move(*whole);
    }
    auto both = merged(std::move(parts[0]), std::move(parts[1]));
    if (!both) return both.error();
    return encoded(fitted(*both));
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory to merge traces; merge fewer ranks at a time");
}

}  // namespace laconic::trace
