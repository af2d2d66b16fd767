#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs every fuzzer of a build folder, two at a time: from the corpus and the regressions of tests/fuzz and from what
# earlier runs found; prints a line for each, and where the input lies that broke one.
# usage: tools/fuzz.sh BUILD_FOLDER [MINUTES]; the minutes (1) are for all together; exit status 1: a finding
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# one FOLDER SECONDS TARGET
one() {
    local folder=$1 seconds=$2 target=$3 log seeds status=0
    log=$folder/fuzz/$target.log
    mkdir -p "$folder/fuzz/corpus/$target" "$folder/fuzz/findings/$target"
    seeds=(tests/fuzz/corpus/"$target")
    [[ ! -d tests/fuzz/regressions/$target ]] || seeds+=(tests/fuzz/regressions/"$target")
    # Leaks are LeakSanitizer's, which cannot run where ptrace is not allowed (containers).
    ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} "$folder/bin/fuzz_$target" -max_total_time="$seconds" \
        -max_len=4096 -len_control=0 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$folder/fuzz/findings/$target/" \
        "$folder/fuzz/corpus/$target" "${seeds[@]}" >"$log" 2>&1 || status=$?
    local runs coverage features verdict
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    features=$(sed -n 's/.* ft: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    verdict="no finding"
    if [[ $status -ne 0 ]]; then
        verdict="FINDING: $(grep -m1 -E 'does not hold|runtime error:|ERROR: ' "$log" || echo "exit status $status")"
        verdict+=$'\n'"         input: $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1); log: $log"
    fi
    printf '%-8s %9s executions, coverage %s, features %s: %s\n' "$target" "${runs:-?}" "${coverage:-?}" \
        "${features:-?}" "$verdict"
    return "$status"
}

if [[ ${1:-} == --one ]]; then
    one "${@:2}"
    exit
fi
folder=${1:?usage: tools/fuzz.sh BUILD_FOLDER [MINUTES]}
minutes=${2:-1}
[[ $minutes =~ ^[0-9]+$ && $minutes -gt 0 ]] || { echo "fuzz.sh: '$minutes' is no number of minutes" >&2; exit 2; }
targets=(frame decode add fused encode trace)
seconds=$((minutes * 60 / ${#targets[@]}))
printf '%s\n' "${targets[@]}" | xargs -P 2 -I '{}' tools/fuzz.sh --one "$folder" "$seconds" '{}' || exit 1
