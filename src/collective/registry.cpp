// SPDX-License-Identifier: BSD-3-Clause
// The rows of the algorithm table, and the names of its axes.
#include "collective/registry.hpp"
#include "base/no_memory.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>

namespace laconic::collective {
namespace {

using enum operation;
using sched = schedule_kind;
using load = payload_kind;

constexpr cell stock_cell{sched::stock, load::raw, codec_id::raw};
constexpr cell auto_cell{sched::chosen, load::fused, codec_id::fle};
constexpr cell raw_over(sched schedule) { return {schedule, load::raw, codec_id::raw}; }

constexpr std::string_view stock_text = "the MPI library's own";
constexpr std::string_view auto_text = "the fastest of the others, or stock, by the cost model (the default)";
constexpr std::string_view once_text = "compressed where it begins, forwarded as it is, decompressed where it ends";
constexpr std::string_view hop_text = "compressed before each send, decompressed after each receive";
constexpr std::string_view fused_text = "local values + received stream -> stream in one pass";
constexpr std::string_view nodes_text = "raw inside a node, compressed chains between nodes, one for each local rank";
constexpr std::string_view rings_text = "raw inside a node, compressed rings between nodes, one for each local rank";
constexpr std::string_view piece_text = "raw inside a node, compressed between nodes, one exchange for each local rank";
constexpr std::string_view straight_text = "uncompressed; ring_raw is another name of it";
constexpr std::string_view raw_tree_text = "a tree, uncompressed";
constexpr std::string_view add_text = "pieces compressed once, added while compressed, decompressed once";

constexpr std::array rows{
    algorithm{allreduce, "stock", stock_cell, "MPI_Allreduce", stock_text},
    algorithm{allreduce, "auto", auto_cell, "-", auto_text},
    algorithm{allreduce, "ring_raw", raw_over(sched::ring), "ring allreduce", "segmented ring, uncompressed"},
    algorithm{allreduce, "rabenseifner_raw", raw_over(sched::rabenseifner), "Rabenseifner's algorithm",
              "recursive halving and doubling, uncompressed"},
    algorithm{allreduce, "recursive_doubling_raw", raw_over(sched::recursive_doubling), "recursive doubling",
              "everything exchanged with partners at doubling distances, uncompressed"},
    algorithm{allreduce, "cpr_p2p", {sched::ring, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{allreduce,
              "c_coll",
              {sched::ring, load::pipelined, codec_id::szx},
              "C-Coll C-Allreduce",
              "decompress, add, compress in small chunks while messages move; the result travels compressed once"},
    algorithm{allreduce, "hzccl", {sched::ring, load::homomorphic, codec_id::fle}, "hZCCL", add_text},
    algorithm{allreduce,
              "homcomp",
              {sched::ring, load::quantised, codec_id::fle},
              "HomComp",
              "all local values quantised up front, received streams added to the integers"},
    algorithm{allreduce, "homcomp_f", {sched::ring, load::fused, codec_id::fle}, "HomComp_F", fused_text},
    algorithm{allreduce,
              "argm",
              {sched::hierarchical, load::fused, codec_id::fle},
              "ArGM",
              "raw inside a node, fused rings between nodes, one for each local rank"},
    algorithm{allreduce,
              "recursive_doubling",
              {sched::recursive_doubling, load::homomorphic, codec_id::fle},
              "ghZCCL (host form)",
              "compressed sums exchanged with partners at doubling distances"},
    algorithm{allreduce,
              "rabenseifner",
              {sched::rabenseifner, load::fused, codec_id::fle},
              "-",
              "recursive halving and doubling; short arrays travel raw"},

    algorithm{reduce, "stock", stock_cell, "MPI_Reduce", stock_text},
    algorithm{reduce, "auto", auto_cell, "-", auto_text},
    algorithm{reduce, "ring_raw", raw_over(sched::ring), "pipeline reduce", "segmented chain, uncompressed"},
    algorithm{reduce, "binomial_raw", raw_over(sched::binomial), "binomial reduce", raw_tree_text},
    algorithm{reduce, "cpr_p2p", {sched::binomial, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{reduce,
              "c_coll",
              {sched::ring, load::pipelined, codec_id::szx},
              "C-Coll C-Reduce",
              "decompress, add, compress in small chunks while messages move"},
    algorithm{reduce, "hzccl", {sched::ring, load::homomorphic, codec_id::fle}, "hZCCL", add_text},
    algorithm{reduce, "homcomp", {sched::ring, load::quantised, codec_id::fle}, "HomComp", "integers + streams"},
    algorithm{reduce, "homcomp_f", {sched::ring, load::fused, codec_id::fle}, "HomComp_F", fused_text},
    algorithm{reduce,
              "binomial",
              {sched::binomial, load::fused, codec_id::fle},
              "ghZCCL (host form)",
              "a tree of compressed sums"},
    algorithm{reduce, "hierarchical", {sched::hierarchical, load::fused, codec_id::fle}, "-", nodes_text},

    algorithm{reduce_scatter, "stock", stock_cell, "MPI_Reduce_scatter", stock_text},
    algorithm{reduce_scatter, "auto", auto_cell, "-", auto_text},
    algorithm{reduce_scatter, "ring_raw", raw_over(sched::ring), "ring reduce-scatter", "uncompressed"},
    algorithm{reduce_scatter, "pairwise_raw", raw_over(sched::pairwise), "linear reduce-scatter", "uncompressed"},
    algorithm{reduce_scatter, "cpr_p2p", {sched::ring, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{reduce_scatter,
              "c_coll",
              {sched::ring, load::pipelined, codec_id::szx},
              "C-Coll C-Reduce_scatter",
              "decompress, add, compress in small chunks while messages move"},
    algorithm{reduce_scatter, "hzccl", {sched::ring, load::homomorphic, codec_id::fle}, "hZCCL", add_text},
    algorithm{
        reduce_scatter, "homcomp", {sched::ring, load::quantised, codec_id::fle}, "HomComp", "integers + streams"},
    algorithm{reduce_scatter, "homcomp_f", {sched::ring, load::fused, codec_id::fle}, "HomComp_F", fused_text},
    algorithm{reduce_scatter,
              "pairwise",
              {sched::pairwise, load::fused, codec_id::fle},
              "-",
              "every rank sends each owner its part"},
    algorithm{reduce_scatter, "hierarchical", {sched::hierarchical, load::fused, codec_id::fle}, "-", rings_text},

    algorithm{allgather, "stock", stock_cell, "MPI_Allgather", stock_text},
    algorithm{allgather, "auto", auto_cell, "-", auto_text},
    algorithm{allgather, "ring_raw", raw_over(sched::ring), "ring allgather", "uncompressed"},
    algorithm{allgather, "binomial_raw", raw_over(sched::binomial), "Bruck's allgather", raw_tree_text},
    algorithm{allgather, "cpr_p2p", {sched::ring, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{allgather, "c_coll", {sched::ring, load::once, codec_id::szx}, "C-Coll C-Allgather", once_text},
    algorithm{allgather, "ring", {sched::ring, load::once, codec_id::fle}, "-", once_text},
    algorithm{allgather, "binomial", {sched::binomial, load::once, codec_id::fle}, "-", once_text},
    algorithm{allgather, "hierarchical", {sched::hierarchical, load::once, codec_id::fle}, "-", rings_text},

    algorithm{gather, "stock", stock_cell, "MPI_Gather", stock_text},
    algorithm{gather, "auto", auto_cell, "-", auto_text},
    algorithm{gather, "pairwise_raw", raw_over(sched::pairwise), "linear gather", straight_text},
    algorithm{gather, "binomial_raw", raw_over(sched::binomial), "binomial gather", raw_tree_text},
    algorithm{gather, "cpr_p2p", {sched::binomial, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{gather, "c_coll", {sched::binomial, load::once, codec_id::szx}, "C-Coll C-Gather", once_text},
    algorithm{gather, "pairwise", {sched::pairwise, load::once, codec_id::fle}, "-", once_text},
    algorithm{gather, "hierarchical", {sched::hierarchical, load::once, codec_id::fle}, "-", piece_text},

    algorithm{scatter, "stock", stock_cell, "MPI_Scatter", stock_text},
    algorithm{scatter, "auto", auto_cell, "-", auto_text},
    algorithm{scatter, "pairwise_raw", raw_over(sched::pairwise), "linear scatter", straight_text},
    algorithm{scatter, "binomial_raw", raw_over(sched::binomial), "binomial scatter", raw_tree_text},
    algorithm{scatter, "cpr_p2p", {sched::binomial, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{scatter, "c_coll", {sched::binomial, load::once, codec_id::szx}, "C-Coll C-Scatter", once_text},
    algorithm{scatter, "pairwise", {sched::pairwise, load::once, codec_id::fle}, "-", once_text},
    algorithm{scatter, "hierarchical", {sched::hierarchical, load::once, codec_id::fle}, "-", piece_text},

    algorithm{bcast, "stock", stock_cell, "MPI_Bcast", stock_text},
    algorithm{bcast, "auto", auto_cell, "-", auto_text},
    algorithm{bcast, "ring_raw", raw_over(sched::ring), "pipeline bcast", "segmented chain, uncompressed"},
    algorithm{bcast, "binomial_raw", raw_over(sched::binomial), "binomial bcast", raw_tree_text},
    algorithm{bcast, "cpr_p2p", {sched::binomial, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{bcast, "c_coll", {sched::binomial, load::once, codec_id::szx}, "C-Coll C-Bcast", once_text},
    algorithm{bcast, "ring", {sched::ring, load::once, codec_id::fle}, "-", once_text},
    algorithm{bcast, "binomial", {sched::binomial, load::once, codec_id::fle}, "-", once_text},
    algorithm{bcast, "hierarchical", {sched::hierarchical, load::once, codec_id::fle}, "-", nodes_text},

    algorithm{alltoall, "stock", stock_cell, "MPI_Alltoall", stock_text},
    algorithm{alltoall, "auto", auto_cell, "-", auto_text},
    algorithm{alltoall, "pairwise_raw", raw_over(sched::pairwise), "pairwise exchange", straight_text},
    algorithm{alltoall, "cpr_p2p", {sched::pairwise, load::per_hop, codec_id::szx}, "CPR-P2P", hop_text},
    algorithm{alltoall, "c_coll", {sched::pairwise, load::once, codec_id::szx}, "C-Coll C-Alltoall", once_text},
    algorithm{alltoall, "pairwise", {sched::pairwise, load::once, codec_id::fle}, "-", once_text},
    algorithm{alltoall,
              "hierarchical",
              {sched::hierarchical, load::once, codec_id::fle},
              "-",
              "as in gather; what the ranks of a node have for a rank elsewhere goes in one message"},
};

/// The rows of an operation stand together: from first[op] to first[op + 1].
constexpr std::array first_row = [] {
    std::array<std::size_t, operation_count + 1> found{};
    for (const algorithm& row : rows) ++found[static_cast<std::size_t>(row.op) + 1];
    for (std::size_t op = 0; op < operation_count; ++op) found[op + 1] += found[op];
    return found;
}();
static_assert(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.op < b.op; }),
              "rows stand in the order of operations");

std::span<const algorithm> rows_of(operation op) noexcept {
    const auto i = static_cast<std::size_t>(op);
    return std::span(rows).subspan(first_row[i], first_row[i + 1] - first_row[i]);
}

/// Names of payloads that stood alone before there were rows of other schedules; and ring_raw, the uncompressed row of
/// every operation, where there is no ring to go around.
struct alias {
    bool (*of)(operation op);
    std::string_view name;
    cell what;
};
constexpr bool goes_straight(operation op) { return op == gather || op == scatter || op == alltoall; }
constexpr std::array aliases{alias{is_reduction, "per_hop", {sched::ring, load::per_hop, codec_id::fle}},
                             alias{is_reduction, "homomorphic", {sched::ring, load::homomorphic, codec_id::fle}},
                             alias{is_reduction, "fused", {sched::ring, load::fused, codec_id::fle}},
                             alias{goes_straight, "ring_raw", raw_over(sched::pairwise)}};

std::optional<cell> cell_named(operation op, std::string_view name) {
    for (const algorithm& row : rows_of(op))
        if (row.name == name) return row.what;
    for (const alias& other : aliases)
        if (other.name == name && other.of(op)) return other.what;
    const auto slash = name.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto schedule = model::value_named<schedule_kind>(model::schedule_names, name.substr(0, slash));
    const auto payload = model::value_named<payload_kind>(model::payload_names, name.substr(slash + 1));
    if (!schedule || !payload || *schedule == sched::stock || *schedule == sched::chosen) return std::nullopt;
    return cell{*schedule, *payload, *payload == load::raw ? codec_id::raw : codec_id::fle};
}

status no_such_row(operation op, std::string_view name) {
    std::string text = "no " + std::string(name_of(op)) + " algorithm '" + std::string(name) + "'; there are ";
    for (const algorithm& row : rows_of(op)) text += std::string(row.name) + ", ";
    return {errc::invalid_argument, text + "and schedule/payload[:codec]; `laconic info --algorithms` describes them"};
}

/// What of the cell is in the way.
status cannot_serve(operation op, std::string_view name, const cell& what) {
    cell uncompressed = what;
    uncompressed.payload = load::raw;
    cell of_fle = what;
    of_fle.codec = codec_id::fle;
    const std::string why = !serves(op, uncompressed) ? "schedule " + std::string(name_of(what.schedule))
                            : !serves(op, of_fle)     ? "payload " + std::string(name_of(what.payload))
                                                      : "codec " + std::string(name_of(what.codec));
    return {errc::unsupported, "'" + std::string(name) + "' cannot do " + std::string(name_of(op)) + " with " + why +
                                   "; `laconic info --algorithms` lists rows that can"};
}

}  // namespace

std::span<const algorithm> algorithms() noexcept { return rows; }

bool serves(operation op, const cell& what) noexcept {
    if (what.schedule == sched::stock || what.schedule == sched::chosen) return true;
    switch (what.schedule) {
        case sched::ring:
            if (goes_straight(op)) return false;
            break;
        case sched::recursive_doubling:
        case sched::rabenseifner:
            if (op != allreduce) return false;
            break;
        case sched::binomial:
            if (op == alltoall || op == reduce_scatter) return false;
            break;
        case sched::pairwise:
            if (op == allreduce || op == reduce || op == bcast) return false;
            break;
        default: break;
    }
    if (what.payload == load::raw) return true;
    if (what.codec == codec_id::raw) return false;
    if (what.payload == load::per_hop) return true;
    if (what.payload == load::once) return !is_reduction(op);
    // Of the codecs only fle has sums of streams.
    return is_reduction(op) && (!adds_streams(what) || what.codec == codec_id::fle);
}

result<cell> find_cell(operation op, std::string_view name) try {
    if (static_cast<std::size_t>(op) >= operation_count)
        return status{errc::invalid_argument, "operation number " + std::to_string(static_cast<unsigned>(op)) +
                                                  " is no collective; give one that laconic::operation names"};
    const auto colon = name.find(':');
    std::optional<cell> found = cell_named(op, name.substr(0, colon));
    if (!found) return no_such_row(op, name);
    if (colon != std::string_view::npos) {
        const result<codec_id> codec = codec_named(name.substr(colon + 1));
        if (!codec) return status{errc::invalid_argument, std::string(name) + ": " + codec.error().context()};
        if (found->schedule == sched::stock || found->schedule == sched::chosen || found->payload == load::raw)
            return status{errc::invalid_argument,
                          std::string(name) + ": this row has no codec to choose; leave out what follows the colon"};
        found->codec = *codec;
    }
    if (!serves(op, *found)) return cannot_serve(op, name, *found);
    if (compresses(*found) && found->schedule != sched::chosen)
        for (const codec_description& codec : codecs())
            if (codec.id == found->codec && !codec.available)
                return status{errc::unsupported, "'" + std::string(name) + "' needs codec " + std::string(codec.name) +
                                                     ", which this build lacks; build with libzfp-dev installed"};
    return *found;
} catch (const std::bad_alloc&) {
    return base::no_memory();
}

std::string name_of(operation op, const cell& what) {
    for (const algorithm& row : rows_of(op))
        if (row.what == what) return std::string(row.name);
    std::string text = std::string(name_of(what.schedule)) + "/" + std::string(name_of(what.payload));
    return compresses(what) ? text + ":" + std::string(name_of(what.codec)) : text;
}

std::string_view name_of(operation op) noexcept { return model::operation_names[static_cast<std::size_t>(op)]; }
std::string_view name_of(schedule_kind kind) noexcept { return model::schedule_names[static_cast<std::size_t>(kind)]; }
std::string_view name_of(payload_kind kind) noexcept { return model::payload_names[static_cast<std::size_t>(kind)]; }
std::string_view name_of(codec_id codec) noexcept {
    for (const codec_description& row : codecs())
        if (row.id == codec) return row.name;
    return "?";
}

result<operation> operation_named(std::string_view name) {
    if (const auto found = model::value_named<operation>(model::operation_names, name)) return *found;
    std::string text = "'" + std::string(name) + "' is no collective; use ";
    for (std::size_t i = 0; i < model::operation_names.size(); ++i)
        text += std::string(i == 0 ? "" : ", ") + std::string(model::operation_names[i]);
    return status{errc::invalid_argument, text};
}

}  // namespace laconic::collective
