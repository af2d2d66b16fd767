// SPDX-License-Identifier: BSD-3-Clause
// Whatever is out of the ordinary is left to an execution, which knows how to say so.
#include "collective/direct_call.hpp"

#include "collective/call_check.hpp"
#include "collective/call_plan.hpp"
#include "collective/chooser.hpp"

namespace laconic::collective {

template <class T>
bool direct_call<T>::claim() {
    if (options_.check || options_.audit || channel_.size() < 2 || channel_.broken()) return false;
    const bool decides = options_.algorithm == "auto";
    if (!decides && options_.algorithm != "stock") return false;
    call_store* const store = call_store::of(channel_);
    if (store == nullptr || !store->may_block() || !store->is_idle()) return false;
    geometry_ = geometry_of(call_, channel_.rank(), channel_.size());
    if (!geometry_.varying && geometry_.common_count() == 0) return false;
    if (!check_call<T>(call_, geometry_, options_, cell{}).ok()) return false;
    if (decides &&
        !chooser(*store, {&geometry_, &options_, call_.combine, element_type_of<T>::value, sizeof(T),
                          nodes_of(channel_, options_.ranks_per_node), agreed_threads_of(options_, channel_)})
             .takes_stock())
        return false;
    static_cast<void>(store->next_call());
    static_cast<void>(store->draw_turn());
    store->end_turn();
    return true;
}

template <class T>
result<collective_report> direct_call<T>::run() {
    if (auto bad = stock_.prepare(geometry_, element_type_of<T>::value, call_.combine, call_.custom, call_.in.data(),
                                  call_.out.data());
        !bad.ok())
        return bad;
    if (auto done = channel_.check(stock_.run(channel_.comm()), "MPI collective"); !done.ok()) {
        channel_.mark_broken();
        return done;
    }
    collective_report report;
    report.algorithm = "stock";
    finish_stock<T>(geometry_, divisor_of(call_.op, call_.combine, channel_.size()), call_.out, report);
    return report;
}

template class direct_call<float>;
template class direct_call<double>;
template class direct_call<half>;
template class direct_call<bfloat16>;

}  // namespace laconic::collective
