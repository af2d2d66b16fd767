// SPDX-License-Identifier: BSD-3-Clause
// Two derived datatypes, and an attribute of MPI_COMM_SELF whose deletion tells that MPI_Finalize has begun.
#include "mpi/narrow_types.hpp"

#include <mutex>

#include "mpi/channel.hpp"
#include "mpi/error.hpp"

namespace laconic::mpi {
namespace {

struct types {
    std::mutex mutex;
    bool freed_at_finalize = false;
    MPI_Datatype f16 = MPI_DATATYPE_NULL, bf16 = MPI_DATATYPE_NULL;

    [[nodiscard]] MPI_Datatype& of(element_type type) noexcept { return type == element_type::f16 ? f16 : bf16; }
};
types& all() {
    static auto* const one = new types;
    return *one;
}

int free_types(MPI_Comm, int, void*, void*) {
    const std::scoped_lock lock(all().mutex);
    for (MPI_Datatype* const made : {&all().f16, &all().bf16})
        if (*made != MPI_DATATYPE_NULL) MPI_Type_free(made);
    return MPI_SUCCESS;
}

status free_at_finalize() {
    if (all().freed_at_finalize) return {};
    int key = MPI_KEYVAL_INVALID;
    if (const int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_types, &key, nullptr); code != 0)
        return to_status(code, "MPI_Comm_create_keyval");
    if (const int code = MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr); code != 0)
        return to_status(code, "MPI_Comm_set_attr");
    MPI_Comm_free_keyval(&key);
    all().freed_at_finalize = true;
    return {};
}

}  // namespace

result<MPI_Datatype> narrow_type(element_type type) {
    if (auto bad = check_running(); !bad.ok()) return bad;
    const std::scoped_lock lock(all().mutex);
    MPI_Datatype& made = all().of(type);
    if (made != MPI_DATATYPE_NULL) return made;
    if (auto bad = free_at_finalize(); !bad.ok()) return bad;
    MPI_Datatype fresh = MPI_DATATYPE_NULL;
    if (const int code = MPI_Type_contiguous(1, MPI_UINT16_T, &fresh); code != 0)
        return to_status(code, "MPI_Type_contiguous");
    if (const int code = MPI_Type_commit(&fresh); code != 0) return to_status(code, "MPI_Type_commit");
    MPI_Type_set_name(fresh, type == element_type::f16 ? "laconic_half" : "laconic_bfloat16");
    made = fresh;
    return fresh;
}

bool is_narrow_type(MPI_Datatype type, element_type which) noexcept {
    if (type == MPI_DATATYPE_NULL) return false;
    const std::scoped_lock lock(all().mutex);
    return all().of(which) == type;
}

}  // namespace laconic::mpi
