// SPDX-License-Identifier: BSD-3-Clause
// What is on disk of a trace while its program runs: snapshots of a rank's table and grammar, and a journal of the
// calls since, flow into a mapped file; after a crash, or while the program runs, a core of the rank flows out of it.
#pragma once

#include <cstdint>
#include <string>

#include "laconic/status.hpp"
#include "trace/core.hpp"
#include "trace/rules.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// The file: "lacp", u8 version 1, 3 zero bytes, u32 rank, u32 ranks, u64 bytes of the snapshot, u64 their XXH3-64, u64
/// bytes of the journal, snapshot, journal. The journal: varints, n + 2 for terminal n, 1 before a block with the bytes
/// of a signature that is new and takes the next number; 0, which is what the file is made of, is its end.
///
/// A snapshot is a new file under a temporary name that takes the place of the old: one of the two is always whole.
/// Calls go straight into the mapping, so they survive the process, though not the machine.
class part_file {
public:
    part_file() = default;
    part_file(const part_file&) = delete;
    part_file& operator=(const part_file&) = delete;
    ~part_file();

    /// returns io  the system refuses to make, fill or rename the file
    [[nodiscard]] status checkpoint(const std::string& path, std::uint32_t rank, std::uint32_t ranks, view snapshot,
                                    std::size_t journal_bytes);
    /// False: no room; nothing is written then.
    [[nodiscard]] bool append(std::uint32_t terminal) noexcept;
    [[nodiscard]] bool append_new(view signature) noexcept;
    /// Unmaps, and forgets the file, which stays as it is.
    void close() noexcept;

private:
    std::byte* mapped_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    std::byte* next_ = nullptr;
    std::byte* end_ = nullptr;
};

/// A snapshot: varint signatures, blocks; varint rules; each: varint symbols, each varint (value << 1 | is_rule),
/// varint count - 1; then for each signature its statistics, or nothing at all.
void write_rules(bytes& out, const rule_list& rules);

/// What the bytes of a part file tell of its rank.
/// returns corrupt  no part file, or a damaged snapshot; a journal is read as far as it makes sense
[[nodiscard]] result<core> core_of_part(view file);

}  // namespace laconic::trace
