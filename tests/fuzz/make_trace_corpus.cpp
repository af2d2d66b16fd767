// SPDX-License-Identifier: BSD-3-Clause
// Seeds for fuzz_trace: small programs are recorded, and every kind of bytes that comes of it is written into a folder.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "../unit/trace/programs.hpp"
#include "trace/container.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"

namespace laconic::trace {
namespace {

std::filesystem::path root;

void write(const std::string& name, unsigned kind, view data) {
    std::ofstream out(root / name, std::ios::binary);
    out.put(static_cast<char>(kind));
    out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
}

bytes read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    bytes made;
    put_bytes(made, std::as_bytes(std::span(text)));
    return made;
}

rank_trace recorded(const calls& all, int me, int ranks, const timing_options& timing, const std::string& part = {}) {
    recorder_options options;
    options.rank = static_cast<std::uint32_t>(me);
    options.ranks = static_cast<std::uint32_t>(ranks);
    options.timing = timing;
    options.part_path = part;
    const auto to = std::move(recorder::make(options)).value();
    std::uint64_t now = 1000;
    for (const bytes& each : all) {
        now += 700 + now % 90;
        to->call(each, now, 300 + now % 70);
    }
    return to->finish().value();
}

void write_program(const std::string& name, int ranks, const std::function<calls(int)>& of) {
    bytes all = recorded(of(0), 0, ranks, {}).core;
    for (int me = 1; me < ranks; ++me) all = merge(all, recorded(of(me), me, ranks, {}).core).value();
    write(name + "-core", 1, all);
    bytes file = file_of(all, {{"program", name}}).value();
    put_bytes(file, end_section());
    write(name + "-file", 0, file);
}

/// With the times of single calls.
void write_timed(const std::string& name, int ranks, const std::function<calls(int)>& of,
                 const timing_options& timing) {
    std::vector<rank_trace> all;
    for (int me = 0; me < ranks; ++me) all.push_back(recorded(of(me), me, ranks, timing));
    bytes core = all[0].core;
    for (std::size_t me = 1; me < all.size(); ++me) core = merge(core, all[me].core).value();
    bytes file = file_of(core, {{"program", name}}).value();
    for (std::size_t me = 0; me < all.size(); ++me)
        put_bytes(file, timing_section(static_cast<std::uint32_t>(me), all[me].timing));
    put_bytes(file, end_section());
    write(name + "-file", 0, file);
}

void write_timings() {
    const calls all = root_fan(0, 4, 12);
    for (unsigned method = 0; method < 7; ++method) {
        const timing_options options{timing_mode::lossy, static_cast<timing_method>(method), 0.1};
        if (!options.check().ok()) continue;
        write("times-" + std::string(name_of(options.method)), 3, recorded(all, 0, 4, options).timing);
    }
    write("times-lossless", 3, recorded(all, 0, 4, {timing_mode::lossless, timing_method::position, 0.1}).timing);
}

}  // namespace
}  // namespace laconic::trace

int main(int argc, char** argv) {
    using namespace laconic::trace;
    if (argc < 2 || *argv[1] == '-') {
        std::cerr << "usage: fuzz_make_trace_corpus FOLDER [TRACE...]\n";
        return 2;
    }
    root = argv[1];
    // Recorded ones (tests/python/traces), for the bytes behind calls: as cores, which no checksum guards.
    for (int i = 2; i < argc; ++i)
        write(std::filesystem::path(argv[i]).stem().string() + "-recorded", 1, parts_of(read(argv[i])).value().core);
    write_program("stencil", 9, [](int me) { return stencil(me, {3, 3}, false, 5); });
    write_program("fan", 8, [](int me) { return root_fan(me, 8, 3); });
    write_program("transpose", 8, [](int me) { return transpose(me, 2, 4, 2); });
    write_program("pairs", 5, [](int me) { return all_pairs(me, 5, true); });
    write_program("irregular", 7, [](int me) {
        program p(me, 7);
        p.send(me * 3 % 7, 1, 2, 0, 100 + me * me);
        return p.end();
    });
    write_timings();
    write_timed("fan-timed", 4, [](int me) { return root_fan(me, 4, 3); },
                {timing_mode::lossless, timing_method::position, 0.1});
    write_timed("fan-lossy", 4, [](int me) { return root_fan(me, 4, 3); },
                {timing_mode::lossy, timing_method::position, 0.1});
    const std::string part = (root / "part").string();
    recorded(root_fan(0, 6, 3), 0, 6, {}, part);
    // The rest of the journal is zeros; some may be the last call's.
    bytes journal = read(part + ".0000.part");
    while (!journal.empty() && journal.back() == std::byte{0}) journal.pop_back();
    journal.resize(journal.size() + 8);
    write("part-journal", 2, journal);
    std::filesystem::remove(part + ".0000.part");
    bytes loops;
    for (int i = 0; i < 400; ++i)
        loops.push_back(static_cast<std::byte>(i % 40 < 30 ? i % 5 : i % 7 + (i > 200 ? 128 : 0)));
    write("loops", 4, loops);
    return 0;
}
