// SPDX-License-Identifier: BSD-3-Clause
// Two derived datatypes, made when they are asked for.
#include "mpi/narrow_types.hpp"

#include <mutex>
#include <new>

#include "mpi/channel.hpp"
#include "mpi/error.hpp"

namespace laconic::mpi {
namespace {

struct types {
    std::mutex mutex;
    MPI_Datatype f16 = MPI_DATATYPE_NULL, bf16 = MPI_DATATYPE_NULL;

    [[nodiscard]] MPI_Datatype& of(element_type type) noexcept { return type == element_type::f16 ? f16 : bf16; }
};
types& all() {
    static types one;
    return one;
}

void free_types() noexcept {
    const std::scoped_lock lock(all().mutex);
    for (MPI_Datatype* const made : {&all().f16, &all().bf16})
        if (*made != MPI_DATATYPE_NULL) MPI_Type_free(made);
}

}  // namespace

result<MPI_Datatype> narrow_type(element_type type) {
    if (auto bad = check_running(); !bad.ok()) return bad;
    const std::scoped_lock lock(all().mutex);
    MPI_Datatype& made = all().of(type);
    if (made != MPI_DATATYPE_NULL) return made;
    if (auto bad = before_finalize(&free_types); !bad.ok()) return bad;
    MPI_Datatype fresh = MPI_DATATYPE_NULL;
    if (const int code = MPI_Type_contiguous(1, MPI_UINT16_T, &fresh); code != 0)
        return to_status(code, "MPI_Type_contiguous");
    if (const int code = MPI_Type_commit(&fresh); code != 0) return to_status(code, "MPI_Type_commit");
    MPI_Type_set_name(fresh, type == element_type::f16 ? "laconic_half" : "laconic_bfloat16");
    made = fresh;
    return fresh;
}

MPI_Datatype type_of(element_type type) noexcept try {
    if (type == element_type::f32) return MPI_FLOAT;
    if (type == element_type::f64) return MPI_DOUBLE;
    const auto narrow = narrow_type(type);
    return narrow.ok() ? *narrow : MPI_DATATYPE_NULL;
} catch (const std::bad_alloc&) {
    return MPI_DATATYPE_NULL;
}

bool is_narrow_type(MPI_Datatype type, element_type which) noexcept {
    if (type == MPI_DATATYPE_NULL) return false;
    const std::scoped_lock lock(all().mutex);
    return all().of(which) == type;
}

}  // namespace laconic::mpi
