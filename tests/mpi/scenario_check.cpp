// SPDX-License-Identifier: BSD-3-Clause
// What the contract allows for each kind of row, and the comparison with the exact answer in quad precision.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mpi_sends.hpp"
#include "reference.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using collective::payload_kind;

template <class T>
double value_of(T x) {
    return static_cast<double>(static_cast<real_type<T>>(x));
}
template <class T>
constexpr int digits_of = std::is_same_v<T, half>       ? 11
                          : std::is_same_v<T, bfloat16> ? 8
                                                        : std::numeric_limits<real_type<T>>::digits;
template <class T>
double smallest() {
    if constexpr (sizeof(T) == 2)
        return std::ldexp(1.0, std::is_same_v<T, half> ? -24 : -133);
    else
        return std::numeric_limits<T>::denorm_min();
}
/// The distance of x from its neighbours.
template <class T>
double ulp_of(T x) {
    const double size = std::fabs(value_of(x));
    if (!(size > 0) || !std::isfinite(size)) return smallest<T>();
    return std::max(std::ldexp(1.0, std::ilogb(size) - digits_of<T> + 1), smallest<T>());
}

/// The exact answer of one element.
struct exact_value {
    quad value = 0;
    double magnitude = 0;  ///< what roundings are relative to
    double special = 0;    ///< NaN or an infinity if the answer is not finite
    bool finite = true;
    double nearest = 0;  ///< value is nearest + rest, but for what is less than a rounding of rest
    double rest = 0;
    bool is_known = false;
};

template <class T>
exact_value reduced(const scenario& what, std::size_t at, const std::vector<const std::vector<T>*>& inputs) {
    const int ranks = static_cast<int>(inputs.size());
    exact_value all;
    for (int rank = 0; rank < ranks; ++rank) {
        const double x = value_of((*inputs[static_cast<std::size_t>(rank)])[at]);
        const bool extreme = what.combine == reduction::min || what.combine == reduction::max;
        if (extreme && std::isnan(x)) all.special = x;
        if (!extreme && !std::isfinite(x)) all.special += x;
        if (!std::isfinite(x) && !extreme) continue;
        const quad q = static_cast<quad>(x);
        if (what.combine == reduction::prod)
            all.value = rank == 0 ? q : all.value * q;
        else if (!extreme)
            all.value += q;
        else if (rank == 0 || (what.combine == reduction::min ? q < all.value : q > all.value))
            all.value = q;
        if (std::isfinite(x)) all.magnitude += std::fabs(x);
    }
    if (what.combine == reduction::prod) all.magnitude = std::fabs(static_cast<double>(all.value));
    if (what.combine == reduction::avg) all.value /= ranks;
    if (what.combine == reduction::avg) all.magnitude /= ranks;
    all.finite = all.special == 0 && std::isfinite(static_cast<double>(all.value));
    if (all.special == 0) all.special = static_cast<double>(all.value);
    all.nearest = static_cast<double>(all.value);
    all.rest = static_cast<double>(all.value - static_cast<quad>(all.nearest));
    all.is_known = true;
    return all;
}

/// The exact answers of one reduction, which many rows are held against: quad precision is slow. Of long arrays, which
/// few are, none are kept.
template <class T>
class exact_answers {
public:
    exact_answers(const scenario& what, const std::vector<const std::vector<T>*>& inputs)
        : what_(what), inputs_(inputs) {
        static std::map<std::tuple<field, reduction, std::size_t>, std::vector<exact_value>> all;
        const std::size_t count = inputs.front()->size();
        if (!collective::is_reduction(what.op) || count > 50000) return;
        kept_ = &all[{what.kind, what.combine, count}];
        kept_->resize(count);
    }
    [[nodiscard]] exact_value at(std::size_t i) const {
        if (kept_ == nullptr) return reduced<T>(what_, i, inputs_);
        exact_value& answer = (*kept_)[i];
        if (!answer.is_known) answer = reduced<T>(what_, i, inputs_);
        return answer;
    }

private:
    const scenario& what_;
    const std::vector<const std::vector<T>*>& inputs_;
    std::vector<exact_value>* kept_ = nullptr;
};

/// Whether double precision shows that |got - want| is allowed; where it does not, quad precision decides.
bool is_clearly_within(double got, const exact_value& want, double allowed) noexcept {
    return std::fabs((got - want.nearest) - want.rest) < allowed * (1 - 1e-9);
}

/// The inputs of all ranks, as far as they have any.
template <class T>
std::vector<const std::vector<T>*> inputs_of(const scenario& what, int ranks) {
    std::vector<const std::vector<T>*> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.push_back(&kept_field<T>(what.kind, rank, input_size(what, rank, ranks)));
    return all;
}

/// The bound in absolute terms: of the range of everything that takes part.
template <class T>
double absolute_bound(const scenario& what, int ranks) {
    if (what.limit.kind == bound_kind::absolute || what.limit.value == 0) return what.limit.value;
    double low = INFINITY;
    double high = -INFINITY;
    const auto inputs = inputs_of<T>(what, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        const auto take = [&](double x) {
            if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
        };
        if (collective::is_reduction(what.op))
            for (const T x : *inputs[static_cast<std::size_t>(rank)]) take(value_of(x));
        else
            for (const origin& o : origins_of(what, rank, ranks))
                take(value_of((*inputs[static_cast<std::size_t>(o.rank)])[o.in]));
    }
    return low <= high ? what.limit.value * (high - low) : 0;
}

/// Whether no rank gets anything.
bool is_empty(const scenario& what, int ranks) {
    if (what.count > 0 && (!what.varying || what.lengths == 0)) return false;
    for (int rank = 0; rank < ranks; ++rank)
        if (!origins_of(what, rank, ranks).empty()) return false;
    return true;
}

struct allowance {
    double bound = 0;    ///< on the error
    double promise = 0;  ///< scope::result and scope::contribution, as collective.hpp has them
    double unit = 0;     ///< of roundings
    bool is_unbounded = false;
};

template <class T>
allowance allowed_for(const scenario& what, int ranks, const collective_report& report) {
    allowance limits;
    if (ranks == 1 || is_empty(what, ranks)) return limits;
    const auto row = collective::find_cell(what.op, report.algorithm);
    check(row.ok(), what.text() + ": reports algorithm '" + report.algorithm + "'");
    if (!row.ok()) return limits;
    const bool reduces = collective::is_reduction(what.op);
    const bool adds = reduces && what.combine != reduction::min && what.combine != reduction::max;
    if (!collective::compresses(*row)) {
        limits.unit = adds ? std::ldexp(1.0, -digits_of<T>) : 0;
        check(report.result_bound == 0 && report.step == 0, what.text() + ": a bound of an uncompressed row");
        return limits;
    }
    if (row->codec == codec_id::zfp_rate) {
        limits.is_unbounded = true;
        check(std::isinf(report.result_bound), what.text() + ": a fixed rate has no bound");
        return limits;
    }
    const double e = absolute_bound<T>(what, ranks);
    const bool recodes = reduces && (row->payload == payload_kind::per_hop || row->payload == payload_kind::pipelined);
    limits.promise = what.which == scope::contribution && reduces && what.combine == reduction::sum ? ranks * e : e;
    limits.bound = limits.promise;
    if (adds) limits.unit = std::ldexp(1.0, -2 * std::numeric_limits<real_type<T>>::digits + 2);
    const bool surely = what.which != scope::probable;
    const bool once = !recodes && row->schedule != collective::schedule_kind::hierarchical;
    if ((once || what.algorithm == "auto") && surely)
        check(report.result_bound <= limits.promise, what.text() + ": reports the bound " +
                                                         std::to_string(report.result_bound) + ", promised " +
                                                         std::to_string(limits.promise));
    if (!once || !surely) limits.bound = std::max(limits.bound, report.result_bound);
    const bool roomy = sizeof(T) > 2 && what.kind == field::smooth && what.which == scope::result && e >= 1e-4;
    if (roomy && reduces && what.combine != reduction::prod)
        check(report.result_bound <= limits.promise, what.text() + ": recoding leaves the bound though there is room");
    if (reduces && what.combine == reduction::prod) {
        check(std::isinf(report.result_bound), what.text() + ": products have no bound");
        limits.bound = 4 * ranks * (e + smallest<T>()) * std::pow(1.2, ranks);
        limits.unit = std::ldexp(1.0, -digits_of<T>);
    }
    return limits;
}

/// Nothing but the elements that are the call's business has changed.
template <class T>
void check_untouched(const scenario& what, const laid_out<T>& after, const std::vector<origin>& origins,
                     const std::string& text) {
    const std::span<T> out = after.call.out;
    const laid_out<T> before = lay_out<T>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    std::vector<bool> owned(out.size(), false);
    for (const origin& o : origins) owned[o.out] = true;
    std::size_t touched = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!owned[i] && std::memcmp(&out[i], &before.call.out[i], sizeof(T)) != 0) ++touched;
    check(touched == 0, text + ": " + std::to_string(touched) + " elements of out that are none of its business");
    const auto within = [&](const T* at) { return !out.empty() && at >= out.data() && at < out.data() + out.size(); };
    touched = 0;
    const bool may_spoil = what.op == operation::reduce_scatter && what.in_place;
    for (std::size_t i = 0; i < after.in.size() && !may_spoil; ++i)
        if (!within(&after.in[i]) && std::memcmp(&after.in[i], &before.in[i], sizeof(T)) != 0) ++touched;
    check(touched == 0, text + ": " + std::to_string(touched) + " elements of in were changed");
}

}  // namespace

template <class T>
void check_outcome(const scenario& what, const laid_out<T>& after, const collective_report& report) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::string text = what.text() + (sizeof(T) == 8 ? " f64" : sizeof(T) == 4 ? " f32" : " 16 bits");
    const allowance limits = allowed_for<T>(what, ranks, report);
    const std::vector<origin> origins = origins_of(what, rank, ranks);
    const bool everywhere =
        what.op == operation::allreduce || what.op == operation::bcast || what.op == operation::allgather;
    const std::span<T> out = after.call.out;
    if (everywhere) check_same_bytes(std::as_bytes(out), MPI_COMM_WORLD, text);
    // All ranks hold the same: each looks at a part of it.
    const std::size_t p = everywhere ? static_cast<std::size_t>(ranks) : 1;
    const std::size_t me = everywhere ? static_cast<std::size_t>(rank) : 0;
    const bool reduces = collective::is_reduction(what.op);
    const auto inputs = inputs_of<T>(what, ranks);
    const exact_answers<T> answers(what, inputs);
    const std::size_t last = limits.is_unbounded ? 0 : origins.size() * (me + 1) / p;
    for (std::size_t i = origins.size() * me / p; i < last; ++i) {
        const origin& o = origins[i];
        const T y = out[o.out];
        const double got = value_of(y);
        exact_value want;
        if (reduces) {
            want = answers.at(o.in);
        } else {
            const T x = (*inputs[static_cast<std::size_t>(o.rank)])[o.in];
            if (std::memcmp(&x, &y, sizeof x) == 0) continue;
            want.special = want.nearest = value_of(x);
            want.finite = std::isfinite(want.special);
            want.value = static_cast<quad>(want.special);
            if (limits.bound == 0) want.special = NAN, want.finite = false;
        }
        quad error = 0;
        quad allowed = 0;
        if (want.finite) {
            const double roundings =
                want.magnitude * ranks * limits.unit + (limits.unit > 0 ? ranks * smallest<T>() : 0);
            const double ulp = ulp_of(y);
            if (is_clearly_within(got, want, limits.bound + ulp / 2 + roundings)) continue;
            const quad difference = static_cast<quad>(got) - want.value;
            error = difference < 0 ? -difference : difference;
            allowed = static_cast<quad>(limits.bound) + static_cast<quad>(ulp) / 2 + static_cast<quad>(roundings);
            if (error <= allowed) continue;
        } else if (reduces && (std::isnan(want.special) ? std::isnan(got) : got == want.special)) {
            continue;
        }
        char numbers[240];
        std::snprintf(numbers, sizeof numbers, ": element %zu is %.17g, exact %.17g, error %.9g of %.9g", o.out, got,
                      want.finite ? static_cast<double>(want.value) : want.special, static_cast<double>(error),
                      static_cast<double>(allowed));
        check(false, text + numbers);
        break;
    }
    check_untouched(what, after, origins, text);
}

watched_sends::watched_sends() noexcept : bytes_(sends().bytes), messages_(sends().messages) {}

void watched_sends::check(const scenario& what, const collective_report& report) const {
    if (report.algorithm == "stock") return;
    const std::uint64_t bytes = sends().bytes - bytes_;
    const std::uint64_t messages = sends().messages - messages_;
    test::check(report.sent_bytes == bytes && report.messages == messages,
                what.text() + ": reports " + std::to_string(report.sent_bytes) + " bytes in " +
                    std::to_string(report.messages) + " messages, MPI was given " + std::to_string(bytes) + " in " +
                    std::to_string(messages));
}

template <class T>
std::optional<collective_report> check_scenario(const scenario& what, bool alone) {
    laid_out<T> arrays = lay_out<T>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const watched_sends given;
    const auto done = run(arrays.call, MPI_COMM_WORLD, options_of(what));
    check(done.ok(), what.text() + ": " + done.error().message());
    if (!done.ok()) return {};
    if (alone) given.check(what, *done);
    check_outcome(what, arrays, *done);
    return *done;
}

template <class T>
std::vector<T> result_of(const scenario& what) {
    laid_out<T> arrays = lay_out<T>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const auto done = run(arrays.call, MPI_COMM_WORLD, options_of(what));
    check(done.ok(), what.text() + ": " + done.error().message());
    return {arrays.call.out.begin(), arrays.call.out.end()};
}

std::vector<collective_report> wait_for_all(std::vector<collective_request>& requests,
                                            const std::vector<scenario>& calls, MPI_Comm comm) {
    const auto first = static_cast<std::size_t>(rank_in(comm));
    std::vector<collective_report> reports(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::size_t k = (first + i) % calls.size();
        const auto done = requests[k].wait();
        check(done.ok(), calls[k].text() + ": " + done.error().message());
        if (done.ok()) reports[k] = *done;
    }
    return reports;
}

void check_started_together(const std::vector<scenario>& calls) {
    std::vector<laid_out<float>> arrays;
    std::vector<collective_request> requests;
    for (const scenario& what : calls)
        arrays.push_back(lay_out<float>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD)));
    for (std::size_t i = 0; i < calls.size(); ++i) {
        auto started = start(arrays[i].call, MPI_COMM_WORLD, options_of(calls[i]));
        check(started.ok(), calls[i].text() + ": " + started.error().message());
        if (!started.ok()) return;
        requests.push_back(std::move(*started));
    }
    const std::vector<collective_report> reports = wait_for_all(requests, calls, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < calls.size(); ++i) check_outcome(calls[i], arrays[i], reports[i]);
}

#define LACONIC_INSTANTIATE(T)                                                          \
    template std::optional<collective_report> check_scenario<T>(const scenario&, bool); \
    template std::vector<T> result_of<T>(const scenario&);                              \
    template void check_outcome(const scenario&, const laid_out<T>&, const collective_report&);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::test
