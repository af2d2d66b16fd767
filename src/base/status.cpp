// SPDX-License-Identifier: BSD-3-Clause
// Names of the pinned error codes and the one-line rendering of a status.
#include "laconic/status.hpp"

namespace laconic {

std::string_view name_of(errc code) noexcept {
    switch (code) {
        case errc::ok: return "ok";
        case errc::invalid_argument: return "invalid_argument";
        case errc::invalid_bound: return "invalid_bound";
        case errc::output_too_small: return "output_too_small";
        case errc::truncated: return "truncated";
        case errc::corrupt: return "corrupt";
        case errc::unsupported: return "unsupported";
        case errc::mismatch: return "mismatch";
        case errc::io: return "io";
        case errc::mpi: return "mpi";
        case errc::out_of_memory: return "out_of_memory";
        case errc::cancelled: return "cancelled";
        case errc::unrepresentable: return "unrepresentable";
    }
    return "unknown";
}

std::string status::message() const {
    std::string text(name_of(code_));
    if (!context_.empty()) text.append(": ").append(context_);
    return text;
}

bad_result::bad_result(status why) : why_(std::move(why)), message_(why_.message()) {}

}  // namespace laconic
