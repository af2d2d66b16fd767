// SPDX-License-Identifier: BSD-3-Clause
// The array methods. Each channel is coded by itself:
//   lossless        the eight bytes of all values, byte 0 of all first, through zstd
//   cfg             the bins ceil(log(t) / log(1 + e)) as a grammar (write_rules)
//   hist            per terminal the most frequent 2^K bins of the first 100 values in 1 + K bits, others in 65 bits
//   sz[_clustered]  bins of the logarithm, each as the difference from the one before, varints through zstd
//   zfp[_clustered] zfp_times.hpp
#include "trace/timing_methods.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "trace/grammar.hpp"
#include "trace/log_bins.hpp"
#include "trace/part_file.hpp"
#include "trace/zfp_times.hpp"
#include "trace/zstd_bytes.hpp"

namespace laconic::trace {
namespace {

using values = std::vector<std::uint64_t>;
constexpr int level = 9;
constexpr std::size_t samples = 100;

void put_deflated(bytes& out, const bytes& raw) {
    const auto shorter = deflated(raw, level);
    put_varint(out, raw.size());
    put_varint(out, shorter ? 1 : 0);
    put_block(out, shorter ? *shorter : raw);
}

result<bytes> get_deflated(wire_reader& in) {
    const std::uint64_t size = in.varint();
    const bool is_short = in.below(2) == 1;
    const view block = in.block();
    if (in.failed() || (!is_short && block.size() != size)) return damaged_times();
    if (is_short) return inflated(block, size);
    return bytes(block.begin(), block.end());
}

// ------------------------------------------------------------------------------------------------------- lossless

bytes planes_of(const values& all) {
    bytes raw(all.size() * 8);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t b = 0; b < 8; ++b) raw[b * all.size() + i] = static_cast<std::byte>(all[i] >> (8 * b));
    return raw;
}

status read_lossless(wire_reader& in, std::uint64_t calls, values& all) {
    const auto raw = get_deflated(in);
    if (!raw) return raw.error();
    if (raw->size() / 8 != calls || raw->size() % 8 != 0) return damaged_times();
    all.assign(static_cast<std::size_t>(calls), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t b = 0; b < 8; ++b) all[i] |= static_cast<std::uint64_t>((*raw)[b * all.size() + i]) << (8 * b);
    return {};
}

// ------------------------------------------------------------------------------------------------- cfg and hist

/// The paper's bins: a time is at most its bin's, which is at most (1 + e) times the time.
struct upper_bins {
    explicit upper_bins(double relative) : per_bin(std::log1p(relative)) {}
    [[nodiscard]] std::uint32_t bin_of(std::uint64_t time) const {
        if (time == 0) return 0;
        return 1 + static_cast<std::uint32_t>(std::ceil(std::log(static_cast<double>(time)) / per_bin));
    }
    [[nodiscard]] std::uint64_t time_of(std::uint32_t bin) const {
        if (bin == 0) return 0;
        const double time = std::exp((bin - 1) * per_bin);
        return time < 1.8e19 ? static_cast<std::uint64_t>(time) : ~std::uint64_t{0};
    }
    double per_bin;
};

void write_cfg(bytes& out, const values& all, double relative) {
    const upper_bins bins(relative);
    grammar made;
    for (const std::uint64_t each : all) made.add(bins.bin_of(each));
    write_rules(out, made.rules());
}

status read_cfg(wire_reader& in, std::uint64_t calls, double relative, values& all) {
    const upper_bins bins(relative);
    rule_list rules;
    const std::size_t count = in.count();
    for (std::size_t i = 0; i < count && !in.failed(); ++i) {
        rule_body& body = rules.emplace_back();
        const std::size_t symbols = in.count(2);
        for (std::size_t k = 0; k < symbols && !in.failed(); ++k) {
            const std::uint64_t code = in.below(std::uint64_t{1} << 32);
            const std::uint64_t times = in.below(most_calls) + 1;
            body.push_back({static_cast<std::uint32_t>(code >> 1) | ((code & 1) != 0 ? rule_flag : 0), times});
        }
    }
    if (in.failed() || rules.empty()) return damaged_times();
    const auto lengths = lengths_of(rules);
    if (!lengths || (*lengths)[0] != calls) return damaged_times();
    // A short grammar may stand for any number of times; they are wanted one by one, in memory.
    if (calls > std::uint64_t{1} << 28)
        return {errc::out_of_memory, "a timing block of method cfg has " + std::to_string(calls) +
                                         " calls; this method is read for at most 2^28"};
    for (rule_cursor at(rules); !at.at_end(); at.next()) all.push_back(bins.time_of(at.terminal()));
    return {};
}

class bit_writer {
public:
    void put(std::uint64_t value, unsigned bits) {
        for (; bits > 0; --bits) {
            if (free_ == 0) {
                out.push_back(std::byte{0});
                free_ = 8;
            }
            out.back() |= static_cast<std::byte>((value >> (bits - 1) & 1) << --free_);
        }
    }
    bytes out;

private:
    unsigned free_ = 0;
};

class bit_reader {
public:
    explicit bit_reader(view data) : data_(data) {}
    std::uint64_t get(unsigned bits) {
        std::uint64_t value = 0;
        for (; bits > 0; --bits, ++at_) {
            failed |= at_ / 8 >= data_.size();
            value = value << 1 | (failed ? 0 : static_cast<unsigned>(data_[at_ / 8]) >> (7 - at_ % 8) & 1U);
        }
        return value;
    }
    bool failed = false;

private:
    view data_;
    std::size_t at_ = 0;
};

/// The top bins of the first values, most frequent first.
std::vector<std::uint32_t> top_bins(std::span<const std::uint64_t> of, const upper_bins& bins, std::size_t most) {
    std::map<std::uint32_t, std::size_t> tally;
    for (const std::uint64_t each : of.first(std::min(of.size(), samples))) ++tally[bins.bin_of(each)];
    std::vector<std::pair<std::uint32_t, std::size_t>> sorted(tally.begin(), tally.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::uint32_t> top;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) top.push_back(sorted[i].first);
    return top;
}

bytes hist_of(const values& all, std::span<const std::size_t> ends, double relative, unsigned k) {
    const upper_bins bins(relative);
    bytes tables;
    bit_writer bits;
    std::size_t from = 0;
    for (const std::size_t end : ends) {
        const std::span<const std::uint64_t> of(all.data() + from, end - from);
        const auto top = top_bins(of, bins, std::size_t{1} << k);
        put_varint(tables, top.size());
        for (const std::uint32_t bin : top) put_varint(tables, bin);
        for (const std::uint64_t each : of) {
            const auto at = std::find(top.begin(), top.end(), bins.bin_of(each));
            bits.put(at == top.end() ? 1 : 0, 1);
            if (at == top.end())
                bits.put(each, 64);
            else
                bits.put(static_cast<std::uint64_t>(at - top.begin()), k);
        }
        from = end;
    }
    bytes made;
    put_varint(made, k);
    put_bytes(made, tables);
    put_block(made, bits.out);
    return made;
}

/// K is not published; the one that makes this block smallest.
void write_hist(bytes& out, const values& all, std::span<const std::size_t> ends, double relative) {
    bytes best;
    for (unsigned k = 1; k <= 6; ++k) {
        bytes made = hist_of(all, ends, relative, k);
        if (best.empty() || made.size() < best.size()) best = std::move(made);
    }
    put_bytes(out, best);
}

status read_hist(wire_reader& in, std::span<const std::size_t> ends, double relative, values& all) {
    const upper_bins bins(relative);
    const auto k = static_cast<unsigned>(in.below(7));
    std::vector<std::vector<std::uint32_t>> tops;
    for (std::size_t i = 0; i < ends.size() && !in.failed(); ++i) {
        auto& top = tops.emplace_back();
        const std::uint64_t size = in.below((std::uint64_t{1} << k) + 1);
        for (std::uint64_t b = 0; b < size; ++b)
            top.push_back(static_cast<std::uint32_t>(in.below(std::uint64_t{1} << 31)));
    }
    bit_reader bits(in.block());
    for (std::size_t i = 0; i < ends.size() && !in.failed(); ++i)
        while (all.size() < ends[i]) {
            if (bits.get(1) != 0) {
                all.push_back(bits.get(64));
            } else {
                const auto at = static_cast<std::size_t>(bits.get(k));
                if (at >= tops[i].size()) return damaged_times();
                all.push_back(bins.time_of(tops[i][at]));
            }
            if (bits.failed) return damaged_times();
        }
    return in.failed() ? damaged_times() : status();
}

// ------------------------------------------------------------------------------------------------------------- sz

void write_sz(bytes& out, const values& all, double relative) {
    const log_bins bins(relative);
    bytes raw, exact;
    std::int64_t before = 0;
    for (const std::uint64_t each : all) {
        const std::uint32_t bin = bins.bin_of(each);
        if (bin == log_bins::none) {
            put_varint(raw, 0);
            put_varint(exact, each);
            continue;
        }
        put_varint(raw, zigzag(std::int64_t{bin} - before) + 1);
        before = bin;
    }
    put_deflated(out, raw);
    put_deflated(out, exact);
}

status read_sz(wire_reader& in, std::uint64_t calls, double relative, values& all) {
    const log_bins bins(relative);
    const auto raw = get_deflated(in);
    if (!raw) return raw.error();
    const auto exact = get_deflated(in);
    if (!exact) return exact.error();
    wire_reader codes(*raw), kept(*exact);
    std::int64_t before = 0;
    while (all.size() < calls) {
        const std::uint64_t code = codes.varint();
        if (code == 0) {
            all.push_back(kept.varint());
        } else {
            before += unzigzag(code - 1);
            if (before < 0 || before >= std::int64_t{1} << 31) return damaged_times();
            all.push_back(bins.middle(static_cast<std::uint32_t>(before)));
        }
        if (codes.failed() || kept.failed()) return damaged_times();
    }
    return codes.complete() && kept.complete() ? status() : damaged_times();
}

}  // namespace

void write_channel(bytes& out, const values& all, std::span<const std::size_t> ends, const timing_options& options) {
    if (options.mode == timing_mode::lossless) return put_deflated(out, planes_of(all));
    switch (options.method) {
        case timing_method::cfg: return write_cfg(out, all, options.relative);
        case timing_method::hist: return write_hist(out, all, ends, options.relative);
        case timing_method::zfp:
        case timing_method::zfp_clustered: return write_zfp(out, all, options.relative);
        default: return write_sz(out, all, options.relative);
    }
}

status read_channel(wire_reader& in, std::uint64_t calls, std::span<const std::size_t> ends,
                    const timing_options& options, values& all) {
    if (options.mode == timing_mode::lossless) return read_lossless(in, calls, all);
    switch (options.method) {
        case timing_method::cfg: return read_cfg(in, calls, options.relative, all);
        case timing_method::hist: return read_hist(in, ends, options.relative, all);
        case timing_method::zfp:
        case timing_method::zfp_clustered: return read_zfp(in, calls, all);
        default: return read_sz(in, calls, options.relative, all);
    }
}

}  // namespace laconic::trace
