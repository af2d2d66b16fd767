// SPDX-License-Identifier: BSD-3-Clause
// Times collected as arrays and coded as a whole: lossless, and the six lossy methods of Wang et al. to compare with.
// Calls flow in one by one, bytes flow out at the end; and back.
#pragma once

#include <cstdint>
#include <vector>

#include "laconic/status.hpp"
#include "trace/timing.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

inline constexpr std::uint64_t most_timed_calls = std::uint64_t{1} << 34;

/// returns unsupported  no libzstd, or no libzfp for the zfp methods
[[nodiscard]] status check_arrays(const timing_options& options);

/// Whether times are kept terminal by terminal.
[[nodiscard]] inline bool clustered(const timing_options& options) noexcept {
    return options.mode == timing_mode::lossy &&
           (options.method == timing_method::hist || options.method == timing_method::sz_clustered ||
            options.method == timing_method::zfp_clustered);
}

class timing_arrays {
public:
    void add(const timing_options& options, std::uint32_t terminal, std::uint64_t duration_ns, std::uint64_t gap) {
        if (clustered(options)) terminals_.push_back(terminal);
        durations_.push_back(duration_ns);
        gaps_.push_back(gap);
    }
    [[nodiscard]] status write(bytes& out, const timing_options& options) const;
    [[nodiscard]] status read(wire_reader& in, const timing_options& options, std::uint64_t calls);
    /// False: there is no more for this terminal.
    [[nodiscard]] bool next(const timing_options& options, std::uint32_t terminal, std::uint64_t& duration,
                            std::uint64_t& gap);

private:
    std::vector<std::uint32_t> terminals_;
    std::vector<std::uint64_t> durations_, gaps_;
    std::vector<std::size_t> ends_;  ///< clustered, read: where each terminal's times end
    std::vector<std::size_t> next_;  ///< read: the next of each terminal, or of all
};

}  // namespace laconic::trace
