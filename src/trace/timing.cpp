// SPDX-License-Identifier: BSD-3-Clause
// Timing blocks: calls collected, coded by the method asked for, and read again.
//
//   block   := u8 mode, u8 method, u64 relative (double), varint first start, varint parts, parts * varint calls,
//              varint calls, payload
//   position: block durations, block gaps (range coded)
//   others and lossless: timing_arrays.hpp
#include "trace/timing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <new>

#include "trace/position_channel.hpp"
#include "trace/signature_table.hpp"
#include "trace/timing_arrays.hpp"
#include "trace/zstd_bytes.hpp"

namespace laconic::trace {
namespace {

constexpr std::array<std::string_view, 7> names{"position", "cfg",          "hist",         "sz",
                                                "zfp",      "sz_clustered", "zfp_clustered"};

bool uses_arrays(const timing_options& options) {
    return options.mode == timing_mode::lossless || options.method != timing_method::position;
}

}  // namespace

std::string_view name_of(timing_method method) noexcept { return names[static_cast<std::size_t>(method)]; }

timing_method timing_method_of(std::string_view name) noexcept {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? timing_method::position : static_cast<timing_method>(at - names.begin());
}

status timing_options::check() const {
    if (mode == timing_mode::lossy && !(relative >= 1e-6 && relative <= 0.5))
        return {errc::invalid_argument, "a relative error of " + std::to_string(relative) + "; give 1e-6 to 0.5"};
    if (!keeps_calls()) return {};
    return check_arrays(*this);
}

struct timing_writer::state {
    timing_options options;
    std::uint64_t calls = 0;
    std::uint64_t first_start = 0, last_end = 0;
    std::uint32_t before = ~std::uint32_t{0};
    std::uint32_t part_base = 0, terminals = 0;
    std::vector<std::uint64_t> parts{0};  ///< calls of each

    std::unique_ptr<position_channel> durations, gaps;  ///< contexts take megabytes: only for those who use them
    range_encoder duration_bits, gap_bits;
    timing_arrays arrays;

    explicit state(const timing_options& of) : options(of) {
        if (uses_arrays(of)) return;
        durations = std::make_unique<position_channel>(of.relative);
        gaps = std::make_unique<position_channel>(of.relative);
    }
};

timing_writer::timing_writer(const timing_options& options) : state_(std::make_unique<state>(options)) {}
timing_writer::~timing_writer() = default;

void timing_writer::add(std::uint32_t terminal, std::uint64_t start_ns, std::uint64_t duration_ns) {
    state& s = *state_;
    if (s.calls == 0) s.first_start = s.last_end = start_ns;
    const auto gap = static_cast<std::int64_t>(start_ns - s.last_end);
    s.last_end = start_ns + duration_ns;
    terminal += s.part_base;
    s.terminals = std::max(s.terminals, terminal + 1);
    if (uses_arrays(s.options)) {
        s.arrays.add(s.options, terminal, duration_ns,
                     s.options.mode == timing_mode::lossless ? zigzag(gap)
                     : gap > 0                               ? static_cast<std::uint64_t>(gap)
                                                             : 0);
    } else {
        const call_place place{s.before, terminal};
        s.durations->encode(s.duration_bits, place, duration_ns);
        s.gaps->encode(s.gap_bits, place, gap > 0 ? static_cast<std::uint64_t>(gap) : 0);
    }
    s.before = terminal;
    ++s.calls;
    ++s.parts.back();
}

void timing_writer::begin_part() {
    state_->part_base = state_->terminals;
    state_->parts.push_back(0);
}

result<bytes> timing_writer::finish() const {
    const state& s = *state_;
    bytes out;
    put_word(out, static_cast<std::uint8_t>(s.options.mode));
    put_word(out, static_cast<std::uint8_t>(s.options.method));
    put_word(out, std::bit_cast<std::uint64_t>(s.options.relative));
    put_varint(out, s.first_start);
    put_varint(out, s.parts.size());
    for (const std::uint64_t each : s.parts) put_varint(out, each);
    put_varint(out, s.calls);
    if (uses_arrays(s.options)) {
        if (status bad = s.arrays.write(out, s.options); !bad.ok()) return bad;
        return out;
    }
    put_block(out, range_encoder(s.duration_bits).finish());
    put_block(out, range_encoder(s.gap_bits).finish());
    return out;
}

struct timing_reader::state {
    timing_options options;
    std::uint64_t calls = 0, read = 0;
    std::uint64_t end = 0;
    std::uint32_t before = ~std::uint32_t{0};
    std::uint32_t part_base = 0;
    std::vector<std::uint64_t> parts;
    std::size_t part = 0;
    std::uint64_t left_in_part = 0;

    signature_table table;
    bytes duration_bytes, gap_bytes;
    std::unique_ptr<position_channel> durations, gaps;
    std::unique_ptr<range_decoder> duration_bits, gap_bits;
    timing_arrays arrays;
};

timing_reader::timing_reader(std::unique_ptr<state> inner) : state_(std::move(inner)) {}
timing_reader::timing_reader(timing_reader&&) noexcept = default;
timing_reader& timing_reader::operator=(timing_reader&&) noexcept = default;
timing_reader::~timing_reader() = default;

std::uint64_t timing_reader::calls() const noexcept { return state_->calls; }
const timing_options& timing_reader::options() const noexcept { return state_->options; }

result<timing_reader> timing_reader::open(view block) try {
    const status damaged(errc::corrupt, "the head of a timing block is damaged");
    auto made = std::make_unique<state>();
    wire_reader in(block);
    const auto mode = in.word<std::uint8_t>();
    const auto method = in.word<std::uint8_t>();
    made->options.relative = std::bit_cast<double>(in.word<std::uint64_t>());
    if (mode < 2 || mode > 3 || method >= names.size()) return damaged;
    made->options.mode = static_cast<timing_mode>(mode);
    made->options.method = static_cast<timing_method>(method);
    if (status bad = made->options.check(); !bad.ok()) return bad.code() == errc::unsupported ? bad : damaged;
    made->end = in.varint();
    const std::size_t parts = in.count();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < parts && !in.failed(); ++i) {
        made->parts.push_back(in.below(most_timed_calls));
        sum += made->parts.back();
    }
    made->calls = in.varint();
    if (in.failed() || parts == 0 || sum != made->calls || sum > most_timed_calls) return damaged;
    made->left_in_part = made->parts[0];
    if (uses_arrays(made->options)) {
        if (status bad = made->arrays.read(in, made->options, made->calls); !bad.ok()) return bad;
    } else {
        const auto keep = [&](bytes& into) {
            const view from = in.block();
            into.assign(from.begin(), from.end());
        };
        keep(made->duration_bytes);
        keep(made->gap_bytes);
        made->durations = std::make_unique<position_channel>(made->options.relative);
        made->gaps = std::make_unique<position_channel>(made->options.relative);
        made->duration_bits = std::make_unique<range_decoder>(made->duration_bytes);
        made->gap_bits = std::make_unique<range_decoder>(made->gap_bytes);
    }
    if (!in.complete()) return damaged;
    return timing_reader(std::move(made));
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory for a timing block of " + std::to_string(block.size()) + " bytes");
}

result<call_time> timing_reader::next(view signature) {
    const status damaged(errc::corrupt, "a timing block does not belong to the calls of its rank, or is damaged");
    state& s = *state_;
    if (s.read == s.calls || signature.empty()) return damaged;
    while (s.left_in_part == 0) {
        s.part_base += s.table.size();
        s.table = signature_table();
        s.left_in_part = s.parts[++s.part];
    }
    --s.left_in_part;
    const std::uint32_t terminal = s.part_base + s.table.number_of(signature);
    std::uint64_t duration = 0;
    std::uint64_t gap = 0;
    if (uses_arrays(s.options)) {
        if (!s.arrays.next(s.options, terminal, duration, gap)) return damaged;
    } else {
        const call_place place{s.before, terminal};
        duration = s.durations->decode(*s.duration_bits, place);
        gap = s.gaps->decode(*s.gap_bits, place);
        if (s.duration_bits->overrun() || s.gap_bits->overrun()) return damaged;
    }
    s.before = terminal;
    call_time made;
    made.start_ns = s.end + (s.options.mode == timing_mode::lossless ? static_cast<std::uint64_t>(unzigzag(gap)) : gap);
    made.duration_ns = duration;
    ++s.read;
    s.end = made.start_ns + duration;
    return made;
}

}  // namespace laconic::trace
