#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The demonstration: a built tree flows in; seismic images stacked by 4 ranks, with and without compression, flow out
# as two tables (this machine; and, for root, 4 hosts joined by an emulated 1 Gbit/s network) and pictures.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build out=$root/out/demo mpi='' rel=1e-3 network=1
target_only=0 ranks=4 rate=1gbit grid=601x301 panels=41
algorithms=ring_raw,hzccl,homcomp_f

usage() {
    cat <<EOF
usage: tools/demo.sh [--mpi mpich|openmpi] [--rel L] [--no-network] [--build DIR] [--out DIR]

  --mpi         which MPI to use (default: mpich when it is built, else openmpi)
  --rel L       error bound as a fraction of the images' value range (default: $rel)
  --no-network  leave out the emulated network, which only root can have
  --build DIR   a built tree (default: build, which ./dev demo builds)
  --out DIR     where pictures and tables go (default: out/demo)
EOF
}
fail() { printf 'demo: %s\n' "$*" >&2; exit 2; }
note() { printf '\n== %s\n' "$*"; }

while [[ $# -gt 0 ]]; do
    case $1 in
        --target) target_only=1 ;;  # of ./dev: what is to be built for these arguments, if they are good?
        --no-network) network=0 ;;
        -h | --help)
            [[ $target_only -eq 1 ]] || usage
            exit 0 ;;
        --mpi | --rel | --build | --out)
            [[ $# -ge 2 ]] || fail "$1 needs a value; see tools/demo.sh --help"
            declare "${1#--}=$2"
            shift ;;
        *) usage >&2; fail "unknown option '$1'" ;;
    esac
    shift
done
[[ -z $mpi || $mpi == mpich || $mpi == openmpi ]] || fail "--mpi is '$mpi'; give mpich or openmpi"
if [[ $target_only -eq 1 ]]; then
    [[ $(realpath -m "$build") != "$root/build" ]] || echo "demo_programs${mpi:+_$mpi}"
    exit 0
fi
for flavour in mpich openmpi; do
    [[ -n $mpi ]] || { [[ -x $build/bin/stacking-$flavour ]] && mpi=$flavour; } || true
done
program=$build/bin/stacking-$mpi
[[ -n $mpi && -x $program && -x $build/mpiexec-$mpi ]] ||
    fail "'$build' has no stacking example${mpi:+ for $mpi}; run ./dev build, or name a built tree with --build"

mkdir -p "$out"
images=$out/images bed=demo$$
netbed=$root/tools/netbed/netbed
# The partial images are only kept from the first run to the second.
clean_up() {
    rm -rf "$images" "$out/netbed.log"
    [[ $network -eq 0 ]] || "$netbed" down --bed "$bed" || true
}
[[ $(id -u) -eq 0 ]] || network=0
trap clean_up EXIT

note "$ranks ranks on this machine ($mpi); the images come from reverse-time migration"
"$build/mpiexec-$mpi" "$ranks" "$program" --grid "$grid" --panels "$panels" --rel "$rel" --algorithms "$algorithms" \
    --save "$images" --out "$out" --json "$out/this_machine.json"
tables=("$out/this_machine.json")

if [[ $network -eq 1 ]] && "$netbed" up --bed "$bed" --hosts "$ranks" --rate "$rate" >"$out/netbed.log" 2>&1; then
    note "the same images on $ranks hosts, each with an emulated 1 Gbit/s link"
    "$netbed" run --bed "$bed" -n "$ranks" --mpi "$mpi" --timeout 200 --quiet -- \
        "$program" --dims "${grid}x$panels" --rel "$rel" --algorithms "$algorithms" --out "$out/network" \
        --json "$out/network.json" "$images"/partial-*.f32
    tables+=("$out/network.json")
elif [[ $network -eq 1 ]]; then
    note "no emulated network: $(tail -n 1 "$out/netbed.log")"
else
    note "no emulated network: it needs root (sudo ./dev demo)"
fi

note "in words"
python3 - "${tables[@]}" <<'EOF'
import json
import sys

for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        table = json.load(file)
    stock, packed = table["rows"][0], table["rows"][-1]
    where = ("On this machine, through shared memory," if table["hosts"] == 1
             else f"Across {table['hosts']} hosts with 1 Gbit/s links")
    speed = packed["speedup_vs_stock"]
    verdict = f"{speed:.1f} times as fast" if speed >= 1 else f"{1 / speed:.1f} times as slow: nothing to save there"
    print(f"{where} the compressed stack took {packed['median_s']:.3f} s against {stock['median_s']:.3f} s"
          f" with MPI_Allreduce ({verdict}). Each rank sent {packed['sent_bytes_per_rank'] / 1e6:.1f} MB instead of"
          f" {stock['sent_bytes_per_rank'] / 1e6:.1f} MB. No value of the stack is off by more than"
          f" {packed['max_error']:.1e}, {100 * packed['max_error'] / table['range']:.3f} % of its range"
          f" (promised: {packed['bound']:.1e}).")
EOF
cat <<EOF
Pictures: ${out#"$PWD"/}/stacking.png; beside it stack_exact.png, stack_compressed.png, difference_x*.png
EOF
