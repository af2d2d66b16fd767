// SPDX-License-Identifier: BSD-3-Clause
// Where the Fortran library of this MPI lies, and where this library, found once before main().
#include <link.h>

#include <cstring>

#include "preload/fortran.hpp"

namespace laconic::preload {

constinit code_range fortran_code;
constinit code_range own_code;

namespace {

int look(dl_phdr_info* info, std::size_t, void*) {
    const bool fortran =
        std::strstr(info->dlpi_name, "/libmpi_mpifh.so") || std::strstr(info->dlpi_name, "/libmpichfort.so");
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
        code_range code;
        code.begin = info->dlpi_addr + part.p_vaddr;
        code.end = code.begin + part.p_memsz;
        if (fortran) fortran_code = code;
        if (code.holds(reinterpret_cast<const void*>(&look))) own_code = code;
    }
    return 0;
}

const int looked = dl_iterate_phdr(look, nullptr);

}  // namespace
}  // namespace laconic::preload
