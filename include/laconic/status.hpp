// SPDX-License-Identifier: BSD-3-Clause
// How every laconic function reports failure: a status with a pinned numeric code and a sentence that
// names the offending value and the remedy, or a result<T> that holds either a value or such a status.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace laconic {

/// Error codes. The numbers are part of the ABI (laconic_basics.h repeats them): never renumber, only append.
enum class errc : int {
    ok = 0,
    invalid_argument = 1,  ///< a parameter outside its domain (null buffer, unknown name, ...)
    invalid_bound = 2,     ///< the error bound is negative, NaN or infinite
    output_too_small = 3,  ///< the output span is smaller than the documented minimum
    truncated = 4,         ///< a stream ends before its own header says it should
    corrupt = 5,           ///< a stream contradicts itself or its checksum
    unsupported = 6,       ///< a format version, codec, type or operation this build does not know
    mismatch = 7,          ///< two streams, or the arguments of two ranks, do not belong together
    io = 8,                ///< the operating system refused a read or a write
    mpi = 9,               ///< an MPI call failed; the context holds MPI's own error string
    out_of_memory = 10,    ///< an allocation failed
    cancelled = 11,        ///< a progress callback asked to stop
    unrepresentable = 12,  ///< a value has no integer within the bound, so it cannot travel in that form
};

/// The stable lower-case name of a code, e.g. "invalid_bound".
[[nodiscard]] std::string_view name_of(errc code) noexcept;

/// Success, or a code together with what went wrong and what to do about it.
class [[nodiscard]] status {
public:
    status() noexcept = default;
    status(errc code, std::string context) : code_(code), context_(std::move(context)) {}

    [[nodiscard]] bool ok() const noexcept { return code_ == errc::ok; }
    [[nodiscard]] errc code() const noexcept { return code_; }
    [[nodiscard]] const std::string& context() const noexcept { return context_; }
    /// "invalid_bound: the bound is -1; give a finite value >= 0"
    [[nodiscard]] std::string message() const;

private:
    errc code_ = errc::ok;
    std::string context_;
};

/// Thrown by result<T>::value() and by nothing else in laconic.
class bad_result : public std::exception {
public:
    explicit bad_result(status why);
    [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
    [[nodiscard]] const status& why() const noexcept { return why_; }

private:
    status why_;
    std::string message_;
};

/// A value of type T or the status that explains its absence.
template <class T>
class [[nodiscard]] result {
public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(status why) : state_(std::in_place_index<1>, std::move(why)) {}

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }

    /// Precondition: ok().
    [[nodiscard]] T& operator*() & { return *std::get_if<0>(&state_); }
    [[nodiscard]] const T& operator*() const& { return *std::get_if<0>(&state_); }
    [[nodiscard]] T* operator->() { return std::get_if<0>(&state_); }
    [[nodiscard]] const T* operator->() const { return std::get_if<0>(&state_); }

    /// Of error(), without a copy of its text.
    [[nodiscard]] errc code() const noexcept { return ok() ? errc::ok : std::get_if<1>(&state_)->code(); }
    /// The status: ok() when a value is held.
    [[nodiscard]] status error() const& { return ok() ? status{} : *std::get_if<1>(&state_); }
    [[nodiscard]] status error() && { return ok() ? status{} : std::move(*std::get_if<1>(&state_)); }
    /// The value, or throws bad_result.
    [[nodiscard]] T value() && {
        if (!ok()) throw bad_result(*std::get_if<1>(&state_));
        return std::move(*std::get_if<0>(&state_));
    }

private:
    std::variant<T, status> state_;
};

}  // namespace laconic
