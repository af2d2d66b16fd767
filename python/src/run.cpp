// SPDX-License-Identifier: BSD-3-Clause
// Calls the progress callable with the GIL and keeps what it raises.
#include "run.hpp"

#include <exception>
#include <utility>

#include "errors.hpp"

namespace laconic::python {

namespace py = pybind11;

run_control::run_control(unsigned threads, py::object progress) : progress_(std::move(progress)) {
    options_.threads = threads;
    if (progress_.is_none()) return;
    options_.progress = &run_control::report;
    options_.progress_user = this;
}

void run_control::set_step(std::uint64_t values_before, std::uint64_t bytes_before, std::uint64_t total) noexcept {
    values_before_ = values_before;
    bytes_before_ = bytes_before;
    total_ = total;
}

void run_control::require(const status& outcome) {
    if (raised_) {
        py::error_already_set raised = *std::exchange(raised_, std::nullopt);
        throw raised;
    }
    if (!outcome.ok()) raise(outcome);
}

bool run_control::report(void* self, const progress_info& now) {
    auto& run = *static_cast<run_control*>(self);
    const py::gil_scoped_acquire held;
    try {
        const py::object answer = run.progress_(run.values_before_ + now.values, run.total_.value_or(now.total),
                                                run.bytes_before_ + now.bytes);
        if (answer.is_none()) return true;
        const int go_on = PyObject_IsTrue(answer.ptr());
        if (go_on < 0) throw py::error_already_set();
        return go_on != 0;
    } catch (py::error_already_set& raised) {
        run.keep(raised);
    } catch (const std::exception&) {
        // Nothing may be thrown through the library; the call ends as cancelled.
    }
    return false;
}

}  // namespace laconic::python
