// SPDX-License-Identifier: BSD-3-Clause
// Image stacking with and without compression: partial seismic images of all ranks flow in, their sum on every rank,
// one table and a few pictures flow out. docs/guide/stacking.md tells the story.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "agreement.hpp"
#include "measure.hpp"
#include "outcome.hpp"
#include "partial_images.hpp"
#include "settings.hpp"

namespace {

using stacking::settings;

// What a shell script can tell apart.
constexpr int done = 0, bad_data = 1, bad_usage = 2, bound_broken = 3;

int fail(const laconic::status& why, int rank) {
    if (rank == 0) std::fprintf(stderr, "stacking: %s\n", why.context().c_str());
    const bool usage = why.code() == laconic::errc::invalid_argument || why.code() == laconic::errc::invalid_bound;
    return usage ? bad_usage : bad_data;
}

int count_hosts(MPI_Comm comm, int ranks) {
    std::string mine(MPI_MAX_PROCESSOR_NAME, '\0');
    int length = 0;
    MPI_Get_processor_name(mine.data(), &length);
    std::string all(static_cast<std::size_t>(ranks) * mine.size(), '\0');
    MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, comm);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all.size(); i += mine.size()) names.push_back(all.substr(i, mine.size()));
    std::sort(names.begin(), names.end());
    return static_cast<int>(std::unique(names.begin(), names.end()) - names.begin());
}

std::string mpi_name() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    text.resize(static_cast<std::size_t>(std::max(length, 0)));
    // "MPICH Version:\t4.0.2\n...", "Open MPI v4.1.4, package ..."
    text = text.substr(0, text.find_first_of(",\n"));
    if (const auto at = text.find(" Version:\t"); at != std::string::npos) text.replace(at, 10, " ");
    return text;
}

template <class T>
int stack(const settings& wanted, MPI_Comm comm, int rank, int ranks) {
    if (rank == 0 && wanted.files.empty()) {
        std::printf("Migrating %zu shots on %d ranks ...\n", wanted.plan.shots, ranks);
        std::fflush(stdout);
    }
    const auto mine = stacking::gather_partial_images<T>(wanted, comm);
    if (!mine) return fail(mine.error(), rank);
    if (rank == 0)
        std::printf("%s the partial images took %.1f s\n", wanted.files.empty() ? "Computing" : "Reading",
                    mine->seconds);
    const auto found = stacking::measure<T>(wanted, mine->values, comm);
    if (!found) return fail(found.error(), rank);

    const stacking::setting_of_run run{ranks, count_hosts(comm, ranks), mpi_name(), mine->partial_images,
                                       mine->seconds};
    laconic::status written;
    int broken = 0;
    if (rank == 0) {
        stacking::print_table(wanted, run, *found);
        for (const auto& row : found->rows) broken |= row.violations > 0 ? 1 : 0;
        const auto pictures = stacking::draw_pictures(wanted, *found, mine->earth);
        written = pictures.error();
        if (pictures) std::printf("Pictures: %s\n", pictures->files.front().c_str());
        if (written.ok() && !wanted.json.empty()) written = stacking::write_json(wanted, run, *found, *pictures);
        std::fflush(stdout);
    }
    written = stacking::agreed(written, comm);
    if (!written.ok()) return fail(written, rank);
    MPI_Bcast(&broken, 1, MPI_INT, 0, comm);
    return broken != 0 ? bound_broken : done;
}

int run(int argc, char** argv, MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const auto wanted = stacking::parse_command_line(argc, argv);
    // mpiexec can give every rank a command line of its own.
    if (const laconic::status bad = stacking::agreed(wanted.error(), comm); !bad.ok()) return fail(bad, rank);
    int help = wanted->help ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &help, 1, MPI_INT, MPI_MAX, comm);
    if (help != 0) {
        if (rank == 0) std::fputs(wanted->help_text.c_str(), stdout);
        return done;
    }
    if (const laconic::status bad = stacking::alike(stacking::in_words(*wanted), comm); !bad.ok())
        return fail(bad, rank);
    if (const laconic::status bad = stacking::try_algorithms(*wanted, comm); !bad.ok()) return fail(bad, rank);
    const laconic::status writable = rank == 0 ? stacking::prepare_output(*wanted) : laconic::status{};
    if (const laconic::status bad = stacking::agreed(writable, comm); !bad.ok()) return fail(bad, rank);
    return wanted->type == laconic::element_type::f32 ? stack<float>(*wanted, comm, rank, ranks)
                                                      : stack<double>(*wanted, comm, rank, ranks);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int exit_code = run(argc, argv, MPI_COMM_WORLD);
    MPI_Finalize();
    return exit_code;
}
