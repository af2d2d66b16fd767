// SPDX-License-Identifier: BSD-3-Clause
// Chunks of a dataset: elements in, stored bytes out, and back. No HDF5 in here. docs/guide/hdf5.md has the bytes.
//
// A stored chunk is a frame. When there are fill values among the elements, a head of 16 bytes stands before the frame
// and says which decoded bits mean "fill value": it comes back as it was, and nothing else turns into it.
#pragma once

#include <cstddef>
#include <span>

#include "laconic/status.hpp"
#include "parameters.hpp"

namespace laconic::hdf5 {

/// Room that encode() needs for a chunk. Precondition: how.type.
[[nodiscard]] std::size_t room_for(const parameters& how) noexcept;

/// Encodes the how.count elements of type *how.type in `elements`. `out` has room_for(how) bytes; returns how many were
/// used, or the codec's status. May allocate, and throws std::bad_alloc then.
[[nodiscard]] result<std::size_t> encode(const parameters& how, std::span<const std::byte> elements,
                                         std::span<std::byte> out);

/// Decodes a stored chunk into `elements`, how.count * the element's size. The chunk is treated as hostile.
[[nodiscard]] status decode(const parameters& how, std::span<const std::byte> stored, std::span<std::byte> elements);

/// False when no chunk of so few bytes can hold how.count elements: asked before memory is allocated for them.
[[nodiscard]] bool plausible(const parameters& how, std::size_t stored_bytes) noexcept;

}  // namespace laconic::hdf5
