// SPDX-License-Identifier: BSD-3-Clause
// What the calls of one rank do to messages: its signatures flow in, in order, sends, receives and collectives flow
// out, nonblocking ones at their start and again where a call completes them. Communicators are numbered as the rank
// makes them; trace/communicators.hpp says who is in them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "trace/call_role.hpp"
#include "trace/datatype_sizes.hpp"
#include "trace/parsed_call.hpp"

namespace laconic::trace {

/// Communicators of a rank by number: these two, then those it makes, in order.
constexpr std::int32_t local_world = 0, local_self = 1, first_local = 2, unknown_comm = -1;

/// Roots of collectives over two groups.
constexpr std::uint32_t no_root = 0xffffffff, root_is_caller = 0xfffffffe, root_beside_caller = 0xfffffffd;

struct traffic {
    enum class kind : std::uint8_t {
        send,
        receive,
        send_started,
        send_ended,
        receive_started,
        receive_ended,
        cancelled,
        collective,
        collective_started,
        collective_ended,
    };
    kind what = kind::send;
    collective_op op = collective_op::none;
    std::int32_t comm = unknown_comm;
    /// Rank in the communicator (its other group, if it has two); the root of a collective. Of a receive that starts
    /// what was asked for: no_root is any source, and tag -1 any tag.
    std::uint32_t peer = 0;
    std::int32_t tag = 0;
    /// Bytes of the caller's buffers: a receive's are those that came, or, where the program ignored the status, those
    /// it had room for; a collective's include what the caller keeps.
    std::uint64_t sent = 0, received = 0;
    std::uint64_t request = 0;  ///< of what is started and ended: counted over the rank, never used again
};

/// One communicator that the rank has made.
struct made_comm {
    std::string_view function;
    std::int32_t parent = unknown_comm;     ///< local number
    std::uint64_t turn = 0;                 ///< how many of the parent were made before, on this rank
    std::uint64_t handle = 0;               ///< as in signatures: equal on all members
    std::int64_t color = 0, key = 0;        ///< of MPI_Comm_split; key: of MPI_Comm_split_type, too, or `high`
    std::int64_t tag = 0;                   ///< of MPI_Comm_create_group and MPI_Intercomm_create
    std::string text;                       ///< of MPI_Comm_create_from_group
    std::int32_t peer_comm = unknown_comm;  ///< of MPI_Intercomm_create
    std::uint32_t remote_leader = no_root;
    std::vector<std::int64_t> sides;  ///< of MPI_Cart_create: dims; of MPI_Cart_sub: remain_dims
    std::int64_t own_rank = -1;       ///< as later calls tell; -1: none does
    std::int64_t size = -1;           ///< of the group that the rank is in, likewise
};

/// Of a communicator as a rank sees it; 0: unknown.
struct comm_shape {
    std::uint64_t size = 0;  ///< of the group that messages go to
    std::uint64_t own_rank = 0;
};

class rank_traffic {
public:
    using shape_of = std::function<comm_shape(std::int32_t)>;
    /// Without `shape`, collectives have no sizes where those follow from that of the communicator.
    explicit rank_traffic(shape_of shape = {}) : shape_(std::move(shape)) {}

    /// What the next call does; lives until the next. Empty, too, where the bytes match no row.
    [[nodiscard]] std::span<const traffic> read(view signature);
    /// The call that was read last; its row is null where the bytes match none.
    [[nodiscard]] const parsed_call& call() const noexcept { return call_; }
    [[nodiscard]] const std::vector<made_comm>& made() const noexcept { return made_; }
    /// Few bytes may stand for more communicators than any memory holds: those that come later are unknown.
    static constexpr std::size_t most_made = std::size_t{1} << 20;
    [[nodiscard]] bool made_too_many() const noexcept { return made_too_many_; }
    /// Likewise requests, and probed messages, that are outstanding at once: of those that come later only the start is
    /// told.
    static constexpr std::size_t most_outstanding = std::size_t{1} << 20;

private:
    struct half {
        bool there = false;
        std::uint64_t peer_code = 0;
        std::int32_t tag = 0;
        std::uint64_t bytes = 0, request = 0;
    };
    struct pending {
        std::int32_t comm = unknown_comm;
        half send, receive;
        collective_op op = collective_op::none;
        std::uint32_t root = no_root;
        std::uint64_t sent = 0, received = 0, request = 0;
        bool persistent = false, active = false;
    };
    using request_key = std::pair<std::uint64_t, std::uint64_t>;
    struct matched {
        std::int32_t comm;
        std::uint64_t source;
        std::int32_t tag;
    };

    void message(const call_role& role);
    void collective(const call_role& role);
    void post(const pending& what, mode how);
    void start(pending& what);
    void complete(const parsed_argument& requests, std::uint64_t i, const parsed_argument* statuses,
                  std::uint64_t status_at);
    void completions(role what);
    void make_comm();
    void learn_rank(std::int32_t comm);
    void collective_sizes(pending& of);

    [[nodiscard]] std::int32_t comm_of(std::string_view name) const;
    [[nodiscard]] std::uint64_t rank_code(std::string_view name) const;
    [[nodiscard]] std::uint64_t bytes_of(std::string_view count, std::string_view type) const;
    [[nodiscard]] std::uint64_t bytes_of_all(std::string_view counts, std::string_view type) const;
    [[nodiscard]] std::uint64_t bytes_at(std::string_view counts, std::string_view type, std::uint64_t i) const;
    [[nodiscard]] const wire_value* status_of(const parsed_argument* statuses, std::uint64_t i, wire_value& room) const;
    void add_receive(traffic::kind what, std::int32_t comm, const half& posted, const wire_value* status);

    shape_of shape_;
    parsed_call call_;
    std::vector<traffic> out_;
    datatype_sizes types_;
    std::map<std::uint64_t, std::int32_t> comms_{{1, local_world}, {3, local_self}};
    std::map<std::int32_t, std::uint64_t> turns_;
    std::vector<made_comm> made_;
    bool made_too_many_ = false;
    std::map<request_key, pending> requests_;
    std::map<std::uint64_t, matched> messages_;
    std::map<std::int32_t, comm_shape> shapes_;  ///< as shape_ has told
    std::uint64_t next_request_ = 0;
};

}  // namespace laconic::trace
