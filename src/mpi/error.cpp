// SPDX-License-Identifier: BSD-3-Clause
// Turns an MPI return code into a status that carries MPI's own sentence about it.
#include "mpi/error.hpp"

#include <array>
#include <string>

namespace laconic::mpi {

status to_status(int code, std::string_view call) {
    if (code == MPI_SUCCESS) return {};
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    std::string context(call);
    context += ": ";
    if (MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS && length > 0)
        context.append(text.data(), static_cast<std::size_t>(length));
    else
        context += "MPI error " + std::to_string(code);
    return {errc::mpi, std::move(context)};
}

}  // namespace laconic::mpi
