// SPDX-License-Identifier: BSD-3-Clause
// Writes the golden files of the stream format, or random ones: a directory goes in, DIR/*.lac, DIR/malformed/*.lac and
// DIR/index.json come out, the same bytes on every engine and machine.
//
// usage: make_golden DIR                        the files of tests/golden/stream/v1
//        make_golden --random SEED COUNT DIR    COUNT random frames, and as many damaged ones
//        make_golden --engines                  names of the engines of this machine
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "golden.hpp"

namespace {

using namespace laconic::golden;

void write(const std::filesystem::path& path, const char* from, std::size_t size) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out.write(from, static_cast<std::streamsize>(size));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path.string());
}

void write_all(const std::vector<file>& files, const std::filesystem::path& into) {
    for (const file& one : files)
        write(into / (one.name + ".lac"), reinterpret_cast<const char*>(one.content.data()), one.content.size());
    const std::string index = index_of(files);
    write(into / "index.json", index.data(), index.size());
}

int run(const std::vector<std::string>& arguments) {
    if (const laconic::status bad = laconic::check_engine(); !bad.ok()) throw laconic::bad_result(bad);
    if (arguments.size() == 1 && arguments[0] == "--engines") {
        for (const std::string_view name : laconic::available_engines()) std::cout << name << "\n";
        return 0;
    }
    if (arguments.size() == 1 && !arguments[0].starts_with("-")) {
        std::vector<file> files = valid_files();
        for (auto* make : {forged_files, malformed_files})
            for (file& one : make()) files.push_back(std::move(one));
        write_all(files, arguments[0]);
        return 0;
    }
    if (arguments.size() == 4 && arguments[0] == "--random") {
        write_all(random_files(std::stoull(arguments[1]), std::stoull(arguments[2])), arguments[3]);
        return 0;
    }
    std::cerr << "usage: make_golden DIR | --random SEED COUNT DIR | --engines\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& failure) {
        std::cerr << "make_golden: " << failure.what() << "\n";
        return 1;
    }
}
