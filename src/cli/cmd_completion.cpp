// SPDX-License-Identifier: BSD-3-Clause
// laconic completion: the name of a shell flows in, its completion script flows out.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/completion.hpp"

namespace laconic::cli {

action declare_completion(CLI::App& app) {
    auto shell = std::make_shared<std::string>();
    app.add_option("SHELL", *shell, "bash, zsh or fish")->type_name("bash|zsh|fish")->required();
    return [shell, &app] {
        const CLI::App& root = *app.get_parent();
        if (*shell == "bash")
            fmt::print("{}", bash_completion(root));
        else if (*shell == "zsh")
            fmt::print("{}", zsh_completion(root));
        else if (*shell == "fish")
            fmt::print("{}", fish_completion(root));
        else
            fail_usage(fmt::format("SHELL is '{}'; use bash, zsh or fish", *shell));
        return exit_ok;
    };
}

}  // namespace laconic::cli
