// SPDX-License-Identifier: BSD-3-Clause
// The table's rows first, then what of schedule x payload x codec is left.
#include "candidates.hpp"

#include <algorithm>
#include <array>

namespace laconic::test {

using namespace collective;

namespace {

constexpr std::array schedules{schedule_kind::ring,     schedule_kind::recursive_doubling, schedule_kind::rabenseifner,
                               schedule_kind::binomial, schedule_kind::pairwise,           schedule_kind::hierarchical};
constexpr std::array payloads{payload_kind::raw,       payload_kind::per_hop,     payload_kind::once,
                              payload_kind::pipelined, payload_kind::homomorphic, payload_kind::quantised,
                              payload_kind::fused};

}  // namespace

std::vector<candidate> candidates(operation op) {
    std::vector<candidate> all;
    for (const algorithm& row : algorithms())
        if (row.op == op) all.push_back({std::string(row.name), row.what});
    for (const schedule_kind schedule : schedules)
        for (const payload_kind payload : payloads)
            for (const codec_description& codec : codecs()) {
                if ((codec.id == codec_id::raw) != (payload == payload_kind::raw) || !codec.available) continue;
                const cell what{schedule, payload, codec.id};
                const auto known = [&](const candidate& other) { return other.what == what; };
                if (!serves(op, what) || std::any_of(all.begin(), all.end(), known)) continue;
                std::string name =
                    std::string(collective::name_of(schedule)) + "/" + std::string(collective::name_of(payload));
                if (payload != payload_kind::raw) name += ":" + std::string(codec.name);
                all.push_back({name, what});
            }
    return all;
}

bool takes(const candidate& row, reduction combine, std::size_t element_bytes, bool varying, operation op) {
    const bool coded = compresses(row.what) && row.what.codec != codec_id::fle;
    const bool streams = row.what.payload >= payload_kind::homomorphic && row.what.schedule != schedule_kind::chosen;
    if (element_bytes == 2 && coded) return false;
    if (is_reduction(op) && combine == reduction::prod && streams) return false;
    return !(varying && row.what.schedule == schedule_kind::binomial && op != operation::allgather);
}

}  // namespace laconic::test
