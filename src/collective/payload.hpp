// SPDX-License-Identifier: BSD-3-Clause
// The payload axis: how a piece of an array travels and how two pieces are combined. Values and received bytes flow
// in, bytes to send and final values flow out. A payload knows no ranks and never calls MPI.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "laconic/collective_options.hpp"
#include "laconic/status.hpp"

namespace laconic::collective {

/// Elements [first, first + count) of an array.
struct range {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// The same elements where they come from and where they end up; either may be an array that this rank lacks.
struct part {
    range in;
    range out;
};

/// Where the bytes of a message live, so that the runner knows what to keep until it is sent: at the beginning of the
/// scratch or of the slot of what was received, or in the user's arrays.
enum class home : std::uint8_t { scratch, received, user };

struct message {
    std::span<const std::byte> bytes;
    home where = home::user;
    bool finished = false;  ///< relay() has also written the final values
};

/// Seconds spent in a payload.
struct phase_times {
    double compress_s = 0, combine_s = 0, decompress_s = 0, copy_s = 0;

    phase_times& operator+=(const phase_times& more) noexcept {
        compress_s += more.compress_s, combine_s += more.combine_s;
        decompress_s += more.decompress_s, copy_s += more.copy_s;
        return *this;
    }
    void add_to(collective_report& report) const noexcept {
        report.compress_s += compress_s;
        report.combine_s += combine_s;
        report.decompress_s += decompress_s;
        report.copy_s += copy_s;
    }
};

/// Adds the time until its destruction to one phase.
class stopwatch {
public:
    explicit stopwatch(double& total) noexcept : total_(total), start_(clock::now()) {}
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;
    ~stopwatch() { total_ += std::chrono::duration<double>(clock::now() - start_).count(); }

private:
    using clock = std::chrono::steady_clock;
    double& total_;
    clock::time_point start_;
};

/// What a rank adds to a received partial result.
struct operands {
    std::span<const std::byte> received;
    std::span<std::byte> slot;         ///< the whole memory behind `received`, free to be written
    std::span<const std::byte> state;  ///< what earlier steps left of this piece; empty: the local values
    std::span<std::byte> scratch;
    bool last = false;        ///< nothing more will be added to this piece
    bool ours_first = false;  ///< the received values are the second operand, see step
};

/// One call's way of carrying pieces. An empty message for a non-empty range reports failure(): the runner passes it
/// on, so that no rank waits for bytes that never come.
class payload {
public:
    payload() = default;
    payload(const payload&) = delete;
    payload& operator=(const payload&) = delete;
    virtual ~payload() = default;

    /// No message for `count` elements is larger; slots for scratch and received messages are no smaller.
    [[nodiscard]] virtual std::size_t wire_bound(std::size_t count) const noexcept = 0;
    /// Memory that the payload itself needs, beyond the slots, when no range has more than `count` elements.
    [[nodiscard]] virtual std::size_t private_bytes(std::size_t /*count*/) const noexcept { return 0; }
    virtual void use_memory(std::span<std::byte> /*memory*/) noexcept {}
    /// Called between portions of long work, so that messages move meanwhile.
    void poll_with(void (*caller)(void*), void* user) noexcept {
        poll_ = caller;
        poll_user_ = user;
    }

    /// Local values that are the result as they are.
    void copy(part piece) {
        const stopwatch watch(times_.copy_s);
        copy_values(piece);
    }
    /// The local values of a piece as its first message.
    [[nodiscard]] virtual message begin(part piece, std::span<std::byte> scratch) = 0;
    /// A received partial result plus what this rank has.
    [[nodiscard]] virtual message combine(part piece, const operands& what) = 0;
    /// What to send on of a received final message.
    [[nodiscard]] virtual message relay(part /*piece*/, std::span<const std::byte> received,
                                        std::span<std::byte> /*scratch*/, bool /*finishes*/) {
        return {received, home::received, false};
    }
    /// Writes the final values of a piece: of a received final message, or of the rank's own last combine() or
    /// begin(), whose bytes may already lie where they belong.
    virtual void finish(part piece, std::span<const std::byte> final_message) = 0;
    /// Where final messages may be received directly; empty when they need finish().
    [[nodiscard]] virtual std::span<std::byte> landing(part /*piece*/) noexcept { return {}; }

    [[nodiscard]] const status& failure() const noexcept { return failure_; }
    [[nodiscard]] const phase_times& times() const noexcept { return times_; }
    /// False: of the final messages that were decoded here one holds raw values that were added with rounding.
    [[nodiscard]] bool exact_sums() const noexcept { return exact_sums_; }

protected:
    /// Keeps the first failure. To who has sent it a message is whole: one that ends too early is corrupt.
    void fail(status why) {
        if (!failure_.ok()) return;
        failure_ = why.code() == errc::truncated ? status{errc::corrupt, why.context()} : std::move(why);
    }
    void poll() const noexcept {
        if (poll_ != nullptr) poll_(poll_user_);
    }
    phase_times times_;
    bool exact_sums_ = true;

private:
    virtual void copy_values(part piece) = 0;

    status failure_;
    void (*poll_)(void*) = nullptr;
    void* poll_user_ = nullptr;
};

}  // namespace laconic::collective
