// SPDX-License-Identifier: BSD-3-Clause
// Raw messages lie in shared memory, which SMPI does not copy: gigabytes would move in earnest otherwise.
#include "payload_modelled.hpp"

#include <mpi.h>

#include <cmath>
#include <cstring>
#include <ctime>

namespace laconic::scale {

using collective::home;
using collective::message;
using collective::operands;
using collective::part;
using collective::payload_kind;

void simulated_work::take(double seconds) {
    owed_s_ += seconds;
    const double whole = std::floor(owed_s_);
    const timespec time{static_cast<time_t>(whole), static_cast<long>((owed_s_ - whole) * 1e9)};
    owed_s_ -= whole + static_cast<double>(time.tv_nsec) * 1e-9;
    smpi_nanosleep(&time, nullptr);
}

void payload_modelled::work(std::size_t count, double bytes_per_s, double& phase) {
    const double seconds = static_cast<double>(count * sizeof(float)) / (bytes_per_s * cores_);
    phase += seconds;
    time_.take(seconds);
}

std::size_t payload_modelled::wire_bound(std::size_t count) const noexcept {
    return is_raw() ? count * sizeof(float) : codec_.most_bytes(count);
}

message payload_modelled::stamped(std::span<std::byte> memory, std::size_t values, std::size_t contributions,
                                  home where) const {
    const std::uint64_t stamp = contributions;
    std::memcpy(memory.data(), &stamp, sizeof stamp);
    return {memory.first(codec_.bytes_of(values, contributions)), where, false};
}

std::size_t payload_modelled::contributions_of(std::span<const std::byte> message) noexcept {
    std::uint64_t stamp = 0;
    std::memcpy(&stamp, message.data(), sizeof stamp);
    return stamp;
}

message payload_modelled::begin(part piece, std::span<std::byte> scratch) {
    if (is_raw()) return {shared_.first(piece.in.count * sizeof(float)), home::user, false};
    work(piece.in.count, codec_.compress, times_.compress_s);
    return stamped(scratch, piece.in.count, 1, home::scratch);
}

message payload_modelled::combine(part piece, const operands& what) {
    const std::size_t count = piece.in.count;
    if (is_raw()) {
        work(count, codec_.plain_sum, times_.combine_s);
        return {shared_.first(count * sizeof(float)), home::user, false};
    }
    const bool kept = !what.state.empty();
    const std::size_t sum = contributions_of(what.received) + (kept ? contributions_of(what.state) : 1);
    if (recodes()) {
        work(count, codec_.decompress, times_.decompress_s);
        if (kept) work(count, codec_.decompress, times_.decompress_s);
        work(count, codec_.plain_sum, times_.combine_s);
        work(count, codec_.compress, times_.compress_s);
        return stamped(what.scratch, count, sum, home::scratch);
    }
    if (!kept && kind_ == payload_kind::fused) {
        work(count, codec_.fused, times_.combine_s);
        return stamped(what.scratch, count, sum, home::scratch);
    }
    if (!kept) work(count, codec_.compress, times_.compress_s);
    work(count, codec_.add, times_.combine_s);
    return stamped(what.slot, count, sum, home::received);
}

message payload_modelled::relay(part piece, std::span<const std::byte> received, std::span<std::byte> scratch,
                                bool finishes) {
    if (is_raw()) return {shared_.first(piece.out.count * sizeof(float)), home::user, false};
    if (kind_ != payload_kind::per_hop) return {received, home::received, false};
    work(piece.out.count, codec_.decompress, times_.decompress_s);
    work(piece.out.count, codec_.compress, times_.compress_s);
    message passed_on = stamped(scratch, piece.out.count, contributions_of(received), home::scratch);
    passed_on.finished = finishes;
    return passed_on;
}

void payload_modelled::finish(part piece, std::span<const std::byte>) {
    if (!is_raw()) work(piece.out.count, codec_.decompress, times_.decompress_s);
}

std::span<std::byte> payload_modelled::landing(part piece) noexcept {
    return is_raw() ? shared_.first(piece.out.count * sizeof(float)) : std::span<std::byte>{};
}

}  // namespace laconic::scale
