// SPDX-License-Identifier: BSD-3-Clause
// The programs beside this one: laconic itself needs no MPI and hands MPI subcommands over to laconic-mpich or
// laconic-openmpi in its own directory. The environment that mpiexec leaves flows in, a flavour flows out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::cli {

/// Flavours whose program exists beside this one, in the order of preference.
[[nodiscard]] std::vector<std::string_view> present_flavours();

/// Path of the program for a flavour (it need not exist).
[[nodiscard]] std::string sibling_path(std::string_view flavour);

/// The flavour of the mpiexec that started this process; nothing when none did, or when it is one that starts both.
[[nodiscard]] std::optional<std::string_view> launcher_flavour();

/// Which flavour to run: the launcher's, else `requested` (may be empty), else the first present. Throws a usage
/// failure when the request contradicts the launcher or names no flavour, a data failure when the program is missing.
[[nodiscard]] std::string_view choose_flavour(std::string_view requested);

}  // namespace laconic::cli
