// SPDX-License-Identifier: BSD-3-Clause
// Sums of variances.
#include "model/error_model.hpp"

#include <cmath>

namespace laconic::model {
namespace {

bool adds(const error_request& call) noexcept {
    return is_reduction(call.op) && (call.combine == reduction::sum || call.combine == reduction::avg);
}

bool is_modelled(const error_request& call) noexcept {
    const bool multiplies = is_reduction(call.op) && call.combine == reduction::prod;
    return call.ranks > 1 && call.contributions > 0 && !multiplies && call.what.payload != payload_kind::raw &&
           std::isfinite(call.contribution_bound);
}

/// Errors that meet in an element.
double errors_met(const error_request& call) noexcept {
    return recodes(call.op, call.what) ? call.quantisations : call.contributions;
}

double divisor(const error_request& call) noexcept {
    return is_reduction(call.op) && call.combine == reduction::avg ? call.ranks : 1;
}

}  // namespace

bool recodes(operation op, const cell& what) noexcept {
    return is_reduction(op) && (what.payload == payload_kind::per_hop || what.payload == payload_kind::pipelined);
}

double normal_deviation(const error_request& call) noexcept {
    if (!is_modelled(call)) return 0;
    const double sigma = call.contribution_bound / 3;
    const double n = errors_met(call);
    if (adds(call)) return sigma * std::sqrt(n) / divisor(call);
    if (!is_reduction(call.op)) return sigma;
    return sigma * std::sqrt(2 - (n + 2) * std::exp2(-n));
}

double uniform_deviation(const error_request& call) noexcept {
    if (!is_modelled(call) || call.what.codec != codec_id::fle) return 0;
    const double sigma = call.step / std::sqrt(12.0);
    return adds(call) ? sigma * std::sqrt(errors_met(call)) / divisor(call) : sigma;
}

}  // namespace laconic::model
