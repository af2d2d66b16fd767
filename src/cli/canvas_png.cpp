// SPDX-License-Identifier: BSD-3-Clause
// The pixels of a canvas flow in, libpng makes a file of them.
#include <png.h>

#include "cli/canvas.hpp"
#include "cli/command.hpp"

namespace laconic::cli {

void need_pictures() {}

std::vector<std::byte> canvas::png() const {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(width_);
    header.height = static_cast<png_uint_32>(height_);
    header.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
    std::vector<std::byte> bytes(size);
    if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, pixels_.data(), 0, nullptr))
        fail_data(std::string("cannot make the picture: ") + header.message);
    bytes.resize(size);
    return bytes;
}

}  // namespace laconic::cli
