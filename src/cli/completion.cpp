// SPDX-License-Identifier: BSD-3-Clause
// The parser in, completion scripts out. An option whose type reads "a|b" offers a and b; FILE offers file names.
#include "cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace laconic::cli {
namespace {

std::string words_of(std::string_view choices) {
    std::string words(choices);
    std::replace(words.begin(), words.end(), '|', ' ');
    return words;
}

bool is_choice(const CLI::Option& option) { return option.get_type_name().find('|') != std::string::npos; }
bool takes_value(const CLI::Option& option) { return option.get_type_size() > 0; }

std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// "compress" or "bench codec": the words after the program's name.
std::string path_of(const CLI::App& app) {
    if (!app.get_parent()) return {};
    const std::string above = path_of(*app.get_parent());
    return above.empty() ? app.get_name() : above + " " + app.get_name();
}

bool hands_over(const CLI::App& app) {
    const auto below = app.get_subcommands({});
    return app.get_prefix_command() ||
           std::any_of(below.begin(), below.end(), [](const auto* s) { return hands_over(*s); });
}

/// What may follow a subcommand: its own subcommands, options, and the choices of its positionals.
/// of_mpi_programs  only of the subcommands that they have
std::string offered_by(const CLI::App& app, bool of_mpi_programs = false) {
    std::vector<std::string> words;
    for (const CLI::App* sub : app.get_subcommands({}))
        if (!of_mpi_programs || hands_over(*sub)) words.push_back(sub->get_name());
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() && is_choice(*option)) words.push_back(words_of(option->get_type_name()));
        if (!option->get_positional()) words.push_back(fmt::format("{}", fmt::join(spellings(*option), " ")));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

void walk(const CLI::App& app, const auto& visit) {
    visit(app);
    for (const CLI::App* sub : app.get_subcommands({})) walk(*sub, visit);
}

/// fish reads a quoted word literally except for these two.
std::string quoted_for_fish(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
    std::string values, offers, asked, offers_of_mpi;
    walk(root, [&](const CLI::App& app) {
        const std::string path = path_of(app);
        if (app.get_prefix_command()) {
            // It knows no options: the program that does is asked at the time.
            asked += fmt::format(
                "        '{}') _laconic_asked \"$(\"${{COMP_WORDS[0]}}\" {} --help 2>/dev/null)\" && return ;;\n", path,
                path);
            return;
        }
        offers += fmt::format("        '{}') offered='{}' ;;\n", path, offered_by(app));
        if (hands_over(app))
            offers_of_mpi += fmt::format("        'laconic-'*' {}') offered='{}' ;;\n", path, offered_by(app, true));
        for (const CLI::Option* option : app.get_options()) {
            if (option->get_positional() || !takes_value(*option)) continue;
            const std::string act = is_choice(*option) ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))",
                                                                     words_of(option->get_type_name()))
                                    : option->get_type_name() == "FILE" ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                                                                        : "COMPREPLY=()";
            for (const std::string& name : spellings(*option))
                values += fmt::format("        '{} {}') {}; return ;;\n", path, name, act);
        }
    });
    // The subcommand is the leading words that are no options.
    return fmt::format(R"(# bash completion for laconic; made by "laconic completion bash".
# Options of a help text; true where values of the one before the cursor are offered.
_laconic_asked() {{
    local line name
    while IFS= read -r line; do
        [[ "$line" == Examples:* ]] && break
        # What a description goes on with stands further to the right.
        [[ "$line" == '  -'* || "$line" == '      --'* ]] || continue
        line="${{line#"${{line%%[! ]*}}"}}"
        [[ "$line" == -?,* ]] && offered+=" ${{line%%,*}}"
        line="${{line#-?, }}"
        name="${{line%% *}}"
        offered+=" $name"
        line="${{line#"$name"}}"
        # A value stands one blank behind its option, a description two.
        [[ "$name" == "$previous" && "$line" == ' '[!' ']* ]] || continue
        line="${{line# }}"
        line="${{line%% *}}"
        case "$line" in
            *'|'*) COMPREPLY=($(compgen -W "${{line//[|]/ }}" -- "$current")) ;;
            FILE) COMPREPLY=($(compgen -f -- "$current")) ;;
            *) COMPREPLY=() ;;
        esac
        return 0
    done <<< "$1"
    return 1
}}
_laconic() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" path="" offered="" word
    for word in "${{COMP_WORDS[@]:1:2}}"; do
        case "$path $word" in
{paths}            *) break ;;
        esac
    done
    case "$path $previous" in
{values}    esac
    case "$path" in
{offers}{asked}    esac
    case "${{COMP_WORDS[0]##*/}} $path" in
{offers_of_mpi}    esac
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
    [[ "$current" != -* ]] && COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _laconic laconic laconic-mpich laconic-openmpi
)",
                       fmt::arg("paths",
                                [&] {
                                    std::string paths;
                                    walk(root, [&](const CLI::App& app) {
                                        if (!app.get_parent()) return;
                                        paths += fmt::format("            '{} {}') path='{}' ;;\n",
                                                             path_of(*app.get_parent()), app.get_name(), path_of(app));
                                    });
                                    return paths;
                                }()),
                       fmt::arg("values", values), fmt::arg("offers", offers), fmt::arg("asked", asked),
                       fmt::arg("offers_of_mpi", offers_of_mpi));
}

std::string zsh_completion(const CLI::App& root) {
    return "#compdef laconic laconic-mpich laconic-openmpi\nautoload -U +X bashcompinit && bashcompinit\n" +
           bash_completion(root);
}

std::string fish_completion(const CLI::App& root) {
    std::string paths, offers;
    walk(root, [&](const CLI::App& app) {
        const auto complete = [](const CLI::App& what) {
            return hands_over(what) ? "complete -c laconic -c laconic-mpich -c laconic-openmpi" : "complete -c laconic";
        };
        const std::string path = path_of(app);
        if (app.get_parent()) paths += fmt::format(" '{} {}'", path_of(*app.get_parent()), app.get_name());
        const std::string when = app.get_parent() ? "_laconic_at " + path : "_laconic_at";
        if (app.get_prefix_command()) {
            // It knows no options: the program that does is asked at the time.
            offers += fmt::format("{} -f -n '{}' -a '(_laconic_asked {})'\n", complete(app), when, path);
            return;
        }
        for (const CLI::App* sub : app.get_subcommands({}))
            offers += fmt::format("{} -f -n '{}' -a {} -d {}\n", complete(*sub), when, sub->get_name(),
                                  quoted_for_fish(sub->get_description()));
        for (const CLI::Option* option : app.get_options()) {
            std::string line = fmt::format("{} -n '{}'", complete(app), when);
            const std::string choices = is_choice(*option) ? words_of(option->get_type_name()) : "";
            if (option->get_positional()) {
                if (!choices.empty()) offers += fmt::format("{} -f -a '{}'\n", line, choices);
                continue;
            }
            for (const std::string& name : option->get_snames()) line += " -s " + name;
            for (const std::string& name : option->get_lnames()) line += " -l " + name;
            if (takes_value(*option)) line += option->get_type_name() == "FILE" ? " -r -F" : " -x";
            if (!choices.empty()) line += " -a " + quoted_for_fish(choices);
            offers += line + " -d " + quoted_for_fish(option->get_description()) + "\n";
        }
    });
    // The subcommand is the leading words that are no options.
    return fmt::format(R"(# fish completion for laconic; made by "laconic completion fish".
# True where the leading words are those of this subcommand.
function _laconic_at
    set -l path
    for word in (commandline -opc)[2..3]
        switch "$path $word"
            case{paths}
                set -a path $word
            case '*'
                break
        end
    end
    test "$path" = "$argv"
end
# Options of a help text; behind one with a value, what that may be.
function _laconic_asked
    set -l words (commandline -opc)
    set -l offered
    for line in (env $words[1] $argv --help 2>/dev/null)
        string match -q 'Examples:*' -- $line; and break
        # What a description goes on with stands further to the right.
        set -l names (string match -r -- '^(?:  (?:-., )?|      -)-\S+' $line); or continue
        # A value stands one blank behind its option, a description two.
        set -l value (string match -r -- '^ \S+' (string sub -s (math 1 + (string length -- $names)) -- $line))
        set names (string split -- ', ' (string trim -- $names))
        if contains -- $words[-1] $names; and test -n "$value"
            switch $value
                case '*|*'
                    string split -- '|' (string trim -- $value)
                case ' FILE'
                    __fish_complete_path (commandline -ct)
            end
            return
        end
        set -a offered $names
    end
    test -n "$offered"; and printf '%s\n' $offered
end
{offers})",
                       fmt::arg("paths", paths), fmt::arg("offers", offers));
}

}  // namespace laconic::cli
