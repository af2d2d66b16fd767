// SPDX-License-Identifier: BSD-3-Clause
// Every byte of an element is a hash of its global index, its field and its place in the element.
#include "exchange_problem.hpp"

#include <algorithm>
#include <array>

#include "check.hpp"

namespace laconic::test {
namespace {

using tests::random_layouts;

constexpr std::array<std::size_t, 9> element_sizes{1, 2, 4, 8, 16, 3, 12, 40, 8};
constexpr std::byte untouched{0xAB};

plan random_plan(unsigned seed, int ranks) {
    random_layouts make(seed);
    std::vector<std::int64_t> extents = make.extents();
    // Now and then enough elements for several chunks and for streamed stores.
    if (seed % 7 == 0)
        for (std::int64_t& each : extents) each *= extents.size() > 3 ? 1 : extents.size() > 2 ? 3 : 8;
    const patch_grid grid = make.grid(extents);
    const auto blocks = even_blocks(ranks, extents);
    const layout from = blocks.ok() && make.number(0, 1) == 0
                            ? layout::regular(extents, *blocks).value()
                            : layout::boxes(extents, make.boxes(extents, ranks), ranks).value();
    placement how;
    how.kind = static_cast<placement_kind>(make.number(0, 3));
    if (how.kind == placement_kind::round_robin && make.number(0, 1) == 0) {
        how.kind = placement_kind::given;
        for (patch_number p = 0; p < grid.patches(); ++p)
            how.owners.push_back(static_cast<rank_number>(make.number(0, ranks - 1)));
    }
    return plan::make(from, grid, how).value();
}

std::byte byte_of(std::size_t index, std::size_t field, std::size_t place) {
    std::uint64_t h = (index * 0x9e3779b97f4a7c15U) ^ (field * 0xbf58476d1ce4e5b9U) ^ (place * 0x94d049bb133111ebU);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
    return static_cast<std::byte>(h >> 40);
}

/// Where in memory an element of a box is.
std::size_t place_of(const box& region, const stored_box& stored, std::size_t index, const box& domain) {
    std::int64_t at = stored.offset;
    auto rest = static_cast<std::int64_t>(index);
    for (std::size_t d = domain.dimensions; d-- > 0; rest /= domain.upper[d])
        at += (rest % domain.upper[d] - region.lower[d]) * stored.strides[d];
    return static_cast<std::size_t>(at);
}

}  // namespace

exchange_problem::exchange_problem(unsigned seed, int rank, int ranks)
    : seed_(seed),
      rank_(rank),
      plan_(random_plan(seed, ranks)),
      element_bytes_(element_sizes[seed % element_sizes.size()]),
      fields_(1 + seed % 3 / 2 * (seed % 2 + 1)),
      batch_bytes_(std::array<std::size_t, 4>{0, 1, 100, 4096}[seed % 4]),
      boxes_(plan_.from().boxes_of(rank)) {
    for (const patch_number patch : plan_.patches_of(rank)) patches_.push_back(plan_.to().patch(patch));
}

std::string exchange_problem::text() const {
    return "seed " + std::to_string(seed_) + ", array " + plan_.from().domain().text() + ", " +
           std::to_string(plan_.to().patches()) + " patches like " + plan_.to().patch(0).text() + ", elements of " +
           std::to_string(element_bytes_) + " bytes, " + std::to_string(fields_) + " fields, batches of " +
           std::to_string(batch_bytes_);
}

std::vector<stored_box> exchange_problem::dense(const std::vector<box>& boxes) {
    std::vector<stored_box> made;
    std::int64_t next = 0;
    for (const box& each : boxes) {
        stored_box stored{next, {}};
        std::int64_t stride = 1;
        for (std::size_t d = each.dimensions; d-- > 0; stride *= each.extent(d)) stored.strides[d] = stride;
        next += stride;
        made.push_back(stored);
    }
    return made;
}

std::vector<stored_box> exchange_problem::spread(const std::vector<box>& boxes, unsigned salt) const {
    random_layouts random(seed_ * 31 + salt + static_cast<unsigned>(rank_));
    std::vector<stored_box> made;
    std::int64_t next = random.number(0, 5);
    // In reverse: nothing may depend on boxes lying in order.
    for (std::size_t i = boxes.size(); i-- > 0;) {
        stored_box stored{next, {}};
        std::int64_t stride = 1;
        for (std::size_t d = boxes[i].dimensions; d-- > 0;) {
            stored.strides[d] = stride;
            stride *= boxes[i].extent(d) + random.number(0, 2);
        }
        next += stride + random.number(0, 3);
        made.insert(made.begin(), stored);
    }
    return made;
}

exchange_options exchange_problem::options(bool storage) const {
    exchange_options options;
    options.fields = fields_;
    options.batch_bytes = batch_bytes_;
    if (storage) {
        options.in_boxes = spread(boxes_, 1);
        options.out_patches = spread(patches_, 2);
    }
    return options;
}

void exchange_problem::fill(std::span<std::byte> memory, const std::vector<box>& boxes,
                            const std::vector<stored_box>& stored, std::size_t field) const {
    std::fill(memory.begin(), memory.end(), untouched);
    const box& domain = plan_.from().domain();
    for (std::size_t i = 0; i < boxes.size(); ++i)
        tests::for_each_element(boxes[i], domain, [&](std::size_t index) {
            const std::size_t at = place_of(boxes[i], stored[i], index, domain) * element_bytes_;
            for (std::size_t k = 0; k < element_bytes_; ++k) memory[at + k] = byte_of(index, field, k);
        });
}

void exchange_problem::run_and_check(exchange& moving, const std::string& engine, bool storage, bool own) {
    const auto in_stored = storage ? spread(boxes_, 1) : dense(boxes_);
    const auto out_stored = storage ? spread(patches_, 2) : dense(patches_);
    std::vector<std::vector<std::byte>> in(fields_), out(fields_), wanted(fields_);
    std::vector<exchange::array_in> from;
    std::vector<exchange::array_out> to;
    for (std::size_t f = 0; f < fields_; ++f) {
        if (!own) in[f].resize(moving.in_elements() * element_bytes_);
        const std::span<std::byte> source = own ? moving.in_memory(f) : std::span<std::byte>(in[f]);
        check(source.size() == moving.in_elements() * element_bytes_, engine + ": length of the exchange's own array");
        out[f].assign(moving.out_elements() * element_bytes_, untouched);
        wanted[f].resize(out[f].size());
        fill(source, boxes_, in_stored, f);
        fill(wanted[f], patches_, out_stored, f);
        from.push_back({source.data(), moving.in_elements()});
        to.push_back({out[f].data(), moving.out_elements()});
    }
    const std::string name = engine + (storage ? ", stored with gaps, " : ", ") + (own ? "own array, " : "") + text();
    std::vector<ready_patch> told;
    // A patch is complete when it is told.
    const auto on_patch = [&](const ready_patch& patch) {
        told.push_back(patch);
        if (patch.position >= patches_.size()) return;
        const box& domain = plan_.from().domain();
        bool complete = true;
        for (std::size_t f = 0; f < fields_; ++f)
            tests::for_each_element(patches_[patch.position], domain, [&](std::size_t index) {
                const std::size_t at =
                    place_of(patches_[patch.position], out_stored[patch.position], index, domain) * element_bytes_;
                complete = complete && std::equal(&out[f][at], &out[f][at] + element_bytes_, &wanted[f][at]);
            });
        check(complete, name + ": patch " + std::to_string(patch.patch) + " is told before it is complete");
    };
    const status done = moving.run(from, to, element(), on_patch);
    check(done.ok(), name + ": " + done.message());
    const exchange_report& report = moving.report();
    check(report.straight_bytes == (own ? report.shared_bytes : 0),
          name + ": " + std::to_string(report.straight_bytes) + " bytes read straight");
    for (std::size_t f = 0; f < fields_; ++f) {
        const auto wrong = std::mismatch(out[f].begin(), out[f].end(), wanted[f].begin()).first - out[f].begin();
        check(out[f] == wanted[f], name + ": byte " + std::to_string(wrong) + " of field " + std::to_string(f));
    }
    check(told.size() == patches_.size(), name + ": " + std::to_string(told.size()) + " patches told");
    bool shared = false;
    std::vector<patch_number> numbers;
    patch_number last_held = -1;
    for (const ready_patch& each : told) {
        numbers.push_back(each.patch);
        check(each.offset == static_cast<std::size_t>(out_stored[each.position].offset) &&
                  moving.out_offset(each.position) == each.offset && moving.patches()[each.position] == each.patch,
              name + ": offset or position of a patch told");
        check(!each.held || (!shared && each.patch > last_held), name + ": a held patch is told too late");
        shared = shared || !each.held;
        last_held = each.patch;
    }
    std::sort(numbers.begin(), numbers.end());
    check(std::equal(numbers.begin(), numbers.end(), moving.patches().begin(), moving.patches().end()),
          name + ": the patches told are not those of the rank");
}

}  // namespace laconic::test
