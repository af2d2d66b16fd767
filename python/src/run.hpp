// SPDX-License-Identifier: BSD-3-Clause
// How a call runs: threads, and Python's progress callable, which the library calls while the GIL is released. What the
// callable raises stops the call and is raised again when the call is over.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>

#include "laconic/codec.hpp"

namespace laconic::python {

/// Runs `work` without the GIL.
template <class Work>
auto unlocked(Work&& work) {
    const pybind11::gil_scoped_release released;
    return work();
}

/// Belongs to one call at a time; created and destroyed with the GIL held.
class run_control {
public:
    /// `progress` is None or a callable(done, total, bytes); anything false but None that it returns cancels.
    run_control(unsigned threads, pybind11::object progress);
    run_control(const run_control&) = delete;
    run_control& operator=(const run_control&) = delete;

    /// Refers to this object.
    [[nodiscard]] const run_options& options() const noexcept { return options_; }

    /// For calls that take several steps: what is done before the next one, and what is to do in all.
    void set_step(std::uint64_t values_before, std::uint64_t bytes_before, std::uint64_t total) noexcept;
    /// Keeps the exception that is being handled, for require(). With the GIL held.
    void keep(pybind11::error_already_set& raised) { raised_.emplace(raised); }
    /// Throws what the callable raised, or else the exception of `outcome` when that is not ok. With the GIL held.
    void require(const status& outcome);

private:
    static bool report(void* self, const progress_info& now);

    run_options options_;
    pybind11::object progress_;
    std::optional<pybind11::error_already_set> raised_;
    std::uint64_t values_before_ = 0, bytes_before_ = 0;
    std::optional<std::uint64_t> total_;
};

}  // namespace laconic::python
