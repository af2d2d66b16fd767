// SPDX-License-Identifier: BSD-3-Clause
// Lengths that the tool interface knows: how many members a category has.
#include "record/lengths.hpp"

namespace laconic::record::lengths {
namespace {

struct members {
    int cvars = 0, pvars = 0, categories = 0;
};

members members_of(int category) {
    members found;
    int name_bytes = 0, text_bytes = 0;
    if (PMPI_T_category_get_info(category, nullptr, &name_bytes, nullptr, &text_bytes, &found.cvars, &found.pvars,
                                 &found.categories) != MPI_SUCCESS) {
        return {};
    }
    return found;
}

}  // namespace

int t_num_cvars(int category) { return members_of(category).cvars; }
int t_num_pvars(int category) { return members_of(category).pvars; }
int t_num_categories(int category) { return members_of(category).categories; }

int t_num_events([[maybe_unused]] int category) {
    int events = 0;
#if MPI_VERSION >= 4
    if (PMPI_T_category_get_num_events(category, &events) != MPI_SUCCESS) events = 0;
#endif
    return events;
}

}  // namespace laconic::record::lengths
