// SPDX-License-Identifier: BSD-3-Clause
// The exact result beside what a collective has returned: a call flows in before it runs, with what it will overwrite
// kept; afterwards MPI's own functions make the exact result, and a tally of this rank's errors flows out.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "collective/geometry.hpp"
#include "collective/stock.hpp"
#include "laconic/collective.hpp"
#include "model/error_tally.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

using model::quad;

/// What |result - exact| may be.
struct element_promise {
    double bound = 0;                                       ///< infinite: anything
    bool rounds = false;                                    ///< half an ulp of the result besides
    bool keeps_nan = true;                                  ///< NaN where a contribution to a minimum or maximum is one
    double most = std::numeric_limits<double>::infinity();  ///< and nothing beyond this, roundings or not
    bool adds_in_type = false;  ///< what overflows on the way stays infinite, whatever would come then
    double rounding_unit = 0;   ///< of additions in a precision that is not enough: relative to ranks x sum of |values|
};

/// An element of a reduction while its contributions come together.
struct exact_element {
    quad value = 0;
    double magnitude = 0;  ///< what roundings are relative to; of a product: no part of it is smaller
    double most = 0;       ///< of a product: no part of it is larger
};

template <class T>
class exact_comparison {
public:
    exact_comparison() = default;
    exact_comparison(const exact_comparison&) = delete;
    exact_comparison& operator=(const exact_comparison&) = delete;
    ~exact_comparison() { forget(); }

    /// Before the call: keeps its input where it lies in its output, and takes all memory that is needed. Local; the
    /// arrays of the call must live until test() said true. A call with arguments that cannot run is left alone.
    /// returns ok, unsupported when MPI's own function cannot take the counts, out_of_memory or mpi
    [[nodiscard]] status prepare(const collective_call<T>& call, mpi::channel& channel);
    /// After the call, on all ranks. Collective over the channel, nonblocking.
    [[nodiscard]] status start(const element_promise& promise, const model::error_scales& scales);
    /// False while messages are on their way. Precondition: start() was ok.
    [[nodiscard]] result<bool> test();
    /// Gives back what a call without a comparison has not used.
    void release() noexcept { stock_.release(); }
    /// Precondition: test() said true.
    [[nodiscard]] const model::error_tally& tally() const noexcept { return tally_; }

private:
    [[nodiscard]] status prepare_sums();
    [[nodiscard]] status prepare_movement();
    void copy_alone() noexcept;
    [[nodiscard]] status start_chunk();
    [[nodiscard]] result<bool> test_movement();
    void compare_chunk() noexcept;
    void compare_moved() noexcept;
    void compare_moved(std::size_t first, std::size_t count) noexcept;
    void compare(const exact_element& exact, real_type<T> got) noexcept;
    void forget() noexcept;

    mpi::channel* channel_ = nullptr;
    collective_call<T> call_;
    geometry geometry_;
    element_promise promise_;
    model::error_scales scales_;
    model::error_tally tally_;
    std::vector<T> input_;  // a copy, where the call overwrites it
    std::vector<T> moved_;  // the exact result, where data only move
    std::vector<exact_element> chunk_;
    std::size_t chunk_first_ = 0, chunk_count_ = 0;
    std::size_t own_first_ = 0, own_count_ = 0;  // elements of a reduction that this rank gets
    stock_call stock_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    MPI_Datatype element_ = MPI_DATATYPE_NULL;
    MPI_Op combine_ = MPI_OP_NULL;
};

}  // namespace laconic::collective
