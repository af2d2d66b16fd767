// SPDX-License-Identifier: BSD-3-Clause
// Numbers of Python become the structs of laconic.h, whose pointers are then known to lead to as much as is read.
#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>

#include "errors.hpp"
#include "exchange.hpp"
#include "laconic/redistribute.hpp"
#include "packed.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

std::vector<laconic_stored_box> stored(const py::handle& given, std::size_t dimensions) {
    std::vector<laconic_stored_box> made;
    for (const auto& each : py::cast<std::vector<place_argument>>(given)) {
        laconic_stored_box place{};
        if (each.size() != 1 + dimensions) raise_argument("a place is an offset and a stride for each dimension");
        place.offset = each.front();
        std::copy(each.begin() + 1, each.end(), std::begin(place.strides));
        made.push_back(place);
    }
    return made;
}

}  // namespace

exchange_request::exchange_request(extents_argument extents, std::int64_t ranks, const py::tuple& boxes,
                                   std::optional<extents_argument> patch, extents_argument counts,
                                   const py::bytes& owners, std::size_t element_bytes, int type,
                                   const py::dict& options)
    : extents_(std::move(extents)),
      ranks_(ranks),
      box_ranks_(numbers_of<std::int32_t>(boxes[0])),
      owners_(numbers_of<std::int32_t>(owners)),
      lower_(numbers_of<std::int64_t>(boxes[1])),
      upper_(numbers_of<std::int64_t>(boxes[2])),
      patch_(std::move(patch)),
      counts_(std::move(counts)),
      element_bytes_(element_bytes),
      type_(type),
      engine_(py::cast<std::string>(options["engine"])),
      in_boxes_(stored(options["in_boxes"], extents_.size())),
      out_patches_(stored(options["out_patches"], extents_.size())) {
    const auto grid = patch_ ? patch_grid::of_size(extents_, *patch_) : patch_grid::blocks(extents_, counts_);
    require(grid.error());
    if (owners_.size() != static_cast<std::size_t>(grid->patches()))
        raise_argument("the plan has owners for " + std::to_string(owners_.size()) + " patches, its grid has " +
                       std::to_string(grid->patches()));
    if (lower_.size() != box_ranks_.size() * extents_.size() || upper_.size() != lower_.size())
        raise_argument("the plan's boxes have other dimensions than its array");
    options_.batch_bytes = py::cast<std::size_t>(options["batch_bytes"]);
    options_.kind = static_cast<laconic_bound_kind>(py::cast<int>(options["kind"]));
    options_.bound = py::cast<double>(options["bound"]);
    options_.no_shared_memory = py::cast<bool>(options["shared_memory"]) ? 0 : 1;
    options_.no_check = py::cast<bool>(options["check"]) ? 0 : 1;
    options_.shared_in = py::cast<bool>(options["shared_in"]) ? 1 : 0;
    options_.fields = py::cast<std::size_t>(options["fields"]);
}

laconic_plan_request exchange_request::plan() const noexcept {
    laconic_plan_request wanted{};
    wanted.dimensions = static_cast<int>(extents_.size());
    wanted.extents = extents_.data();
    wanted.ranks = ranks_;
    wanted.boxes = box_ranks_.size();
    wanted.box_ranks = box_ranks_.data();
    wanted.lower = lower_.data();
    wanted.upper = upper_.data();
    if (patch_)
        wanted.patch = patch_->data();
    else
        wanted.patches = counts_.data();
    wanted.placement = LACONIC_PLACE_GIVEN;
    wanted.owners = owners_.data();
    return wanted;
}

laconic_exchange_options exchange_request::options() const noexcept {
    laconic_exchange_options made = options_;
    made.engine = engine_.c_str();
    made.in_boxes = in_boxes_.empty() ? nullptr : in_boxes_.data();
    made.in_box_count = in_boxes_.size();
    made.out_patches = out_patches_.empty() ? nullptr : out_patches_.data();
    made.out_patch_count = out_patches_.size();
    return made;
}

}  // namespace laconic::python
