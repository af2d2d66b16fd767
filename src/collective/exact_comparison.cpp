// SPDX-License-Identifier: BSD-3-Clause
// Reductions: values and the sums of their magnitudes, in quad, a chunk of the array at a time. Movements: MPI's own
// call into a second array.
#include "collective/exact_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

#include "codec/element.hpp"
#include "codec/float_environment.hpp"
#include "collective/call_check.hpp"
#include "collective/elements.hpp"
#include "collective/lending.hpp"
#include "collective/mpi_call.hpp"

namespace laconic::collective {
namespace {

/// Elements of a chunk: 512 KB on every rank.
constexpr std::size_t chunk_elements = 16384;

template <class T>
quad half_ulp(double value) noexcept {
    return static_cast<quad>(std::ldexp(1.0, codec::ulp_exponent<T>(value))) / 2;
}

/// From here on rounding to T gives infinity.
template <class T>
quad overflow_from() noexcept {
    const quad largest_power = static_cast<quad>(std::ldexp(1.0, codec::element_limits<T>::max_exponent - 1));
    return largest_power * (2 - static_cast<quad>(std::ldexp(1.0, -codec::element_limits<T>::digits)));
}

/// Of a product: a part of it that is denormal has lost digits, and the rest may make it large; one that is infinite
/// stays so, or makes NaN of 0.
template <class T>
bool may_lose_a_part(const exact_element& product) noexcept {
    const double least = std::ldexp(1.0, codec::element_limits<T>::min_exponent - 1);
    return (product.value != 0 && product.magnitude < least) || static_cast<quad>(product.most) >= overflow_from<T>();
}

template <reduction Combine>
void combine_exact(exact_element& a, const exact_element& b) noexcept {
    const bool is_number = a.value == a.value && b.value == b.value;
    switch (Combine) {
        case reduction::prod: a.value *= b.value; break;
        case reduction::min: a.value = is_number ? std::min(a.value, b.value) : a.value + b.value; break;
        case reduction::max: a.value = is_number ? std::max(a.value, b.value) : a.value + b.value; break;
        default: a.value += b.value; break;
    }
    if (Combine == reduction::prod)
        a.magnitude *= b.magnitude, a.most *= b.most;
    else
        a.magnitude += b.magnitude;
}
/// An MPI_User_function. MPI's own buffers may lie anywhere.
template <reduction Combine>
void combine_all(void* in, void* inout, int* count, MPI_Datatype*) {
    const codec::float_environment standard;
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
        exact_element a;
        exact_element b;
        std::byte* const at = static_cast<std::byte*>(inout) + i * sizeof a;
        std::memcpy(&a, at, sizeof a);
        std::memcpy(&b, static_cast<const std::byte*>(in) + i * sizeof b, sizeof b);
        combine_exact<Combine>(a, b);
        std::memcpy(at, &a, sizeof a);
    }
}
MPI_User_function* function_of(reduction combine) noexcept {
    switch (combine) {
        case reduction::prod: return combine_all<reduction::prod>;
        case reduction::min: return combine_all<reduction::min>;
        case reduction::max: return combine_all<reduction::max>;
        default: return combine_all<reduction::sum>;
    }
}

}  // namespace

template <class T>
void exact_comparison<T>::forget() noexcept {
    if (request_ != MPI_REQUEST_NULL || stock_.is_under_way())
        never_free(input_), never_free(moved_), never_free(chunk_);
    if (!mpi::check_running().ok()) return;
    if (element_ != MPI_DATATYPE_NULL) MPI_Type_free(&element_);
    if (combine_ != MPI_OP_NULL) MPI_Op_free(&combine_);
}

template <class T>
status exact_comparison<T>::prepare(const collective_call<T>& call, mpi::channel& channel) try {
    channel_ = &channel;
    call_ = call;
    geometry_ = geometry_of(call, channel.rank(), channel.size());
    tally_ = {};
    const auto is_missing = [](const auto& values) { return values.data() == nullptr && !values.empty(); };
    if (is_missing(call.in) || is_missing(call.out) || !check_geometry(geometry_).ok()) return {};
    const bool reduces = is_reduction(call.op);
    if (!reduces && !fits_mpi(geometry_).ok())
        return {errc::unsupported,
                "an audit compares with MPI's own function, which cannot take counts beyond 2^31 - 1; run without it"};
    if (geometry_.reads() && overlap(call.in, call.out)) {
        input_.resize(call.in.size());
        std::memcpy(input_.data(), call.in.data(), call.in.size_bytes());
        call_.in = input_;
    }
    return reduces ? prepare_sums() : prepare_movement();
} catch (const std::bad_alloc&) {
    return no_memory();
}

template <class T>
status exact_comparison<T>::prepare_sums() {
    chunk_.resize(std::min(chunk_elements, call_.in.size()));
    const auto me = static_cast<std::size_t>(geometry_.rank);
    const bool scatters = call_.op == operation::reduce_scatter;
    const auto counts = call_.varying ? call_.in_counts.first(me) : call_.in_counts;
    own_first_ = !scatters       ? 0
                 : call_.varying ? std::accumulate(counts.begin(), counts.end(), std::size_t{0})
                                 : me * call_.out.size();
    own_count_ = !geometry_.writes()         ? 0
                 : scatters && call_.varying ? call_.in_counts[me]
                 : scatters                  ? call_.out.size()
                                             : call_.in.size();
    if (element_ == MPI_DATATYPE_NULL) {
        const int code = MPI_Type_contiguous(sizeof(exact_element), MPI_BYTE, &element_);
        if (auto bad = channel_->check(code, "MPI_Type_contiguous"); !bad.ok()) return bad;
        if (auto bad = channel_->check(MPI_Type_commit(&element_), "MPI_Type_commit"); !bad.ok()) return bad;
    }
    if (combine_ != MPI_OP_NULL) return {};
    return channel_->check(MPI_Op_create(function_of(call_.combine), 1, &combine_), "MPI_Op_create");
}

template <class T>
status exact_comparison<T>::prepare_movement() {
    moved_.assign(geometry_.writes() ? call_.out.size() : 0, T{});
    if (geometry_.ranks == 1) return {};
    T* const out = moved_.data();
    const bool broadcasts = call_.op == operation::bcast;
    if (broadcasts && geometry_.reads() && !moved_.empty())
        std::memcpy(moved_.data(), call_.in.data(), call_.in.size_bytes());
    const T* const in = broadcasts ? out : geometry_.reads() ? call_.in.data() : nullptr;
    return stock_.prepare(*channel_, geometry_, element_type_of<T>::value, call_.combine, call_.custom, in, out);
}

template <class T>
status exact_comparison<T>::start(const element_promise& promise, const model::error_scales& scales) {
    promise_ = promise;
    scales_ = scales;
    chunk_first_ = chunk_count_ = 0;
    if (is_reduction(call_.op)) return start_chunk();
    if (geometry_.ranks == 1) return copy_alone(), status{};
    return stock_.start();
}

/// MPICH 4.0.2 ignores the displacement in an MPI_Allgatherv of one rank.
template <class T>
void exact_comparison<T>::copy_alone() noexcept {
    const auto [in, out, count] = own_part_of(geometry_);
    if (count > 0) std::memcpy(moved_.data() + out, call_.in.data() + in, count * sizeof(T));
}

template <class T>
status exact_comparison<T>::start_chunk() {
    const codec::float_environment standard;
    const std::size_t all = call_.in.size();
    chunk_first_ += chunk_count_;
    chunk_count_ = std::min(chunk_.size(), all - chunk_first_);
    if (chunk_count_ == 0) return {};
    for (std::size_t i = 0; i < chunk_count_; ++i) {
        const auto x = static_cast<double>(load<T>(call_.in.data(), chunk_first_ + i));
        const double size = std::isfinite(x) ? std::fabs(x) : 0;
        chunk_[i] = {static_cast<quad>(x), call_.combine == reduction::prod ? std::min(size, 1.0) : size,
                     std::max(size, 1.0)};
    }
    return channel_->check(MPI_Iallreduce(MPI_IN_PLACE, chunk_.data(), static_cast<int>(chunk_count_), element_,
                                          combine_, channel_->comm(), &request_),
                           "MPI_Iallreduce");
}

template <class T>
result<bool> exact_comparison<T>::test() {
    if (!is_reduction(call_.op)) return test_movement();
    if (chunk_count_ == 0) return true;
    int done = 0;
    if (auto bad = channel_->check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Iallreduce"); !bad.ok())
        return bad;
    if (done == 0) return false;
    compare_chunk();
    if (auto next = start_chunk(); !next.ok()) return next;
    return chunk_count_ == 0;
}

template <class T>
result<bool> exact_comparison<T>::test_movement() {
    if (geometry_.ranks > 1) {
        if (auto done = stock_.test(); !done || !*done) return done;
        collective_report of_no_interest;
        stock_.finish<T>(geometry_, 1, moved_, of_no_interest);
    }
    compare_moved();
    return true;
}

template <class T>
void exact_comparison<T>::compare_chunk() noexcept {
    const codec::float_environment standard;
    const std::size_t first = std::max(chunk_first_, own_first_);
    const std::size_t last = std::min(chunk_first_ + chunk_count_, own_first_ + own_count_);
    for (std::size_t i = first; i < last; ++i)
        compare(chunk_[i - chunk_first_], load<T>(call_.out.data(), i - own_first_));
}

template <class T>
void exact_comparison<T>::compare(const exact_element& sum, real_type<T> got) noexcept {
    const double ranks = geometry_.ranks;
    const double divisor = call_.combine == reduction::avg ? ranks : 1;
    const auto y = static_cast<double>(got);
    const quad exact = sum.value / divisor;
    const auto rounded = static_cast<double>(exact);
    const bool promised = std::isfinite(promise_.bound);
    if (!std::isfinite(rounded))
        return tally_.add_nonfinite(!promised ||
                                    (std::isnan(rounded) ? std::isnan(y) || !promise_.keeps_nan : y == rounded));
    quad allowed = static_cast<quad>(promise_.bound);
    if (promise_.rounds) allowed += half_ulp<T>(y);
    const quad size = exact < 0 ? -exact : exact;
    const bool multiplies = call_.combine == reduction::prod;
    const double magnitude = multiplies ? static_cast<double>(size) : sum.magnitude / divisor;
    if (promise_.rounding_unit > 0)
        allowed += static_cast<quad>(magnitude * ranks * promise_.rounding_unit +
                                     ranks * std::ldexp(1.0, codec::ulp_exponent<T>(0)));
    if (multiplies && may_lose_a_part<T>(sum)) {
        if (!std::isfinite(y)) return tally_.add_nonfinite(true);
        allowed = std::numeric_limits<double>::infinity();
    }
    if (!std::isfinite(y) && promise_.adds_in_type && static_cast<quad>(sum.magnitude) >= overflow_from<T>())
        return tally_.add_nonfinite(true);
    if (std::isinf(y) && (y < 0) == (exact < 0) && promised && size + allowed >= overflow_from<T>())
        return tally_.add_nonfinite(true);
    tally_.add(static_cast<quad>(y) - exact, allowed, scales_);
}

template <class T>
void exact_comparison<T>::compare_moved() noexcept {
    const codec::float_environment standard;
    if (!geometry_.writes()) return;
    const bool listed = call_.varying && !call_.out_counts.empty();
    if (!listed) return compare_moved(0, call_.out.size());
    for (std::size_t k = 0; k < call_.out_counts.size(); ++k)
        compare_moved(call_.out_counts[k] == 0 ? 0 : call_.out_displacements[k], call_.out_counts[k]);
}

template <class T>
void exact_comparison<T>::compare_moved(std::size_t first, std::size_t count) noexcept {
    for (std::size_t i = first; i < first + count; ++i) {
        const auto x = static_cast<double>(load<T>(moved_.data(), i));
        const auto y = static_cast<double>(load<T>(call_.out.data(), i));
        const bool promised = std::isfinite(promise_.bound);
        const auto same = [&] { return std::memcmp(moved_.data() + i, call_.out.data() + i, sizeof(T)) == 0; };
        // What is not finite comes back bit for bit, and so does -0.0.
        if (!std::isfinite(x))
            tally_.add_nonfinite(!promised || same());
        else if (promised && x == 0 && std::signbit(x) && !same())
            tally_.add_nonfinite(false);
        else
            tally_.add(static_cast<quad>(y) - static_cast<quad>(x),
                       std::min(static_cast<quad>(promise_.bound) + (promise_.rounds ? half_ulp<T>(y) : quad{0}),
                                static_cast<quad>(promise_.most)),
                       scales_);
    }
}

template class exact_comparison<float>;
template class exact_comparison<double>;
template class exact_comparison<half>;
template class exact_comparison<bfloat16>;

}  // namespace laconic::collective
