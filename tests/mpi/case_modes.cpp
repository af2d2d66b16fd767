// SPDX-License-Identifier: BSD-3-Clause
// Programs that round upwards, or flush denormals (as -ffast-math has it), get the same bits as others, and keep their
// modes.
#include <array>
#include <cfenv>
#include <cstdio>
#include <string>
#include <vector>

#include "cases.hpp"
#include "collective/registry.hpp"
#include "run.hpp"
#include "scenario.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace laconic::test {
namespace {

/// Rounds upwards, and flushes denormals where that is known how.
class odd_modes {
public:
    odd_modes() {
        std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
        before_ = _mm_getcsr();
        _mm_setcsr(before_ | 0x8040U);
#endif
    }
    odd_modes(const odd_modes&) = delete;
    odd_modes& operator=(const odd_modes&) = delete;
    ~odd_modes() {
        check(are_kept(), "a collective has changed the program's floating-point modes");
#if defined(__x86_64__)
        _mm_setcsr(before_);
#endif
        std::fesetround(FE_TONEAREST);
    }

private:
    [[nodiscard]] bool are_kept() const {
#if defined(__x86_64__)
        if ((_mm_getcsr() & 0x8040U) != 0x8040U) return false;
#endif
        return std::fegetround() == FE_UPWARD;
    }
#if defined(__x86_64__)
    unsigned before_ = 0;
#endif
};

template <class T>
void check_row(scenario what) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    laid_out<T> usual = lay_out<T>(what, rank, ranks);
    laid_out<T> odd = lay_out<T>(what, rank, ranks);
    const collective_options options = options_of(what);
    const auto want = run(usual.call, MPI_COMM_WORLD, options);
    const auto got = [&] {
        const odd_modes set;
        return run(odd.call, MPI_COMM_WORLD, options);
    }();
    check(want.ok() && got.ok(), what.text() + ": " + got.error().message());
    if (!want.ok() || !got.ok()) return;
    check(hash(bytes_of(usual.out)) == hash(bytes_of(odd.out)), what.text() + ": modes of the program change the bits");
    const auto plan = [](const collective_report& report) {
        std::array<char, 80> text{};
        std::snprintf(text.data(), text.size(), "step %.17g, result within %.17g", report.step, report.result_bound);
        return std::string(text.data());
    };
    check(plan(*want) == plan(*got), what.text() + ": modes change the plan: " + plan(*want) + "; " + plan(*got));
}

}  // namespace

void modes_change_nothing() {
    for (const collective::algorithm& row : collective::algorithms()) {
        // MPI's own sums are MPI's.
        if (!collective::is_reduction(row.op) || row.what.schedule == collective::schedule_kind::stock) continue;
        if (row.what.schedule == collective::schedule_kind::chosen) continue;
        for (const field kind : {field::noise, field::tiny})
            for (const reduction combine : {reduction::sum, reduction::avg}) {
                scenario what;
                what.op = row.op;
                what.algorithm = row.name;
                what.count = row.op == operation::reduce_scatter ? 3000 : 9000;
                what.kind = kind;
                what.combine = combine;
                what.ranks_per_node = 2;
                what.limit = kind == field::tiny ? bound::abs(1e-41) : bound::rel(1e-3);
                check_row<float>(what);
                if (kind == field::noise) check_row<double>(what);
            }
    }
}

}  // namespace laconic::test
