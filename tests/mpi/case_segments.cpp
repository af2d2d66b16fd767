// SPDX-License-Identifier: BSD-3-Clause
// How long messages are where nobody says: between nodes, what travels as it is fits what MPI sends at once.
#include <bit>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "cases.hpp"
#include "codec/fle.hpp"
#include "fields.hpp"
#include "mpi/eager.hpp"
#include "run.hpp"

namespace laconic::test {

namespace {

/// What is short travels in one message for every partner, unless segments are asked for that are shorter; the bits are
/// the same.
void bundles_suit() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 4) return;
    const auto partners = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1);
    const auto parts = std::bit_floor(static_cast<unsigned>(ranks));
    const std::vector<double> in = kept_field<double>(field::smooth, rank_in(MPI_COMM_WORLD), 16000);
    for (const std::string row : {"rabenseifner/raw", "rabenseifner/per_hop", "rabenseifner/fused"}) {
        collective_options options = options_for(row, bound::abs(1e-3));
        options.segment_bytes = std::size_t{128} << 10;
        collective_report together, alone;
        const auto want = reduce(in, reduction::sum, MPI_COMM_WORLD, options, row, &together);
        options.segment_bytes = 1;
        const auto also = reduce(in, reduction::sum, MPI_COMM_WORLD, options, row, &alone);
        check(want == also, row + ": other bits in bundles");
        // Those of ranks beyond a power of two come first and last.
        const bool folds = !std::has_single_bit(static_cast<unsigned>(ranks));
        check(together.messages <= 2 * partners + (folds ? 1 : 0),
              row + ": " + std::to_string(together.messages) + " messages in bundles");
        check(alone.messages >= parts, row + ": " + std::to_string(alone.messages) + " messages alone");
    }
    // What they may take at most is in bundles_take_memory().
    const std::vector<float> longest(parts * 32768, 1.0F);
    collective_options options = options_for("rabenseifner/fused", bound::abs(1e-3));
    options.ranks_per_node = 1;
    collective_report report;
    reduce(longest, reduction::sum, MPI_COMM_WORLD, options, "the longest bundles", &report);
    check(report.messages <= 2 * partners + 1, "the longest bundles travel alone");
    check(report.workspace_bytes <= 28 * longest.size() * sizeof(float),
          "bundles take " + std::to_string(report.workspace_bytes) + " bytes");
}

}  // namespace

void segments_suit() {
    bundles_suit();
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
