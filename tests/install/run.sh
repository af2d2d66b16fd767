#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build tree, moves the installed tree, and uses it as a stranger would: a CMake project, plain compiler
# calls with pkg-config, the programs, the manual; then looks at what the libraries show.
# usage: run.sh BUILD_DIR FLAVOUR...
set -euo pipefail
build=$1
shift
export LACONIC_MPI_SECONDS=60
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { printf '== %s\n' "$*"; }

step "install, then move"
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name liblaconic.so)")
if grep -rlIF -e "$work/first" -e "$build" "$prefix"; then
    echo "the files above hold a path of the build or of the first prefix" >&2
    exit 1
fi

step "symbols"
# The preload libraries show MPI's functions: tests/record/test_table.py holds them against the table.
find "$libdir" -name 'liblaconic*.so' ! -name 'liblaconic_preload_*' -exec "$here/check_symbols.sh" {} +

step "find_package"
flavours=$(IFS=';' && echo "$*")
cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS="$flavours" \
      -DCMAKE_BUILD_TYPE=Release >"$work/consumer.log" 2>&1 || { cat "$work/consumer.log"; exit 1; }
cmake --build "$work/consumer" >"$work/consumer.log" 2>&1 || { cat "$work/consumer.log"; exit 1; }
"$work/consumer/use_c"
"$work/consumer/use_cpp"
for flavour in "$@"; do
    "$build/mpiexec-$flavour" 2 "$work/consumer/use_mpi_$flavour"
    "$build/mpiexec-$flavour" 2 "$work/consumer/use_mpi_c_$flavour"
done
if cmake -S "$here/consumer" -B "$work/none" -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS=abacus >"$work/none.log" 2>&1; then
    echo "find_package accepted an unknown component" >&2
    exit 1
fi
grep -q "without component abacus" "$work/none.log"

step "pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig
export LD_LIBRARY_PATH=$libdir
flags() { pkg-config --cflags --libs "$1"; }
# shellcheck disable=SC2046
cc -o "$work/use_c" "$here/consumer/use_c.c" $(flags laconic) -lm
"$work/use_c"
# shellcheck disable=SC2046
c++ -std=c++20 -o "$work/use_cpp" "$here/consumer/use_cpp.cpp" $(flags laconic)
"$work/use_cpp"
for flavour in "$@"; do
    # shellcheck disable=SC2046
    c++ -std=c++20 -o "$work/use_mpi" "$here/consumer/use_mpi.cpp" $(flags "laconic-$flavour")
    "$build/mpiexec-$flavour" 2 "$work/use_mpi"
done
unset LD_LIBRARY_PATH

step "programs and manual"
for program in laconic "${@/#/laconic-}"; do
    "$prefix/bin/$program" --version
    if ldd "$prefix/bin/$program" | grep "not found"; then exit 1; fi
done
"$prefix/bin/laconic" info >/dev/null
if command -v help2man >/dev/null; then
    # Of every command that --help lists, those of bench too. Without an MPI those that run in its program have none.
    commands_of() { "$prefix/bin/laconic" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'; }
    mapfile -t pages < <(echo laconic; commands_of | sed 's/^/laconic-/'; commands_of bench | sed 's/^/laconic-bench-/')
    [[ ${#pages[@]} -gt 20 ]]
    for page in "${pages[@]}"; do
        if [[ $# -eq 0 && $page =~ -(audit|calibrate|collective|redistribute)$ ]]; then continue; fi
        if ! grep -qs "^.SH EXAMPLES" "$prefix/share/man/man1/$page.1"; then
            echo "no manual page $page.1 with examples" >&2
            exit 1
        fi
    done
fi
bash -n "$prefix/share/bash-completion/completions/laconic"

# Where the build tree has them: the package and the filter from the moved tree, in the Python they were built for.
package=$(find "$prefix" -type d -path '*-packages/laconic')
filter=$(find "$prefix" -name libh5z_laconic.so)
python=$(sed -n 's/^LACONIC_PYTHON_EXECUTABLE:FILEPATH=//p' "$build/CMakeCache.txt")
if [[ -n $package ]]; then
    step "Python"
    export PYTHONPATH=${package%/laconic} PYTHONDONTWRITEBYTECODE=1
    "$python" -c "
import laconic, sys
assert laconic.__file__.startswith(sys.argv[1])
print(laconic.__version__)" "$prefix"
    "$python" -c "import array, laconic; laconic.decompress(laconic.compress(array.array('f', [1, 2]), abs=0.1))"
    # The package finds the library of an MPI beside itself, wherever both have been moved.
    if "$python" -c "import mpi4py" 2>/dev/null && [[ -e $libdir/liblaconic_openmpi.so ]]; then
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$python" -c "
import sys, numpy, laconic
from mpi4py import MPI
if MPI.get_vendor()[0] == 'Open MPI':
    exchange = laconic.Exchange(MPI.COMM_SELF, laconic.plan([6], [2], 1), 'f8')
    assert [each.tolist() for each in exchange.run(numpy.arange(6.0))] == [[0, 1], [2, 3], [4, 5]]
    maps = open('/proc/self/maps').read()
    assert f'{sys.argv[1]}/' in [line for line in maps.splitlines() if 'liblaconic_openmpi' in line][0]" "$prefix"
    fi
fi
if [[ -n $filter && -n $package ]] && "$python" -c "import h5py" 2>/dev/null; then
    step "HDF5"
    HDF5_PLUGIN_PATH=$(dirname "$filter") "$python" -c "
import h5py, laconic.hdf5
assert h5py.h5z.filter_avail(laconic.hdf5.FILTER_ID)"
fi
echo "the installed tree works"
