// SPDX-License-Identifier: BSD-3-Clause
// Functions found by name in a library, called without the GIL; a callback takes it for as long as it runs.
#include "exchange.hpp"

#include <dlfcn.h>

namespace laconic::python {
namespace {

namespace py = pybind11;

[[noreturn]] void raise_os_error(const std::string& text) {
    PyErr_SetString(PyExc_OSError, text.c_str());
    throw py::error_already_set();
}

template <class Function>
void find(void* handle, const char* name, Function& found) {
    found = reinterpret_cast<Function>(dlsym(handle, name));
    if (found == nullptr) raise_os_error(std::string("the library of laconic has no ") + name);
}

void* pointer_of(const py::handle& address) {
    void* found = PyLong_AsVoidPtr(address.ptr());
    if (found == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return found;
}

/// Who is called with patches, and what that raised.
struct listener {
    py::handle call;
    PyObject* raised[3] = {};

    static void hear(void* user, const laconic_ready_patch* ready) {
        auto& self = *static_cast<listener*>(user);
        const py::gil_scoped_acquire locked;
        if (self.raised[0] != nullptr) return;
        PyObject* answer =
            PyObject_CallFunction(self.call.ptr(), "inO", static_cast<int>(ready->patch),
                                  static_cast<Py_ssize_t>(ready->position), ready->held != 0 ? Py_True : Py_False);
        if (answer == nullptr) PyErr_Fetch(&self.raised[0], &self.raised[1], &self.raised[2]);
        Py_XDECREF(answer);
    }

    /// The exception, with its traceback, or None.
    py::object exception() {
        if (raised[0] == nullptr) return py::none();
        PyErr_NormalizeException(&raised[0], &raised[1], &raised[2]);
        if (raised[2] != nullptr) PyException_SetTraceback(raised[1], raised[2]);
        Py_XDECREF(raised[0]);
        Py_XDECREF(raised[2]);
        return py::reinterpret_steal<py::object>(raised[1]);
    }
};

}  // namespace

std::string exchange_functions::reason(int code) const {
    const std::string message = last_message(), name = std::string(error_name(code)) + ": ";
    return message.compare(0, name.size(), name) == 0 ? message.substr(name.size()) : message;
}

void exchange_functions::raise(int code, const std::string& why) const {
    const py::object error = py::module_::import("laconic._errors").attr("error_of")(code, error_name(code), why);
    PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
    throw py::error_already_set();
}

void exchange_functions::require(int code) const {
    if (code != LACONIC_OK) raise(code, reason(code));
}

exchange_library::exchange_library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) raise_os_error(dlerror());
    find(handle_, "laconic_version", functions_.version);
    find(handle_, "laconic_error_name", functions_.error_name);
    find(handle_, "laconic_last_message", functions_.last_message);
    find(handle_, "laconic_plan_make", functions_.plan_make);
    find(handle_, "laconic_plan_free", functions_.plan_free);
    find(handle_, "laconic_exchange_make_f", functions_.make);
    find(handle_, "laconic_exchange_refuse_f", functions_.refuse);
    find(handle_, "laconic_exchange_elements", functions_.elements);
    find(handle_, "laconic_exchange_engine", functions_.engine);
    find(handle_, "laconic_exchange_staging", functions_.staging);
    find(handle_, "laconic_exchange_settled", functions_.settled);
    find(handle_, "laconic_exchange_in_array", functions_.in_array);
    find(handle_, "laconic_exchange_describe", functions_.describe);
    find(handle_, "laconic_exchange_run_fields", functions_.run);
    find(handle_, "laconic_exchange_refuse_run", functions_.refuse_run);
    find(handle_, "laconic_exchange_free", functions_.free);
}

bool exchange_library::shares(const std::string& file, const std::string& symbol) const {
    void* other = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (other == nullptr) return false;
    void* theirs = dlsym(other, symbol.c_str());
    dlclose(other);
    return theirs != nullptr && theirs == dlsym(handle_, symbol.c_str());
}

std::unique_ptr<moving_exchange> exchange_library::make(int comm, const exchange_request& asked) const {
    const laconic_plan_request wanted = asked.plan();
    const laconic_exchange_options options = asked.options();
    laconic_exchange made = LACONIC_EXCHANGE_NULL;
    laconic_plan planned = LACONIC_PLAN_NULL;
    int code = LACONIC_OK;
    {
        const py::gil_scoped_release unlocked;
        code = functions_.plan_make(&wanted, &planned);
        if (code == LACONIC_OK) {
            code = functions_.make(planned, asked.element_bytes(), asked.type(), comm, &options, &made);
        } else {
            // The others hear of it.
            const std::string why = functions_.reason(code);
            code = functions_.refuse(comm, code, why.c_str());
        }
    }
    // Before the next call takes the message away.
    const std::string why = functions_.reason(code);
    if (planned != LACONIC_PLAN_NULL) static_cast<void>(functions_.plan_free(&planned));
    if (code != LACONIC_OK) functions_.raise(code, why);
    return std::make_unique<moving_exchange>(functions_, made);
}

void exchange_library::refuse(int comm, int code, const std::string& why) const {
    const py::gil_scoped_release unlocked;
    // The caller has something better to raise.
    static_cast<void>(functions_.refuse(comm, code, why.c_str()));
}

py::object moving_exchange::run(const py::list& in, const py::list& out, const py::object& on_patch) {
    std::vector<const void*> from;
    std::vector<void*> to;
    for (const py::handle each : in) from.push_back(pointer_of(each));
    for (const py::handle each : out) to.push_back(pointer_of(each));
    const std::pair<std::size_t, std::size_t> sizes = elements();
    listener listening{on_patch};
    const int code = [&] {
        const py::gil_scoped_release unlocked;
        return library_.run(made_, from.size(), from.data(), sizes.first, to.data(), sizes.second,
                            on_patch.is_none() ? nullptr : listener::hear, &listening);
    }();
    py::object raised = listening.exception();
    if (code == LACONIC_OK) return raised;
    try {
        library_.require(code);
    } catch (py::error_already_set& failed) {
        if (!raised.is_none()) PyException_SetCause(failed.value().ptr(), raised.release().ptr());
        throw;
    }
    return py::none();
}

void moving_exchange::refuse(int code, const std::string& why) {
    const py::gil_scoped_release unlocked;
    // The caller has something better to raise.
    static_cast<void>(library_.refuse_run(made_, code, why.c_str()));
}

py::tuple moving_exchange::report() const {
    laconic_exchange_report last{};
    library_.require(library_.describe(made_, &last));
    return py::make_tuple(last.kept_bytes, last.shared_bytes, last.straight_bytes, last.message_bytes, last.wire_bytes,
                          last.largest_bound);
}

void moving_exchange::free() {
    if (made_ != LACONIC_EXCHANGE_NULL) library_.require(library_.free(&made_));
}

std::pair<std::size_t, std::size_t> moving_exchange::elements() const {
    std::size_t in = 0, out = 0;
    library_.require(library_.elements(made_, &in, &out));
    return {in, out};
}

}  // namespace laconic::python
