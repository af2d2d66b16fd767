// SPDX-License-Identifier: BSD-3-Clause
// The C face of the collectives: MPI-shaped arguments flow in; what laconic compresses goes to the C++ functions, and
// everything else to MPI unchanged.
#include <mpi.h>
// laconic.h shows its collectives only after <mpi.h>.
#include <exception>
#include <new>

#include "codec/c_api.hpp"
#include "collective/execution.hpp"
#include "laconic/collective.hpp"
#include "laconic/laconic.h"
#include "mpi/channel.hpp"
#include "mpi/error.hpp"

namespace {

using namespace laconic;

result<collective_options> to_options(const laconic_allreduce_options* given) try {
    if (given == nullptr) return collective_options::from_environment();
    collective_options options;
    options.limit.kind = static_cast<bound_kind>(given->kind);
    options.limit.value = given->bound;
    options.bound_scope = static_cast<scope>(given->scope);
    if (given->algorithm != nullptr) options.algorithm = given->algorithm;
    if (given->segment_bytes != 0) options.segment_bytes = given->segment_bytes;
    return options;
} catch (const std::bad_alloc&) {
    return status{errc::out_of_memory, "no memory for the options"};
}

/// A rank without options still takes part in the agreement: the others must not wait for it, and get its sentence.
status refuse(MPI_Comm comm, const status& why) {
    const result<mpi::channel*> found = mpi::channel_of(comm);
    if (!found) return found.error();
    if ((*found)->broken()) return why;
    status outcome = collective::refuse(**found, why);
    if (outcome.code() == errc::mpi) MPI_Comm_call_errhandler(comm, (*found)->last_error());
    return outcome;
}

template <class T>
status reduce(const void* in, void* out, std::size_t count, MPI_Comm comm, const laconic_allreduce_options* given) {
    result<collective_options> options = to_options(given);
    const reduction op = given != nullptr && given->average != 0 ? reduction::avg : reduction::sum;
    const void* const source = in == MPI_IN_PLACE ? out : in;
    if (!options) return refuse(comm, options.error());
    return allreduce<T>({static_cast<const T*>(source), count}, {static_cast<T*>(out), count}, op, comm, *options)
        .error();
}

/// The call goes to MPI as it is, on the caller's communicator, so that its error handler applies.
status pass_through(const void* in, void* out, std::size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return mpi::to_status(MPI_Allreduce(in, out, static_cast<int>(count), type, op, comm), "MPI_Allreduce");
}

status dispatch(const void* in, void* out, std::size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                const laconic_allreduce_options* options) {
    if (comm == MPI_COMM_NULL) return {errc::invalid_argument, "the communicator is MPI_COMM_NULL"};
    const bool known_type = type == MPI_FLOAT || type == MPI_DOUBLE;
    int between_groups = 0;
    if (const int code = MPI_Comm_test_inter(comm, &between_groups); code != MPI_SUCCESS)
        return mpi::to_status(code, "MPI_Comm_test_inter");
    if (!known_type || op != MPI_SUM || between_groups != 0) {
        if (options != nullptr && options->average != 0)
            return {errc::invalid_argument,
                    "average is set, but this type, operation or intercommunicator is passed to MPI_Allreduce as it "
                    "is; use MPI_FLOAT or MPI_DOUBLE with MPI_SUM on an intracommunicator, or leave out average"};
        return pass_through(in, out, count, type, op, comm);
    }
    return type == MPI_FLOAT ? reduce<float>(in, out, count, comm, options)
                             : reduce<double>(in, out, count, comm, options);
}

}  // namespace

extern "C" int laconic_allreduce(const void* sendbuf, void* recvbuf, size_t count, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm, const laconic_allreduce_options* options) {
    try {
        return report_to_c(dispatch(sendbuf, recvbuf, count, type, op, comm, options));
    } catch (const std::bad_alloc&) {
        return report_to_c({errc::out_of_memory, "no memory"});
    } catch (const std::exception& unexpected) {
        return report_to_c({errc::invalid_argument, unexpected.what()});
    }
}
