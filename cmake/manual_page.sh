#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The --help text of one command goes in, its man page comes out. help2man keeps a line of an example only when it
# looks like a shell prompt, and takes the NAME line from its caller: both are made here from the text itself.
# usage: manual_page.sh HELP2MAN VERSION OUTPUT PROGRAM [SUBCOMMAND...]
set -eu
help2man=$1 version=$2 output=$3 program=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The page is named after the file that help2man runs.
page=$(IFS=- && echo "laconic${*:+-$*}")
"$program" "$@" --help | awk '
    /^Examples:/ { examples = 1; print; next }
    examples && /\\$/ { sub(/^ +/, joined ? "" : "  $ "); sub(/ *\\$/, " "); printf "%s", $0; joined = 1; next }
    examples && NF { sub(/^ +/, joined ? "" : "  $ "); joined = 0 }
    { print }' >"$folder/text"
name=$(sed -n '2{s/\.$//;p}' "$folder/text")
printf '#!/bin/sh\ncat "%s"\n' "$folder/text" >"$folder/$page"
chmod +x "$folder/$page"
"$help2man" --no-info --version-string="$version" --name="$name" --output="$folder/made" "$folder/$page"
# Nobody can copy an option that is hyphenated, nor an example that is stretched.
awk '{ print } /^\.TH / { print ".nh"; print ".ad l" }' "$folder/made" >"$output"
