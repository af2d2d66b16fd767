// SPDX-License-Identifier: BSD-3-Clause
// The bytes of call statistics.
#include "trace/call_statistics.hpp"

namespace laconic::trace {

void call_statistics::write(bytes& out) const {
    put_varint(out, count);
    if (count == 0) return;
    put_varint(out, sum_ns);
    put_varint(out, min_ns);
    put_varint(out, max_ns - min_ns);
    std::size_t first = 0;
    std::size_t last = bins - 1;
    while (first < last && histogram[first] == 0) ++first;
    while (last > first && histogram[last] == 0) --last;
    put_varint(out, first);
    put_varint(out, last - first);
    for (std::size_t bin = first; bin <= last; ++bin) put_varint(out, histogram[bin]);
}

call_statistics call_statistics::read(wire_reader& in) {
    call_statistics made;
    made.count = in.varint();
    if (made.count == 0) return made;
    made.sum_ns = in.varint();
    made.min_ns = in.varint();
    made.max_ns = made.min_ns + in.varint();
    const auto first = static_cast<std::size_t>(in.below(bins));
    const auto last = first + static_cast<std::size_t>(in.below(bins - first));
    for (std::size_t bin = first; bin <= last; ++bin) made.histogram[bin] = in.varint();
    return made;
}

}  // namespace laconic::trace
