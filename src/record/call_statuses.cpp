// SPDX-License-Identifier: BSD-3-Clause
// Statuses: what MPI told the program, or would have told had it not ignored the status. A field is written only where
// it means something: the status of a send has no source.
#include "record/call.hpp"

namespace laconic::record {
namespace {

constexpr std::uint64_t has_source = 1, has_bytes = 2, was_cancelled = 4, has_error = 8, was_ignored = 16;

/// The fields are read directly: asking MPI costs more than all the rest of a record.
#if defined(OPEN_MPI)
std::uint64_t bytes_of(const MPI_Status& status) noexcept { return status._ucount; }
bool cancelled(const MPI_Status& status) noexcept { return status._cancelled != 0; }
#else
std::uint64_t bytes_of(const MPI_Status& status) noexcept {
    const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1;
    return std::uint64_t{high} << 32 | static_cast<std::uint32_t>(status.count_lo);
}
bool cancelled(const MPI_Status& status) noexcept { return (status.count_hi_and_cancelled & 1) != 0; }
#endif

bool ignored(const MPI_Status* status) noexcept {
    return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE || !status;
}

}  // namespace

MPI_Status* call::watch(MPI_Status* status, bool wildcard) {
    if (status != MPI_STATUS_IGNORE || !wildcard) return status;
    state_->statuses.resize(1);
    return state_->statuses.data();
}

MPI_Status* call::watch(MPI_Status* status) {
    bool wildcard = false;
    for (const at_stake& each : state_->stakes) {
        wildcard |= each.index != request_table::none && the_recorder.requests.at(each.index).wildcard;
    }
    return watch(status, wildcard);
}

MPI_Status* call::watch_all(MPI_Status* statuses, std::size_t count) {
    if (statuses != MPI_STATUSES_IGNORE) return statuses;
    if (watch(MPI_STATUS_IGNORE) == MPI_STATUS_IGNORE) return statuses;
    state_->statuses.resize(count);
    return state_->statuses.data();
}

void call::one_status(const MPI_Status& status, flow carries, bool was_ignored_by_program, bool wildcard,
                      int own_rank) {
    std::uint64_t flags = was_ignored_by_program ? was_ignored : 0;
    const bool received = carries == flow::receive;
    if (received && (!was_ignored_by_program || wildcard)) flags |= has_source;
    if (carries != flow::other && !was_ignored_by_program) flags |= has_bytes;
    // A probe leaves the mark unset; only a completed request can have been cancelled.
    if (received && !was_ignored_by_program && !state_->stakes.empty() && cancelled(status)) flags = was_cancelled;
    if (result_ != MPI_SUCCESS && !was_ignored_by_program) flags |= has_error;
    bytes().number(flags);
    if (flags & has_source) {
        record::place where;
        where.rank = own_rank;
        rank(status.MPI_SOURCE, where);
        bytes().signed_number(status.MPI_TAG);
    }
    if (flags & has_bytes) bytes().number(bytes_of(status));
    if (flags & has_error) error(status.MPI_ERROR, false);
}

void call::given_status(const MPI_Status* status) noexcept {
    if (ignored(status)) return bytes().number(was_ignored);
    bytes().number(has_bytes);
    bytes().number(bytes_of(*status));
}

void call::receive_status(const MPI_Status* given, const MPI_Status* shown, const record::place& where) {
    if (ignored(shown)) return bytes().number(was_ignored);
    one_status(*shown, flow::receive, ignored(given), true, where.rank);
}

void call::file_status(const MPI_Status* status) {
    if (ignored(status)) return bytes().number(was_ignored);
    one_status(*status, flow::file, false, false, 0);
}

void call::status(const MPI_Status* given, const MPI_Status* shown, int index) {
    if (ignored(shown)) return bytes().number(was_ignored);
    request_table::request about;
    if (index >= 0 && static_cast<std::size_t>(index) < state_->stakes.size()) {
        const std::uint32_t known = state_->stakes[static_cast<std::size_t>(index)].index;
        if (known != request_table::none) about = the_recorder.requests.at(known);
    }
    one_status(*shown, about.carries, ignored(given), about.wildcard, about.own_rank);
}

void call::statuses(const MPI_Status* given, const MPI_Status* shown, std::size_t count, const int* indices) {
    if (array(ignored(shown) ? nullptr : shown, count)) return;
    bytes().need(count * 6 * encoder::longest_varint);
    for (std::size_t i = 0; i < count; ++i) {
        const MPI_Status* program = ignored(given) ? given : given + i;
        status(program, shown + i, indices ? indices[i] : static_cast<int>(i));
    }
}

}  // namespace laconic::record
