// SPDX-License-Identifier: BSD-3-Clause
// The rows of the algorithm table.
#include "collective/registry.hpp"

#include <array>

namespace laconic::collective {
namespace {

using enum payload_kind;

constexpr std::array rows{
    algorithm{"stock", "allreduce", schedule_kind::stock, raw, "-", "MPI_Allreduce",
              "the MPI library's own MPI_Allreduce"},
    algorithm{"ring_raw", "allreduce", schedule_kind::ring, raw, "-", "ring allreduce", "segmented ring, uncompressed"},
    algorithm{"per_hop", "allreduce", schedule_kind::ring, per_hop, "fle", "CPR-P2P",
              "ring; compress before each send, decompress after each receive"},
    algorithm{"homomorphic", "allreduce", schedule_kind::ring, homomorphic, "fle", "hZCCL",
              "ring; every piece compressed once, added while compressed, decompressed once"},
    algorithm{"fused", "allreduce", schedule_kind::ring, fused, "fle", "HomComp_F",
              "ring; raw local piece + received stream -> stream in one pass (the default)"},
};

}  // namespace

std::span<const algorithm> algorithms() noexcept { return rows; }

const algorithm* find_algorithm(std::string_view operation, std::string_view name) noexcept {
    for (const algorithm& row : rows)
        if (row.operation == operation && row.name == name) return &row;
    return nullptr;
}

std::string_view name_of(schedule_kind kind) noexcept {
    switch (kind) {
        case schedule_kind::stock: return "stock";
        case schedule_kind::ring: return "ring";
    }
    return "?";
}

std::string_view name_of(payload_kind kind) noexcept {
    switch (kind) {
        case raw: return "raw";
        case per_hop: return "per_hop";
        case homomorphic: return "homomorphic";
        case fused: return "fused";
    }
    return "?";
}

}  // namespace laconic::collective
