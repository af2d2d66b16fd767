// SPDX-License-Identifier: BSD-3-Clause
// Single values and arrays of a call: what the program passed flows in, forms of docs/format/trace-signature.md flow
// out.
#include "record/call.hpp"

namespace laconic::record {
namespace {

constexpr std::uint32_t most_pointers = 1U << 16;
constexpr std::uint64_t first_rank_code = 5;
constexpr std::uint64_t first_error_code = 2;
constexpr std::uint64_t unlisted_error_code = 1026;

std::uint64_t zigzag(std::int64_t value) noexcept {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

void put_location(encoder& bytes, const location& at) noexcept {
    bytes.number(static_cast<std::uint64_t>(at.where));
    if (at.where == space::device) bytes.number(at.device);
    bytes.number(at.segment);
    bytes.signed_number(at.displacement);
}

}  // namespace

void call::rank(int value, const record::place& where) noexcept {
    if (value >= 0) {
        bytes().number(static_cast<std::uint64_t>(value) + first_rank_code);
        bytes().signed_number(std::int64_t{value} - where.rank);
    } else if (value == MPI_PROC_NULL) {
        bytes().number(0);
    } else if (value == MPI_ANY_SOURCE) {
        bytes().number(1);
    } else if (value == MPI_ROOT) {
        bytes().number(2);
    } else if (value == MPI_UNDEFINED) {
        bytes().number(3);
    } else {
        bytes().number(4);
        bytes().signed_number(value);
    }
}

void call::named(std::span<const named_constant> list, int value) noexcept {
    for (const named_constant& each : list) {
        if (each.value == value) return bytes().number(std::uint64_t{each.number} + 1);
    }
    bytes().number(0);
    bytes().signed_number(value);
}

void call::flags(std::span<const named_constant> list, int value) noexcept {
    std::uint64_t set = 0;
    for (const named_constant& each : list) {
        if (each.value != 0 && (value & each.value) == each.value) set |= std::uint64_t{1} << each.number;
    }
    bytes().number(set);
}

void call::error(int code, bool is_class) noexcept {
    if (code == MPI_SUCCESS) return bytes().number(0);
    int error_class = code;
    // Before MPI_Init and after MPI_Finalize not every MPI answers.
    if (!is_class && the_recorder.speaks_mpi()) PMPI_Error_class(code, &error_class);
    for (const named_constant& each : constants::error_class) {
        if (each.value == error_class) return bytes().number(std::uint64_t{each.number} + first_error_code);
    }
    bytes().number(unlisted_error_code + zigzag(error_class));
}

bool call::failed() noexcept {
    error(result_, false);
    int error_class = result_;
    if (the_recorder.speaks_mpi()) PMPI_Error_class(result_, &error_class);
    return error_class == MPI_ERR_IN_STATUS;
}

void call::address(std::int64_t value) {
    location found;
    if (!the_recorder.memory.find_known(static_cast<std::uint64_t>(value), found)) {
        bytes().number(0);
        return bytes().signed_number(value);
    }
    put_location(bytes(), found);
}

void call::buffer(const void* where) {
    if (!where) return bytes().number(static_cast<std::uint64_t>(space::null));
    if (where == MPI_IN_PLACE) return bytes().number(static_cast<std::uint64_t>(space::in_place));
    if (where == MPI_BOTTOM) return bytes().number(static_cast<std::uint64_t>(space::bottom));
    const auto address = reinterpret_cast<std::uintptr_t>(where);
    const bool on_stack = address >= state_->stack_begin && address < state_->stack_end;
    put_location(bytes(), the_recorder.memory.find(where, on_stack));
}

void call::pointer(const void* where) {
    if (!where) return bytes().number(0);
    const std::uint64_t bits = reinterpret_bits(where);
    std::uint32_t number = the_recorder.pointers.find(bits);
    if (number == flat_map::none) {
        number = static_cast<std::uint32_t>(std::min<std::size_t>(the_recorder.pointers.size(), most_pointers));
        if (number < most_pointers) the_recorder.pointers.set(bits, number);
    }
    bytes().number(std::uint64_t{number} + 1);
}

template <class Integer>
void call::integers(const Integer* values, std::size_t count) {
    if (array(values, count)) return;
    const auto first = static_cast<std::int64_t>(values[0]);
    const std::int64_t step = count > 1 ? static_cast<std::int64_t>(values[1]) - first : 0;
    bool regular = true;
    for (std::size_t i = 2; i < count && regular; ++i) {
        regular = static_cast<std::int64_t>(values[i]) - static_cast<std::int64_t>(values[i - 1]) == step;
    }
    if (regular && step == 0) {
        bytes().number(1);
        bytes().signed_number(first);
    } else if (regular && count > 2) {
        bytes().number(2);
        bytes().signed_number(first);
        bytes().signed_number(step);
    } else {
        bytes().number(0);
        for (std::size_t i = 0; i < count; ++i) bytes().signed_number(static_cast<std::int64_t>(values[i]));
    }
}

template void call::integers(const int*, std::size_t);
template void call::integers(const long*, std::size_t);
template void call::integers(const long long*, std::size_t);

void call::weights(const int* values, std::size_t count) {
    const bool given = values && values != MPI_UNWEIGHTED && values != MPI_WEIGHTS_EMPTY;
    integers(given ? values : nullptr, count);
}

void call::ranks(const int* values, std::size_t count, const record::place& where) {
    if (array(values, count)) return;
    for (std::size_t i = 0; i < count; ++i) rank(values[i], where);
}

void call::errors(const int* values, std::size_t count) {
    if (array(values == MPI_ERRCODES_IGNORE ? nullptr : values, count)) return;
    for (std::size_t i = 0; i < count; ++i) error(values[i], false);
}

void call::named_array(std::span<const named_constant> list, const int* values, std::size_t count) {
    if (array(values, count)) return;
    for (std::size_t i = 0; i < count; ++i) named(list, values[i]);
}

void call::text(char* const* values, std::size_t count) {
    if (array(values, count)) return;
    for (std::size_t i = 0; i < count; ++i) text(values[i]);
}

void call::texts(char** const* values, std::size_t count) {
    if (values == MPI_ARGVS_NULL) values = nullptr;
    if (array(values, count)) return;
    // Each command's arguments, closed by a text that is absent.
    for (std::size_t i = 0; i < count; ++i) {
        for (char* const* each = values[i]; each && *each; ++each) text(*each);
        text(static_cast<const char*>(nullptr));
    }
}

void call::allocated(void* base, std::size_t size) {
    void* memory = *static_cast<void**>(base);
    the_recorder.memory.allocated_by_library(memory, size);
    state_->library_memory = reinterpret_cast<std::uintptr_t>(memory);
    buffer(memory);
}

void call::released(const void* base) noexcept { the_recorder.memory.released(base); }

}  // namespace laconic::record
