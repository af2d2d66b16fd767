// SPDX-License-Identifier: BSD-3-Clause
// A name like "stock:ring" flows in; a communicator on which MPI's own collective runs by that algorithm flows out. MPI
// libraries offer their algorithms as variables of the tool interface (MPI_T).
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "laconic/collective.hpp"

namespace laconic::cli {

/// Whether a row is MPI's own collective by an algorithm that is forced: stock:ALGORITHM[@SEGMENT].
[[nodiscard]] bool is_forced(std::string_view row) noexcept;
/// Before MPI_Init: Open MPI looks there, once, whether algorithms may be forced.
void allow_forced();
/// Local; MPI is running. Throws a usage failure that says what there is when MPI cannot be forced so.
/// row          is_forced()
/// with_counts  the form with a count for each rank
void refuse_unforcible(const std::string& row, operation op, bool with_counts);

/// The variables that force one algorithm, and a communicator for it.
class forced_stock {
public:
    /// Collective over MPI_COMM_WORLD. Arguments and failures as of refuse_unforcible().
    forced_stock(const std::string& row, operation op, bool with_counts);
    ~forced_stock();
    forced_stock(const forced_stock&) = delete;
    forced_stock& operator=(const forced_stock&) = delete;

    /// Open MPI binds a communicator to algorithms when it is made.
    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
    /// MPICH looks at its variables in every call: between begin() and end() it finds these.
    void begin() noexcept { write(true); }
    void end() noexcept { write(false); }

    /// One of MPI's variables, with the value that forces and the one that it had.
    class setting;

private:
    void write(bool forced) noexcept;

    std::vector<std::unique_ptr<setting>> settings_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace laconic::cli
