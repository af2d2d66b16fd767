// SPDX-License-Identifier: BSD-3-Clause
// The public allreduce: arguments are checked and agreed on by all ranks, the algorithm's row is put together from
// schedule and payload, the result and a report of what it cost flow out.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <variant>

#include "base/units.hpp"
#include "collective/agreement.hpp"
#include "collective/elements.hpp"
#include "collective/payload_fused.hpp"
#include "collective/payload_homomorphic.hpp"
#include "collective/payload_per_hop.hpp"
#include "collective/payload_raw.hpp"
#include "collective/registry.hpp"
#include "collective/schedule_ring.hpp"
#include "collective/stock.hpp"
#include "laconic/collective.hpp"
#include "mpi/channel.hpp"
#include "mpi/datatype.hpp"

namespace laconic {
namespace {

using namespace collective;

/// The largest message, compressed at its worst, must still be counted by an int.
constexpr std::size_t max_segment_bytes = std::size_t{1} << 28;

template <class T>
status check_arguments(std::span<const T> in, std::span<T> out, reduction op, const allreduce_options& options,
                       const algorithm* row) {
    if (in.size() != out.size())
        return {errc::invalid_argument, "in has " + std::to_string(in.size()) + " elements and out has " +
                                            std::to_string(out.size()) + "; give equal sizes"};
    if (!in.empty() && (in.data() == nullptr || out.data() == nullptr))
        return {errc::invalid_argument, std::string(in.data() == nullptr ? "in" : "out") + " is a null buffer of " +
                                            std::to_string(in.size()) + " elements"};
    if (in.data() != out.data() && !in.empty()) {
        const auto a = reinterpret_cast<std::uintptr_t>(in.data());
        const auto b = reinterpret_cast<std::uintptr_t>(out.data());
        if (a < b + out.size_bytes() && b < a + in.size_bytes())
            return {errc::invalid_argument, "in and out overlap in part; give the same span or disjoint ones"};
    }
    if (op != reduction::sum && op != reduction::avg)
        return {errc::invalid_argument, "operation " + std::to_string(static_cast<int>(op)) + "; give sum or avg"};
    if (options.bound_scope != scope::result && options.bound_scope != scope::contribution)
        return {errc::invalid_argument,
                "scope " + std::to_string(static_cast<int>(options.bound_scope)) + "; give result or contribution"};
    if (options.limit.kind != bound_kind::absolute && options.limit.kind != bound_kind::relative)
        return {errc::invalid_argument,
                "bound kind " + std::to_string(static_cast<int>(options.limit.kind)) + "; give absolute or relative"};
    if (!std::isfinite(options.limit.value) || options.limit.value < 0)
        return {errc::invalid_bound,
                "the bound is " + base::format_real(options.limit.value) + "; give a finite value >= 0"};
    if (row == nullptr)
        return {errc::invalid_argument,
                "no allreduce algorithm '" + options.algorithm + "'; `laconic info --algorithms` lists them"};
    if (options.segment_bytes == 0)
        return {errc::invalid_argument, "the segment size is 0 bytes; give a positive one, e.g. 131072"};
    return {};
}

template <class T>
value_span span_of(std::span<const T> values) {
    const value_range<T> found = range_of(values);
    return {found.nonfinite < values.size(), static_cast<double>(found.min), static_cast<double>(found.max),
            static_cast<double>(found.max_abs)};
}

/// Memory of a call's payload: on the stack, so that no rank can fail alone once all have agreed.
template <class T>
using payload_place =
    std::variant<std::monostate, payload_raw<T>, payload_per_hop<T>, payload_homomorphic<T>, payload_fused<T>>;

/// One agreed call on one rank.
template <class T>
struct call {
    std::span<const T> in;
    std::span<T> out;
    reduction op;
    const algorithm& row;
    const allreduce_options& options;
    mpi::channel& channel;

    [[nodiscard]] unsigned ranks() const noexcept { return static_cast<unsigned>(channel.size()); }
    [[nodiscard]] unsigned divisor() const noexcept { return op == reduction::avg ? ranks() : 1; }
    [[nodiscard]] bool needs_range() const noexcept { return row.codec != "-" && ranks() > 1; }
    [[nodiscard]] ring_layout layout(const payload& carrier) const noexcept {
        const std::size_t segment = std::min(options.segment_bytes, max_segment_bytes) / sizeof(T);
        return {in.size(), channel.size(), carrier.lanes(), segment, codec::chunk_values};
    }
    [[nodiscard]] payload& make_payload(payload_place<T>& place, const quantisation<T>& plan) const {
        switch (row.payload) {
            case payload_kind::raw: break;
            case payload_kind::per_hop: return place.template emplace<payload_per_hop<T>>(in, out, plan, divisor());
            case payload_kind::homomorphic: return place.template emplace<payload_homomorphic<T>>(in, out, plan);
            case payload_kind::fused: return place.template emplace<payload_fused<T>>(in, out, plan);
        }
        return place.template emplace<payload_raw<T>>(in, out, divisor());
    }
};

template <class T>
quantisation<T> make_plan(const call<T>& now, const value_span& values) {
    if (now.row.codec == "-") return {};
    const quantisation_request request{
        now.options.limit, now.options.bound_scope, now.op == reduction::avg, now.ranks(), values.min,
        values.max,        values.max_abs,          values.any_finite};
    return now.row.payload == payload_kind::per_hop ? quantise_per_hop<T>(request) : quantise_once<T>(request);
}

template <class T>
status run_stock(const call<T>& now, allreduce_report& report) {
    const int code =
        stock_allreduce(now.in.data(), now.out.data(), now.in.size(), mpi::type_of<T>(), MPI_SUM, now.channel.comm());
    if (auto done = now.channel.check(code, "MPI_Allreduce"); !done.ok()) return done;
    if (now.divisor() != 1) divide_elements<T>(now.out.data(), now.out.size(), static_cast<T>(now.divisor()));
    report.sent_bytes = report.raw_bytes = ring_bytes(now.in.size_bytes(), now.ranks());
    report.messages = 1;
    return {};
}

template <class T>
status run_ring_row(const call<T>& now, const value_span& values, allreduce_report& report) {
    const quantisation<T> plan = make_plan(now, values);
    payload_place<T> place;
    payload& carrier = now.make_payload(place, plan);
    ring_traffic traffic;
    status done = run_ring(now.channel, carrier, now.layout(carrier), traffic);
    report.sent_bytes = traffic.sent_bytes;
    report.raw_bytes = traffic.sent_values * sizeof(T);
    report.messages = traffic.messages;
    report.wait_s = traffic.wait_s;
    report.compress_s = carrier.times().compress_s;
    report.combine_s = carrier.times().combine_s;
    report.decompress_s = carrier.times().decompress_s;
    report.workspace_bytes = now.channel.memory().bytes().size();
    if (now.row.codec != "-") {
        report.step = static_cast<double>(plan.how.step);
        report.contribution_bound = plan.contribution_bound;
        report.result_bound = plan.result_bound;
    }
    return done;
}

/// Every rank's memory is there before the first message moves.
template <class T>
status reserve(const call<T>& now) {
    if (now.ranks() < 2 || now.row.schedule != schedule_kind::ring) return {};
    payload_place<T> place;
    const payload& carrier = now.make_payload(place, {});
    return now.channel.memory().reserve(ring_memory(carrier, now.layout(carrier)));
}

template <class T>
result<allreduce_report> run(std::span<const T> in, std::span<T> out, reduction op, mpi::channel& channel,
                             const allreduce_options& options) {
    const algorithm* const row = find_algorithm("allreduce", options.algorithm);
    status local = check_arguments(in, out, op, options, row);
    const call<T> now{in, out, op, row == nullptr ? algorithms().front() : *row, options, channel};
    value_span mine;
    if (local.ok()) local = reserve(now);
    if (local.ok() && now.needs_range()) mine = span_of(in);

    const call_shape shape{in.size(),
                           element_type_of<T>::value,
                           op,
                           options.limit,
                           options.bound_scope,
                           static_cast<std::uint32_t>(&now.row - algorithms().data()),
                           options.segment_bytes};
    const result<value_span> all = agree(channel, shape, mine, local);
    if (!all) return all.error();

    allreduce_report report;
    if (in.empty()) return report;
    if (channel.size() == 1) {
        if (in.data() != out.data()) std::memcpy(out.data(), in.data(), in.size_bytes());
        return report;
    }
    status done = now.row.schedule == schedule_kind::stock ? run_stock(now, report) : run_ring_row(now, *all, report);
    if (!done.ok()) return done;
    return report;
}

}  // namespace

template <class T>
result<allreduce_report> allreduce(std::span<const T> in, std::span<T> out, reduction op, MPI_Comm comm,
                                   const allreduce_options& options) {
    const result<mpi::channel*> found = mpi::channel_of(comm);
    if (!found) return found.error();
    mpi::channel& channel = **found;
    if (channel.broken())
        return status{errc::mpi,
                      "an earlier collective on this communicator failed inside MPI; use a new communicator"};
    result<allreduce_report> outcome = run(in, out, op, channel, options);
    if (outcome.error().code() == errc::mpi) MPI_Comm_call_errhandler(comm, channel.last_error());
    return outcome;
}

template result<allreduce_report> allreduce(std::span<const float>, std::span<float>, reduction, MPI_Comm,
                                            const allreduce_options&);
template result<allreduce_report> allreduce(std::span<const double>, std::span<double>, reduction, MPI_Comm,
                                            const allreduce_options&);

}  // namespace laconic
