// SPDX-License-Identifier: BSD-3-Clause
// What MPI_Get_library_version and mpi.h say flows in; whether MPI_Neighbor_alltoallw of that MPI can be trusted flows
// out.
#pragma once

#include <string>
#include <string_view>

namespace laconic::redistribute {

/// The version of the MPICH that a library is, or says it is built on: "4.0.2"; empty where it says nothing of MPICH.
[[nodiscard]] inline std::string mpich_version(std::string_view library) {
    constexpr std::string_view title = "MPICH Version:", base = "(ANL base ", blanks = " \t";
    if (library.substr(0, title.size()) == title)
        library.remove_prefix(title.size());
    else if (const std::size_t at = library.find(base); at != std::string_view::npos)
        library.remove_prefix(at + base.size());
    else
        return {};
    const std::size_t first = library.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    library.remove_prefix(first);
    return std::string(library.substr(0, library.find_first_of(" \t\r\n)")));
}

/// Why engine neighbor cannot run, or empty. MPICH 4.0 widens the counts for its large-count functions and takes the
/// number of sources for that of destinations and the other way round (its issue 6233): where these differ, data is
/// lost in silence or memory overrun. Mended for 4.1 after its first pre-releases, and on the branch of 4.0 so late
/// that no version of 4.0 is trusted. `header` is MPICH_NUMVERSION of the mpi.h that was compiled with, 0 without: it
/// decides where the library does not say which MPICH it is built on.
[[nodiscard]] inline std::string neighbor_fault(std::string_view library, long header = 0) {
    // Major, two digits of minor, two of revision, 0 to 3 for alpha, beta, candidate and release, two of its number.
    constexpr long first_alpha = 40000000, first_candidate_of_4_1 = 40100200;
    const std::string version = mpich_version(library);
    const std::string_view series = std::string_view(version).substr(0, 4);
    const bool by_name = version == "4.0" || series == "4.0." || series == "4.0a" || series == "4.0b" ||
                         series == "4.0r" || series == "4.1a" || series == "4.1b";
    const bool by_header = version.empty() && header >= first_alpha && header < first_candidate_of_4_1;
    if (!by_name && !by_header) return {};
    const std::string of_header = std::to_string(header / 10000000) + "." + std::to_string(header / 100000 % 100);
    return "MPI_Neighbor_alltoallw of MPICH " + (by_name ? version : of_header + ", as mpi.h has it,") +
           " loses data or crashes where a rank sends to more or fewer ranks than it receives from (MPICH issue 6233, "
           "mended in 4.1); use engine alltoallw or batched, or a later MPICH";
}

}  // namespace laconic::redistribute
