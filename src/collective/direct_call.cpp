// SPDX-License-Identifier: BSD-3-Clause
// Whatever is out of the ordinary is left to an execution, which knows how to say so.
#include "collective/direct_call.hpp"

#include "collective/call_check.hpp"
#include "collective/call_plan.hpp"
#include "collective/chooser.hpp"

namespace laconic::collective {

template <class T>
bool direct_call<T>::claim() {
    call_store& store = call_store::of(channel_);
    if (channel_.broken() || !store.may_block() || !store.is_idle()) return false;
    if (options_.check || options_.audit || channel_.size() < 2) return false;
    const bool decides = options_.algorithm == "auto";
    if (!decides && options_.algorithm != "stock") return false;
    geometry_ = geometry_of(call_, channel_.rank(), channel_.size());
    if (!geometry_.varying && geometry_.common_count() == 0) return false;
    if (!check_call<T>(call_, geometry_, options_, cell{}).ok()) return false;
    chooser decision(store, {&geometry_, &options_, call_.combine, element_type_of<T>::value, sizeof(T),
                             nodes_of(channel_, options_.ranks_per_node), agreed_threads_of(options_, channel_)});
    row_ = decides ? decision.standing() : cell{};
    if (row_ ? row_->schedule != schedule_kind::stock : !decision.takes_stock()) {
        if (row_) keep(store, {});
        return false;
    }
    store.pass_turn();
    return true;
}

template <class T>
void direct_call<T>::keep(call_store& store, std::uint64_t sent_bytes) const noexcept {
    if (call_.varying || call_.combine == reduction::custom) return;
    // Averages are divided afterwards, and MPI has no operations for 16-bit types.
    const bool is_all_of_it = !is_reduction(call_.op) || (call_.combine != reduction::avg && sizeof(T) > 2);
    if (row_->schedule != schedule_kind::stock || is_all_of_it)
        store.known().keep({kind_of(call_), *row_, stock_.even(), sent_bytes}, options_);
}

template <class T>
result<collective_report> direct_call<T>::run() try {
    if (auto bad = stock_.prepare(channel_, geometry_, element_type_of<T>::value, call_.combine, call_.custom,
                                  call_.in.data(), call_.out.data());
        !bad.ok()) {
        channel_.desert();
        return bad;
    }
    if (auto done = channel_.check(stock_.run(channel_.comm()), "MPI collective"); !done.ok()) {
        channel_.mark_broken();
        return done;
    }
    collective_report report;
    report.algorithm = "stock";
    stock_.finish<T>(geometry_, divisor_of(call_.op, call_.combine, channel_.size()), call_.out, report);
    if (row_) keep(call_store::of(channel_), report.sent_bytes);
    return report;
} catch (const std::bad_alloc&) {
    channel_.desert();
    return no_memory();
}

template class direct_call<float>;
template class direct_call<double>;
template class direct_call<half>;
template class direct_call<bfloat16>;

}  // namespace laconic::collective
