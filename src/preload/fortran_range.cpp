// SPDX-License-Identifier: BSD-3-Clause
// Where the Fortran library of this MPI lies, found once before main().
#include <link.h>

#include <cstring>

#include "preload/fortran.hpp"

namespace laconic::preload {

constinit code_range fortran_code;

namespace {

int look(dl_phdr_info* info, std::size_t, void*) {
    if (!std::strstr(info->dlpi_name, "/libmpi_mpifh.so") && !std::strstr(info->dlpi_name, "/libmpichfort.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
        fortran_code.begin = info->dlpi_addr + part.p_vaddr;
        fortran_code.end = fortran_code.begin + part.p_memsz;
    }
    return 1;
}

const int looked = dl_iterate_phdr(look, nullptr);

}  // namespace
}  // namespace laconic::preload
