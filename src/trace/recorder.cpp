// SPDX-License-Identifier: BSD-3-Clause
// Recording one rank: signature table, grammar, times, and the file that outlives a crash.
#include "trace/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "trace/join.hpp"
#include "trace/model.hpp"
#include "trace/one_rank.hpp"

namespace laconic::trace {
namespace {

constexpr std::size_t least_journal_bytes = std::size_t{64} << 10;
/// How often memory is looked at: the growth between two looks is small beside any bound.
constexpr std::uint64_t calls_per_look = 1024;
constexpr std::size_t least_memory_bytes = std::size_t{1} << 20;

}  // namespace

recorder::recorder(recorder_options options)
    : options_(std::move(options)),
      table_(std::make_unique<signature_table>()),
      grammar_(std::make_unique<grammar>()),
      durations_(std::make_unique<duration_table>()) {
    options_.memory_bytes = std::max(options_.memory_bytes, least_memory_bytes);
    if (options_.timing.keeps_calls()) timing_ = std::make_unique<timing_writer>(options_.timing);
}

result<std::unique_ptr<recorder>> recorder::make(recorder_options options) try {
    if (options.rank >= options.ranks || options.ranks > most_ranks)
        return status(errc::invalid_argument, "rank " + std::to_string(options.rank) + " of " +
                                                  std::to_string(options.ranks) +
                                                  "; give a rank below the number, which is at most 2^24");
    if (status bad = options.timing.check(); !bad.ok()) return bad;
    std::unique_ptr<recorder> made(new recorder(std::move(options)));
    if (!made->options_.part_path.empty()) made->write_checkpoint(false);
    if (!made->state_.ok()) return made->state_;
    return made;
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory to begin a trace");
}

void recorder::call(view signature, std::uint64_t start_ns, std::uint64_t duration_ns) noexcept {
    if (!state_.ok()) return;
    try {
        if (calls_in_part_ % calls_per_look == calls_per_look - 1 && bytes_used() > options_.memory_bytes) seal();
        const std::uint32_t known = table_->size();
        const std::uint32_t number = table_->number_of(signature);
        if (!options_.part_path.empty()) note(number, number == known, signature);
        if (options_.timing.mode != timing_mode::none) durations_->add(number, duration_ns);
        if (timing_) timing_->add(number, start_ns, duration_ns);
        grammar_->add(number);
        ++calls_;
        ++calls_in_part_;
    } catch (const std::bad_alloc&) {
        state_ = {errc::out_of_memory, "no memory to record further calls; lower the memory bound or trace less"};
    }
}

/// Into the journal, before the grammar has it; a full journal makes a snapshot of what the grammar has.
void recorder::note(std::uint32_t number, bool fresh, view signature) {
    const auto append = [&] { return fresh ? part_.append_new(signature) : part_.append(number); };
    if (append()) return;
    write_checkpoint(false);
    if (!state_.ok()) return;
    // The table of the snapshot has the new signature already.
    if (!part_.append(number)) state_ = {errc::io, "the journal of the trace has no room for a signature"};
}

void recorder::write_checkpoint(bool sealed) {
    bytes snapshot;
    put_varint(snapshot, table_->size());
    for (std::uint32_t number = 0; number < table_->size(); ++number) put_block(snapshot, table_->signature(number));
    write_rules(snapshot, grammar_->rules());
    // The newest signature has no time yet when its journal record is what did not fit.
    if (options_.timing.mode != timing_mode::none)
        for (std::uint32_t number = 0; number < table_->size(); ++number)
            (number < durations_->size() ? durations_->of(number) : call_statistics{}).write(snapshot);
    const std::size_t journal = sealed ? 0 : std::max(least_journal_bytes, 2 * snapshot.size());
    state_ = part_.checkpoint(part_name(sealed_.size()), options_.rank, options_.ranks, snapshot, journal);
}

core recorder::part_core() const {
    recorded_rank all;
    all.rank = options_.rank;
    all.ranks = options_.ranks;
    all.rules = grammar_->rules();
    all.signature = [this](std::uint32_t number) { return table_->signature(number); };
    if (options_.timing.mode != timing_mode::none)
        all.times = [this](std::uint32_t number) { return durations_->of(number); };
    return core_of(all);
}

void recorder::seal() {
    if (!options_.part_path.empty()) write_checkpoint(true);
    sealed_.push_back(encoded(fitted(part_core())));
    table_ = std::make_unique<signature_table>();
    grammar_ = std::make_unique<grammar>();
    durations_ = std::make_unique<duration_table>();
    if (timing_) timing_->begin_part();
    calls_in_part_ = 0;
    if (!options_.part_path.empty() && state_.ok()) write_checkpoint(false);
}

void recorder::set_rank(std::uint32_t rank, std::uint32_t ranks) noexcept {
    options_.rank = rank;
    options_.ranks = ranks;
    try {
        if (!options_.part_path.empty() && state_.ok()) write_checkpoint(false);
    } catch (const std::bad_alloc&) {
        state_ = {errc::out_of_memory, "no memory to record further calls; lower the memory bound or trace less"};
    }
}

std::size_t recorder::bytes_used() const noexcept {
    return table_->bytes_used() + grammar_->bytes_used() + durations_->bytes_used();
}

std::string recorder::part_name(std::size_t part) const {
    char number[24];
    std::snprintf(number, sizeof number, ".%04zu.part", part);
    return options_.part_path + number;
}

result<rank_trace> recorder::finish() const try {
    core all = part_core();
    for (std::size_t part = sealed_.size(); part-- > 0;) {
        const auto read = decoded(sealed_[part]);
        if (!read) return read.error();
        auto before = expanded(*read);
        if (!before) return before.error();
        before->ranks = options_.ranks;
        before->classes.front().ranks = {options_.rank};
        all = joined(std::move(*before), std::move(all));
    }
    rank_trace made;
    made.core = encoded(fitted(all));
    if (timing_) {
        auto timing = timing_->finish();
        if (!timing) return timing.error();
        made.timing = std::move(*timing);
    }
    return made;
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory to put the trace of this rank together");
}

void recorder::remove_parts() noexcept {
    if (!options_.part_path.empty())
        for (std::size_t part = 0; part <= sealed_.size(); ++part) ::unlink(part_name(part).c_str());
    abandon();
}

void recorder::abandon() noexcept {
    part_.close();
    if (state_.ok()) state_ = {errc::cancelled, "recording has ended"};
}

}  // namespace laconic::trace
