// SPDX-License-Identifier: BSD-3-Clause
// Opaque objects: handles of an MPI flow in, their codes in signatures flow out. A class of objects has a table from
// handle to code and a pool of symbolic ids; an object that several handles name (or that MPI hands out again) is
// counted.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "record/flat_map.hpp"
#include "record/id_pool.hpp"
#include "record/place.hpp"
#include "record/value.hpp"

namespace laconic::record {

#include "objects.inc"

class object_table {
public:
    struct known {
        std::uint64_t code = 0;
        std::uint32_t references = 0;
        std::uint32_t place = 0;  ///< index into places, for communicators, windows and files
        int own_rank = 0;         ///< for messages
    };

    void set_null(std::uint64_t bits) noexcept {
        null_ = bits;
        has_null_ = true;
    }
    void add_predefined(std::uint64_t bits, std::uint32_t number) {
        add(bits, {2 * std::uint64_t{number} + 1, 1, 0, 0});
    }
    [[nodiscard]] bool is_null(std::uint64_t bits) const noexcept { return has_null_ && bits == null_; }

    /// The object a handle names; null when it is not known.
    [[nodiscard]] known* find(std::uint64_t bits) noexcept {
        if (bits == cached_bits_ && cached_ != flat_map::none) return &objects_[cached_];
        return look_up(bits);
    }

    /// The object of a handle that a call has just made or shown: a new one gets an id, a known one is counted once
    /// more.
    known& made(std::uint64_t bits);
    /// The same with a code from elsewhere.
    known& made(std::uint64_t bits, std::uint64_t code);

    /// The code of a handle. One that no recorded call made gets an id on the spot.
    [[nodiscard]] std::uint64_t code_of(std::uint64_t bits) {
        if (is_null(bits)) return 0;
        if (const known* object = find(bits)) [[likely]]
            return object->code;
        return made(bits).code;
    }

    /// Parts a handle from its object while a call may free it: another thread may be given the same handle for a new
    /// object before that call is recorded. Returns the object's index; none for predefined objects and unknown
    /// handles.
    [[nodiscard]] std::uint32_t detach(std::uint64_t bits) noexcept;
    [[nodiscard]] const known& at(std::uint32_t index) const noexcept { return objects_[index]; }
    /// The handle still names the object; `fewer`: one of several handles is gone.
    void attach(std::uint64_t bits, std::uint32_t index, bool fewer);
    /// The object is gone.
    void forget(std::uint32_t index) { free_.push_back(index); }
    void release_id(std::uint64_t code) noexcept { ids_.release(static_cast<std::uint32_t>(code / 2 - 1)); }

private:
    known& add(std::uint64_t bits, const known& object);
    known* look_up(std::uint64_t bits) noexcept;

    flat_map by_handle_;
    std::vector<known> objects_;
    std::vector<std::uint32_t> free_;
    id_pool ids_;
    std::uint64_t null_ = 0;
    std::uint64_t cached_bits_ = 0;
    std::uint32_t cached_ = flat_map::none;
    bool has_null_ = false;
};

/// The tables of all classes.
class object_tables {
public:
    /// Fills in what mpi.h predefines.
    void fill();
    [[nodiscard]] object_table& of(object which) noexcept { return tables_[static_cast<std::size_t>(which)]; }

    /// Keeps a place; the index goes into object_table::known::place.
    [[nodiscard]] std::uint32_t keep(const place& where);
    void drop(std::uint32_t index) { free_places_.push_back(index); }
    [[nodiscard]] const place& kept(std::uint32_t index) const noexcept { return places_[index]; }

private:
    std::array<object_table, object_classes> tables_;
    std::vector<place> places_ = std::vector<place>(1);  ///< the first: nothing known
    std::vector<std::uint32_t> free_places_;
};

}  // namespace laconic::record
