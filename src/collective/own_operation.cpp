// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_local does it.
#include "collective/own_operation.hpp"

#include <algorithm>

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

}  // namespace

template <class T>
status check_own_operation(MPI_Op op) {
    if (op == MPI_OP_NULL)
        return {errc::invalid_argument, "reduction::custom without an MPI_Op; set collective_call::custom"};
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
