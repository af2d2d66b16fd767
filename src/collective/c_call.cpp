// SPDX-License-Identifier: BSD-3-Clause
// Which calls are compressed, and how MPI's conventions translate to those of collective.hpp.
#include "collective/c_call.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/options.hpp"
#include "codec/element.hpp"
#include "collective/audit.hpp"
#include "collective/c_arrays.hpp"
#include "collective/own_operation.hpp"
#include "collective/passed_on.hpp"
#include "collective/refusal.hpp"
#include "mpi/error.hpp"
#include "mpi/narrow_types.hpp"

namespace laconic::collective {
namespace {

/// What the environment says, if only one variable could be read.
std::string_view variable(base::option_id id) noexcept {
    const char* const text = std::getenv(base::describe(id).environment.data());
    return text != nullptr ? text : std::string_view();
}

/// Where this rank cannot read the environment: as far as it tells when ranks speak.
collective_options guessed_options() {
    using base::option_id;
    collective_options options;
    if (const auto name = variable(option_id::algorithm); !name.empty()) options.algorithm = name;
    options.machine = variable(option_id::machine);
    options.check = variable(option_id::check) == "on";
    options.audit = variable(option_id::audit) == "on";
    for (const option_id id : {option_id::abs, option_id::rel, option_id::config})
        if (!variable(id).empty()) options.limit = bound::abs(1);
    return options;
}

/// A number beyond a byte must not become that of an enumerator.
template <class Enum>
Enum as(int number) noexcept {
    return static_cast<Enum>(number >= 0 && number < 0xFF ? number : 0xFF);
}

result<collective_options> to_options(const laconic_collective_options* given) {
    if (given == nullptr) return collective_options::from_environment();
    collective_options options;
    options.limit = {as<bound_kind>(given->kind), given->bound};
    options.bound_scope = as<scope>(given->scope);
    if (given->confidence != 0) options.confidence = given->confidence;
    if (given->algorithm != nullptr) options.algorithm = given->algorithm;
    if (given->segment_bytes != 0) options.segment_bytes = given->segment_bytes;
    if (given->rate != 0) options.rate = given->rate;
    options.check = given->check != 0;
    options.audit = given->audit != 0;
    options.ranks_per_node = given->ranks_per_node;
    options.shared_memory = given->no_shared_memory == 0;
    options.codec_threads = given->codec_threads;
    options.machine = given->machine != nullptr ? given->machine : variable(base::option_id::machine);
    return options;
}

std::optional<element_type> known_type(MPI_Datatype type) noexcept {
    if (type == MPI_FLOAT) return element_type::f32;
    if (type == MPI_DOUBLE) return element_type::f64;
    for (const element_type narrow : {element_type::f16, element_type::bf16})
        if (mpi::is_narrow_type(type, narrow)) return narrow;
    return std::nullopt;
}

std::optional<reduction> known_reduction(const c_call& call) noexcept {
    if (!is_reduction(call.op) || call.combine == MPI_SUM) return reduction::sum;
    if (call.combine == MPI_MIN) return reduction::min;
    if (call.combine == MPI_MAX) return reduction::max;
    if (call.combine == MPI_PROD) return reduction::prod;
    // What commutes may be combined in any order; the rest, and MPI's own operations on integers and bits, are MPI's.
    if (call.combine == MPI_OP_NULL || is_predefined(call.combine)) return std::nullopt;
    int commutes = 0;
    if (MPI_Op_commutative(call.combine, &commutes) != MPI_SUCCESS || commutes == 0) return std::nullopt;
    return reduction::custom;
}

/// One that laconic compresses.
struct compressed_call {
    element_type type;
    reduction combine;
    c_arrays arrays;
    collective_options options;
    mpi::channel* channel;
    status why;  ///< not ok: what is wrong with it all the same
};
/// One that this rank cannot even describe.
struct refused_call {
    status why;
    mpi::channel* channel;
};
/// One that is MPI's own.
struct passed_on_call {
    mpi_call mpi;
    mpi::channel* checked;  ///< null: without a word between the ranks
};
/// What becomes of a call.
using resolved_call = std::variant<passed_on_call, compressed_call, refused_call>;

result<mpi_call> pass_on(const c_call& call, const c_position& at) {
    const result<c_lists> in = in_lists(call, at);
    if (!in) return in.error();
    const result<c_lists> out = out_lists(call, at);
    if (!out) return out.error();
    const std::array single{call.in.count, call.out.count};
    for (const auto list :
         {in->counts, in->displacements, out->counts, out->displacements, std::span<const std::size_t>(single)})
        if (!fits_int(list))
            return status{
                errc::unsupported,
                "a count or displacement of this call is beyond 2^31 - 1, which MPI's own function cannot "
                "take; laconic itself runs calls with MPI_FLOAT, MPI_DOUBLE and the 16-bit types, and for "
                "reductions MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD or an operation of the program that commutes"};
    mpi_call mpi;
    mpi.op = call.op;
    mpi.varying = call.varying;
    mpi.in = call.in.data;
    mpi.out = const_cast<void*>(call.out.data);
    mpi.out_count = static_cast<int>(call.out.count);
    mpi.in_count = is_reduction(call.op) ? mpi.out_count : static_cast<int>(call.in.count);
    mpi.in_counts = to_ints(in->counts);
    mpi.in_displacements = to_ints(in->displacements);
    mpi.out_counts = to_ints(out->counts);
    mpi.out_displacements = to_ints(out->displacements);
    mpi.type = call.type;
    mpi.combine = call.combine;
    mpi.root = call.root;
    return mpi;
}

template <class T>
collective_call<T> as_ours(const c_call& call, const compressed_call& what) noexcept {
    const c_arrays& arrays = what.arrays;
    return {call.op,
            {static_cast<const T*>(arrays.in), arrays.in_count},
            {static_cast<T*>(arrays.out), arrays.out_count},
            what.combine,
            call.root,
            call.varying,
            arrays.in_lists.counts,
            arrays.in_lists.displacements,
            arrays.out_lists.counts,
            arrays.out_lists.displacements,
            call.combine};
}

/// action(collective_call<T>)
template <class Action>
auto for_type(const c_call& call, const compressed_call& what, Action action) {
    return codec::with_element(what.type, [&](auto zero) { return action(as_ours<decltype(zero)>(call, what)); });
}

bool averages(const c_call& call, const laconic_collective_options* given) noexcept {
    return given != nullptr && given->average != 0 && is_reduction(call.op);
}

/// Whether ranks compare their calls, those that are passed on among them, or why that is not known.
result<bool> is_checked(const laconic_collective_options* given) {
    if (given != nullptr) return given->check != 0;
    using base::option_id;
    const auto is_set = [](option_id id) { return variable(id).data() != nullptr; };
    if (!is_set(option_id::check) && !is_set(option_id::config)) return false;
    static constexpr std::array wanted{option_id::check};
    const result<base::option_set> set = base::option_set::resolve({}, wanted);
    if (!set) return set.error();
    return set->text(option_id::check) == "on";
}

/// One that goes to MPI as it is, or why it cannot; the others hear of that where calls are checked.
result<resolved_call> resolve_passed_on(const c_call& call, const c_position& at,
                                        const laconic_collective_options* given) {
    mpi::channel* checked = nullptr;
    const result<bool> checks = at.between ? result<bool>(false) : is_checked(given);
    if (checks ? *checks : variable(base::option_id::check) == "on") {
        const result<mpi::channel*> channel = usable_channel(call.comm);
        if (!channel) return channel.error();
        checked = *channel;
    }
    const auto refuse = [&](const status& why) -> result<resolved_call> {
        if (checked == nullptr) return why;
        return resolved_call(refused_call{why, checked});
    };
    if (!checks) return refuse(checks.error());
    result<mpi_call> found = averages(call, given)
                                 ? status{errc::invalid_argument,
                                          "average is set, but this type, operation or intercommunicator is "
                                          "passed to MPI as it is; use MPI_FLOAT, MPI_DOUBLE or a 16-bit type "
                                          "with MPI_SUM on an intracommunicator, or leave out average"}
                                 : pass_on(call, at);
    if (!found) return refuse(found.error());
    return resolved_call(passed_on_call{std::move(*found), checked});
}

/// kept   see make_task()
result<resolved_call> resolve(const c_call& asked, const laconic_collective_options* given,
                              std::vector<std::size_t>* kept) {
    const result<c_position> at = position_in(asked.comm);
    if (!at) return at.error();
    const c_call call = significant(asked, *at);
    const std::optional<element_type> type = known_type(call.type);
    std::optional<reduction> combine = known_reduction(call);
    if (at->between || !type || !combine) return resolve_passed_on(call, *at, given);
    const result<mpi::channel*> channel = usable_channel(call.comm);
    if (!channel) return channel.error();
    result<collective_options> options = to_options(given);
    compressed_call ours{*type, *combine, {}, options ? std::move(*options) : guessed_options(), *channel, {}};
    if (!options) ours.why = std::move(options).error();
    if (combine == reduction::custom) {
        // Whoever asks for streams in the environment means the calls that are sums.
        const result<cell> what = find_cell(call.op, ours.options.algorithm);
        if (what.ok() && adds_streams(*what)) return resolve_passed_on(call, *at, given);
    }
    const status fits = arrays_of(call, *at, size_of(*type), kept, ours.arrays);
    if (ours.why.ok()) ours.why = fits;
    if (averages(call, given) && combine != reduction::sum)
        ours.why = {errc::invalid_argument, "average is set, but the operation is not MPI_SUM; leave out one"};
    else if (averages(call, given))
        ours.combine = reduction::avg;
    return resolved_call(std::move(ours));
}

/// Runs one with which something is wrong.
result<collective_report> refuse_ours(const c_call& call, const compressed_call& what, status why, bool blocking) {
    return for_type(call, what, [&](const auto& typed) {
        return run_refused(*what.channel, typed, what.options, std::move(why), call.comm, blocking);
    });
}

}  // namespace

result<collective_report> refuse(const c_call& call, const laconic_collective_options* given, status why,
                                 bool blocking) try {
    result<resolved_call> found = resolve(call, given, nullptr);
    if (!found) return why;
    if (const auto* const ours = std::get_if<compressed_call>(&*found))
        return refuse_ours(call, *ours, std::move(why), blocking);
    auto* const refused = std::get_if<refused_call>(&*found);
    mpi::channel* const channel = refused != nullptr ? refused->channel : std::get<passed_on_call>(*found).checked;
    if (channel == nullptr) return why;
    refusal work(*channel, std::move(why));
    return run(work, channel, call.comm, blocking);
} catch (const std::bad_alloc&) {
    // Not even for its options.
    mpi::channel* const channel = mpi::recent_channel_of(call.comm);
    if (channel == nullptr) return no_memory();
    if (given == nullptr || given->check == 0) {
        channel->desert();
        return no_memory();
    }
    refusal work(*channel, no_memory());
    return run(work, channel, call.comm, blocking);
}

result<collective_report> run(const c_call& call, const laconic_collective_options* given) try {
    result<resolved_call> found = resolve(call, given, nullptr);
    if (!found) return found.error();
    if (auto* const ours = std::get_if<compressed_call>(&*found)) {
        if (!ours->why.ok()) return refuse_ours(call, *ours, std::move(ours->why), true);
        return for_type(call, *ours, [&](const auto& typed) { return laconic::run(typed, call.comm, ours->options); });
    }
    if (auto* const refused = std::get_if<refused_call>(&*found)) {
        refusal work(*refused->channel, std::move(refused->why));
        return run(work, refused->channel, call.comm);
    }
    auto& own = std::get<passed_on_call>(*found);
    passed_on work(std::move(own.mpi), call.comm, own.checked);
    return run(work, own.checked, call.comm);
} catch (const std::bad_alloc&) {
    // Nothing has begun.
    return refuse(call, given, no_memory(), true);
}

result<task> make_task(const c_call& call, const laconic_collective_options* given, std::vector<std::size_t>& kept) {
    result<resolved_call> found = resolve(call, given, &kept);
    if (!found) return found.error();
    task made{nullptr, nullptr, call.comm};
    if (const auto* const ours = std::get_if<compressed_call>(&*found)) {
        made.channel = ours->channel;
        made.work = for_type(call, *ours, [&](const auto& typed) {
            return make_execution(*made.channel, typed, ours->options, ours->why);
        });
    } else if (auto* const refused = std::get_if<refused_call>(&*found)) {
        made.channel = refused->channel;
        made.work = std::make_unique<refusal>(*made.channel, std::move(refused->why));
    } else {
        auto& own = std::get<passed_on_call>(*found);
        made.channel = own.checked;
        made.work = std::make_unique<passed_on>(std::move(own.mpi), call.comm, own.checked);
    }
    return made;
}

}  // namespace laconic::collective
