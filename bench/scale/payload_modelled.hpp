// SPDX-License-Identifier: BSD-3-Clause
// A payload without data: pieces flow in, messages of the recorded sizes flow out, and the recorded time of the codec
// passes in the simulation. What is called when follows payload_raw, payload_coded and payload_fle; a message begins
// with the number of contributions in it, and the rest of its bytes means nothing.
#pragma once

#include "codec_table.hpp"
#include "collective/payload.hpp"
#include "collective/registry.hpp"

namespace laconic::scale {

/// Lets that much simulated time pass. Sleeping costs the simulator less than computing, and takes as long: nobody else
/// wants the processor of this rank.
class simulated_work {
public:
    void take(double seconds);

private:
    double owed_s_ = 0;  // less than a nanosecond
};

class payload_modelled final : public collective::payload {
public:
    /// cores   how many work on a piece, each at the recorded speed
    /// shared  memory that every rank sees, at least as large as a raw message; its content means nothing
    payload_modelled(collective::payload_kind kind, const codec_row& codec, double cores,
                     std::span<std::byte> shared) noexcept
        : kind_(kind), codec_(codec), cores_(cores), shared_(shared) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override;

    void copy_values(collective::part) override {}
    [[nodiscard]] collective::message begin(collective::part piece, std::span<std::byte> scratch) override;
    [[nodiscard]] collective::message combine(collective::part piece, const collective::operands& what) override;
    [[nodiscard]] collective::message relay(collective::part piece, std::span<const std::byte> received,
                                            std::span<std::byte> scratch, bool finishes) override;
    void finish(collective::part piece, std::span<const std::byte> final_message) override;
    [[nodiscard]] std::span<std::byte> landing(collective::part piece) noexcept override;

private:
    [[nodiscard]] bool is_raw() const noexcept { return kind_ == collective::payload_kind::raw; }
    [[nodiscard]] bool recodes() const noexcept {
        return kind_ == collective::payload_kind::per_hop || kind_ == collective::payload_kind::pipelined;
    }
    /// Lets the time of `count` values at this speed pass.
    void work(std::size_t count, double bytes_per_s, double& phase);
    [[nodiscard]] collective::message stamped(std::span<std::byte> memory, std::size_t values,
                                              std::size_t contributions, collective::home where) const;
    [[nodiscard]] static std::size_t contributions_of(std::span<const std::byte> message) noexcept;

    collective::payload_kind kind_;
    const codec_row& codec_;
    double cores_;
    std::span<std::byte> shared_;
    simulated_work time_;
};

}  // namespace laconic::scale
