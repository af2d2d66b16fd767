#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Shared libraries go in; any symbol that is neither C API, nor in namespace laconic, nor a version node comes out,
# with exit status 1. The public node must not hold internals.
set -euo pipefail
status=0
for library in "$@"; do
    symbols=$(nm -D --defined-only "$library" | cut -d' ' -f3)
    public=$(grep '@@LACONIC_0$' <<<"$symbols" | sed 's/@@.*//')
    private=$(grep '@@LACONIC_PRIVATE$' <<<"$symbols" | sed 's/@@.*//' || true)
    foreign=$(grep -v -E '@@LACONIC_(0|PRIVATE)$|^LACONIC_(0|PRIVATE)$' <<<"$symbols" || true)
    foreign+=$(grep -v -E '^laconic_[a-z0-9_]+$|^_ZNK?7laconic|^_ZT[ISV]N7laconic' <<<"$public" || true)
    foreign+=$(grep -E '^_Z(T[ISV])?NK?7laconic(4base|5codec|5model|12redistribute|5trace|3mpi|10collective|3cli)' <<<"$public" || true)
    foreign+=$(grep -v -E '^_Z(T[ISV])?NK?7laconic(4base|5codec|5model|12redistribute|5trace|3mpi|10collective)' <<<"$private" || true)
    if [[ -n $foreign ]]; then
        printf '%s shows what it should hide:\n%s\n' "$library" "$foreign" >&2
        status=1
    else
        printf '%s: %d public symbols, %d private\n' "${library##*/}" "$(wc -w <<<"$public")" "$(wc -w <<<"$private")"
    fi
done
exit "$status"
