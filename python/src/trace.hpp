// SPDX-License-Identifier: BSD-3-Clause
// Traces for Python: a path flows in, facts, calls one by one, columns and the communication matrix flow out as tuples,
// dicts and memory for numpy.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "laconic/trace.hpp"

namespace laconic::python {

/// The calls of one rank; next() raises StopIteration at their end.
class trace_iterator {
public:
    explicit trace_iterator(trace_calls calls) : calls_(std::move(calls)) {}
    /// (function, arguments, thread, start or None, end or None, status)
    [[nodiscard]] pybind11::tuple next();

private:
    trace_calls calls_;
};

class trace_reader {
public:
    explicit trace_reader(const std::string& path);

    [[nodiscard]] pybind11::tuple ranks() const;
    /// Number: name, of the functions that the trace has calls of.
    [[nodiscard]] pybind11::dict functions() const;
    /// As `laconic stat --json` prints it.
    [[nodiscard]] pybind11::dict stat() const;
    [[nodiscard]] trace_iterator calls_of(std::uint32_t rank) const;
    [[nodiscard]] std::uint64_t count_of(std::uint32_t rank) const;
    /// Bytearrays: uint32 functions and threads, uint64 starts and durations (None without times), sent and received.
    [[nodiscard]] pybind11::tuple columns_of(std::uint32_t rank) const;
    /// Bytearrays of uint64, messages and bytes, and how many messages went elsewhere.
    [[nodiscard]] pybind11::tuple matrix() const;

private:
    trace_file file_;
};

}  // namespace laconic::python
