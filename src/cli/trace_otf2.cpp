// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the calls: one for times, threads and communicators, one that writes events, rank by rank.
#include "cli/trace_otf2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/otf2_archive.hpp"
#include "cli/trace_input.hpp"
#include "laconic/trace_arguments.hpp"
#include "trace/communicators.hpp"
#include "trace/rank_traffic.hpp"

namespace laconic::cli {
namespace {

using trace::collective_op;
using trace::communicator;
using trace::communicators;
using trace::traffic;

static_assert(trace::no_root == OTF2_COLLECTIVE_ROOT_NONE && trace::root_is_caller == OTF2_COLLECTIVE_ROOT_SELF &&
              trace::root_beside_caller == OTF2_COLLECTIVE_ROOT_THIS_GROUP);

/// As Score-P numbers them.
OTF2_LocationRef location_of(std::uint32_t rank, std::uint64_t thread_index) { return thread_index << 32 | rank; }

OTF2_CollectiveOp otf2_op(collective_op op) {
    switch (op) {
        case collective_op::none:
        case collective_op::barrier: return OTF2_COLLECTIVE_OP_BARRIER;
        case collective_op::bcast: return OTF2_COLLECTIVE_OP_BCAST;
        case collective_op::gather: return OTF2_COLLECTIVE_OP_GATHER;
        case collective_op::gatherv: return OTF2_COLLECTIVE_OP_GATHERV;
        case collective_op::scatter: return OTF2_COLLECTIVE_OP_SCATTER;
        case collective_op::scatterv: return OTF2_COLLECTIVE_OP_SCATTERV;
        case collective_op::allgather: return OTF2_COLLECTIVE_OP_ALLGATHER;
        case collective_op::allgatherv: return OTF2_COLLECTIVE_OP_ALLGATHERV;
        case collective_op::alltoall: return OTF2_COLLECTIVE_OP_ALLTOALL;
        case collective_op::alltoallv: return OTF2_COLLECTIVE_OP_ALLTOALLV;
        case collective_op::alltoallw: return OTF2_COLLECTIVE_OP_ALLTOALLW;
        case collective_op::allreduce: return OTF2_COLLECTIVE_OP_ALLREDUCE;
        case collective_op::reduce: return OTF2_COLLECTIVE_OP_REDUCE;
        case collective_op::reduce_scatter: return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
        case collective_op::reduce_scatter_block: return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
        case collective_op::scan: return OTF2_COLLECTIVE_OP_SCAN;
        case collective_op::exscan: return OTF2_COLLECTIVE_OP_EXSCAN;
        case collective_op::create: return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
        case collective_op::destroy: return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
    }
    return OTF2_COLLECTIVE_OP_BARRIER;
}

OTF2_RegionRole region_role(std::uint32_t function) {
    const mpi::function_info* const row = trace::row_of(function);
    if (row == nullptr) return OTF2_REGION_ROLE_FUNCTION;
    switch (trace::role_of(*row).op) {
        case collective_op::none: break;
        case collective_op::barrier: return OTF2_REGION_ROLE_BARRIER;
        case collective_op::bcast:
        case collective_op::scatter:
        case collective_op::scatterv: return OTF2_REGION_ROLE_COLL_ONE2ALL;
        case collective_op::gather:
        case collective_op::gatherv:
        case collective_op::reduce: return OTF2_REGION_ROLE_COLL_ALL2ONE;
        case collective_op::scan:
        case collective_op::exscan:
        case collective_op::create:
        case collective_op::destroy: return OTF2_REGION_ROLE_COLL_OTHER;
        default: return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
    const std::string_view chapter = row->chapter;
    if (chapter == "p2p" || chapter == "request") return OTF2_REGION_ROLE_POINT2POINT;
    if (chapter == "neighbor") return OTF2_REGION_ROLE_COLL_OTHER;
    if (chapter == "rma") return OTF2_REGION_ROLE_RMA;
    if (chapter == "io") return OTF2_REGION_ROLE_FILE_IO;
    return OTF2_REGION_ROLE_FUNCTION;
}

/// Regions are functions, numbered in order without gaps.
using region_numbers = std::map<std::uint32_t, OTF2_RegionRef>;

region_numbers regions_of(const trace_file& file) {
    region_numbers all;
    for (const function_summary& each : file.functions()) all[each.function] = 0;
    OTF2_RegionRef next = 0;
    for (auto& [function, number] : all) number = next++;
    return all;
}

/// The threads of one rank, a location each: its calls become events.
class rank_events {
public:
    rank_events(otf2_archive& archive, const communicators& known, const region_numbers& regions, std::uint32_t rank,
                otf2_outcome& outcome)
        : archive_(archive),
          known_(known),
          regions_(regions),
          rank_(rank),
          outcome_(outcome),
          reader_([this](std::int32_t local) { return known_.shape(rank_, local); }) {
        for (const auto& [thread, calls] : known.ranks().at(rank).threads) {
            const OTF2_LocationRef ref = location_of(rank, locations_.size());
            locations_.emplace(thread, location{archive.open_events(ref), ref, 0});
        }
    }

    void call(const trace_call& call, std::uint64_t number) {
        const auto events = reader_.read(call.signature);
        location& at = locations_.at(reader_.call().thread());
        // Times within a relative error may overlap; a location's events may not.
        const std::uint64_t begin = std::max(call.timed ? call.start_ns : 2 * number, at.last);
        const std::uint64_t end = std::max(call.timed ? call.start_ns + call.duration_ns : 2 * number + 1, begin);
        at.last = end;
        const OTF2_RegionRef region = regions_.at(function_of(call.signature));
        check(OTF2_EvtWriter_Enter(at.writer, nullptr, begin, region));
        for (const traffic& each : events) event(at.writer, each, begin, end);
        check(OTF2_EvtWriter_Leave(at.writer, nullptr, end, region));
    }

    struct written {
        std::uint64_t thread, events;
        OTF2_LocationRef ref;
    };
    [[nodiscard]] std::vector<written> close() {
        std::vector<written> all;
        for (auto& [thread, at] : locations_) all.push_back({thread, archive_.close_events(at.writer), at.ref});
        return all;
    }

private:
    struct location {
        OTF2_EvtWriter* writer;
        OTF2_LocationRef ref;
        std::uint64_t last;
    };
    static void check(OTF2_ErrorCode code) { otf2_check(code, "events"); }

    void event(OTF2_EvtWriter* to, const traffic& of, std::uint64_t begin, std::uint64_t end) {
        using kind = traffic::kind;
        const std::int32_t which = known_.number(rank_, of.comm);
        if (which < 0) {
            // What starts and ends is one operation: neither is written, the start is counted.
            const bool ends = of.what == kind::send_ended || of.what == kind::receive_ended ||
                              of.what == kind::collective_ended || of.what == kind::cancelled;
            if (!ends) ++outcome_.left_out;
            return;
        }
        const auto comm = static_cast<OTF2_CommRef>(which);
        const auto tag = static_cast<std::uint32_t>(of.tag);
        switch (of.what) {
            case kind::send: check(OTF2_EvtWriter_MpiSend(to, nullptr, begin, of.peer, comm, tag, of.sent)); break;
            case kind::receive: check(OTF2_EvtWriter_MpiRecv(to, nullptr, end, of.peer, comm, tag, of.received)); break;
            case kind::send_started:
                check(OTF2_EvtWriter_MpiIsend(to, nullptr, begin, of.peer, comm, tag, of.sent, of.request));
                break;
            case kind::send_ended: check(OTF2_EvtWriter_MpiIsendComplete(to, nullptr, end, of.request)); break;
            case kind::receive_started: check(OTF2_EvtWriter_MpiIrecvRequest(to, nullptr, begin, of.request)); break;
            case kind::receive_ended:
                check(OTF2_EvtWriter_MpiIrecv(to, nullptr, end, of.peer, comm, tag, of.received, of.request));
                break;
            case kind::cancelled: check(OTF2_EvtWriter_MpiRequestCancelled(to, nullptr, end, of.request)); break;
            case kind::collective:
                check(OTF2_EvtWriter_MpiCollectiveBegin(to, nullptr, begin));
                check(OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, end, otf2_op(of.op), comm, of.peer, of.sent,
                                                      of.received));
                break;
            case kind::collective_started:
                check(OTF2_EvtWriter_NonBlockingCollectiveRequest(to, nullptr, begin, of.request));
                break;
            case kind::collective_ended:
                check(OTF2_EvtWriter_NonBlockingCollectiveComplete(to, nullptr, end, otf2_op(of.op), comm, of.peer,
                                                                   of.sent, of.received, of.request));
                break;
        }
    }

    otf2_archive& archive_;
    const communicators& known_;
    const region_numbers& regions_;
    std::uint32_t rank_;
    otf2_outcome& outcome_;
    trace::rank_traffic reader_;
    std::map<std::uint64_t, location> locations_;
};

using all_locations = std::map<std::uint32_t, std::vector<rank_events::written>>;

/// The definitions, each after those it refers to.
class definition_writer {
public:
    definition_writer(otf2_archive& archive, OTF2_GlobalDefWriter* to) : archive_(archive), to_(to) {}

    void clock(bool counts_calls, std::uint64_t first, std::uint64_t end) {
        constexpr std::uint64_t per_second = 1'000'000'000, calls_per_second = 1'000'000;
        check(OTF2_GlobalDefWriter_WriteClockProperties(to_, counts_calls ? calls_per_second : per_second, first,
                                                        end - first, OTF2_UNDEFINED_TIMESTAMP));
        check(OTF2_GlobalDefWriter_WriteParadigm(to_, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    }

    void locations(std::uint32_t ranks, const all_locations& written) {
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(to_, 0, text("machine"), text("machine"),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            const std::string name = "rank " + std::to_string(rank);
            check(OTF2_GlobalDefWriter_WriteLocationGroup(to_, rank, text(name), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
            for (const rank_events::written& each : written.at(rank))
                check(OTF2_GlobalDefWriter_WriteLocation(
                    to_, each.ref, text(each.thread == 0 ? name : name + " thread " + std::to_string(each.thread)),
                    OTF2_LOCATION_TYPE_CPU_THREAD, each.events, rank));
        }
    }

    void regions(const region_numbers& all) {
        for (const auto& [function, number] : all) {
            const std::string name = trace_function_name(function);
            check(OTF2_GlobalDefWriter_WriteRegion(to_, number, text(name), text(name), text(""), region_role(function),
                                                   OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, text("MPI"), 0, 0));
        }
    }

    void comms(std::uint32_t ranks, const std::vector<communicator>& all) {
        std::vector<std::uint64_t> members;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) members.push_back(location_of(rank, 0));
        group("MPI ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const communicator& each = all[i];
            const auto self = static_cast<OTF2_CommRef>(i);
            const OTF2_CommRef parent = each.parent < 0 ? OTF2_UNDEFINED_COMM : static_cast<OTF2_CommRef>(each.parent);
            const OTF2_GroupRef first =
                group(each.name, i == 1 ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
                      {each.group.begin(), each.group.end()});
            if (each.other.empty()) {
                check(OTF2_GlobalDefWriter_WriteComm(to_, self, text(each.name), first, parent, OTF2_COMM_FLAG_NONE));
                continue;
            }
            const OTF2_GroupRef second =
                group(each.name + ", other", OTF2_GROUP_TYPE_COMM_GROUP, {each.other.begin(), each.other.end()});
            check(OTF2_GlobalDefWriter_WriteInterComm(to_, self, text(each.name), first, second, OTF2_UNDEFINED_COMM,
                                                      OTF2_COMM_FLAG_NONE));
        }
    }

private:
    static void check(OTF2_ErrorCode code) { otf2_check(code, "definitions"); }
    OTF2_StringRef text(std::string_view of) { return archive_.text(of); }
    OTF2_GroupRef group(const std::string& name, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
        const OTF2_GroupRef made = groups_++;
        check(OTF2_GlobalDefWriter_WriteGroup(to_, made, text(name), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              static_cast<std::uint32_t>(members.size()), members.data()));
        return made;
    }

    otf2_archive& archive_;
    OTF2_GlobalDefWriter* to_;
    OTF2_GroupRef groups_ = 0;
};

}  // namespace

bool has_otf2() noexcept { return true; }

otf2_outcome export_otf2(const trace_file& file, const std::string& name, const std::string& folder) {
    // Few bytes may stand for many ranks, and each is a file of the archive.
    constexpr std::uint32_t most_ranks = 65536;
    if (file.facts().ranks > most_ranks)
        fail_data(
            fmt::format("{}: {} ranks are more than an archive is written for ({}); export it to csv, or read its "
                        "calls one by one",
                        name, file.facts().ranks, most_ranks));
    otf2_archive archive(folder);
    const communicators known = value_or_fail(communicators::of(file), name);
    const region_numbers regions = regions_of(file);
    const std::uint32_t ranks = file.facts().ranks;
    otf2_outcome outcome;
    outcome.counts_calls =
        std::none_of(known.ranks().begin(), known.ranks().end(), [](const auto& each) { return each.second.timed; });
    std::uint64_t first = outcome.counts_calls ? 0 : ~std::uint64_t{0}, end = 0;
    all_locations written;
    std::vector<OTF2_LocationRef> refs;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const auto facts = known.ranks().find(rank);
        if (facts == known.ranks().end()) {
            // A rank that left nothing is a location all the same: others sent to it.
            const OTF2_LocationRef ref = location_of(rank, 0);
            written[rank] = {{0, archive.close_events(archive.open_events(ref)), ref}};
        } else {
            constexpr std::size_t most_threads = 4096;
            if (facts->second.threads.size() > most_threads)
                fail_data(fmt::format("{}: {} threads of rank {} are more than an archive is written for", name,
                                      facts->second.threads.size(), rank));
            rank_events events(archive, known, regions, rank, outcome);
            trace_calls calls = value_or_fail(file.calls_of(rank), name);
            for (std::uint64_t number = 0; !calls.at_end(); ++number)
                events.call(value_or_fail(calls.next(), name), number);
            written[rank] = events.close();
            if (written[rank].empty()) written[rank] = {{0, archive.close_events(archive.open_events(rank)), rank}};
            if (facts->second.timed) first = std::min(first, facts->second.first_ns);
            end = std::max(end, facts->second.timed ? facts->second.end_ns : 2 * calls.count());
        }
        for (const rank_events::written& each : written[rank]) refs.push_back(each.ref);
    }
    definition_writer definitions(archive, archive.begin_definitions(refs));
    definitions.clock(outcome.counts_calls, first, std::max(first, end));
    definitions.locations(ranks, written);
    definitions.regions(regions);
    definitions.comms(ranks, known.all());
    archive.commit();
    return outcome;
}

}  // namespace laconic::cli
