// SPDX-License-Identifier: BSD-3-Clause
// Making an exchange: every rank checks its own arguments, all compare, each prepares, and all hear how that went.
#include "laconic/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "base/units.hpp"
#include "redistribute/exchange/node_rings.hpp"
#include "redistribute/exchange/select.hpp"
#include "redistribute/exchange/state.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic {
namespace {

using redistribute::or_no_memory;

constexpr std::size_t most_element_bytes = std::size_t{1} << 20;
constexpr std::size_t most_batch_bytes = std::size_t{1} << 30;
constexpr std::size_t least_staging_bytes = std::size_t{8} << 20;

/// What one rank can see by itself.
status check_arguments(const mpi::channel& channel, const plan& what, exchange_element element,
                       const exchange_options& options) {
    const auto fault = [](const std::string& text) { return status(errc::invalid_argument, text); };
    if (what.from().ranks() != channel.size())
        return fault("the plan is for " + std::to_string(what.from().ranks()) + " ranks, the communicator has " +
                     std::to_string(channel.size()) + "; plan for as many");
    if (element.bytes < 1 || element.bytes > most_element_bytes)
        return fault("elements of " + std::to_string(element.bytes) + " bytes; give 1 to 2^20");
    if (element.type && size_of(*element.type) != element.bytes)
        return fault("elements of " + std::to_string(element.bytes) + " bytes are not of the type given, which has " +
                     std::to_string(size_of(*element.type)));
    if (options.fields < 1 || options.fields > redistribute::most_fields)
        return fault(std::to_string(options.fields) + " fields; give 1 to 1024");
    if (what.from().domain().volume() >
        INT64_MAX / 4 / static_cast<std::int64_t>(element.bytes) / static_cast<std::int64_t>(options.fields))
        return fault("the array has more than 2^61 bytes in all fields; move fewer at a time");
    if (static_cast<std::size_t>(options.engine) > static_cast<std::size_t>(exchange_engine::partitioned))
        return fault("exchange engine " + std::to_string(static_cast<int>(options.engine)) + " does not exist");
    if (options.batch_bytes > most_batch_bytes)
        return fault("batch_bytes is " + std::to_string(options.batch_bytes) + "; give at most 2^30, or 0");
    if (options.limit.kind != bound_kind::absolute && options.limit.kind != bound_kind::relative)
        return fault("kind of bound " + std::to_string(static_cast<int>(options.limit.kind)) +
                     " does not exist; give bound::abs or bound::rel");
    const double limit = options.limit.value;
    if (!(limit >= 0) || !std::isfinite(limit))
        return {errc::invalid_bound, "the bound is " + base::format_real(limit) + "; give a finite value >= 0"};
    if (limit > 0 && !element.type)
        return {errc::unsupported,
                "a bound for elements without a type; only float, double, half and bfloat16 travel "
                "compressed"};
    return redistribute::check_engine(options);
}

struct stored {
    redistribute::storage in, out;
};

result<stored> storage_of_rank(const mpi::channel& channel, const plan& what, exchange_element element,
                               const exchange_options& options) {
    const std::size_t bytes = element.bytes * options.fields;
    const std::vector<box> boxes = what.from().boxes_of(channel.rank());
    std::vector<box> patches;
    for (const patch_number patch : what.patches_of(channel.rank())) patches.push_back(what.to().patch(patch));
    auto in = redistribute::storage_of(boxes, options.in_boxes, bytes, "in_boxes");
    if (!in) return in.error();
    auto out = redistribute::storage_of(patches, options.out_patches, bytes, "out_patches");
    if (!out) return out.error();
    return stored{std::move(in).value(), std::move(out).value()};
}

std::size_t staging_limit(const redistribute::work& todo) noexcept {
    const std::size_t bytes = (todo.in_elements + todo.out_elements) * todo.element_bytes * todo.fields;
    return std::max(least_staging_bytes, bytes / 50);
}

/// What a patch takes in any exchange that has it, whole or in pieces.
constexpr std::size_t least_bytes_of_patch = sizeof(redistribute::owned_patch) + sizeof(redistribute::placed_piece);

/// Why this rank has no exchange.
auto no_memory_for(const plan& what, int rank) {
    return [&what, rank] {
        const std::size_t patches = rank < what.from().ranks() ? what.patches_of(rank).size() : 0;
        return redistribute::no_memory("the exchange", patches * least_bytes_of_patch + sizeof(exchange::state),
                                       "use larger patches, or more ranks");
    };
}

/// error() without throwing: other ranks wait to hear of it.
template <class T>
status failure_of(const result<T>& made) noexcept {
    return redistribute::told([&] { return made.error(); });
}

using own_arrays = std::unique_ptr<redistribute::node_arrays>;

/// Collective: this rank's arrays, and those of others where they can be seen.
result<own_arrays> arrays_of(mpi::channel& channel, const redistribute::storage& in, exchange_element element,
                             const exchange_options& options) {
    auto made = or_no_memory(
        [&] { return redistribute::node_arrays::make(in.boxes, in.elements, element.bytes, options.fields); },
        [&] {
            return redistribute::no_memory("arrays in shared memory", in.elements * element.bytes * options.fields,
                                           "use more ranks, or no shared_in");
        });
    if (status bad = redistribute::all_ok(channel, failure_of(made)); !bad.ok()) return bad;
    if (status bad = (*made)->meet(channel); !bad.ok()) return bad;
    return made;
}

/// Local, and may throw bad_alloc.
result<std::unique_ptr<exchange::state>> prepared(mpi::channel& channel, const plan& what, exchange_element element,
                                                  const exchange_options& options, const stored& memory,
                                                  redistribute::node_rings* rings, own_arrays arrays) {
    std::vector<std::span<const stored_box>> seen;
    if (arrays != nullptr && rings != nullptr)
        for (int rank = 0; rank < channel.size(); ++rank) seen.push_back(arrays->of(rank).stored);
    auto made = std::make_unique<exchange::state>(
        channel,
        redistribute::work_of(what, channel.rank(), memory.in, memory.out, element.bytes, options.fields,
                              options.limit.value > 0, seen),
        element, options);
    made->engine = redistribute::chosen_engine(options, rings);
    made->arrays = std::move(arrays);
    made->mover =
        redistribute::make_engine(made->engine, {channel, made->todo, made->options, element, staging_limit(made->todo),
                                                 made->storing(), rings, made->arrays.get()});
    if (channel.size() > 1) made->trying = redistribute::trial(made->mover->ways());
    if (status bad = made->mover->prepare(); !bad.ok()) return bad;
    return made;
}

}  // namespace

exchange::exchange(std::unique_ptr<state> made) noexcept : state_(std::move(made)) {}
exchange::exchange(exchange&&) noexcept = default;
exchange& exchange::operator=(exchange&&) noexcept = default;
exchange::~exchange() = default;

result<exchange> exchange::make(MPI_Comm comm, const plan& what, exchange_element element,
                                const exchange_options& options) {
    const auto found = mpi::channel_of(comm, mpi::channel_use::exchanges);
    if (!found) return found.error();
    mpi::channel& channel = **found;
    if (channel.broken())
        return status(errc::mpi, "an exchange of this communicator failed before; duplicate the communicator");
    result<stored> memory = status(errc::invalid_argument, "");
    const auto why = no_memory_for(what, channel.rank());
    const auto look = [&]() -> status {
        if (status bad = check_arguments(channel, what, element, options); !bad.ok()) return bad;
        memory = storage_of_rank(channel, what, element, options);
        return memory.error();
    };
    const status mine = or_no_memory(look, why);
    if (status bad = redistribute::all_ok(channel, mine); !bad.ok()) return bad;
    if (status bad = redistribute::same_everywhere(channel, what, element, options); !bad.ok()) return bad;
    redistribute::node_rings* rings = nullptr;
    if (redistribute::wants_rings(options)) {
        const auto met = redistribute::node_rings::of(channel);
        if (!met) return met.error();
        rings = *met;
    }
    own_arrays arrays;
    if (options.shared_in) {
        auto got = arrays_of(channel, memory->in, element, options);
        if (!got) return got.error();
        arrays = std::move(got).value();
    }
    const auto prepare = [&] { return prepared(channel, what, element, options, *memory, rings, std::move(arrays)); };
    auto made = or_no_memory(prepare, why);
    if (status bad = redistribute::all_ok(channel, failure_of(made)); !bad.ok()) return bad;
    if (status bad = (*made)->mover->meet(); !bad.ok()) return bad;
    return exchange(std::move(made).value());
}

status redistribute::refuse(MPI_Comm comm, const status& why) {
    const auto channel = mpi::channel_of(comm, mpi::channel_use::exchanges);
    if (!channel) return channel.error();
    if ((**channel).broken()) return why;
    return all_ok(**channel, why);
}

status exchange::run(std::span<const array_in> in, std::span<const array_out> out, exchange_element element,
                     patch_callback on_patch) {
    return state_->run(in, out, element, on_patch);
}

std::span<std::byte> exchange::in_memory(std::size_t field) const noexcept {
    return state_->arrays != nullptr ? state_->arrays->field(field) : std::span<std::byte>();
}

status exchange::refuse_run(const status& why) {
    if (!why.ok()) return state_->refuse(why);
    return state_->refuse(redistribute::told([] { return status(errc::invalid_argument, "this rank refuses"); }));
}

std::size_t exchange::in_elements() const noexcept { return state_->todo.in_elements; }
std::size_t exchange::out_elements() const noexcept { return state_->todo.out_elements; }
std::span<const patch_number> exchange::patches() const noexcept { return state_->todo.numbers; }
std::size_t exchange::out_offset(std::size_t position) const noexcept { return state_->todo.patches[position].offset; }
exchange_engine exchange::engine() const noexcept { return state_->engine; }
bool exchange::settled() const noexcept { return state_->trying.over(); }
std::size_t exchange::staging_bytes() const noexcept { return state_->mover->staging_bytes(); }
const exchange_report& exchange::report() const noexcept { return state_->report; }

}  // namespace laconic
