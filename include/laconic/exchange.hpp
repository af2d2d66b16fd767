// SPDX-License-Identifier: BSD-3-Clause
// Least-movement redistribution, the half that moves: a communicator and a plan flow in, an exchange flows out that is
// made once and run as often as the array changes. Link with laconic::mpich or laconic::openmpi, whichever MPI the
// program itself uses. docs/guide/redistribute.md says which engine is for what.
//
// Memory. What a rank gives lies box by box, in the order of plan.from().boxes_of(rank), each box in C order without
// gaps, one behind the other. What it gets lies patch by patch, in the order of plan.patches_of(rank), that is
// ascending, each patch likewise. exchange_options::in_boxes and out_patches say otherwise: halos, padding, boxes
// inside a larger array.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"
#include "laconic/redistribute.hpp"
#include "laconic/status.hpp"

namespace laconic {

/// How pieces travel. All engines give the same result.
enum class exchange_engine : std::uint8_t {
    automatic,    ///< shared where ranks share memory, else batched
    shared,       ///< through memory that the ranks of a node share; batched between nodes
    batched,      ///< packed batches: the next one is packed while the last ones fly
    per_rank,     ///< one packed message for each pair of ranks
    per_patch,    ///< one message for each patch and sender, of a derived datatype
    alltoallw,    ///< MPI_Alltoallw with derived datatypes
    neighbor,     ///< MPI_Neighbor_alltoallw with derived datatypes; unsupported on MPICH 4.0 to 4.1b, which lose data
    partitioned,  ///< MPI-4's partitioned messages, packed; where the MPI has them
};
[[nodiscard]] std::string_view name_of(exchange_engine engine) noexcept;
/// invalid_argument with the names there are ("auto" for automatic), for a text that is none of them.
[[nodiscard]] result<exchange_engine> engine_named(std::string_view name);

/// What is moved: so many bytes, copied bit by bit. Only arrays of a known type can travel compressed.
struct exchange_element {
    std::size_t bytes = 0;
    std::optional<element_type> type;

    template <class T>
    [[nodiscard]] static constexpr exchange_element of() noexcept {
        if constexpr (requires { element_type_of<T>::value; })
            return {sizeof(T), element_type_of<T>::value};
        else
            return {sizeof(T), std::nullopt};
    }
};

struct exchange_options {
    exchange_engine engine = exchange_engine::automatic;
    std::size_t fields = 1;       ///< arrays that each run moves together, 1 to 1024
    std::size_t batch_bytes = 0;  ///< of a packed message, 256 to 2^30, less counts as 256; 0: the first runs try
                                  ///< several, see settled(), and the fastest stays
    /// What messages may lose: every element that changes rank by message arrives within it; what stays with its rank,
    /// or goes through shared memory, is exact. A relative bound counts max - min over the finite values of all ranks,
    /// field by field. For engines that pack; lossless travels uncompressed.
    bound limit;
    bool shared_memory = true;  ///< false: automatic and shared use messages inside a node, too
    /// Whether ranks compare notes before elements arrive, so that a rank with bad arguments fails the call everywhere.
    /// Costs a few small messages, which travel while pieces that stay are copied and the first batches leave. Without:
    /// arguments must be right.
    bool check = true;
    /// Each rank gets arrays for `in`, in_array(), in memory that the ranks of a node share. A run from there copies
    /// what changes rank inside the node once instead of twice, straight from the sender's array (engine shared).
    bool shared_in = false;
    std::vector<stored_box> in_boxes;     ///< of this rank alone: one for each box; empty: without gaps
    std::vector<stored_box> out_patches;  ///< of this rank alone: one for each patch; empty: without gaps
};

/// A patch that is complete.
struct ready_patch {
    patch_number patch = 0;
    std::size_t position = 0;  ///< among those of the rank
    std::size_t offset = 0;    ///< of its first element in `out`
    bool held = false;         ///< it lay whole on this rank before
};

/// A reference to something that can be called with a patch; it must live until the run is over.
class patch_callback {
public:
    patch_callback() noexcept = default;
    template <class Callable>
    requires(std::is_invocable_v<const Callable&, const ready_patch&> &&
             !std::is_same_v<std::remove_cvref_t<Callable>, patch_callback>) patch_callback(const Callable& call)
    noexcept
        : object_(&call),
          call_([](const void* object, const ready_patch& patch) { (*static_cast<const Callable*>(object))(patch); }) {}
    void operator()(const ready_patch& patch) const { call_(object_, patch); }
    explicit operator bool() const noexcept { return call_ != nullptr; }

private:
    const void* object_ = nullptr;
    void (*call_)(const void*, const ready_patch&) = nullptr;
};

/// What the last run of this rank did.
struct exchange_report {
    std::uint64_t kept_bytes = 0;      ///< that stayed with the rank
    std::uint64_t shared_bytes = 0;    ///< handed to other ranks through shared memory
    std::uint64_t straight_bytes = 0;  ///< of those, what the others read from this rank's in_array()
    std::uint64_t message_bytes = 0;   ///< handed to other ranks by messages, before compression
    std::uint64_t wire_bytes = 0;      ///< what those messages held
    double largest_bound = 0;          ///< no element is further from the original than this
};

class exchange {
public:
    struct state;

    /// Collective over comm.
    ///
    /// comm      an intracommunicator with as many ranks as the plan. It must outlive the exchange. Messages travel on
    /// a
    ///           private duplicate, made by the first exchange of comm.
    /// what      the same plan on all ranks; it need not outlive the call
    /// options   the same on all ranks, but for in_boxes and out_patches
    ///
    /// returns   on all ranks alike: the exchange, or
    ///           invalid_argument  comm is null or an intercommunicator; the plan is for another number of ranks; an
    ///                             option outside its domain; in_boxes or out_patches of wrong number, with negative
    ///                             offsets, strides too small for their box (patches would overlap in themselves) or a
    ///                             last stride that is not 1
    ///           mismatch          ranks differ in layout, patch grid, owners, element or options; the text names the
    ///                             lowest rank that differs from rank 0 and its first box or patch that does
    ///           invalid_bound     the bound is negative, NaN or infinite
    ///           unsupported       a bound for elements without a known type, or for an engine of datatypes; an engine
    ///                             that this MPI has not, or that cannot count this far
    ///           out_of_memory     of one rank is enough; the text names it and the bytes that it lacks at least
    ///           mpi
    ///
    /// memory    engine shared and batched: max(8 MB, 2 % of the rank's arrays) at most, unless batch_bytes asks for
    ///           more; per_rank and partitioned: as much as is sent and received; engines of datatypes: what MPI takes.
    ///           All: about 100 bytes for each piece of a patch that the rank gives or gets; shared_in: 200 for those
    ///           from its node, and in_elements() of each field.
    /// cost      O(this rank's pieces); several small collectives
    [[nodiscard]] static result<exchange> make(MPI_Comm comm, const plan& what, exchange_element element,
                                               const exchange_options& options = {});
    template <class T>
    [[nodiscard]] static result<exchange> make(MPI_Comm comm, const plan& what, const exchange_options& options = {}) {
        static_assert(std::is_trivially_copyable_v<T>);
        return make(comm, what, exchange_element::of<T>(), options);
    }

    exchange(exchange&&) noexcept;
    exchange& operator=(exchange&&) noexcept;
    /// Local. Not while a run is under way.
    ~exchange();

    /// Moves the array once. Collective over the communicator; exchanges of a communicator run in the same order on
    /// all ranks, one at a time. Allocates nothing.
    ///
    /// in, out   in_elements() and out_elements() elements at least, not overlapping. `in` is not changed; elements of
    ///           `out` that belong to no patch (out_patches) are not touched.
    /// on_patch  called by this thread, once for each patch of the rank: for those that lay whole on the rank in
    ///           ascending order, before anything is waited for, then for each other patch as soon as it is complete.
    ///           Time that it takes may hold up ranks that wait for this one. After it has thrown no further patch is
    ///           reported; the run goes on to its end, and throws that on if all went well, else returns its status.
    ///           Where ranks compare notes, patches may have been told before the call is refused: they are complete.
    ///
    /// returns   ok, or
    ///           invalid_argument  a span is null or too short, spans overlap, T has another size than the exchange's
    ///                             elements, another number of fields. With options.check on all ranks alike, naming
    ///                             the rank: nothing arrives, but `out` may hold pieces that stay, of ranks whose
    ///                             arguments are right; otherwise on this rank, and the others wait for ever.
    ///           mpi, corrupt      MPI failed, or a compressed message is damaged; `out` is unspecified. After an MPI
    ///                             failure the exchanges of this communicator cannot be used any more, and `in` and
    ///                             `out` must stay alive until MPI ends: messages may still be under way in them.
    template <class T>
    [[nodiscard]] status run(std::span<const T> in, std::span<T> out, patch_callback on_patch = {}) {
        const array_in from{in.data(), in.size()};
        const array_out to{out.data(), out.size()};
        return run({&from, 1}, {&to, 1}, exchange_element::of<T>(), on_patch);
    }
    struct array_in {
        const void* data;
        std::size_t elements;
    };
    struct array_out {
        void* data;
        std::size_t elements;
    };
    /// Several fields of one layout at once: options.fields of each. A patch is complete when all its fields are.
    [[nodiscard]] status run(std::span<const array_in> in, std::span<const array_out> out, exchange_element element,
                             patch_callback on_patch = {});

    /// With options.shared_in the exchange's own array for `in` of a field, in_elements() long and zero at first, else
    /// nothing. It lives as long as the exchange. Runs may be given other arrays as well, on each rank as it likes.
    template <class T>
    [[nodiscard]] std::span<T> in_array(std::size_t field = 0) const {
        const std::span<std::byte> memory = in_memory(field);
        return {reinterpret_cast<T*>(memory.data()), memory.size() / sizeof(T)};
    }
    /// Precondition: field < options.fields.
    [[nodiscard]] std::span<std::byte> in_memory(std::size_t field) const noexcept;

    /// Stands for run() on a rank whose own arguments did not become a call. Collective with the others' run().
    ///
    /// why       any failure
    /// returns   it; with options.check the others return it as well, with this rank's number, otherwise they wait for
    ///           ever
    [[nodiscard]] status refuse_run(const status& why);

    [[nodiscard]] std::size_t in_elements() const noexcept;
    [[nodiscard]] std::size_t out_elements() const noexcept;
    /// The patches of this rank, ascending, and the element of `out` at which the position-th begins.
    [[nodiscard]] std::span<const patch_number> patches() const noexcept;
    [[nodiscard]] std::size_t out_offset(std::size_t position) const noexcept;
    /// The engine in use: never automatic.
    [[nodiscard]] exchange_engine engine() const noexcept;
    /// Whether the first runs are over that try which size of batches is fastest here. Where batched messages are sent
    /// (engine batched; automatic and shared with several nodes) and batch_bytes is 0: false until the 10th run. Until
    /// then ranks compare notes even without options.check.
    [[nodiscard]] bool settled() const noexcept;
    /// Memory for packed pieces that this rank holds, including its part of what a node shares; not in_array().
    [[nodiscard]] std::size_t staging_bytes() const noexcept;
    [[nodiscard]] const exchange_report& report() const noexcept;

private:
    explicit exchange(std::unique_ptr<state> made) noexcept;
    std::unique_ptr<state> state_;
};

}  // namespace laconic
