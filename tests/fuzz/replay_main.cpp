// SPDX-License-Identifier: BSD-3-Clause
// A target without a fuzzer: files and folders of files flow in, each goes through the target once. Ends with the
// target's own abort, its input named before, when something does not hold.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "support.hpp"

namespace {

void replay(const std::filesystem::path& file) {
    std::ifstream from(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
    // A buffer of exactly the input's size: sanitizers see what lies behind it.
    const std::vector<std::uint8_t> data(text.begin(), text.end());
    std::cerr << file.string() << std::endl;
    (void)LLVMFuzzerTestOneInput(data.data(), data.size());
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t done = 0;
    for (int i = 1; i < argc; ++i) {
        if (!std::filesystem::is_directory(argv[i])) {
            replay(argv[i]);
            ++done;
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            if (entry.path().extension() == ".md") continue;
            replay(entry.path());
            ++done;
        }
    }
    std::cout << done << " inputs\n";
    return done > 0 ? 0 : 1;
}
