// SPDX-License-Identifier: BSD-3-Clause
// The C face of exchanges. A rank whose arguments cannot become a call still tells the others.
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/c_api.hpp"
#include "laconic/exchange.hpp"
#include "redistribute/exchange/state.hpp"
#include "redistribute/no_memory.hpp"
#include "redistribute/plan_handle.hpp"
// Behind mpi.h, without which it shows no exchanges.
#include "laconic/laconic.h"

struct laconic_exchange_handle {
    std::optional<laconic::exchange> moving;  // empty until it is made
    laconic::exchange_element element;
    // Of a run, which allocates nothing.
    std::vector<laconic::exchange::array_in> from;
    std::vector<laconic::exchange::array_out> to;
};

namespace {

using namespace laconic;

using redistribute::most_fields;
using redistribute::told;

struct request {
    exchange_element element;
    exchange_options options;
};

result<std::vector<stored_box>> storage_of(const laconic_stored_box* given, std::size_t count, const char* name) {
    static_assert(std::extent_v<decltype(laconic_stored_box::strides)> == most_dimensions);
    std::vector<stored_box> made;
    if (given == nullptr) {
        if (count > 0)
            return status(errc::invalid_argument, std::string(name) + " is NULL, but " + std::to_string(count) +
                                                      " are announced; give them, or 0");
        return made;
    }
    made.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i].offset = given[i].offset;
        std::copy(std::begin(given[i].strides), std::end(given[i].strides), made[i].strides.begin());
    }
    return made;
}

result<request> request_of(std::size_t element_bytes, laconic_type type, const laconic_exchange_options* given) {
    request made;
    made.element.bytes = element_bytes;
    if (type != laconic_type{}) {
        if (type < LACONIC_F32 || type > LACONIC_BF16)
            return status(errc::invalid_argument,
                          "element type " + std::to_string(type) + "; use 0, LACONIC_F32, _F64, _F16 or _BF16");
        made.element.type = static_cast<element_type>(type);
    }
    if (given == nullptr) return made;
    if (given->kind != LACONIC_ABSOLUTE && given->kind != LACONIC_RELATIVE)
        return status(errc::invalid_argument,
                      "kind of bound " + std::to_string(given->kind) + "; use LACONIC_ABSOLUTE or LACONIC_RELATIVE");
    if (given->engine != nullptr) {
        const auto engine = engine_named(given->engine);
        if (!engine) return engine.error();
        made.options.engine = *engine;
    }
    made.options.batch_bytes = given->batch_bytes;
    made.options.limit = {given->kind == LACONIC_RELATIVE ? bound_kind::relative : bound_kind::absolute, given->bound};
    made.options.shared_memory = given->no_shared_memory == 0;
    made.options.check = given->no_check == 0;
    made.options.shared_in = given->shared_in != 0;
    made.options.fields = given->fields == 0 ? 1 : given->fields;
    auto in = storage_of(given->in_boxes, given->in_box_count, "in_boxes");
    if (!in) return in.error();
    auto out = storage_of(given->out_patches, given->out_patch_count, "out_patches");
    if (!out) return out.error();
    made.options.in_boxes = std::move(in).value();
    made.options.out_patches = std::move(out).value();
    return made;
}

/// With everything that one run needs, and that may be missing.
std::unique_ptr<laconic_exchange_handle> handle_for(const request& wanted) {
    auto made = std::make_unique<laconic_exchange_handle>();
    made->element = wanted.element;
    const std::size_t fields = std::min(wanted.options.fields, most_fields);
    made->from.resize(fields);
    made->to.resize(fields);
    return made;
}

status make(laconic_plan planned, std::size_t element_bytes, laconic_type type, MPI_Comm comm,
            const laconic_exchange_options* options, laconic_exchange* made) {
    if (made != nullptr) *made = LACONIC_EXCHANGE_NULL;
    if (planned == nullptr) return redistribute::refuse(comm, told([] { return null_argument("plan"); }));
    if (made == nullptr) return redistribute::refuse(comm, told([] { return null_argument("exchange"); }));
    result<request> wanted = request{};
    std::unique_ptr<laconic_exchange_handle> handle;
    // Before the others take this rank for one that has an exchange.
    try {
        wanted = request_of(element_bytes, type, options);
        if (wanted.ok()) handle = handle_for(*wanted);
    } catch (const std::exception&) {
        // No memory, or a count that no memory could hold.
        const std::size_t places = options == nullptr ? 0 : options->in_box_count + options->out_patch_count;
        return redistribute::refuse(
            comm, redistribute::no_memory("the options", places * sizeof(stored_box) + sizeof(laconic_exchange_handle),
                                          "give fewer in_boxes and out_patches"));
    }
    if (!wanted) return redistribute::refuse(comm, told([&] { return wanted.error(); }));
    auto moving = exchange::make(comm, planned->planned, wanted->element, wanted->options);
    if (!moving) return moving.error();
    handle->moving.emplace(std::move(moving).value());
    *made = handle.release();
    return {};
}

status run(laconic_exchange given, std::span<const exchange::array_in> in, std::span<const exchange::array_out> out,
           laconic_patch_function on_patch, void* user) {
    const auto tell = [&](const ready_patch& patch) {
        const laconic_ready_patch ready{patch.patch, patch.position, patch.offset, patch.held ? 1 : 0};
        on_patch(user, &ready);
    };
    return given->moving->run(in, out, given->element, on_patch != nullptr ? patch_callback(tell) : patch_callback());
}

status failure_of(int code, const char* why) noexcept {
    const bool known = code > LACONIC_OK && code <= LACONIC_ERR_UNREPRESENTABLE;
    return told([&] {
        return status(known ? static_cast<errc>(code) : errc::invalid_argument,
                      why == nullptr ? "this rank refuses" : why);
    });
}

}  // namespace

extern "C" {

int laconic_exchange_make(laconic_plan planned, size_t element_bytes, laconic_type type, MPI_Comm comm,
                          const laconic_exchange_options* options, laconic_exchange* made) {
    return guarded([&] { return make(planned, element_bytes, type, comm, options, made); });
}

int laconic_exchange_make_f(laconic_plan planned, size_t element_bytes, laconic_type type, int comm,
                            const laconic_exchange_options* options, laconic_exchange* made) {
    return guarded([&] { return make(planned, element_bytes, type, MPI_Comm_f2c(comm), options, made); });
}

int laconic_exchange_refuse_f(int comm, int code, const char* why) {
    return guarded([&] { return redistribute::refuse(MPI_Comm_f2c(comm), failure_of(code, why)); });
}

int laconic_exchange_refuse_run(laconic_exchange given, int code, const char* why) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        return given->moving->refuse_run(failure_of(code, why));
    });
}

int laconic_exchange_elements(laconic_exchange given, size_t* in, size_t* out) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        if (in != nullptr) *in = given->moving->in_elements();
        if (out != nullptr) *out = given->moving->out_elements();
        return {};
    });
}

int laconic_exchange_offset(laconic_exchange given, size_t position, size_t* offset) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        if (offset == nullptr) return null_argument("offset");
        if (position >= given->moving->patches().size())
            return {errc::invalid_argument, "this rank has no patch at position " + std::to_string(position) +
                                                "; its patches are " + std::to_string(given->moving->patches().size())};
        *offset = given->moving->out_offset(position);
        return {};
    });
}

const char* laconic_exchange_engine(laconic_exchange given) {
    // The names are literals.
    return given == nullptr ? nullptr : name_of(given->moving->engine()).data();
}

size_t laconic_exchange_staging(laconic_exchange given) {
    return given == nullptr ? 0 : given->moving->staging_bytes();
}

int laconic_exchange_describe(laconic_exchange given, laconic_exchange_report* report) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        if (report == nullptr) return null_argument("report");
        const exchange_report& last = given->moving->report();
        *report = {last.kept_bytes,    last.shared_bytes, last.straight_bytes,
                   last.message_bytes, last.wire_bytes,   last.largest_bound};
        return {};
    });
}

void* laconic_exchange_in_array(laconic_exchange given, size_t field) {
    return given == nullptr || field >= given->from.size() ? nullptr : given->moving->in_memory(field).data();
}

int laconic_exchange_settled(laconic_exchange given) { return given != nullptr && given->moving->settled() ? 1 : 0; }

int laconic_exchange_run(laconic_exchange given, const void* in, size_t in_elements, void* out, size_t out_elements,
                         laconic_patch_function on_patch, void* user) {
    return laconic_exchange_run_fields(given, 1, &in, in_elements, &out, out_elements, on_patch, user);
}

int laconic_exchange_run_fields(laconic_exchange given, size_t fields, const void* const* in, size_t in_elements,
                                void* const* out, size_t out_elements, laconic_patch_function on_patch, void* user) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        // Whatever is wrong here, the others hear of it from a run: an exchange has at least one field.
        if (in == nullptr || out == nullptr) fields = 0;
        if (fields != given->from.size())
            return given->moving->refuse_run(told([&] {
                return status(errc::invalid_argument, std::to_string(fields) +
                                                          " arrays to move; the exchange was made for " +
                                                          std::to_string(given->from.size()) + " fields");
            }));
        for (std::size_t i = 0; i < fields; ++i) {
            given->from[i] = {in[i], in_elements};
            given->to[i] = {out[i], out_elements};
        }
        return run(given, given->from, given->to, on_patch, user);
    });
}

int laconic_exchange_free(laconic_exchange* given) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        delete *given;
        *given = LACONIC_EXCHANGE_NULL;
        return {};
    });
}

}  // extern "C"
