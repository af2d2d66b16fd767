// SPDX-License-Identifier: BSD-3-Clause
// What the user asked for: the command line flows in, checked settings flow out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"
#include "laconic/collective.hpp"
#include "laconic/status.hpp"
#include "migration.hpp"

namespace stacking {

struct settings {
    bool help = false;
    std::string help_text;  ///< whether it was asked for or not

    std::vector<std::string> files;          ///< empty: compute the images
    std::size_t nx = 0, nz = 0, panels = 1;  ///< of one partial image, computed or read
    laconic::element_type type = laconic::element_type::f32;
    survey plan;

    bool depth_fastest = false;  ///< FILEs hold columns one after another, not rows; the pictures need to know

    std::vector<std::string> algorithms;  ///< laconic's; the stock MPI_Allreduce always runs beside them
    laconic::bound limit = laconic::bound::rel(1e-3);
    laconic::scope scope = laconic::scope::result;
    double confidence = 0;  ///< of laconic::scope::probable
    laconic::reduction operation = laconic::reduction::sum;
    std::size_t segment_bytes = 0;
    std::string machine;  ///< file of `laconic calibrate` that `auto` decides by
    std::size_t repetitions = 5;

    std::filesystem::path out = "out/stacking";
    std::filesystem::path json;  ///< empty: none
    std::filesystem::path save;  ///< empty: none

    [[nodiscard]] std::size_t image_values() const { return nx * nz * panels; }
};

[[nodiscard]] const char* name_of(laconic::scope scope);

/// What all ranks must have the same of, as text.
[[nodiscard]] std::string in_words(const settings& wanted);

/// The library's own options are those of laconic::collective_options::from_environment(), flags override them.
/// invalid_argument or invalid_bound name the option, its value and the remedy.
[[nodiscard]] laconic::result<settings> parse_command_line(int argc, const char* const* argv);

}  // namespace stacking
