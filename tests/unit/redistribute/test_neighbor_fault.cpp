// SPDX-License-Identifier: BSD-3-Clause
// Which MPIs may not use engine neighbor, by what MPI_Get_library_version says of them.
#include <gtest/gtest.h>

#include "redistribute/exchange/neighbor_fault.hpp"

namespace laconic::redistribute {
namespace {

std::string of_mpich(const std::string& version) {
    return neighbor_fault("MPICH Version:\t" + version + "\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n");
}

TEST(neighbor_fault, is_that_of_mpich_4_0) {
    for (const char* version : {"4.0", "4.0a1", "4.0b1", "4.0rc2", "4.0.1", "4.0.2", "4.0.3", "4.1a1", "4.1b1"}) {
        const std::string fault = of_mpich(version);
        EXPECT_NE(fault.find("MPICH " + std::string(version) + " loses data"), std::string::npos) << version;
        EXPECT_NE(fault.find("issue 6233"), std::string::npos);
        EXPECT_NE(fault.find("use engine alltoallw or batched"), std::string::npos);
    }
    EXPECT_NE(neighbor_fault("MPICH Version:      4.0.2"), "");
}

TEST(neighbor_fault, is_not_that_of_others) {
    for (const char* version :
         {"3.4.3", "4.1rc1", "4.1", "4.1.2", "4.2.0", "4.3.2", "4.10", "5.0.1", "14.0.2", "4.00.1"})
        EXPECT_EQ(of_mpich(version), "") << version;
    for (const char* library :
         {"", "MPICH Version:", "MPICH Version: \t", "Open MPI v4.0.2, package: Debian OpenMPI, ident: 4.0.2",
          "Intel(R) MPI Library 2021.9 for Linux* OS\n",
          "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n", "an MPICH Version: 4.0.2"})
        EXPECT_EQ(neighbor_fault(library), "") << library;
    // A vendor's library under a program that was compiled with Debian's MPICH.
    EXPECT_EQ(neighbor_fault("MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n", 40002300), "");
    EXPECT_NE(neighbor_fault("MPI VERSION    : CRAY MPICH version 9.0 (ANL base 4.0.3)\n", 40200300), "");
}

TEST(neighbor_fault, is_that_of_what_is_built_on_mpich_by_its_header) {
    const char* vendor = "Vendor MPI 3.0.1\n";
    for (const long header : {40000001L, 40002300L, 40003300L})
        EXPECT_NE(neighbor_fault(vendor, header).find("MPICH 4.0, as mpi.h has it"), std::string::npos) << header;
    EXPECT_NE(neighbor_fault(vendor, 40100101).find("MPICH 4.1, as mpi.h has it"), std::string::npos);
    for (const long header : {0L, 30402300L, 40100201L, 40100300L, 40301300L})
        EXPECT_EQ(neighbor_fault(vendor, header), "") << header;
    // A library that says which MPICH it is knows better than the header.
    EXPECT_EQ(neighbor_fault("MPICH Version:\t4.2.0\n", 40002300), "");
    EXPECT_NE(neighbor_fault("MPICH Version:\t4.0.2\n", 40200300), "");
}

}  // namespace
}  // namespace laconic::redistribute
