// SPDX-License-Identifier: BSD-3-Clause
// Streams that are added as they are.
#include "collective/payload_fle.hpp"

#include <algorithm>

namespace laconic::collective {

template <class T>
void payload_fle<T>::use_memory(std::span<std::byte> memory) noexcept {
    crew_.use_memory(memory.subspan(integer_bytes()));
    if (how_ != joining::integers || is_extreme() || data_.in.empty()) return;
    const stopwatch watch(times_.compress_s);
    const std::span<std::int32_t> q(reinterpret_cast<std::int32_t*>(memory.data()), data_.in.size());
    // An array with a value that has no integer (NaN, an infinity) takes the way of `fused`: the same bytes.
    if (codec::quantise<T>(data_.in, plan_.how, q, crew_)) integers_ = q;
    own_magnitude_ = std::min(plan_.magnitude, plan_.how.reach);
}

template <class T>
message payload_fle<T>::begin(part piece, std::span<std::byte> scratch) {
    const stopwatch watch(times_.compress_s);
    if (!integers_.empty()) {
        const auto q = integers_.subspan(piece.in.first, piece.in.count);
        return keep(codec::add_integers<T>(q, plan_.how, own_magnitude_, nullptr, own_magnitude_, scratch, crew_),
                    scratch, home::scratch);
    }
    const std::size_t size = codec::encode<T>(data_.local(piece), plan_.how, scratch, crew_).bytes;
    return {scratch.first(size), home::scratch, false};
}

template <class T>
message payload_fle<T>::combine(part piece, const operands& what) {
    const std::size_t count = piece.in.count;
    if (what.state.empty() && how_ != joining::encode_and_add && !is_extreme()) {
        const stopwatch watch(times_.combine_s);
        if (integers_.empty())
            return keep(codec::add_values<T>(data_.local(piece), plan_.how, what.received, plan_.magnitude,
                                             what.scratch, crew_),
                        what.scratch, home::scratch);
        const auto q = integers_.subspan(piece.in.first, count);
        return keep(
            codec::add_integers<T>(q, plan_.how, own_magnitude_, &what.received, plan_.magnitude, what.scratch, crew_),
            what.scratch, home::scratch);
    }
    const std::span<const std::byte> ours = what.state.empty() ? begin(piece, what.scratch).bytes : what.state;
    const stopwatch watch(times_.combine_s);
    return keep(join(what.received, ours, count, what.slot), what.slot, home::received);
}

template <class T>
result<codec::sum_report> payload_fle<T>::join(std::span<const std::byte> a, std::span<const std::byte> b,
                                               std::size_t count, std::span<std::byte> out) const {
    if (is_extreme())
        return codec::extreme<T>(a, b, count, data_.op == reduction::max, plan_.how.step, plan_.magnitude, out, crew_);
    return codec::add<T>(a, b, count, plan_.how.step, plan_.magnitude, out, crew_);
}

template <class T>
void payload_fle<T>::finish(part piece, std::span<const std::byte> final_message) {
    const stopwatch watch(times_.decompress_s);
    status done = codec::decode<T>(final_message, plan_.result_step, plan_.magnitude, data_.result(piece),
                                   plan_.divisor, crew_, &this->exact_sums_);
    if (!done.ok()) this->fail(std::move(done));
}

template <class T>
message payload_fle<T>::keep(const result<codec::sum_report>& sum, std::span<std::byte> memory, home where) {
    if (!sum) {
        this->fail(sum.error());
        return {};
    }
    return {memory.first(sum->bytes), where, false};
}

template class payload_fle<float>;
template class payload_fle<double>;
template class payload_fle<half>;
template class payload_fle<bfloat16>;

}  // namespace laconic::collective
