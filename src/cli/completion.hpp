// SPDX-License-Identifier: BSD-3-Clause
// Shell completion: the parser with all its subcommands and options flows in, a script for bash, zsh or fish flows
// out. Nothing is listed twice: what the parser knows is what the shell offers.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace laconic::cli {

[[nodiscard]] std::string bash_completion(const CLI::App& root);
[[nodiscard]] std::string zsh_completion(const CLI::App& root);
[[nodiscard]] std::string fish_completion(const CLI::App& root);

}  // namespace laconic::cli
