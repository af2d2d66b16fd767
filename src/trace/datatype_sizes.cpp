// SPDX-License-Identifier: BSD-3-Clause
// Predefined types by name, as the C and Fortran compilers of x86-64 and 64-bit Arm Linux have them; others from how
// they are made.
#include "trace/datatype_sizes.hpp"

#include <string_view>

namespace laconic::trace {
namespace {

std::uint64_t predefined_size(std::string_view name) {
    static const std::map<std::string_view, std::uint64_t> sizes = [] {
        std::map<std::string_view, std::uint64_t> made;
        const auto add = [&](std::uint64_t size, std::initializer_list<const char*> names) {
            for (const char* each : names) made[each] = size;
        };
        add(1, {"MPI_CHAR", "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_BYTE", "MPI_PACKED", "MPI_INT8_T",
                "MPI_UINT8_T", "MPI_C_BOOL", "MPI_CXX_BOOL", "MPI_CHARACTER", "MPI_INTEGER1", "MPI_LOGICAL1"});
        add(2, {"MPI_SHORT", "MPI_UNSIGNED_SHORT", "MPI_INT16_T", "MPI_UINT16_T", "MPI_INTEGER2", "MPI_LOGICAL2",
                "MPI_REAL2"});
        add(4, {"MPI_WCHAR", "MPI_INT", "MPI_UNSIGNED", "MPI_FLOAT", "MPI_INT32_T", "MPI_UINT32_T", "MPI_LOGICAL",
                "MPI_REAL", "MPI_INTEGER", "MPI_REAL4", "MPI_INTEGER4", "MPI_LOGICAL4", "MPI_COMPLEX4"});
        add(6, {"MPI_SHORT_INT"});
        add(8, {"MPI_LONG",      "MPI_UNSIGNED_LONG",
                "MPI_DOUBLE",    "MPI_LONG_LONG",
                "MPI_FLOAT_INT", "MPI_UNSIGNED_LONG_LONG",
                "MPI_2INT",      "MPI_INT64_T",
                "MPI_UINT64_T",  "MPI_C_FLOAT_COMPLEX",
                "MPI_AINT",      "MPI_OFFSET",
                "MPI_COUNT",     "MPI_CXX_FLOAT_COMPLEX",
                "MPI_COMPLEX",   "MPI_DOUBLE_PRECISION",
                "MPI_2INTEGER",  "MPI_2REAL",
                "MPI_REAL8",     "MPI_COMPLEX8",
                "MPI_INTEGER8",  "MPI_LOGICAL8"});
        add(12, {"MPI_DOUBLE_INT", "MPI_LONG_INT"});
        add(16, {"MPI_LONG_DOUBLE", "MPI_C_DOUBLE_COMPLEX", "MPI_CXX_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX",
                 "MPI_2DOUBLE_PRECISION", "MPI_REAL16", "MPI_COMPLEX16", "MPI_INTEGER16", "MPI_2COMPLEX"});
        add(20, {"MPI_LONG_DOUBLE_INT"});
        add(32, {"MPI_C_LONG_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX", "MPI_COMPLEX32", "MPI_2DOUBLE_COMPLEX"});
        return made;
    }();
    const auto at = sizes.find(name);
    return at == sizes.end() ? 0 : at->second;
}

std::int16_t datatype_list() {
    static const std::int16_t list = [] {
        for (std::int16_t i = 0; !mpi::constants(i).name.empty(); ++i)
            if (mpi::constants(i).name == "datatype") return i;
        return std::int16_t{-1};
    }();
    return list;
}

std::uint64_t non_negative(std::int64_t value) { return value > 0 ? static_cast<std::uint64_t>(value) : 0; }

}  // namespace

std::uint64_t datatype_sizes::of(std::uint64_t handle) const {
    if (const auto at = made_.find(handle); at != made_.end()) return at->second;
    if (handle % 2 == 0) return 0;
    const auto members = mpi::constants(datatype_list()).members;
    return handle / 2 < members.size() ? predefined_size(members[static_cast<std::size_t>(handle / 2)]) : 0;
}

void datatype_sizes::keep(std::uint64_t handle, std::uint64_t size) {
    if (made_.size() < most_types || made_.count(handle) != 0) made_[handle] = size;
}

void datatype_sizes::learn(const parsed_call& call) {
    const std::string_view name = call.row()->name;
    if (name.starts_with("MPI_Type_size")) {
        const parsed_argument* const type = call.find("datatype");
        const std::int64_t size = call.integer("size", -1, true);
        if (type != nullptr && type->present && size >= 0)
            keep(call.value(*type).code, static_cast<std::uint64_t>(size));
        return;
    }
    const parsed_argument* made = nullptr;
    for (const parsed_argument& each : call.arguments())
        if (each.after && each.of->kind == "datatype" && !each.of->array) made = &each;
    if (made == nullptr || !made->present) return;
    const std::uint64_t handle = call.value(*made).code;
    // Predefined types (MPI_Type_match_size, MPI_Type_create_f90_real in some MPIs) have their own size.
    if (handle % 2 == 1 || handle == 0) return;
    const auto sum = [&](const char* array, const parsed_argument* types) {
        const parsed_argument* const lengths = call.find(array);
        std::uint64_t all = 0;
        if (lengths == nullptr || !lengths->present) return all;
        if (lengths->packed && types == nullptr)
            // first + (first + step) + ...
            return lengths->count * static_cast<std::uint64_t>(call.value(*lengths).number) +
                   lengths->count * (lengths->count - 1) / 2 * static_cast<std::uint64_t>(lengths->step);
        const std::uint64_t count = types == nullptr ? lengths->count : std::min(lengths->count, types->count);
        for (std::uint64_t i = 0; i < count; ++i)
            all +=
                non_negative(call.value(*lengths, i).number) * (types == nullptr ? 1 : of(call.value(*types, i).code));
        return all;
    };
    const parsed_argument* old = call.find("oldtype");
    if (old == nullptr) old = call.find("old_type");
    if (old == nullptr) old = call.find("datatype");
    const std::uint64_t element = old != nullptr && old->present && !old->of->array ? of(call.value(*old).code) : 0;
    const std::uint64_t count = non_negative(call.integer("count", 0));
    const std::uint64_t block = non_negative(call.integer("blocklength", 0));
    std::uint64_t size = 0;
    if (name == "MPI_Type_contiguous") {
        size = count * element;
    } else if (name == "MPI_Type_vector" || name == "MPI_Type_create_hvector" || name == "MPI_Type_hvector" ||
               name == "MPI_Type_create_indexed_block" || name == "MPI_Type_create_hindexed_block") {
        size = count * block * element;
    } else if (name == "MPI_Type_indexed" || name == "MPI_Type_create_hindexed" || name == "MPI_Type_hindexed") {
        size = sum("array_of_blocklengths", nullptr) * element;
    } else if (name == "MPI_Type_create_struct" || name == "MPI_Type_struct") {
        const parsed_argument* const types = call.find("array_of_types");
        if (types != nullptr && types->present) size = sum("array_of_blocklengths", types);
    } else if (name == "MPI_Type_create_subarray") {
        const parsed_argument* const sides = call.find("array_of_subsizes");
        size = element;
        if (sides == nullptr || !sides->present || sides->count > 64) size = 0;
        for (std::uint64_t i = 0; size != 0 && i < sides->count; ++i)
            size *= non_negative(call.value(*sides, i).number);
    } else if (name == "MPI_Type_dup" || name == "MPI_Type_create_resized") {
        size = element;
    }
    keep(handle, size);
}

}  // namespace laconic::trace
