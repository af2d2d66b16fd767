// SPDX-License-Identifier: BSD-3-Clause
// Threads and progress. A thread encodes a span into memory of its own, which stays in its cache; learns from the span
// before where its bytes go as soon as that is encoded, too; and copies them there while the next span learns the same.
// Nothing is moved twice through main memory, and a thread that loses its processor holds up the others by one span.
#include "codec/spans.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "codec/float_environment.hpp"
#include "codec/layout.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace laconic::codec {
namespace {

std::size_t spans_in(std::size_t count) noexcept { return (count + span_values - 1) / span_values; }

std::size_t length_of(std::size_t span, std::size_t count) noexcept {
    return std::min(span_values, count - span * span_values);
}

std::byte* table_at(const sink& out, std::size_t span) noexcept {
    return out.table == nullptr ? nullptr : out.table + span * span_chunks * table_entry_bytes;
}

/// Entries that a span wrote as if it were the first become those of one that starts at `offset`.
void shift_table(std::byte* table, std::size_t values, std::size_t offset) noexcept {
    if (table == nullptr || offset == 0) return;
    const std::uint32_t by = chunk_entry(static_cast<std::ptrdiff_t>(offset));
    for (std::size_t done = 0; done < values; done += chunk_values, table += table_entry_bytes)
        store_as(table, load_as<std::uint32_t>(table) + by);
}

/// False when the caller's callback wants to stop.
bool report(const run_options& how, std::size_t values, std::size_t total, std::size_t bytes) noexcept {
    return how.progress == nullptr || how.progress(how.progress_user, {values, total, bytes});
}

span_outcome write_alone(span_job& job, std::size_t count, const run_options& how, sink out) noexcept {
    // Of no values there is nothing to report, but a sequence that should be empty has to be looked at.
    if (how.progress == nullptr || count == 0) return job.run(0, 0, count, out);
    span_outcome all;
    for (std::size_t span = 0; span < spans_in(count); ++span) {
        const std::size_t n = length_of(span, count);
        const sink at{out.bytes == nullptr ? nullptr : out.bytes + all.bytes, table_at(out, span)};
        const span_outcome one = job.run(0, span * span_values, n, at);
        shift_table(at.table, n, all.bytes);
        all.merge(one);
        if (all.fault != stream_fault::none) break;
        all.cancelled = !report(how, span * span_values + n, count, all.bytes);
        if (all.cancelled) break;
    }
    return all;
}

}  // namespace

void span_outcome::merge(const span_outcome& next) noexcept {
    if (fault == stream_fault::none) fault = next.fault;
    exact &= next.exact;
    bytes += next.bytes;
    magnitude = std::max(magnitude, next.magnitude);
    raw_blocks += next.raw_blocks;
}

std::uint64_t chunk_walker::offset_of(std::size_t chunk) noexcept {
    // Entries hold the low bits; offsets grow by less than their range from chunk to chunk.
    for (; chunk_ < chunk; ++chunk_) {
        const auto entry = load_as<std::uint32_t>(whole_.table + (chunk_ + 1) * table_entry_bytes);
        const auto low = static_cast<std::uint32_t>(offset_ / 4);
        offset_ += std::uint64_t{static_cast<std::uint32_t>(entry - low)} * 4;
    }
    return offset_;
}

sequence chunk_walker::part(std::size_t first, std::size_t count, std::size_t total) noexcept {
    if (count == total) return whole_;
    first /= chunk_values;
    const std::uint64_t begin = offset_of(first);
    const std::size_t next = first + (count + chunk_values - 1) / chunk_values;
    const std::uint64_t end = next * chunk_values >= total ? whole_.size : offset_of(next);
    if (begin > end || end > whole_.size) return {};
    const std::byte* const table = whole_.table + first * table_entry_bytes;
    return {whole_.bytes + begin, static_cast<std::size_t>(end - begin), table, load_as<std::uint32_t>(table),
            static_cast<std::size_t>(whole_.size - end)};
}

unsigned usable_threads(const run_options& how, std::size_t count) noexcept {
#if defined(_OPENMP)
    const auto wanted = how.threads == 0 ? static_cast<unsigned>(omp_get_max_threads()) : how.threads;
    return static_cast<unsigned>(
        std::max<std::size_t>(1, std::min<std::size_t>({wanted, most_threads, spans_in(count)})));
#else
    static_cast<void>(how), static_cast<void>(count);
    return 1;
#endif
}

#if defined(_OPENMP)

span_outcome write_spans(span_job& job, std::size_t count, std::size_t most_span_bytes, const run_options& how,
                         sink out) noexcept {
    const unsigned threads = usable_threads(how, count);
    if (threads == 1) return write_alone(job, count, how, out);
    std::unique_ptr<std::unique_ptr<std::byte[]>[]> parts(new (std::nothrow) std::unique_ptr<std::byte[]>[threads]);
    bool fits = parts != nullptr && spans_in(count) < ~std::uint32_t{0} - threads;
    for (unsigned t = 0; fits && t < threads; ++t) {
        parts[t].reset(new (std::nothrow) std::byte[most_span_bytes]);
        fits = parts[t] != nullptr;
    }
    if (!fits) return write_alone(job, count, how, out);

    span_outcome all;
    const auto spans = static_cast<std::uint32_t>(spans_in(count));
    std::atomic<std::uint32_t> ticket{0};
    // The span whose turn it is to learn where its bytes go; beyond all spans once the work is to end early.
    std::atomic<std::uint32_t> turn{0};
    std::size_t reported = 0;
#pragma omp parallel num_threads(threads) default(none) \
    shared(job, count, how, out, parts, all, spans, ticket, turn, reported)
    {
        const float_environment standard;
        const auto thread = static_cast<unsigned>(omp_get_thread_num());
        std::byte* const memory = parts[thread].get();
        for (std::uint32_t span = ticket++; span < spans; span = ticket++) {
            const std::size_t n = length_of(span, count);
            std::byte* const table = table_at(out, span);
            const span_outcome outcome = job.run(thread, span * span_values, n, {memory, table});
            std::uint32_t now = turn;
            for (; now < span; now = turn) turn.wait(now);
            if (now > span) break;
            const std::size_t start = all.bytes;
            all.merge(outcome);
            if (thread == 0 && all.fault == stream_fault::none) {
                reported = span * span_values + n;
                all.cancelled = !report(how, reported, count, all.bytes);
            }
            const bool ends_early = all.fault != stream_fault::none || all.cancelled;
            turn = ends_early ? spans + 1 : span + 1;
            turn.notify_all();
            if (ends_early) break;
            std::memcpy(out.bytes + start, memory, outcome.bytes);
            shift_table(table, n, start);
        }
    }
    if (all.fault == stream_fault::none && !all.cancelled && reported < count)
        all.cancelled = !report(how, count, count, all.bytes);
    return all;
}

span_outcome read_spans(span_job& job, std::size_t count, const run_options& how) noexcept {
    const unsigned threads = usable_threads(how, count);
    if (threads == 1) return write_alone(job, count, how, {});
    span_outcome all;
    const std::size_t spans = spans_in(count);
    std::atomic<std::size_t> done{0};
    std::atomic<std::size_t> bytes{0};
    // Spans before the first fault are still looked at: the lowest fault is the one that a single thread finds.
    std::atomic<std::size_t> stop{spans};
    std::size_t reported = 0;
#pragma omp parallel num_threads(threads) default(none) shared(job, count, how, all, spans, done, bytes, stop, reported)
    {
        const float_environment standard;
        const auto thread = static_cast<unsigned>(omp_get_thread_num());
        const auto team = static_cast<std::size_t>(omp_get_num_threads());
        bool cancelled = false;
        for (std::size_t span = thread; span < stop; span += team) {
            const std::size_t n = length_of(span, count);
            const span_outcome one = job.run(thread, span * span_values, n, {});
            bytes += one.bytes;
            done += n;
            if (one.fault != stream_fault::none) {
#pragma omp critical
                if (span < stop) {
                    stop = span;
                    all.fault = one.fault;
                }
            }
            if (thread != 0) continue;
            reported = done;
            if (report(how, reported, count, bytes)) continue;
            cancelled = true;
            stop = 0;
        }
        if (cancelled) all.cancelled = true;
    }
    if (all.fault == stream_fault::none && !all.cancelled && reported < count)
        all.cancelled = !report(how, count, count, bytes);
    return all;
}

#else

span_outcome write_spans(span_job& job, std::size_t count, std::size_t, const run_options& how, sink out) noexcept {
    return write_alone(job, count, how, out);
}
span_outcome read_spans(span_job& job, std::size_t count, const run_options& how) noexcept {
    return write_alone(job, count, how, {});
}

#endif

status explain(const span_outcome& outcome) {
    if (outcome.fault == stream_fault::none && outcome.cancelled) return cancelled();
    return explain(outcome.fault);
}

}  // namespace laconic::codec
