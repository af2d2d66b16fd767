// SPDX-License-Identifier: BSD-3-Clause
// Exchanges for Python: the library of an MPI, opened while the program runs, flows in, and exchanges flow out, made
// from numbers and run on addresses. So one package serves every MPI, and none. Through pybind11 rather than ctypes:
// the compiler holds these calls against laconic.h, and no exception of a callback can get lost, not even an interrupt.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laconic/laconic.h"
#include "plan.hpp"

namespace laconic::python {

/// The functions of laconic.h that exchanges need, as a library has them.
struct exchange_functions {
    decltype(&laconic_version) version = nullptr;
    decltype(&laconic_error_name) error_name = nullptr;
    decltype(&laconic_last_message) last_message = nullptr;
    decltype(&laconic_plan_make) plan_make = nullptr;
    decltype(&laconic_plan_free) plan_free = nullptr;
    decltype(&laconic_exchange_make_f) make = nullptr;
    decltype(&laconic_exchange_refuse_f) refuse = nullptr;
    decltype(&laconic_exchange_elements) elements = nullptr;
    decltype(&laconic_exchange_engine) engine = nullptr;
    decltype(&laconic_exchange_staging) staging = nullptr;
    decltype(&laconic_exchange_settled) settled = nullptr;
    decltype(&laconic_exchange_in_array) in_array = nullptr;
    decltype(&laconic_exchange_describe) describe = nullptr;
    decltype(&laconic_exchange_run_fields) run = nullptr;
    decltype(&laconic_exchange_refuse_run) refuse_run = nullptr;
    decltype(&laconic_exchange_free) free = nullptr;

    /// Why this thread's last call returned `code`, without the code's name.
    [[nodiscard]] std::string reason(int code) const;
    /// Throws the Python exception of a code. Precondition: the GIL is held.
    [[noreturn]] void raise(int code, const std::string& why) const;
    /// Throws that of a code other than LACONIC_OK which this thread's last call returned.
    void require(int code) const;
};

/// An offset, then the strides of each dimension, in elements.
using place_argument = std::vector<std::int64_t>;

/// What one exchange is made of. Raises what laconic.h could not see: lists that do not belong together.
class exchange_request {
public:
    /// The members of the same names; boxes: (int32 ranks, int64 lower corners, int64 upper corners) as bytes; owners
    /// as bytes of int32. `patch` is the size of a patch or, if None, `counts` are patches in each dimension.
    exchange_request(extents_argument extents, std::int64_t ranks, const pybind11::tuple& boxes,
                     std::optional<extents_argument> patch, extents_argument counts, const pybind11::bytes& owners,
                     std::size_t element_bytes, int type, const pybind11::dict& options);

    [[nodiscard]] laconic_plan_request plan() const noexcept;
    [[nodiscard]] laconic_exchange_options options() const noexcept;
    [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }
    [[nodiscard]] laconic_type type() const noexcept { return static_cast<laconic_type>(type_); }

private:
    extents_argument extents_;
    std::int64_t ranks_;
    std::vector<std::int32_t> box_ranks_, owners_;
    std::vector<std::int64_t> lower_, upper_;
    std::optional<extents_argument> patch_;
    extents_argument counts_;
    std::size_t element_bytes_;
    int type_;
    std::string engine_;
    std::vector<laconic_stored_box> in_boxes_, out_patches_;  // empty: without gaps
    laconic_exchange_options options_{};
};

class moving_exchange {
public:
    moving_exchange(const exchange_functions& library, laconic_exchange made) : library_(library), made_(made) {}
    moving_exchange(const moving_exchange&) = delete;
    moving_exchange& operator=(const moving_exchange&) = delete;
    /// Does not free: MPI may have ended.
    ~moving_exchange() = default;

    /// Addresses of the fields; `on_patch` is None or called as on_patch(patch, position, held). After it has raised it
    /// is not called again. Returns what it raised, or None: the exchange is complete in both cases. If the exchange
    /// failed, that is raised, from what on_patch raised.
    pybind11::object run(const pybind11::list& in, const pybind11::list& out, const pybind11::object& on_patch);
    /// Stands for run(): the other ranks fail for this reason.
    void refuse(int code, const std::string& why);
    [[nodiscard]] std::string engine() const { return library_.engine(made_); }
    [[nodiscard]] std::size_t staging_bytes() const { return library_.staging(made_); }
    [[nodiscard]] bool settled() const { return library_.settled(made_) != 0; }
    /// The address of the exchange's own array; 0 where there is none. Valid until free().
    [[nodiscard]] std::uintptr_t in_array(std::size_t field) const {
        return reinterpret_cast<std::uintptr_t>(library_.in_array(made_, field));
    }
    /// The members of laconic_exchange_report.
    [[nodiscard]] pybind11::tuple report() const;
    void free();

private:
    [[nodiscard]] std::pair<std::size_t, std::size_t> elements() const;

    exchange_functions library_;
    laconic_exchange made_;
};

/// Stays open until the process ends: MPI may call into it then.
class exchange_library {
public:
    /// `file`: a path, or a name for the loader. Raises OSError with the loader's words.
    explicit exchange_library(const std::string& file);

    [[nodiscard]] std::string version() const { return functions_.version(); }
    /// Whether this library and the one in `file`, which is loaded, mean the same function by `symbol`.
    [[nodiscard]] bool shares(const std::string& file, const std::string& symbol) const;
    /// Both are collective over the communicator whose Fortran handle is `comm`.
    [[nodiscard]] std::unique_ptr<moving_exchange> make(int comm, const exchange_request& asked) const;
    void refuse(int comm, int code, const std::string& why) const;

private:
    void* handle_;
    exchange_functions functions_;
};

}  // namespace laconic::python
