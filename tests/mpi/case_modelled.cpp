// SPDX-License-Identifier: BSD-3-Clause
// The cost model beside the programs of the schedules: what ranks send, encode and decode, without messages.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "collective/program.hpp"
#include "model/cost.hpp"

namespace laconic::test {
namespace {

using namespace collective;

/// Of an array of 1 MB.
model::question question_of(operation op, int ranks, int nodes) {
    model::question asked;
    asked.op = op;
    asked.bytes = 1000000;
    asked.ranks = ranks;
    asked.nodes = nodes;
    return asked;
}

int parts_of(operation op, const program& steps, int ranks) {
    return cutting_of(op) == cutting::evenly ? static_cast<int>(steps.pieces) : ranks;
}

std::string text_of(operation op, const cell& how, int ranks) {
    return std::string(name_of(op)) + " " + std::string(name_of(how.schedule)) + "/" +
           std::string(name_of(how.payload)) + " over " + std::to_string(ranks) + " ranks: ";
}

/// What the cost model puts on the wire, beside what the busiest rank sends or receives.
void check_modelled_bytes(operation op, schedule_kind schedule, int ranks) {
    double most = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const program steps = make_program(op, schedule, ranks, rank, 0);
        const int parts = parts_of(op, steps, ranks);
        double sent = 0, received = 0;
        for (const step& now : steps.steps) sent += now.to_count, received += now.from != nobody ? 1 : 0;
        most = std::max(most, std::max(sent, received) / parts);
    }
    model::machine where = model::default_machine();
    where.inter = {0, 1e-6, 0, 1};
    where.host_beta_s_per_byte = 0;
    model::question asked = question_of(op, ranks, ranks);
    asked.segment_bytes = 1000;
    const cell how{schedule, payload_kind::raw, codec_id::raw};
    const double modelled = model::estimate(where, asked, how).wire_s;
    // Twice, where a rank first only receives and then only sends.
    check(modelled > 0.999 * most && modelled < 2.02 * most,
          text_of(op, how, ranks) + "the model sends " + std::to_string(modelled) + ", a rank " + std::to_string(most));
}

/// What is encoded and decoded, in arrays.
struct coded_arrays {
    double encoded = 0, decoded = 0;
    double own_decoded = 0;  ///< of these, after what is to be sent has left
};

coded_arrays coded_in(const step& now, payload_kind payload, double parts) {
    coded_arrays one;
    if (now.copies) return one;
    const bool adds_streams = payload == payload_kind::fused || payload == payload_kind::homomorphic;
    const bool is_local = now.from == nobody;
    const bool recodes = !is_local && !now.combines && payload == payload_kind::per_hop && now.to_count > 0;
    const bool adds = now.combines && !adds_streams;
    const bool joins = now.combines && payload == payload_kind::homomorphic && !now.uses_state;
    if (is_local || adds || recodes || joins) one.encoded += 1 / parts;
    if (adds) one.decoded += (now.uses_state ? 2 : 1) / parts;
    if (recodes) one.decoded += 1 / parts;
    if (now.finishes && !recodes) one.own_decoded = 1 / parts;
    one.decoded += one.own_decoded;
    return one;
}

/// What the cost model has the codec do, where it encodes an array in 1 s and decodes one in `decoding`.
model::cost modelled_work(operation op, const cell& how, int ranks, double decoding) {
    model::machine where = model::default_machine();
    where.scan_bytes_per_s = 1e30;
    for (model::codec_rates& codec : where.codecs) {
        codec.rows = 1;
        codec.ratio[0] = 4;
        for (auto& rates : codec.bytes_per_s) rates[0] = 1e6;
        codec.bytes_per_s[static_cast<std::size_t>(model::work_kind::decompress)][0] = 1e6 / decoding;
    }
    model::question asked = question_of(op, ranks, ranks);
    asked.ratio = 4;
    asked.growth_bits = 0;
    return model::estimate(where, asked, how);
}

/// The model's work beside that of the last rank, for schedules in which all ranks have as much to do.
void check_modelled_work(operation op, schedule_kind schedule, payload_kind payload, int ranks) {
    const cell how{schedule, payload, codec_id::fle};
    if (!serves(op, how)) return;
    const program steps = make_program(op, schedule, ranks, ranks - 1, 0);
    const int parts = parts_of(op, steps, ranks);
    coded_arrays all;
    for (const step& now : steps.steps) {
        const coded_arrays one = coded_in(now, payload, parts);
        all.encoded += one.encoded;
        all.decoded += one.decoded;
    }
    const model::cost modelled = modelled_work(op, how, ranks, 1);
    const auto is_near = [](double a, double b) { return std::abs(a - b) < 1e-6 * (1 + b); };
    check(is_near(modelled.compress_s, all.encoded) && is_near(modelled.decompress_s, all.decoded),
          text_of(op, how, ranks) + "the model encodes " + std::to_string(modelled.compress_s) + " and decodes " +
              std::to_string(modelled.decompress_s) + ", a rank " + std::to_string(all.encoded) + " and " +
              std::to_string(all.decoded));
}

/// Codings as modelled_work() counts them.
struct coding_times {
    /// Of the rank that has most of them: what long arrays take, whose cells are under way at all ranks at a time.
    double busiest = 0;
    double first_rank = 0;
    /// The longest chain: a rank begins with a step when the message is there and the step before is done, and sends
    /// before it decodes what is its own. What a single cell takes.
    double chain = 0;
};

coding_times coding_times_of(operation op, const cell& how, int ranks, double decoding) {
    std::vector<program> programs;
    for (int rank = 0; rank < ranks; ++rank) programs.push_back(make_program(op, how.schedule, ranks, rank, 0));
    std::vector<std::size_t> at(programs.size());
    std::vector<double> now_is(programs.size()), works(programs.size());
    std::map<std::tuple<int, int, std::uint32_t>, double> sent_at;  // from, to, piece
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < programs.size(); ++rank)
            for (; at[rank] < programs[rank].steps.size(); ++at[rank], moved = true) {
                const program& here = programs[rank];
                const step& now = here.steps[at[rank]];
                if (now.from != nobody) {
                    const auto sent = sent_at.find({now.from, static_cast<int>(rank), now.piece});
                    if (sent == sent_at.end()) break;
                    now_is[rank] = std::max(now_is[rank], sent->second);
                }
                const coded_arrays work = coded_in(now, how.payload, here.pieces);
                works[rank] += work.encoded + decoding * work.decoded;
                now_is[rank] += work.encoded + decoding * (work.decoded - work.own_decoded);
                for (const std::int32_t to : here.targets(now))
                    sent_at[{static_cast<int>(rank), to, now.piece}] = now_is[rank];
                now_is[rank] += decoding * work.own_decoded;
            }
    }
    return {*std::max_element(works.begin(), works.end()), works[0], *std::max_element(now_is.begin(), now_is.end())};
}

/// For schedules in which ranks with different work wait for each other's.
void check_modelled_chain(operation op, schedule_kind schedule, payload_kind payload, int ranks) {
    const cell how{schedule, payload, codec_id::fle};
    if (!serves(op, how)) return;
    for (const double decoding : {1.0, 3.0}) {
        const model::cost modelled = modelled_work(op, how, ranks, decoding);
        const double work = modelled.compress_s + modelled.decompress_s;
        const coding_times takes = coding_times_of(op, how, ranks, decoding);
        // The first rank is folded in, where any is: its work and its partner's overlap, but not wholly.
        const bool folds = !std::has_single_bit(static_cast<unsigned>(ranks));
        const double most =
            schedule == schedule_kind::binomial ? takes.chain : takes.busiest + (folds ? takes.first_rank : 0);
        check(work > takes.busiest - 1e-6 && work < most + 1e-6,
              text_of(op, how, ranks) + "the model's codec works " + std::to_string(work) + ", the busiest rank's " +
                  std::to_string(takes.busiest) + ", one after the other " + std::to_string(most));
    }
}

/// On four nodes of four ranks, whose links are all that takes time: what the busiest of them lets out, or in.
void check_bytes_of_nodes(operation op, schedule_kind schedule) {
    constexpr int ranks = 16, each = 4;
    std::vector<double> out(ranks / each), in(ranks / each);
    int parts = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const program steps = make_program(op, schedule, ranks, rank, 0);
        parts = parts_of(op, steps, ranks);
        for (const std::int32_t to : steps.to) {
            const int from_node = rank / each, to_node = to / each;
            if (from_node == to_node) continue;
            out[static_cast<std::size_t>(from_node)] += 1;
            in[static_cast<std::size_t>(to_node)] += 1;
        }
    }
    const double most =
        std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end())) / parts;
    model::machine where = model::default_machine();
    where.intra = where.inter = {0, 0, 0, 1};
    where.host_beta_s_per_byte = 1e-6;
    model::question asked = question_of(op, ranks, ranks / each);
    asked.segment_bytes = 1000;
    const cell how{schedule, payload_kind::raw, codec_id::raw};
    const double modelled = model::estimate(where, asked, how).wire_s;
    check(modelled > 0.99 * most && modelled < 2.5 * most, text_of(op, how, ranks) + "on nodes of four the model has " +
                                                               std::to_string(modelled) +
                                                               " leave a node, the programs " + std::to_string(most));
}

/// Of every payload that adds or moves streams.
void check_codec_work(operation op, schedule_kind schedule, int ranks) {
    const bool ring = schedule == schedule_kind::ring || schedule == schedule_kind::pairwise;
    const bool tree = schedule == schedule_kind::binomial;
    const bool reduces = is_reduction(op);
    const bool alike =
        op == operation::allgather || op == operation::alltoall || (reduces && op != operation::reduce && !tree);
    const bool waits = reduces && !ring && op != operation::reduce_scatter;
    for (const payload_kind payload : {payload_kind::per_hop, payload_kind::once, payload_kind::pipelined,
                                       payload_kind::homomorphic, payload_kind::fused}) {
        if (alike && (ring || std::has_single_bit(static_cast<unsigned>(ranks))))
            check_modelled_work(op, schedule, payload, ranks);
        if (waits) check_modelled_chain(op, schedule, payload, ranks);
    }
}

}  // namespace

void model_knows_programs() {
    for (int ranks = 2; ranks <= 17; ++ranks)
        for (int op = 0; op < operation_count; ++op)
            for (const schedule_kind schedule :
                 {schedule_kind::ring, schedule_kind::recursive_doubling, schedule_kind::rabenseifner,
                  schedule_kind::binomial, schedule_kind::pairwise}) {
                const auto which = static_cast<operation>(op);
                if (!serves(which, {schedule, payload_kind::raw, codec_id::raw})) continue;
                check_modelled_bytes(which, schedule, ranks);
                if (ranks == 16) check_bytes_of_nodes(which, schedule);
                check_codec_work(which, schedule, ranks);
            }
}

}  // namespace laconic::test
