// SPDX-License-Identifier: BSD-3-Clause
// Part files: mapping, journal, and reading what a program left behind.
#include "trace/part_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "trace/grammar.hpp"
#include "trace/join.hpp"
#include "trace/one_rank.hpp"

namespace laconic::trace {
namespace {

constexpr char magic[8] = {'l', 'a', 'c', 'p', 1, 0, 0, 0};

status refused(const std::string& what, const std::string& path, int error) {
    return {errc::io, "cannot " + what + " '" + path + "': " + std::strerror(error)};
}

status damaged_part(const std::string& what) { return {errc::corrupt, what}; }

std::byte* put_varint_at(std::byte* to, std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
    *to++ = static_cast<std::byte>(value);
    return to;
}

}  // namespace

part_file::~part_file() { close(); }

void part_file::close() noexcept {
    if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
    mapped_ = next_ = end_ = nullptr;
}

status part_file::checkpoint(const std::string& path, std::uint32_t rank, std::uint32_t ranks, view snapshot,
                             std::size_t journal_bytes) {
    bytes head;
    put_bytes(head, std::as_bytes(std::span(magic)));
    put_word(head, rank);
    put_word(head, ranks);
    put_word(head, std::uint64_t{snapshot.size()});
    put_word(head, std::uint64_t{XXH3_64bits(snapshot.data(), snapshot.size())});
    put_word(head, std::uint64_t{journal_bytes});
    const std::size_t size = head.size() + snapshot.size() + journal_bytes;
    const std::string temporary = path + ".new";
    const int file = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return refused("create", temporary, errno);
    // Reserved, because a mapping that finds the disk full ends the program.
    void* mapped = MAP_FAILED;
    int error = ::posix_fallocate(file, 0, static_cast<off_t>(size));
    if (error == 0) {
        mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        error = mapped == MAP_FAILED ? errno : 0;
    }
    ::close(file);
    if (error == 0) {
        auto* const to = static_cast<std::byte*>(mapped);
        std::memcpy(to, head.data(), head.size());
        if (!snapshot.empty()) std::memcpy(to + head.size(), snapshot.data(), snapshot.size());
        if (std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    }
    if (error != 0) {
        if (mapped != MAP_FAILED) ::munmap(mapped, size);
        ::unlink(temporary.c_str());
        return refused("fill", path, error);
    }
    close();
    mapped_ = static_cast<std::byte*>(mapped);
    mapped_bytes_ = size;
    next_ = mapped_ + head.size() + snapshot.size();
    end_ = mapped_ + size;
    return {};
}

bool part_file::append(std::uint32_t terminal) noexcept {
    if (end_ - next_ < 8) return false;
    next_ = put_varint_at(next_, std::uint64_t{terminal} + 2);
    return true;
}

bool part_file::append_new(view signature) noexcept {
    if (static_cast<std::size_t>(end_ - next_) < signature.size() + 16) return false;
    // The mark comes last: until it is there the journal ends before it.
    std::byte* const behind = put_varint_at(next_ + 1, signature.size());
    std::memcpy(behind, signature.data(), signature.size());
    __atomic_signal_fence(__ATOMIC_RELEASE);
    *next_ = std::byte{1};
    next_ = behind + signature.size();
    return true;
}

void write_rules(bytes& out, const rule_list& rules) {
    put_varint(out, rules.size());
    for (const rule_body& body : rules) {
        put_varint(out, body.size());
        for (const symbol& each : body) {
            put_varint(out, std::uint64_t{each.value & ~rule_flag} << 1 | (each.is_rule() ? 1 : 0));
            put_varint(out, each.count - 1);
        }
    }
}

namespace {

struct snapshot {
    std::vector<view> signatures;
    rule_list rules;
    std::vector<call_statistics> times;
};

result<snapshot> read_snapshot(view data) {
    const status bad = damaged_part("the snapshot of a part file is damaged");
    wire_reader in(data);
    snapshot made;
    const std::size_t signatures = in.count();
    for (std::size_t i = 0; i < signatures && !in.failed(); ++i) made.signatures.push_back(in.block());
    const std::size_t rules = in.count();
    for (std::size_t i = 0; i < rules && !in.failed(); ++i) {
        rule_body& body = made.rules.emplace_back();
        const std::size_t symbols = in.count(2);
        for (std::size_t k = 0; k < symbols && !in.failed(); ++k) {
            const std::uint64_t code = in.varint();
            const bool is_rule = (code & 1) != 0;
            if (code >> 1 >= (is_rule ? rules : signatures)) return bad;
            const std::uint64_t count = in.varint();
            if (count >= most_calls) return bad;
            body.push_back({static_cast<std::uint32_t>(code >> 1) | (is_rule ? rule_flag : 0), count + 1});
        }
    }
    if (in.left() > 0)
        for (std::size_t i = 0; i < signatures && !in.failed(); ++i) made.times.push_back(call_statistics::read(in));
    if (!in.complete() || rules == 0 || signatures >= rule_flag || rules >= rule_flag) return bad;
    if (const auto lengths = lengths_of(made.rules); !lengths) return lengths.error();
    made.rules = tidy(made.rules);
    return made;
}

}  // namespace

result<core> core_of_part(view file) try {
    wire_reader in(file);
    const view start = in.take(sizeof magic);
    if (start.empty() || std::memcmp(start.data(), magic, sizeof magic) != 0)
        return damaged_part("these bytes are no part file of a trace");
    recorded_rank all;
    all.rank = in.word<std::uint32_t>();
    all.ranks = in.word<std::uint32_t>();
    const auto snapshot_bytes = in.word<std::uint64_t>();
    const auto checksum = in.word<std::uint64_t>();
    in.word<std::uint64_t>();
    if (in.failed() || all.ranks < 1 || all.ranks > most_ranks || all.rank >= all.ranks || snapshot_bytes > in.left())
        return damaged_part("the head of a part file is damaged");
    const view body = in.take(static_cast<std::size_t>(snapshot_bytes));
    if (XXH3_64bits(body.data(), body.size()) != checksum)
        return damaged_part("the checksum of a part file's snapshot does not match");
    auto read = read_snapshot(body);
    if (!read) return read.error();
    all.rules = std::move(read->rules);
    all.signature = [&](std::uint32_t terminal) { return read->signatures[terminal]; };
    if (!read->times.empty()) all.times = [&](std::uint32_t terminal) { return read->times[terminal]; };
    core before = core_of(all);

    grammar since;
    while (in.left() > 0) {
        const std::uint64_t code = in.varint();
        if (in.failed() || code == 0) break;
        std::uint64_t terminal = code - 2;
        if (code == 1) {
            terminal = read->signatures.size();
            const view fresh = in.block();
            if (in.failed() || fresh.empty() || terminal >= rule_flag) break;
            read->signatures.push_back(fresh);
        }
        if (terminal >= read->signatures.size()) break;
        since.add(static_cast<std::uint32_t>(terminal));
    }
    all.rules = since.rules();
    all.times = nullptr;
    return joined(std::move(before), core_of(all));
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory for a part file of " + std::to_string(file.size()) + " bytes");
}

}  // namespace laconic::trace
