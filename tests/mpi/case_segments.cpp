// SPDX-License-Identifier: BSD-3-Clause
// How long messages are where nobody says: between nodes, what travels as it is fits what MPI sends at once.
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "cases.hpp"
#include "codec/fle.hpp"
#include "mpi/eager.hpp"
#include "run.hpp"

namespace laconic::test {

void segments_suit() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 2) return;
    constexpr std::size_t piece = 49 * codec::chunk_values;  // no rank has a shorter one
    const auto messages_of = [](std::size_t segment_bytes) {
        const std::size_t chunks = (piece + codec::chunk_values - 1) / codec::chunk_values;
        const std::size_t each = segment_bytes / (codec::chunk_values * sizeof(float));
        return (chunks + each - 1) / each;
    };
    const std::vector<float> in(piece * static_cast<std::size_t>(ranks), 1.0F);
    const auto hops = 2 * static_cast<std::size_t>(ranks - 1);
    for (const auto& [ranks_per_node, asked, segment] :
         {std::tuple{1U, std::size_t{0}, static_cast<std::size_t>(mpi::eager_bytes)},
          std::tuple{static_cast<unsigned>(ranks), std::size_t{0}, std::size_t{128} << 10},
          std::tuple{1U, std::size_t{32} << 10, std::size_t{32} << 10}}) {
        collective_options options = options_for("ring_raw", bound::abs(0));
        options.ranks_per_node = ranks_per_node;
        options.segment_bytes = asked;
        collective_report report;
        const std::string what = "segments of " + std::to_string(segment);
        const auto out = reduce(in, reduction::sum, MPI_COMM_WORLD, options, what, &report);
        check(out.back() == static_cast<float>(ranks), what + ": a wrong sum");
        check(report.messages == hops * messages_of(segment), what + ": " + std::to_string(report.messages) +
                                                                  " messages, not " +
                                                                  std::to_string(hops * messages_of(segment)));
    }
}

}  // namespace laconic::test
