// SPDX-License-Identifier: BSD-3-Clause
// A file of frames flows in, its values flow out as raw bytes: the library's half of against_decoder.py.
// usage: fuzz_describe FILE OUTPUT; exit status 0 decoded, 1 refused, 2 usage
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "frames.hpp"
#include "laconic/streaming.hpp"

int main(int argc, char** argv) {
    using namespace laconic;
    using namespace laconic::fuzz;
    if (argc != 3) return 2;
    std::ifstream from(argv[1], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
    std::ofstream to(argv[2], std::ios::binary);
    view data(reinterpret_cast<const std::byte*>(text.data()), text.size());
    // An empty file holds no frame.
    const element_type type = fields_of(data).type;
    do {
        const auto size = frame_size(data.first(std::min<std::size_t>(data.size(), 64)));
        const auto refuse = [](const status& why) {
            std::cout << why.message() << '\n';
            return 1;
        };
        if (!size) return refuse(size.error());
        const view frame = data.first(static_cast<std::size_t>(std::min<std::uint64_t>(*size, data.size())));
        const auto info = inspect(frame);
        if (!info) return refuse(info.error());
        if (info->type != type) return refuse({errc::mismatch, "frames of two types"});
        const outcome values = decoded(frame, type, static_cast<std::size_t>(info->count));
        if (!values.ok()) return refuse({values.code, "decompress"});
        to.write(reinterpret_cast<const char*>(values.data.data()), static_cast<std::streamsize>(values.data.size()));
        data = data.subspan(frame.size());
    } while (!data.empty());
    return 0;
}
