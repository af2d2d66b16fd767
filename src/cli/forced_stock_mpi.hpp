// SPDX-License-Identifier: BSD-3-Clause
// A name like "stock:ring" flows in; a communicator on which MPI's own collective runs by that algorithm flows out. MPI
// libraries offer theirs as variables of the tool interface (MPI_T): what there is, they say themselves.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

#include "laconic/collective.hpp"

namespace laconic::cli {

/// Whether a row is MPI's own collective by an algorithm that is forced: stock:ALGORITHM[@SEGMENT].
[[nodiscard]] bool is_forced(std::string_view row) noexcept;
/// Before MPI_Init: Open MPI looks there, once, whether algorithms may be forced.
void allow_forced();

/// The variables that force one algorithm.
class forced_stock {
public:
    /// Local; MPI is running. Throws a usage failure that says what there is when MPI has no such algorithm.
    /// row          is_forced()
    /// with_counts  the form with a count for each rank
    forced_stock(const std::string& row, operation op, bool with_counts);
    ~forced_stock();
    forced_stock(const forced_stock&) = delete;
    forced_stock& operator=(const forced_stock&) = delete;

    /// Open MPI binds a communicator to algorithms when it is made. Collective over MPI_COMM_WORLD.
    void make_comm();
    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
    /// MPICH looks at its variables in every call: between begin() and end() it finds these.
    void begin() noexcept { write(true); }
    void end() noexcept { write(false); }

private:
    struct setting {
        MPI_T_cvar_handle handle;
        int forced, usual;
    };
    /// Whether there is a variable of that name; it is to have that value.
    bool add(const std::string& name, int value);
    void write(bool forced) noexcept;
    void close() noexcept;

    std::vector<setting> settings_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace laconic::cli
