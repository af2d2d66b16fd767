// SPDX-License-Identifier: BSD-3-Clause
// Writes the golden traces into a folder, and prints what traces.cpp should pin.
#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "traces.hpp"

int main(int argc, char** argv) {
    using namespace laconic;
    if (argc != 2 || *argv[1] == '-') {
        std::fprintf(stderr, "usage: make_golden_traces FOLDER\n");
        return 2;
    }
    for (const golden::golden_trace& each : golden::golden_traces()) {
        const trace::bytes file = golden::written(each).value();
        std::ofstream out(std::string(argv[1]) + "/" + each.name + ".trace", std::ios::binary);
        out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
        if (!out.flush()) return 1;
        std::printf("%-20s %6zu bytes 0x%016" PRIx64 "\n", each.name.c_str(), file.size(),
                    golden::digest_of(trace_file::parse(file).value()).value());
    }
    return 0;
}
