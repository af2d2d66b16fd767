// SPDX-License-Identifier: BSD-3-Clause
// The ring's arithmetic without a ring: what is sent is what the neighbour expects, every element is reduced once by
// every rank and gathered once by every rank, for many shapes.
#include <algorithm>

#include "cases.hpp"
#include "check.hpp"
#include "collective/ring_layout.hpp"

namespace laconic::test {
namespace {

using collective::range;
using collective::ring_layout;

void check_shape(std::size_t count, int ranks, int lanes, std::size_t segment) {
    constexpr std::size_t quantum = 2048;
    const ring_layout layout(count, ranks, lanes, segment, quantum);
    const std::string what = std::to_string(count) + " elements, " + std::to_string(ranks) + " ranks, " +
                             std::to_string(lanes) + " lanes, segments of " + std::to_string(segment);
    check(layout.lanes() <= static_cast<std::uint64_t>(lanes), what + ": lanes");
    check(layout.largest() <= std::max(segment, 2 * quantum) + quantum, what + ": largest range");
    for (int rank = 0; rank < ranks; ++rank) {
        // What arrives while reducing is everything but the pieces that the rank starts with, while gathering
        // everything but the pieces that it finishes.
        std::size_t reduced = 0;
        std::size_t gathered = 0;
        std::size_t started = 0;
        std::size_t finished = 0;
        for (std::uint64_t index = 0; index < layout.messages(); ++index) {
            const range sent = layout.sent(index, rank);
            const range expected = layout.received(index, (rank + 1) % ranks);
            check(sent.first == expected.first && sent.count == expected.count, what + ": neighbours disagree");
            check(sent.count <= layout.largest() && sent.first + sent.count <= count, what + ": range");
            check(sent.first % quantum == 0 || sent.count == 0, what + ": not at a chunk");
            if (index + layout.lanes() < layout.messages() && layout.step_of(index) + 1 < layout.steps()) {
                const range passed_on = layout.sent(index + layout.lanes(), rank);
                check(passed_on.first == layout.received(index, rank).first, what + ": not what arrived is passed on");
            }
            const std::uint64_t step = layout.step_of(index);
            const auto last_reduce = static_cast<std::uint64_t>(ranks) - 2;
            (step <= last_reduce ? reduced : gathered) += layout.received(index, rank).count;
            if (step == 0) started += sent.count;
            if (step == last_reduce) finished += layout.received(index, rank).count;
        }
        check(reduced + started == count, what + ": a contribution is missing");
        check(gathered + finished == count, what + ": a result is missing");
    }
}

}  // namespace

void layouts_are_consistent() {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{2049},
                                    std::size_t{100003}, std::size_t{1} << 20, (std::size_t{1} << 21) + 77})
        for (const int ranks : {2, 3, 7, 16})
            for (const int lanes : {1, 8, 32})
                for (const std::size_t segment :
                     {std::size_t{1}, std::size_t{10000}, std::size_t{1} << 15, ~std::size_t{0} / 8})
                    check_shape(count, ranks, lanes, segment);
}

}  // namespace laconic::test
