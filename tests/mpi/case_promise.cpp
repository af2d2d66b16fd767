// SPDX-License-Identifier: BSD-3-Clause
// Every row, operation, type, scope and kind of bound on every test field, against the exact sum.
#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "reference.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 9000;

/// What the contract allows.
struct allowance {
    double bound = 0;
    accumulator held = accumulator::exact;
};

allowance allowed(std::string_view row, reduction op, scope which, double e, int ranks,
                  const collective_report& report) {
    if (ranks == 1) return {};
    if (row == "stock" || row == "ring_raw") return {0, accumulator::element};
    const double promised = which == scope::contribution && op == reduction::sum ? ranks * e : e;
    // Rounding may leave nothing of the bound for per_hop, which then says so.
    if (row == "per_hop") return {std::max(promised, report.result_bound), accumulator::exact};
    return {promised, accumulator::wide};
}

template <class T>
void check_field(field kind) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::vector<T> in = make_field<T>(kind, rank_in(MPI_COMM_WORLD), count);
    const reference<T> exact(kind, ranks, count);
    for (const bound limit : {bound::abs(1e-3), bound::rel(1e-4), bound::lossless()}) {
        if (limit.value == 0 && kind != field::smooth && kind != field::adversarial) continue;
        const double e = limit.kind == bound_kind::absolute ? limit.value : limit.value * (exact.max - exact.min);
        for (const reduction op : {reduction::sum, reduction::avg})
            for (const scope which : {scope::result, scope::contribution})
                for (const std::string_view row : all_rows) {
                    const std::string what = std::string(row) + " " + (sizeof(T) == 4 ? "f32 " : "f64 ") +
                                             std::string(name_of(kind)) + (op == reduction::sum ? " sum" : " avg") +
                                             (which == scope::result ? " result" : " contribution") +
                                             (limit.kind == bound_kind::relative ? " rel"
                                              : limit.value > 0                  ? " abs"
                                                                                 : " lossless");
                    collective_report report;
                    const auto out = reduce(in, op, MPI_COMM_WORLD, options_for(row, limit, which), what, &report);
                    const allowance limits = allowed(row, op, which, e, ranks, report);
                    check_promise(out, exact, ranks, op == reduction::avg ? ranks : 1, limits.bound, limits.held, what);
                    check_same_bytes(bytes_of(out), MPI_COMM_WORLD, what);
                    if (row == "fused" || row == "homomorphic")
                        check(report.result_bound <= limits.bound, what + ": the reported bound exceeds the promise");
                }
    }
}

/// Products are larger than all that goes into them: where every hop compresses anew, they need other integers.
void check_products() {
    const int ranks = size_of(MPI_COMM_WORLD);
    constexpr double factor = 1000, limit = 1e-4;
    const std::vector<double> in(count, factor);
    const double exact = std::pow(factor, ranks);
    for (const std::string_view row : {"per_hop", "ring/pipelined:fle", "rabenseifner/per_hop:fle"}) {
        const auto out =
            reduce(in, reduction::prod, MPI_COMM_WORLD, options_for(row, bound::abs(limit)), std::string(row));
        const auto [least, most] = std::minmax_element(out.begin(), out.end());
        // Each partial product is off by the bound at most, and multiplied by the factors behind it.
        const double share = 1e-12 + ranks * limit / factor;
        check(*least >= exact * (1 - share) && *most <= exact * (1 + share),
              std::string(row) + ": products from " + std::to_string(*least) + " to " + std::to_string(*most));
    }
}

}  // namespace

void promise_holds() {
    check_products();
    // Many ranks on few cores are slow: there only the fields that are hardest to sum.
    const bool many = size_of(MPI_COMM_WORLD) > 5;
    for (const field kind : all_fields) {
        if (many && kind != field::offset && kind != field::adversarial) continue;
        check_field<float>(kind);
        check_field<double>(kind);
    }
}

}  // namespace laconic::test
