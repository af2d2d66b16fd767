// SPDX-License-Identifier: BSD-3-Clause
// Which allocation an address lies in: allocations and releases flow in as they happen, (space, segment, displacement)
// flows out. Segments get their id when a call first names them, so allocations that MPI never sees cost no id.
//
// Small allocations hang in chains by the page they start in, large ones lie in a sorted array. All memory comes from
// the next allocator directly: the map is used inside malloc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/flat_map.hpp"
#include "record/id_pool.hpp"
#include "record/next_allocator.hpp"
#include "record/spin_lock.hpp"

namespace laconic::record {

/// The codes of `buffer` in a signature.
enum class space : std::uint8_t {
    null = 0,
    bottom = 1,
    in_place = 2,
    heap = 3,
    stack = 4,
    device = 5,
    library = 6,
    image = 7,
    managed = 8,
    pinned = 9,
};

struct location {
    space where = space::null;
    std::uint32_t segment = 0;
    std::int64_t displacement = 0;
    std::uint16_t device = 0;  ///< of space::device
};

class memory_map {
public:
    memory_map() = default;
    memory_map(const memory_map&) = delete;
    memory_map& operator=(const memory_map&) = delete;
    ~memory_map();

    /// What malloc hooks call. Cheap, and safe from any thread.
    void allocated(const void* base, std::size_t bytes) noexcept { add(number(base), bytes, space::heap); }
    void released(const void* base) noexcept { released(number(base)); }
    void released(std::uintptr_t base) noexcept;
    /// Memory that MPI gave to the program.
    void allocated_by_library(const void* base, std::size_t bytes) noexcept {
        add(number(base), bytes, space::library);
    }
    /// What allocators of CUDA gave: `where` is device, managed or pinned. Lies within mappings that the heap has, too.
    void allocated_by_cuda(std::uintptr_t base, std::size_t bytes, space where, std::uint16_t device) noexcept {
        add(base, bytes, where, device);
    }
    /// munmap: forgets the mappings that begin in the range.
    void unmapped(const void* base, std::size_t bytes) noexcept;

    /// Where the address lies; `on_stack` saves the search. Called under the recorder's lock.
    [[nodiscard]] location find(const void* address, bool on_stack);
    /// The same for a number that may be an address: false when it lies in nothing known.
    [[nodiscard]] bool find_known(std::uint64_t address, location& found);

    /// Reads where the program and its libraries lie.
    void read_images();

private:
    static constexpr std::uint32_t no_node = ~std::uint32_t{0};
    static constexpr std::uint32_t no_id = ~std::uint32_t{0};
    static constexpr std::size_t page_bits = 12;
    static constexpr std::size_t small_limit = std::size_t{32} << page_bits;
    /// Beyond this many addresses in no allocation all others share the last id: bounded memory.
    static constexpr std::uint32_t most_strays = 1U << 16;

    struct node {
        std::uintptr_t base = 0;
        std::size_t bytes = 0;
        std::uint32_t id = no_id;
        std::uint32_t next = no_node;
        space where = space::heap;
        std::uint16_t device = 0;
    };
    struct image {
        std::uintptr_t begin = 0, end = 0, origin = 0;
        std::uint32_t number = 0;
    };
    struct cached {
        std::uintptr_t base = 0, end = 0;
        location at;
        std::uint64_t generation = 0;
    };

    [[nodiscard]] static std::uintptr_t number(const void* address) noexcept {
        return reinterpret_cast<std::uintptr_t>(address);
    }
    void add(std::uintptr_t base, std::size_t bytes, space where, std::uint16_t device = 0) noexcept;
    void retire(const node& old) noexcept;
    [[nodiscard]] node* search(std::uintptr_t address) noexcept;
    [[nodiscard]] bool in_image(std::uintptr_t address, location& found) const noexcept;
    location name(node& segment, std::uintptr_t address, cached& entry);
    [[nodiscard]] std::size_t bucket(std::uintptr_t page) const noexcept {
        return static_cast<std::size_t>((page * 0x9E3779B97F4A7C15U) >> 32) & (buckets_ - 1);
    }
    [[nodiscard]] bool grow_nodes() noexcept;
    [[nodiscard]] bool grow_buckets() noexcept;
    [[nodiscard]] std::size_t large_at(std::uintptr_t address) const noexcept;

    spin_lock lock_;
    node* nodes_ = nullptr;
    std::uint32_t* heads_ = nullptr;
    node* large_ = nullptr;
    std::size_t node_capacity_ = 0, buckets_ = 0, small_count_ = 0, large_count_ = 0, large_capacity_ = 0;
    std::uint32_t free_node_ = no_node;
    std::size_t widest_pages_ = 1;
    std::atomic<std::uint64_t> generation_{1};  ///< counts releases of segments that have an id
    std::array<basic_id_pool<next_allocator::allocator<std::uint64_t>>, 10> ids_;
    std::array<cached, 64> cache_;
    flat_map strays_;
    std::array<image, 512> images_;
    std::size_t image_count_ = 0;
};

}  // namespace laconic::record
