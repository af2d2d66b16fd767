// SPDX-License-Identifier: BSD-3-Clause
// The command line of the stacking example: arguments flow in, settings or a sentence about what is wrong flow out.
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

namespace stacking {
namespace {

constexpr std::array scopes{laconic::scope::result, laconic::scope::contribution, laconic::scope::probable};

constexpr const char* about =
    "Image stacking: every rank holds partial seismic images and all ranks need their sum. Runs MPI_Allreduce and\n"
    "laconic::allreduce on the same images, prints what was saved and what it cost in accuracy, and writes the\n"
    "stacked image as PNG. Without FILEs the images are computed by reverse-time migration of a layered earth.";

constexpr const char* examples =
    "Examples:\n"
    "  mpiexec -n 4 stacking-mpich\n"
    "  mpiexec -n 4 stacking-mpich --rel 1e-4 --algorithms ring_raw,hzccl,homcomp_f --json table.json\n"
    "  mpiexec -n 4 stacking-mpich --save images && mpiexec -n 4 stacking-mpich --dims 601x301x41 images/*.f32\n"
    "  mpiexec -n 3 stacking-openmpi --dims 1601x401 --fastest z --abs 1e-3 snapshots.f32\n"
    "\n"
    "Exit status: 0 done, 1 bad data or a failed write, 2 bad usage, 3 an error bound did not hold.";

laconic::status wrong(const std::string& what) { return {laconic::errc::invalid_argument, what}; }

// "601x301x41" -> numbers; empty when it is anything else.
std::vector<std::size_t> lengths(const std::string& text) {
    std::vector<std::size_t> found;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        std::size_t value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{} || value == 0) return {};
        found.push_back(value);
        if (next == end) return found;
        if (*next != 'x') return {};
        at = next + 1;
    }
}

struct raw_text {
    std::string dims, grid = "601x301", type = "f32", fastest = "x", scope, op = "sum", config, engine;
    double abs = 0, rel = 0;
    std::size_t shots = 16, panels = 41;
};

laconic::status read_bound(const CLI::App& app, const raw_text& text, settings& into) {
    for (const bool absolute : {true, false}) {
        const char* flag = absolute ? "--abs" : "--rel";
        if (app.count(flag) == 0) continue;
        const double value = absolute ? text.abs : text.rel;
        if (!std::isfinite(value) || value <= 0) {
            return {laconic::errc::invalid_bound, std::string(flag) + ' ' + app.get_option(flag)->results().front() +
                                                      ": an error bound is a finite number above 0, e.g. 1e-3"};
        }
        into.limit = absolute ? laconic::bound::abs(value) : laconic::bound::rel(value);
    }
    return {};
}

/// What the environment and the TOML file say. These two flags override variables that are read deep in the library, so
/// they take their places.
laconic::status read_library_options(const raw_text& text, settings& into) {
    if (!text.config.empty()) ::setenv("LACONIC_CONFIG", text.config.c_str(), 1);
    if (!text.engine.empty()) {
        ::setenv("LACONIC_FORCE_ISA", text.engine.c_str(), 1);
        if (const laconic::status bad = laconic::use_engine(text.engine); !bad.ok())
            return wrong("--force-isa: " + bad.context());
    }
    const auto options = laconic::collective_options::from_environment();
    // A TOML file that is not there is wrong usage too.
    if (!options) return wrong(options.error().context());
    // No bound is 0 there: lossless. This example is about bounds and has one of its own.
    if (options->limit.value > 0) into.limit = options->limit;
    into.scope = options->bound_scope;
    into.confidence = options->confidence;
    into.segment_bytes = options->segment_bytes;
    into.machine = options->machine;
    if (into.algorithms.empty()) into.algorithms = {options->algorithm};
    return {};
}

laconic::status read_dimensions(const CLI::App& app, const raw_text& text, settings& into) {
    if (into.files.empty()) {
        if (app.count("--dims") != 0)
            return wrong("--dims " + text.dims + " describes FILEs; name some, or use --grid");
        if (into.depth_fastest) return wrong("--fastest z is for FILEs; computed images hold rows");
        if (into.type == laconic::element_type::f64) return wrong("--type f64 is for FILEs; computed images are f32");
        const auto grid = lengths(text.grid);
        if (grid.size() != 2 || grid[0] < 48 || grid[1] < 48) {
            return wrong("--grid " + text.grid + ": give NXxNZ grid points, at least 48x48, e.g. 601x301");
        }
        if (text.panels % 2 == 0 || text.panels > grid[0]) {
            return wrong("--panels " + std::to_string(text.panels) + ": give an odd number up to " +
                         std::to_string(grid[0]));
        }
        if (text.shots == 0 || text.shots > grid[0]) {
            return wrong("--shots " + std::to_string(text.shots) + ": give 1 to " + std::to_string(grid[0]));
        }
        into.nx = grid[0], into.nz = grid[1], into.panels = text.panels;
        into.plan.nx = into.nx, into.plan.nz = into.nz;
        into.plan.shots = text.shots, into.plan.half_offsets = text.panels / 2;
        return {};
    }
    if (!into.save.empty()) return wrong("--save keeps computed images; the images here already are FILEs");
    if (text.dims.empty()) return wrong("FILEs need --dims NXxNZ or NXxNZxPANELS: the size of one partial image");
    const auto dims = lengths(text.dims);
    if (dims.size() < 2 || dims.size() > 3) {
        return wrong("--dims " + text.dims + ": give NXxNZ or NXxNZxPANELS, e.g. 1601x401");
    }
    into.nx = dims[0], into.nz = dims[1], into.panels = dims.size() == 3 ? dims[2] : 1;
    return {};
}

laconic::status check(const CLI::App& app, const raw_text& text, settings& into) {
    into.type = text.type == "f64" ? laconic::element_type::f64 : laconic::element_type::f32;
    into.depth_fastest = text.fastest == "z";
    into.operation = text.op == "avg" ? laconic::reduction::avg : laconic::reduction::sum;
    if (laconic::status bad = read_library_options(text, into); !bad.ok()) return bad;
    for (const laconic::scope each : scopes)
        if (text.scope == name_of(each)) into.scope = each;
    if (laconic::status bad = read_bound(app, text, into); !bad.ok()) return bad;
    if (laconic::status bad = read_dimensions(app, text, into); !bad.ok()) return bad;
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (into.nx > most / into.nz || into.nx * into.nz > most / into.panels) {
        return wrong("an image of " + std::to_string(into.nx) + 'x' + std::to_string(into.nz) + 'x' +
                     std::to_string(into.panels) + " values is too large: MPI_Allreduce takes " + std::to_string(most) +
                     "; stack fewer panels at a time");
    }
    std::erase(into.algorithms, "stock");
    return {};
}

}  // namespace

const char* name_of(laconic::scope scope) {
    switch (scope) {
        case laconic::scope::contribution: return "contribution";
        case laconic::scope::probable: return "probable";
        default: return "result";
    }
}

std::string in_words(const settings& wanted) {
    std::ostringstream text;
    text << wanted.nx << 'x' << wanted.nz << 'x' << wanted.panels << ' '
         << (wanted.type == laconic::element_type::f64 ? "f64" : "f32") << ", " << wanted.files.size() << " files, "
         << (wanted.limit.kind == laconic::bound_kind::absolute ? "abs " : "rel ") << wanted.limit.value << ", scope "
         << name_of(wanted.scope) << ", " << (wanted.operation == laconic::reduction::avg ? "avg" : "sum");
    if (wanted.scope == laconic::scope::probable) text << ", confidence " << wanted.confidence;
    if (wanted.segment_bytes > 0) text << ", segments of " << wanted.segment_bytes;
    text << ", " << wanted.repetitions << " repetitions of";
    for (const std::string& name : wanted.algorithms) text << ' ' << name;
    if (wanted.files.empty()) text << ", " << wanted.plan.shots << " shots";
    if (!wanted.save.empty()) text << ", saved";
    return text.str();
}

laconic::result<settings> parse_command_line(int argc, const char* const* argv) {
    settings into;
    raw_text text;
    CLI::App app(about, "stacking");
    app.footer(examples);
    app.add_option("FILE", into.files, "raw little-endian fields: partial images, one after another");
    app.add_option("--dims", text.dims, "size of one partial image in FILEs: NXxNZ[xPANELS]");
    app.add_option("--type", text.type, "f32 or f64, of FILEs")->check(CLI::IsMember({"f32", "f64"}));
    app.add_option("--fastest", text.fastest, "x: FILEs hold rows of equal depth; z: columns, depth varies fastest [x]")
        ->check(CLI::IsMember({"x", "z"}));
    app.add_option("--grid", text.grid, "computed images: grid points, 10 m apart [601x301]");
    app.add_option("--shots", text.shots, "computed images: shots, dealt to the ranks [16]");
    app.add_option("--panels", text.panels, "computed images: subsurface offsets [41]");
    auto* absolute = app.add_option("--abs", text.abs, "error bound in the images' own unit");
    app.add_option("--rel", text.rel, "error bound as a fraction of max - min [LACONIC_ABS or _REL, or 1e-3]")
        ->excludes(absolute);
    app.add_option("--scope", text.scope,
                   "what the bound limits: result, contribution or, with LACONIC_CONFIDENCE, probable "
                   "[LACONIC_SCOPE, or result]")
        ->check(CLI::IsMember({"result", "contribution", "probable"}));
    app.add_option("--op", text.op, "sum or avg [sum]")->check(CLI::IsMember({"sum", "avg"}));
    app.add_option("--algorithms", into.algorithms,
                   "laconic's algorithms to run beside MPI_Allreduce [LACONIC_ALGORITHM, or auto]")
        ->delimiter(',')
        ->allow_extra_args(false);  // what follows after a space is a FILE
    app.add_option("--repetitions", into.repetitions, "timed runs of each, interleaved; the table has medians [5]")
        ->check(CLI::Range(1, 1000));
    app.add_option("--force-isa", text.engine, "codec engine to use [LACONIC_FORCE_ISA, or the fastest]");
    app.add_option("--config", text.config, "TOML file with options of the library [LACONIC_CONFIG]");
    app.add_option("--out", into.out, "directory for the pictures [out/stacking]");
    app.add_option("--json", into.json, "also write the table to this file");
    app.add_option("--save", into.save, "keep each rank's computed partial image in this directory");
    into.help_text = app.help();
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        into.help = true;
        return into;
    } catch (const CLI::ParseError& error) {
        return wrong(std::string(error.what()) + "; --help shows what is possible");
    }
    if (laconic::status bad = check(app, text, into); !bad.ok()) return bad;
    return into;
}

}  // namespace stacking
