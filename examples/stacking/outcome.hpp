// SPDX-License-Identifier: BSD-3-Clause
// What a person sees on rank 0: a measurement flows in; the table on standard output, pictures and JSON flow out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "measure.hpp"
#include "settings.hpp"
#include "wave_solver.hpp"

namespace stacking {

/// What the table needs to know about the run besides the measurement itself.
struct setting_of_run {
    int ranks = 1;
    int hosts = 1;    ///< distinct host names among the ranks
    std::string mpi;  ///< the MPI library's own name and version
    std::size_t partial_images = 0;
    double images_s = 0;  ///< to compute or read the partial images
};

struct drawn_pictures {
    std::vector<std::string> files;
    double difference_scale = 1;  ///< by how much the difference picture is magnified
};

/// Makes the directories that the run will write to, before hours of computing. io when one cannot be made.
[[nodiscard]] laconic::status prepare_output(const settings& wanted);

void print_table(const settings& wanted, const setting_of_run& run, const measurement& found);

/// Middle panel: stack_exact.png, stack_compressed.png, difference_x<scale>.png and stacking.png with all of them (and
/// the velocities, when known). io when a file cannot be written.
[[nodiscard]] laconic::result<drawn_pictures> draw_pictures(const settings& wanted, const measurement& found,
                                                            const field& earth);

/// The table for scripts; the file appears when it is complete.
[[nodiscard]] laconic::status write_json(const settings& wanted, const setting_of_run& run, const measurement& found,
                                         const drawn_pictures& pictures);

}  // namespace stacking
