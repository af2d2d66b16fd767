// SPDX-License-Identifier: BSD-3-Clause
// The interval map behind buffers in signatures. Two locks in one order: the recorder's, then this one; malloc hooks
// take only this one, and nothing is allocated under it but through the next allocator.
#include "record/memory_map.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>

#include "record/next_allocator.hpp"

namespace laconic::record {

memory_map::~memory_map() {
    next_allocator::give_back(nodes_);
    next_allocator::give_back(heads_);
    next_allocator::give_back(large_);
}

bool memory_map::grow_nodes() noexcept {
    const std::size_t capacity = node_capacity_ ? node_capacity_ * 2 : 4096;
    auto* grown = static_cast<node*>(next_allocator::resize(nodes_, capacity * sizeof(node)));
    if (!grown) return false;
    nodes_ = grown;
    for (std::size_t i = node_capacity_; i < capacity; ++i) {
        nodes_[i] = node{};
        nodes_[i].next = free_node_;
        free_node_ = static_cast<std::uint32_t>(i);
    }
    node_capacity_ = capacity;
    return true;
}

bool memory_map::grow_buckets() noexcept {
    const std::size_t count = buckets_ ? buckets_ * 4 : 4096;
    auto* heads = static_cast<std::uint32_t*>(next_allocator::resize(nullptr, count * sizeof(std::uint32_t)));
    if (!heads) return buckets_ != 0;
    std::fill_n(heads, count, no_node);
    std::uint32_t* old = heads_;
    const std::size_t old_count = buckets_;
    heads_ = heads;
    buckets_ = count;
    for (std::size_t i = 0; i < old_count; ++i) {
        for (std::uint32_t at = old[i]; at != no_node;) {
            const std::uint32_t next = nodes_[at].next;
            std::uint32_t& head = heads_[bucket(nodes_[at].base >> page_bits)];
            nodes_[at].next = head;
            head = at;
            at = next;
        }
    }
    next_allocator::give_back(old);
    return true;
}

/// The first large segment that begins behind the address.
std::size_t memory_map::large_at(std::uintptr_t address) const noexcept {
    const node* begin = large_;
    const auto later = [](std::uintptr_t wanted, const node& segment) { return wanted < segment.base; };
    return static_cast<std::size_t>(std::upper_bound(begin, begin + large_count_, address, later) - begin);
}

void memory_map::add(std::uintptr_t base, std::size_t bytes, space where, std::uint16_t device) noexcept {
    if (base == 0 || bytes == 0) return;
    const spin_guard guard(lock_);
    node fresh;
    fresh.base = base;
    fresh.bytes = bytes;
    fresh.where = where;
    fresh.device = device;
    // A search looks at large segments first: what lies within a mapping must be among them to be found.
    const bool within_others = where == space::device || where == space::managed || where == space::pinned;
    if (bytes >= small_limit || within_others) {
        if (large_count_ == large_capacity_) {
            const std::size_t capacity = large_capacity_ ? large_capacity_ * 2 : 256;
            auto* grown = static_cast<node*>(next_allocator::resize(large_, capacity * sizeof(node)));
            if (!grown) return;
            large_ = grown;
            large_capacity_ = capacity;
        }
        const std::size_t at = large_at(fresh.base);
        std::move_backward(large_ + at, large_ + large_count_, large_ + large_count_ + 1);
        large_[at] = fresh;
        ++large_count_;
        return;
    }
    if (small_count_ >= buckets_ && !grow_buckets()) return;
    if (free_node_ == no_node && !grow_nodes()) return;
    const std::uint32_t index = free_node_;
    free_node_ = nodes_[index].next;
    std::uint32_t& head = heads_[bucket(fresh.base >> page_bits)];
    fresh.next = head;
    nodes_[index] = fresh;
    head = index;
    ++small_count_;
    const std::size_t pages = ((fresh.base + bytes - 1) >> page_bits) - (fresh.base >> page_bits) + 1;
    widest_pages_ = std::max(widest_pages_, pages);
}

void memory_map::retire(const node& old) noexcept {
    if (old.id == no_id) return;
    ids_[static_cast<std::size_t>(old.where)].release(old.id);
    generation_.fetch_add(1, std::memory_order_relaxed);
}

void memory_map::released(std::uintptr_t address) noexcept {
    if (address == 0) return;
    const spin_guard guard(lock_);
    if (small_count_ > 0) {
        for (std::uint32_t* link = &heads_[bucket(address >> page_bits)]; *link != no_node;
             link = &nodes_[*link].next) {
            const std::uint32_t index = *link;
            if (nodes_[index].base != address) continue;
            *link = nodes_[index].next;
            retire(nodes_[index]);
            nodes_[index].next = free_node_;
            free_node_ = index;
            --small_count_;
            return;
        }
    }
    const std::size_t at = large_count_ ? large_at(address) : 0;
    if (at == 0 || large_[at - 1].base != address) return;
    retire(large_[at - 1]);
    std::move(large_ + at, large_ + large_count_, large_ + at - 1);
    --large_count_;
}

void memory_map::unmapped(const void* base, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(base);
    const spin_guard guard(lock_);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < large_count_; ++i) {
        if (large_[i].base >= begin && large_[i].base < begin + bytes) {
            retire(large_[i]);
        } else {
            large_[kept++] = large_[i];
        }
    }
    large_count_ = kept;
}

memory_map::node* memory_map::search(std::uintptr_t address) noexcept {
    if (large_count_ > 0) {
        const std::size_t at = large_at(address);
        if (at > 0 && address - large_[at - 1].base < large_[at - 1].bytes) return &large_[at - 1];
    }
    if (small_count_ == 0) return nullptr;
    std::uintptr_t page = address >> page_bits;
    for (std::size_t i = 0; i < widest_pages_ && page > 0; ++i, --page) {
        for (std::uint32_t at = heads_[bucket(page)]; at != no_node; at = nodes_[at].next) {
            if (address - nodes_[at].base < nodes_[at].bytes) return &nodes_[at];
        }
    }
    return nullptr;
}

location memory_map::name(node& segment, std::uintptr_t address, cached& entry) {
    if (segment.id == no_id) segment.id = ids_[static_cast<std::size_t>(segment.where)].acquire();
    entry = {segment.base,
             segment.base + segment.bytes,
             {segment.where, segment.id, 0, segment.device},
             generation_.load(std::memory_order_relaxed)};
    return {segment.where, segment.id, static_cast<std::int64_t>(address - segment.base), segment.device};
}

bool memory_map::in_image(std::uintptr_t address, location& found) const noexcept {
    for (std::size_t i = 0; i < image_count_; ++i) {
        if (address < images_[i].begin || address >= images_[i].end) continue;
        found = {space::image, images_[i].number, static_cast<std::int64_t>(address - images_[i].origin)};
        return true;
    }
    return false;
}

location memory_map::find(const void* where, bool on_stack) {
    const auto address = reinterpret_cast<std::uintptr_t>(where);
    cached& entry = cache_[(address >> 6) % cache_.size()];
    if (!on_stack) {
        if (entry.generation == generation_.load(std::memory_order_relaxed) && address >= entry.base &&
            address < entry.end) {
            return {entry.at.where, entry.at.segment,
                    entry.at.displacement + static_cast<std::int64_t>(address - entry.base), entry.at.device};
        }
        location found;
        if (in_image(address, found)) {
            entry = {address, address + 1, found, generation_.load(std::memory_order_relaxed)};
            return found;
        }
        const spin_guard guard(lock_);
        if (node* segment = search(address)) return name(*segment, address, entry);
    }
    std::uint32_t id = strays_.find(address);
    if (id == flat_map::none) {
        id = static_cast<std::uint32_t>(std::min<std::size_t>(strays_.size(), most_strays));
        if (id < most_strays) strays_.set(address, id);
    }
    return {space::stack, id, 0};
}

bool memory_map::find_known(std::uint64_t number, location& found) {
    if (number < 4096) return false;
    if (in_image(number, found)) return true;
    const std::uint32_t stray = strays_.find(number);
    if (stray != flat_map::none) {
        found = {space::stack, stray, 0};
        return true;
    }
    const spin_guard guard(lock_);
    node* segment = search(number);
    if (!segment) return false;
    cached unused;
    found = name(*segment, number, unused);
    return true;
}

void memory_map::read_images() {
    image_count_ = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
            auto& map = *static_cast<memory_map*>(self);
            const std::uint32_t number =
                map.image_count_ ? map.images_[map.image_count_ - 1].number + 1 : std::uint32_t{0};
            std::uintptr_t origin = 0;
            for (int i = 0; i < info->dlpi_phnum && map.image_count_ < map.images_.size(); ++i) {
                const ElfW(Phdr)& part = info->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || part.p_memsz == 0) continue;
                const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
                if (origin == 0) origin = begin;
                map.images_[map.image_count_++] = {begin, begin + part.p_memsz, origin, number};
            }
            return 0;
        },
        this);
}

}  // namespace laconic::record
