// SPDX-License-Identifier: BSD-3-Clause
// Payloads by their names, and the memory of a run.
#include "collective/stage.hpp"

#include <algorithm>
#include <cstring>

namespace laconic::collective {
namespace {

/// The largest message, compressed at its worst, must still be counted by an int.
constexpr std::size_t max_segment_bytes = std::size_t{1} << 28;

}  // namespace

template <class T>
void stage<T>::put_together(const quantisation<T>& plan) {
    const piece_codec codec{request_.what.codec, request_.rate, request_.threads};
    switch (request_.what.payload) {
        case payload_kind::raw:
            // A scatter's root may have its own part land on another's that is still to be sent: not allowed, but
            // harmless.
            carrier_ = &place_.template emplace<payload_raw<T>>(
                data_, !is_reduction(request_.op) && request_.op != operation::scatter);
            return;
        case payload_kind::per_hop:
            carrier_ = &place_.template emplace<payload_coded<T>>(data_, plan, codec, recoding::every_hop);
            return;
        case payload_kind::once:
            carrier_ = &place_.template emplace<payload_coded<T>>(data_, plan, codec, recoding::never);
            return;
        case payload_kind::pipelined:
            carrier_ = &place_.template emplace<payload_coded<T>>(data_, plan, codec, recoding::in_chunks);
            return;
        case payload_kind::homomorphic:
            carrier_ = &place_.template emplace<payload_fle<T>>(data_, plan, joining::encode_and_add, request_.threads);
            return;
        case payload_kind::quantised:
            carrier_ = &place_.template emplace<payload_fle<T>>(data_, plan, joining::integers, request_.threads);
            return;
        case payload_kind::fused:
            carrier_ = &place_.template emplace<payload_fle<T>>(data_, plan, joining::one_pass, request_.threads);
            return;
    }
}

template <class T>
void stage<T>::lay_out(std::size_t longest_piece) {
    data_ = request_.data;
    put_together({});
    // Sums of half and bfloat16 take as much room as those of float.
    constexpr std::size_t most = max_segment_bytes / std::max(sizeof(T), sizeof(float));
    const std::size_t segment = std::min(request_.segment_bytes / sizeof(T), most);
    const grain cut = job::choose(request_.what, *steps_, longest_piece, segment, sizeof(T));
    work_ = job(*steps_, memory_->places, cut, longest_piece);
}

template <class T>
std::size_t stage<T>::copy_bytes() const noexcept {
    return request_.copies_input ? mpi::workspace::rounded(request_.data.in.size_bytes()) : 0;
}

template <class T>
void stage<T>::start(const quantisation<T>& plan, bool spoiled) {
    const std::span<std::byte> memory = memory_->bytes.bytes();
    data_ = request_.data;
    copy_s_ = 0;
    if (request_.copies_input && !data_.in.empty()) {
        const stopwatch watch(copy_s_);
        std::memcpy(memory.data(), data_.in.data(), data_.in.size_bytes());
        data_.in = {reinterpret_cast<const T*>(memory.data()), data_.in.size()};
    }
    put_together(plan);
    run_.emplace(*request_.channel, *request_.who, carrier(), work_, memory.subspan(copy_bytes()),
                 first_tag(request_.call), tags_per_call, spoiled);
    in_motion_ = true;
}

template <class T>
result<runner::state> stage<T>::advance() {
    auto outcome = run_->advance();
    if (outcome.ok() && *outcome != runner::state::done) return outcome;
    in_motion_ = false;
    // What was on its way may still be read from and written into the memory.
    if (outcome.error().code() == errc::mpi) memory_->bytes.abandon();
    return outcome;
}

template <class T>
void stage<T>::release() noexcept {
    if (in_motion_) {
        run_->drop_requests();
        memory_->bytes.abandon();
        in_motion_ = false;
    }
    run_.reset();
    if (memory_ != nullptr) memory_->in_use = false;
    memory_ = nullptr;
}

template <class T>
void stage<T>::add_to(collective_report& report) const {
    if (!run_) return;
    const traffic& sent = run_->sent();
    report.sent_bytes += sent.sent_bytes;
    report.raw_bytes += sent.sent_values * sizeof(T);
    report.messages += sent.messages;
    carrier().times().add_to(report);
    report.copy_s += copy_s_;
    report.exact_sums &= carrier().exact_sums();
    report.workspace_bytes += memory_->bytes.used_bytes();
}

template <class T>
double stage<T>::message_share(std::size_t least_bytes) const noexcept {
    const std::size_t held = work_.largest() * sizeof(T);
    if (!run_ || held < least_bytes) return 0;
    return run_->sent().full.typical() / static_cast<double>(held);
}

template class stage<float>;
template class stage<double>;
template class stage<half>;
template class stage<bfloat16>;

}  // namespace laconic::collective
