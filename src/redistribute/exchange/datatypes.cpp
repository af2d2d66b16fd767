// SPDX-License-Identifier: BSD-3-Clause
// Rows are contiguous elements, the dimensions around them vectors of vectors.
#include "redistribute/exchange/datatypes.hpp"

#include <climits>
#include <new>
#include <string>

namespace laconic::redistribute {
namespace {

/// A basic type of the element's size, or MPI_BYTE.
MPI_Datatype basic_type(std::size_t bytes) noexcept {
    switch (bytes) {
        case 2: return MPI_INT16_T;
        case 4: return MPI_INT32_T;
        case 8: return MPI_INT64_T;
        default: return MPI_BYTE;
    }
}

}  // namespace

datatypes::~datatypes() {
    if (!mpi::check_running().ok()) return;
    for (MPI_Datatype& each : made_) MPI_Type_free(&each);
}

result<MPI_Datatype> datatypes::keep(int code, const MPI_Datatype& made, const char* call) {
    if (status bad = channel_.check(code, call); !bad.ok()) return bad;
    try {
        made_.push_back(made);
    } catch (const std::bad_alloc&) {
        MPI_Datatype lost = made;
        MPI_Type_free(&lost);
        throw;
    }
    return made;
}

result<MPI_Datatype> datatypes::of(const rows_of_piece<1>& piece) {
    const std::array<std::int64_t, 7> key{piece.row_bytes,     piece.counts[0],     piece.counts[1],    piece.counts[2],
                                          piece.strides[0][0], piece.strides[0][1], piece.strides[0][2]};
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const MPI_Datatype basic = basic_type(element_bytes_);
    const std::int64_t row =
        basic == MPI_BYTE ? piece.row_bytes : piece.row_bytes / static_cast<std::int64_t>(element_bytes_);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    auto made = keep(MPI_Type_contiguous(static_cast<int>(row), basic, &type), type, "MPI_Type_contiguous");
    for (std::size_t d = 3; made.ok() && d-- > 0;) {
        if (piece.counts[d] == 1) continue;
        const MPI_Datatype inner = *made;
        const int code =
            MPI_Type_create_hvector(static_cast<int>(piece.counts[d]), 1, piece.strides[0][d], inner, &type);
        made = keep(code, type, "MPI_Type_create_hvector");
    }
    if (!made) return made;
    type = *made;
    if (status bad = channel_.check(MPI_Type_commit(&type), "MPI_Type_commit"); !bad.ok()) return bad;
    known_.emplace(key, type);
    return type;
}

result<MPI_Datatype> datatypes::of(const stream& all) {
    if (all.parts.size() > INT_MAX)
        return status(errc::unsupported, "a datatype of " + std::to_string(all.parts.size()) +
                                             " pieces, more than MPI can count; use engine auto, batched or per_rank");
    const std::vector<int> ones(all.parts.size(), 1);
    std::vector<MPI_Aint> places;
    std::vector<MPI_Datatype> types;
    for (const part& each : all.parts) {
        const auto type = of(each.rows);
        if (!type) return type.error();
        types.push_back(*type);
        places.push_back(each.rows.first[0]);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    auto made =
        keep(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &type),
             type, "MPI_Type_create_struct");
    if (!made) return made;
    if (status bad = channel_.check(MPI_Type_commit(&type), "MPI_Type_commit"); !bad.ok()) return bad;
    return type;
}

}  // namespace laconic::redistribute
