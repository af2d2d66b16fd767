// SPDX-License-Identifier: BSD-3-Clause
// Options, arrays, counts, and whether the algorithm can do what is asked.
#include "collective/call_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "codec/payload_codec.hpp"
#include "collective/call_plan.hpp"
#include "collective/lending.hpp"
#include "collective/own_operation.hpp"
#include "collective/stock.hpp"

namespace laconic::collective {
namespace {

status check_options(const collective_options& options) {
    if (options.bound_scope > scope::probable)
        return {errc::invalid_argument, "scope " + std::to_string(static_cast<int>(options.bound_scope)) +
                                            "; give result, contribution or probable"};
    if (!(options.confidence > 0 && options.confidence < 1))
        return {errc::invalid_argument,
                "confidence " + base::format_real(options.confidence) + "; give a number between 0 and 1, e.g. 0.9544"};
    if (options.limit.kind != bound_kind::absolute && options.limit.kind != bound_kind::relative)
        return {errc::invalid_argument,
                "bound kind " + std::to_string(static_cast<int>(options.limit.kind)) + "; give absolute or relative"};
    if (!std::isfinite(options.limit.value) || options.limit.value < 0)
        return {errc::invalid_bound,
                "the bound is " + base::format_real(options.limit.value) + "; give a finite value >= 0"};
    return {};
}

status check_buffer(const void* data, std::size_t size, const char* name) {
    if (data != nullptr || size == 0) return {};
    return {errc::invalid_argument, std::string(name) + " is a null buffer of " + std::to_string(size) + " elements"};
}

/// Whether a part of an exchange that is sent overlaps one that comes.
template <class T>
bool parts_overlap(const collective_call<T>& call) {
    struct stretch {
        std::uintptr_t first, end;
        bool sent;
    };
    std::vector<stretch> all;
    all.reserve(2 * call.in_counts.size());
    const auto add = [&](const T* data, std::span<const std::size_t> counts, std::span<const std::size_t> firsts,
                         bool sent) {
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(data) + firsts[k] * sizeof(T);
            if (counts[k] > 0) all.push_back({first, first + counts[k] * sizeof(T), sent});
        }
    };
    add(call.in.data(), call.in_counts, call.in_displacements, true);
    add(call.out.data(), call.out_counts, call.out_displacements, false);
    std::sort(all.begin(), all.end(), [](const stretch& a, const stretch& b) { return a.first < b.first; });
    std::array<std::uintptr_t, 2> end{};  // of what comes, and of what is sent, so far
    for (const stretch& each : all) {
        if (each.first < end[each.sent ? 0 : 1]) return true;
        std::uintptr_t& own = end[each.sent ? 1 : 0];
        own = std::max(own, each.end);
    }
    return false;
}

/// Whether in and out are neither one array nor two, where the operation needs that: it reads and writes the same
/// places on every rank.
template <class T>
bool overlap_in_part(const collective_call<T>& call, const geometry& shape) {
    const bool whole =
        call.op == operation::allreduce || call.op == operation::reduce || call.op == operation::alltoall;
    if (!whole || call.in.data() == call.out.data() || !shape.reads() || !shape.writes() || !overlap(call.in, call.out))
        return false;
    return !call.varying || parts_overlap(call);
}

}  // namespace

status check_row(const row_task& task, const cell& what) {
    if (growth_of(task.op, task.combine) == growth::unknown && adds_streams(what))
        return {errc::unsupported,
                "adds streams, which products and operations of the program are not made of; use cpr_p2p, c_coll or "
                "stock"};
    if (task.varying && what.schedule == schedule_kind::binomial && task.op != operation::allgather)
        return {errc::unsupported, "ranks of a tree pass on what they have no counts of; use a pairwise algorithm"};
    if (compresses(what) && what.codec != codec_id::fle) return codec::check_codec(what.codec, task.type, task.rate);
    return {};
}

template <class T>
status check_call(const collective_call<T>& call, const geometry& shape, const collective_options& options,
                  const result<cell>& what) try {
    if (auto bad = check_options(options); !bad.ok()) return bad;
    if (auto bad = check_buffer(call.in.data(), call.in.size(), "in"); !bad.ok()) return bad;
    if (auto bad = check_buffer(call.out.data(), call.out.size(), "out"); !bad.ok()) return bad;
    if (auto bad = check_geometry(shape); !bad.ok()) return bad;
    if (call.op == operation::bcast && shape.reads() && call.in.data() != call.out.data())
        return {errc::invalid_argument,
                "in of a bcast's root is not its out; give one array, as collective_call::bcast()"};
    if (overlap_in_part(call, shape))
        return {errc::invalid_argument, "in and out overlap in part; give the same span or disjoint ones"};
    if (call.combine > reduction::custom)
        return {errc::invalid_argument, "operation " + std::to_string(static_cast<int>(call.combine)) +
                                            "; give sum, avg, min, max, prod or custom"};
    if (is_reduction(call.op) && call.combine == reduction::custom)
        if (auto bad = check_own_operation<T>(call.custom); !bad.ok()) return bad;
    if (!what) return what.error();
    const row_task task{call.op, call.combine, shape.varying, element_type_of<T>::value, options.rate};
    if (const auto bad = check_row(task, *what); !bad.ok())
        return {bad.code(), "'" + options.algorithm + "': " + bad.context()};
    if (what->schedule == schedule_kind::stock) return fits_mpi(shape);
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

template status check_call(const collective_call<float>&, const geometry&, const collective_options&,
                           const result<cell>&);
template status check_call(const collective_call<double>&, const geometry&, const collective_options&,
                           const result<cell>&);
template status check_call(const collective_call<half>&, const geometry&, const collective_options&,
                           const result<cell>&);
template status check_call(const collective_call<bfloat16>&, const geometry&, const collective_options&,
                           const result<cell>&);

}  // namespace laconic::collective
