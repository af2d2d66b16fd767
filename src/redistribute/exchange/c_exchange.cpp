// SPDX-License-Identifier: BSD-3-Clause
// The C face of exchanges. A rank whose arguments cannot become a call still tells the others.
#include <mpi.h>

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "codec/c_api.hpp"
#include "laconic/exchange.hpp"
#include "redistribute/exchange/state.hpp"
#include "redistribute/plan_handle.hpp"
// Behind mpi.h, without which it shows no exchanges.
#include "laconic/laconic.h"

struct laconic_exchange_handle {
    std::optional<laconic::exchange> moving;  // empty until it is made
    laconic::exchange_element element;
};

namespace {

using namespace laconic;

struct request {
    exchange_element element;
    exchange_options options;
};

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
    return made;
}

}  // namespace

extern "C" {

int laconic_exchange_make(laconic_plan planned, size_t element_bytes, laconic_type type, MPI_Comm comm,
                          const laconic_exchange_options* options, laconic_exchange* made) {
    return guarded([&]() -> status {
        if (made != nullptr) *made = LACONIC_EXCHANGE_NULL;
        if (planned == nullptr) return redistribute::refuse(comm, null_argument("plan"));
        if (made == nullptr) return redistribute::refuse(comm, null_argument("exchange"));
        const auto wanted = request_of(element_bytes, type, options);
        if (!wanted) return redistribute::refuse(comm, wanted.error());
        // Before the others take this rank for one that has an exchange.
        std::unique_ptr<laconic_exchange_handle> handle(new (std::nothrow) laconic_exchange_handle);
        if (handle == nullptr) return redistribute::refuse(comm, {errc::out_of_memory, "no handle"});
        auto moving = exchange::make(comm, planned->planned, wanted->element, wanted->options);
        if (!moving) return moving.error();
        handle->moving.emplace(std::move(moving).value());
        handle->element = wanted->element;
        *made = handle.release();
        return {};
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

int laconic_exchange_run(laconic_exchange given, const void* in, size_t in_elements, void* out, size_t out_elements,
                         laconic_patch_function on_patch, void* user) {
    return guarded([&]() -> status {
        if (given == nullptr) return null_argument("exchange");
        const exchange::array_in from{in, in_elements};
        const exchange::array_out to{out, out_elements};
        const auto tell = [&](const ready_patch& patch) { on_patch(user, patch.patch, patch.offset); };
        return given->moving->run({&from, 1}, {&to, 1}, given->element,
                                  on_patch != nullptr ? patch_callback(tell) : patch_callback());
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
