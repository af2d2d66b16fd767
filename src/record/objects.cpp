// SPDX-License-Identifier: BSD-3-Clause
// Filling the tables of objects from this MPI's constants, and taking objects out of them.
#include "record/objects.hpp"

#include <cstddef>

namespace laconic::record {
namespace {

/// Where fill_all(), which is generated, enters its rows.
object_tables* filled = nullptr;

template <object Which>
void set_null(std::uint64_t bits) {
    filled->of(Which).set_null(bits);
}
template <object Which>
void add_predefined(std::uint64_t bits, std::uint32_t number) {
    filled->of(Which).add_predefined(bits, number);
}

#include "handles.inc"

}  // namespace

void object_tables::fill() {
    filled = this;
    fill_all();
    filled = nullptr;
}

object_table::known& object_table::add(std::uint64_t bits, const known& object) {
    std::uint32_t index = 0;
    if (free_.empty()) {
        index = static_cast<std::uint32_t>(objects_.size());
        objects_.push_back(object);
    } else {
        index = free_.back();
        free_.pop_back();
        objects_[index] = object;
    }
    by_handle_.set(bits, index);
    cached_ = flat_map::none;
    return objects_[index];
}

object_table::known* object_table::look_up(std::uint64_t bits) noexcept {
    const std::uint32_t index = by_handle_.find(bits);
    if (index == flat_map::none) return nullptr;
    cached_bits_ = bits;
    cached_ = index;
    return &objects_[index];
}

object_table::known& object_table::made(std::uint64_t bits) {
    if (known* old = find(bits)) {
        ++old->references;
        return *old;
    }
    return add(bits, {2 * std::uint64_t{ids_.acquire()} + 2, 1, 0, 0});
}

object_table::known& object_table::made(std::uint64_t bits, std::uint64_t code) {
    if (known* old = find(bits)) {
        ++old->references;
        return *old;
    }
    return add(bits, {code, 1, 0, 0});
}

std::uint32_t object_table::detach(std::uint64_t bits) noexcept {
    const std::uint32_t index = by_handle_.find(bits);
    if (index == flat_map::none || objects_[index].code % 2 == 1) return flat_map::none;
    by_handle_.erase(bits);
    cached_ = flat_map::none;
    return index;
}

void object_table::attach(std::uint64_t bits, std::uint32_t index, bool fewer) {
    if (fewer) --objects_[index].references;
    by_handle_.set(bits, index);
}

std::uint32_t object_tables::keep(const place& where) {
    if (!free_places_.empty()) {
        const std::uint32_t index = free_places_.back();
        free_places_.pop_back();
        places_[index] = where;
        return index;
    }
    places_.push_back(where);
    return static_cast<std::uint32_t>(places_.size() - 1);
}

}  // namespace laconic::record
