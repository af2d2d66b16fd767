// SPDX-License-Identifier: BSD-3-Clause
// Frames as the public API writes them: every type, size, bound and operation that has shaped a byte of the format.
#include <array>
#include <limits>
#include <type_traits>

#include "golden.hpp"

namespace laconic::golden {
namespace {

std::string with(const std::string& name, std::uint64_t number) { return name + "_" + std::to_string(number); }

bytes joined(std::initializer_list<bytes> parts) {
    bytes all;
    for (const bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// The files of one type; names begin with the type's.
template <class T>
class gallery {
public:
    explicit gallery(std::vector<file>& files) : files_(files) {}

    void make() {
        sizes();
        bounds();
        fields();
        rows();
        codecs();
        sums();
        other_arithmetic();
        vanishing();
        sequences_of_frames();
    }

private:
    static constexpr bool is_short = sizeof(T) == 2;
    /// A bound that the type's own rounding leaves room for.
    static constexpr double fair = is_short ? 0.03125 : 1e-3;

    void add_file(const std::string& name, bytes content) {
        files_.push_back({std::string(name_of(element_type_of<T>::value)) + "_" + name, std::move(content)});
    }
    static frame_options with_row(std::uint64_t length) {
        frame_options options;
        options.row_length = length;
        return options;
    }
    /// Options for arrays that are to meet: one step for all.
    static frame_options shared(std::uint64_t row = 0) {
        frame_options options = with_row(row);
        options.max_abs = 4;
        return options;
    }
    static bytes part(const std::string& field, std::size_t n, std::uint64_t seed, std::uint64_t row = 0) {
        return compressed(make_field<T>(field, n, seed), bound::abs(fair), shared(row));
    }
    static bytes sum(const bytes& a, const bytes& b) { return combined(add, a, b); }
    /// Compressed and added in one pass: whatever the values are, they take the frame's step.
    static bytes fused(const std::string& field, std::uint64_t seed, const bytes& frame) {
        const std::size_t n = static_cast<std::size_t>(inspect(frame).value().count);
        const auto x = make_field<T>(field, n, seed);
        bytes out(sum_bound(element_type_of<T>::value, n));
        out.resize(add(std::span<const T>(x), std::span<const std::byte>(frame), std::span(out)).value());
        return out;
    }
    /// The field, or one whose step is that of the others: the step of 16-bit types follows the largest element.
    static std::string odd(const std::string& field) { return is_short ? "gaps" : field; }

    void sizes() {
        for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 2047U, 2048U, 2049U, 4400U})
            add_file(with("smooth", n), compressed(make_field<T>("smooth", n), bound::abs(fair)));
    }

    void bounds() {
        const auto x = make_field<T>("smooth", 70);
        add_file("lossless", compressed(x, bound::lossless()));
        add_file("lossless_integers", compressed(make_field<T>("integers", 200), bound::lossless()));
        add_file("bound_tiny", compressed(x, bound::abs(1e-30)));
        add_file("bound_huge", compressed(x, bound::abs(1e30)));
        add_file("bound_least", compressed(make_field<T>("denormal", 96), bound::abs(0x1p-1074)));
        add_file("bound_relative", compressed(make_field<T>("offset", 300), bound::rel(1e-2)));
        add_file("constant_relative", compressed(make_field<T>("constant", 100), bound::rel(1e-3)));
        // Planes beyond 13 have rate bytes of their own.
        add_file("wide_codes", compressed(make_field<T>("noise", 300), bound::abs(is_short ? 0x1p-9 : 0x1p-18)));
        add_file("narrow_and_wide", compressed(make_field<T>("spikes", 300), bound::abs(is_short ? 2 : 0.25)));
        if constexpr (sizeof(T) == 8) {
            // Integers beyond 32 bits.
            add_file("far_integers", compressed(make_field<T>("integers", 200), bound::abs(1e-9)));
            add_file("far_noise", compressed(make_field<T>("noise", 200), bound::abs(0x1p-49)));
            add_file("far_rows", compressed(make_field<T>("offset", 400), bound::abs(1e-10), with_row(50)));
        }
    }

    void fields() {
        for (const char* const name : field_names()) {
            const bool is_raw = std::string(name) == "any_bits" || std::string(name) == "huge";
            const std::size_t n = is_raw ? 72 : 200;
            add_file("field_" + std::string(name), compressed(make_field<T>(name, n), bound::abs(fair)));
        }
        const double least = is_short ? 0x1p-25 : sizeof(T) == 4 ? 0x1p-140 : 0x1p-1060;
        add_file("denormal_coarse", compressed(make_field<T>("denormal", 96), bound::abs(least)));
    }

    void rows() {
        for (const std::uint64_t row : {32U, 33U, 100U, 2047U})
            add_file(with("rows", row), compressed(make_field<T>("smooth", row == 2047 ? 3000 : row * 7 + 5),
                                                   bound::abs(fair), with_row(row)));
        add_file("rows_raw_blocks", compressed(make_field<T>("special", 200), bound::abs(fair), with_row(45)));
        add_file("rows_out_of_range", compressed(make_field<T>("smooth", 90), bound::abs(fair), with_row(2048)));
    }

    void codecs() {
        frame_options options;
        options.checksum = true;
        add_file("checksum", compressed(make_field<T>("smooth", 500), bound::abs(fair), options));
        add_file("checksum_empty", compressed(std::vector<T>{}, bound::abs(fair), options));
        options.codec = codec_id::raw;
        add_file("raw_codec_checksum", compressed(make_field<T>("special", 50), bound::lossless(), options));
        options.checksum = false;
        add_file("raw_codec", compressed(make_field<T>("any_bits", 77), bound::lossless(), options));
        add_file("raw_codec_empty", compressed(std::vector<T>{}, bound::lossless(), options));
    }

    void sums() {
        for (const std::uint64_t row : {0U, 60U}) {
            const std::string tail = row == 0 ? "" : "_rows";
            const std::size_t n = row == 0 && !is_short ? 2100 : 410;
            bytes total = part("smooth", n, 1, row);
            for (std::uint64_t k = 2; k <= 5; ++k) {
                total = sum(total, part("smooth", n, k, row));
                if (k == 2 || k == 5) add_file(with("sum", k) + tail, total);
            }
            total = sum(part(odd("spikes"), 150, 1, row), part("smooth", 150, 2, row));
            add_file("sum_mixed" + tail, total);
            add_file("sum_mixed_more" + tail, fused("special", 3, total));
        }
        add_file("sum_fused", fused("gaps", 2, part("minus_0", 100, 1)));
        add_file("sum_held", sum(part(odd("huge"), 50, 1), part(odd("huge"), 50, 2)));
        add_file("sum_minus_0", sum(part("minus_0", 60, 3), part("minus_0", 60, 4)));
        add_file("sum_special", sum(part(odd("special"), 80, 4), part(odd("special"), 80, 5)));
        // Raw parts that no wide value holds the sum of: the flag word says that they were rounded.
        bytes rounded = part(odd("any_bits"), 40, 1);
        for (std::uint64_t k = 2; k <= 6; ++k) rounded = fused("any_bits", k, rounded);
        add_file("sum_rounded", rounded);
        add_file("sum_rounded_and_smooth", sum(rounded, part("smooth", 40, 1)));
        if constexpr (sizeof(T) == 8) {
            const auto far = [](std::uint64_t seed) {
                return compressed(make_field<T>("noise", 150, seed), bound::abs(0x1p-49), shared());
            };
            add_file("sum_far", sum(far(1), sum(far(2), far(3))));
        }
    }

    void other_arithmetic() {
        for (const std::string name : {"smooth", "gaps", "special"}) {
            if (is_short && name == "special") continue;
            const std::string tail = "_" + name;
            const bytes a = part(name, 80, 1);
            const bytes b = part(name, 80, 2);
            add_file("difference" + tail, combined(subtract, a, b));
            add_file("minimum" + tail, combined(minimum, a, b));
            add_file("maximum" + tail, combined(maximum, a, b));
            add_file("times_3" + tail, scaled(a, 3));
            add_file("times_minus_2" + tail, scaled(a, -2));
            add_file("negated" + tail, scaled(a, -1));
            add_file("times_0" + tail, scaled(a, 0));
        }
        // Beyond the range of the integers of a sum.
        add_file("times_many", scaled(part("smooth", 70, 1), 100'000'000));
        add_file("extreme_mixed", combined(minimum, part(odd("spikes"), 130, 1), part("smooth", 130, 2)));
        add_file("difference_rows", combined(subtract, part("noise", 330, 1, 40), part("smooth", 330, 2, 40)));
    }

    /// Integers that all but cancel, and then vanish in the type: -0.0 and +0.0.
    void vanishing() {
        if constexpr (std::is_same_v<T, half>) {
            frame_options options;
            options.max_abs = 0x1p-13;
            const auto multiples = [&options](int of) {
                std::vector<T> x;
                for (int i = 0; i < 250; ++i) x.push_back(T(static_cast<float>(of * i) * 0x1p-24F));
                return compressed(x, bound::abs(1.001 * 0x1p-25), options);
            };
            const bytes once = multiples(1);
            const bytes less = combined(subtract, combined(subtract, multiples(2), once), once);
            add_file("difference_vanishes", less);
            add_file("difference_vanishes_negated", scaled(less, -1));
        }
    }

    void sequences_of_frames() {
        frame_options raw;
        raw.codec = codec_id::raw;
        raw.checksum = true;
        const bytes smooth = part("smooth", 100, 1);
        add_file("frames_2", joined({smooth, part(odd("spikes"), 33, 2)}));
        add_file("frames_4", joined({part("smooth", 0, 1), compressed(make_field<T>("special", 21), {}, raw),
                                     part("smooth", 65, 3, 32), sum(smooth, smooth)}));
    }

    std::vector<file>& files_;
};

}  // namespace

namespace {

/// The worked examples of docs/format/stream.md.
void add_examples(std::vector<file>& files) {
    std::vector<float> x;
    for (int i = 0; i < 32; ++i) x.push_back(10 + 0.5F * static_cast<float>(i % 4));
    x.insert(x.end(), {7.25F, std::numeric_limits<float>::quiet_NaN(), 7.25F, 7.25F});
    files.push_back({"f32_example", compressed(x, bound::abs(0.25))});
    // Three rows of 40 values, up and down, each larger by one than the row before; and one -0.0.
    x.clear();
    for (int row = 0; row < 3; ++row)
        for (int i = 0; i < 40; ++i) x.push_back(static_cast<float>((i < 20 ? i : 39 - i) + row));
    x[80] = -0.0F;
    frame_options options;
    options.row_length = 40;
    options.checksum = true;
    files.push_back({"f32_example_rows", compressed(x, bound::abs(0.5), options)});
}

/// More chunks than one thread takes at a time.
void add_long_file(std::vector<file>& files) {
    std::vector<float> x(150'000);
    for (std::size_t i = 5; i < x.size(); i += 29'989) x[i] = static_cast<float>(i);
    files.push_back({"f32_long", compressed(x, bound::abs(0.5))});
}

}  // namespace

std::vector<file> valid_files() {
    std::vector<file> files;
    add_examples(files);
    add_long_file(files);
    gallery<float>(files).make();
    gallery<double>(files).make();
    gallery<half>(files).make();
    gallery<bfloat16>(files).make();
    return files;
}

}  // namespace laconic::golden
