// SPDX-License-Identifier: BSD-3-Clause
// Between Python's objects and codec.hpp: arguments are held, the GIL goes, the codec works, the GIL comes back,
// results become objects.
#include "functions.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "arrays.hpp"
#include "bytes.hpp"
#include "element.hpp"
#include "errors.hpp"
#include "laconic/streaming.hpp"
#include "run.hpp"
#include "settings.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

using bytes_view = std::span<const std::byte>;

/// The first frame of a sequence. It is not verified; one that is cut off comes out shorter than it says.
result<bytes_view> first_frame(bytes_view frames) {
    const auto size = frame_size(frames);
    if (!size) return size.error();
    return frames.first(static_cast<std::size_t>(std::min<std::uint64_t>(*size, frames.size())));
}

struct sequence_info {
    element_type type = element_type::f32;
    std::uint64_t count = 0;
    std::size_t frames = 0;
};

/// Verifies a sequence frame by frame.
result<sequence_info> survey(bytes_view frames) {
    sequence_info all;
    do {
        const auto frame = first_frame(frames);
        if (!frame) return frame.error();
        const auto about = inspect(*frame);
        if (!about) return about.error();
        if (all.frames > 0 && about->type != all.type)
            return status{errc::mismatch, "frame " + std::to_string(all.frames + 1) + " holds " +
                                              dtype_name(about->type) + ", those before it " + dtype_name(all.type)};
        all.type = about->type;
        if (__builtin_add_overflow(all.count, about->count, &all.count))
            return status{errc::corrupt, "the frames announce more elements than any array holds"};
        ++all.frames;
        frames = frames.subspan(frame->size());
    } while (!frames.empty());
    return all;
}

template <class T>
status decompress_all(bytes_view frames, std::span<T> values, run_control& run) {
    const auto only = first_frame(frames);
    if (!only) return only.error();
    if (only->size() == frames.size()) return decompress(frames, values, run.options());
    const std::uint64_t total = values.size();
    const bytes_view whole = frames;
    const auto mismatch = [&]() -> status {
        const auto all = survey(whole);
        if (!all) return all.error();
        return {errc::mismatch, "the frames hold " + std::to_string(all->count) + " elements of " +
                                    dtype_name(all->type) + ", out has " + std::to_string(total) + " of " +
                                    dtype_name(element_type_of<T>::value)};
    };
    while (!frames.empty()) {
        const auto frame = first_frame(frames);
        if (!frame) return frame.error();
        const auto about = inspect(*frame);
        if (!about) return about.error();
        if (about->type != element_type_of<T>::value || about->count > values.size()) return mismatch();
        run.set_step(total - values.size(), whole.size() - frames.size(), total);
        const auto count = static_cast<std::size_t>(about->count);
        if (status bad = decompress(*frame, values.first(count), run.options()); !bad.ok()) return bad;
        values = values.subspan(count);
        frames = frames.subspan(frame->size());
    }
    return values.empty() ? status{} : mismatch();
}

std::string codec_name(codec_id id) {
    const codec_description* const known = find_codec(id);
    return known != nullptr ? std::string(known->name) : std::to_string(static_cast<unsigned>(id));
}

}  // namespace

py::bytes compress_array(py::handle values, const py::tuple& asked, unsigned threads, py::object progress) {
    const settings how = settings::of(asked);
    const input_array array(values, "a");
    run_control run(threads, std::move(progress));
    const frame_options options = how.options_for(array.row(), run.options());
    return make_bytes(compress_bound(array.type(), array.count(), options.codec), run, [&](std::span<std::byte> out) {
        return with_type(array.type(), [&]<class T>() { return compress(array.as<T>(), how.limit, out, options); });
    });
}

void decompress_frames(py::handle frames, py::handle out, unsigned threads, py::object progress) {
    const frame_argument source(frames, "frame");
    const output_array target(out);
    run_control run(threads, std::move(progress));
    run.require(unlocked([&] {
        return with_type(target.type(), [&]<class T>() { return decompress_all(source.bytes(), target.as<T>(), run); });
    }));
}

py::tuple survey_frames(py::handle frames) {
    const frame_argument source(frames, "frame");
    const auto all = unlocked([&] { return survey(source.bytes()); });
    require(all.error());
    return py::make_tuple(dtype_name(all->type), all->count);
}

py::tuple inspect_frame(py::handle frame) {
    const frame_argument source(frame, "frame");
    const auto about = unlocked([&] { return inspect(source.bytes()); });
    require(about.error());
    const frame_info& info = *about;
    return py::make_tuple(info.version, codec_name(info.codec), dtype_name(info.type), info.count, info.bound,
                          info.step, info.row_length, info.contributions, info.magnitude, info.frame_bytes, info.blocks,
                          info.zero_blocks, info.raw_blocks, info.exact_sums, info.checksummed);
}

std::uint64_t size_of_frame(py::handle beginning) {
    const frame_argument source(beginning, "beginning");
    const auto size = frame_size(source.bytes());
    require(size.error());
    return *size;
}

std::string dtype_of(py::handle values) { return dtype_name(input_array(values, "a").type()); }

py::tuple compare_arrays(py::handle original, py::handle decoded) {
    const input_array x(original, "x");
    const input_array y(decoded, "y");
    if (x.type() != y.type())
        raise({errc::mismatch, std::string("x is ") + dtype_name(x.type()) + ", y is " + dtype_name(y.type()) +
                                   "; convert one of them"});
    const auto compared =
        unlocked([&] { return with_type(x.type(), [&]<class T>() { return compare(x.as<T>(), y.as<T>()); }); });
    require(compared.error());
    const comparison& c = *compared;
    return py::make_tuple(c.n, c.max_abs_error, c.mean_error, c.psnr, c.nrmse, c.range, c.nonfinite_mismatches);
}

py::tuple codec_table() {
    const auto all = codecs();
    py::tuple table(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        table[i] = py::make_tuple(static_cast<unsigned>(all[i].id), std::string(all[i].name),
                                  std::string(all[i].summary), all[i].keeps_bound, all[i].adds, all[i].available);
    return table;
}

py::tuple engine_names() {
    const auto names = available_engines();
    py::tuple all(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) all[i] = py::str(std::string(names[i]));
    return all;
}

std::string engine_in_use() { return std::string(engine_name()); }

void choose_engine(const std::string& name) { require(use_engine(name)); }

void verify_engine() { require(check_engine()); }

}  // namespace laconic::python
