// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_local does it.
#include "collective/own_operation.hpp"

#include <algorithm>
#include <initializer_list>

#include "collective/mpi_call.hpp"
#include "mpi/error.hpp"
#include "mpi/narrow_types.hpp"

namespace laconic::collective {
namespace {

template <class T>
void apply(const custom_operation& self, const void* in, void* inout, std::size_t count) {
    const MPI_Datatype type = mpi::type_of(element_type_of<T>::value);
    for (std::size_t done = 0; done < count; done += longest_int) {
        const std::size_t n = std::min(count - done, longest_int);
        MPI_Reduce_local(static_cast<const T*>(in) + done, static_cast<T*>(inout) + done, static_cast<int>(n), type,
                         *static_cast<const MPI_Op*>(self.program));
    }
}

constexpr bool is_among(MPI_Op op, std::initializer_list<MPI_Op> all) noexcept {
    return std::find(all.begin(), all.end(), op) != all.end();
}

/// Those of MPI's operations that are defined for float and double.
bool is_arithmetic(MPI_Op op) noexcept { return is_among(op, {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}); }

}  // namespace

bool is_predefined(MPI_Op op) noexcept {
    return is_arithmetic(op) || is_among(op, {MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC,
                                              MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP});
}

template <class T>
status check_own_operation(MPI_Op op) {
    if (op == MPI_OP_NULL)
        return {errc::invalid_argument, "reduction::custom without an MPI_Op; set collective_call::custom"};
    // Asked to apply it, MPI would call the error handler of MPI_COMM_WORLD.
    if (is_predefined(op) && (!is_arithmetic(op) || sizeof(T) == 2))
        return {
            errc::invalid_argument,
            "this operation of MPI's own is not defined for the element type; give reduction::sum, prod, min or max, "
            "or an operation of the program"};
    int commutes = 0;
    MPI_Op_commutative(op, &commutes);
    if (commutes == 0)
        return {errc::unsupported,
                "the MPI_Op does not commute, and schedules combine in any order; use MPI's own call"};
    const T in(real_type<T>{0});
    T inout(real_type<T>{0});
    const int code = MPI_Reduce_local(&in, &inout, 1, mpi::type_of(element_type_of<T>::value), op);
    if (code == MPI_SUCCESS) return {};
    return {errc::invalid_argument, "MPI does not apply this MPI_Op to the element type: " +
                                        mpi::to_status(code, "MPI_Reduce_local").context()};
}

template <class T>
custom_operation own_operation(const MPI_Op* op) noexcept {
    return {&apply<T>, op};
}

#define LACONIC_INSTANTIATE(T)                      \
    template status check_own_operation<T>(MPI_Op); \
    template custom_operation own_operation<T>(const MPI_Op*) noexcept;
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::collective
