-- SPDX-License-Identifier: BSD-3-Clause
-- Lmod module of an installed laconic: install as laconic/<version>.lua and set `prefix` to where it lies.
local prefix = "/opt/laconic"

help([[laconic: error-bounded compressed MPI collectives. Start with `laconic --help`.]])
whatis("Name: laconic")
whatis("Description: MPI that says less: error-bounded compressed collectives")

local libdir = pathJoin(prefix, "lib")
if not isDir(pathJoin(libdir, "pkgconfig")) then
    for _, name in ipairs({ "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu" }) do
        if isDir(pathJoin(prefix, name, "pkgconfig")) then libdir = pathJoin(prefix, name) end
    end
end

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("LD_LIBRARY_PATH", libdir)
prepend_path("PKG_CONFIG_PATH", pathJoin(libdir, "pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", prefix)

-- The defaults of LACONIC_PYTHON_DIR and LACONIC_HDF5_PLUGIN_DIR; a build may lack either.
local python = pathJoin(prefix, "lib/python3/dist-packages")
if isDir(pathJoin(python, "laconic")) then prepend_path("PYTHONPATH", python) end
local plugins = pathJoin(libdir, "hdf5/plugins")
if isDir(plugins) then prepend_path("HDF5_PLUGIN_PATH", plugins) end
