// SPDX-License-Identifier: BSD-3-Clause
// The C structures of DLPack 0.x and 1.x (github.com/dmlc/dlpack, dlpack.h), and how a capsule is taken over: its name
// is changed to "used_...", from then on the taker calls the deleter.
#include "dlpack.hpp"

#include <cstdint>
#include <iterator>
#include <string>

#include "element.hpp"
#include "errors.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

struct device_record {
    std::int32_t type;
    std::int32_t id;
};
struct type_record {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct tensor_record {
    void* data;
    device_record device;
    std::int32_t ndim;
    type_record type;
    std::int64_t* shape;
    std::int64_t* strides;  ///< in elements; null: C order without gaps
    std::uint64_t byte_offset;
};
/// Behind a capsule named "dltensor".
struct managed_tensor {
    tensor_record tensor;
    void* context;
    void (*deleter)(managed_tensor*);
};
/// Behind a capsule named "dltensor_versioned".
struct versioned_tensor {
    std::uint32_t major;
    std::uint32_t minor;
    void* context;
    void (*deleter)(versioned_tensor*);
    std::uint64_t flags;
    tensor_record tensor;
};

constexpr std::int32_t cpu = 1;
constexpr std::uint8_t code_float = 2;
constexpr std::uint8_t code_bfloat = 4;
constexpr std::int32_t most_dimensions = 64;

std::string device_name(long type, long id) {
    static constexpr const char* names[] = {nullptr,   "cpu",          "cuda",   "cuda_host", "opencl",  nullptr,
                                            nullptr,   "vulkan",       "metal",  "vpi",       "rocm",    "rocm_host",
                                            "ext_dev", "cuda_managed", "oneapi", "webgpu",    "hexagon", "maia"};
    const bool known = type >= 0 && type < static_cast<long>(std::size(names)) && names[type] != nullptr;
    return (known ? names[type] : "device type " + std::to_string(type)) + ":" + std::to_string(id);
}

void require_cpu(const std::string& name, long type, long id) {
    if (type == cpu) return;
    raise_argument(name + " is on device " + device_name(type, id) +
                   "; only memory of the CPU is supported: copy it there first (torch: a.cpu(), cupy: a.get())");
}

std::string type_name(type_record type) {
    static constexpr const char* codes[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    std::string name =
        type.code < std::size(codes) ? codes[type.code] : "type code " + std::to_string(type.code) + ", ";
    if (name != "bool") name += std::to_string(type.bits);
    if (type.lanes != 1) name += "x" + std::to_string(type.lanes);
    return name;
}

element_type element_of(const std::string& name, type_record type) {
    if (type.lanes == 1 && type.code == code_float) {
        if (type.bits == 16) return element_type::f16;
        if (type.bits == 32) return element_type::f32;
        if (type.bits == 64) return element_type::f64;
    }
    if (type.lanes == 1 && type.code == code_bfloat && type.bits == 16) return element_type::bf16;
    raise_type(refuse_dtype(name, type_name(type)));
}

strided_view view_of(const std::string& name, const tensor_record& tensor) {
    require_cpu(name, tensor.device.type, tensor.device.id);
    strided_view view;
    view.type = element_of(name, tensor.type);
    if (tensor.ndim < 0 || tensor.ndim > most_dimensions || (tensor.ndim > 0 && tensor.shape == nullptr))
        raise_argument(name + ": the DLPack tensor has " + std::to_string(tensor.ndim) + " dimensions or no shape");
    const auto size = static_cast<std::ptrdiff_t>(size_of(view.type));
    const auto dimensions = static_cast<std::size_t>(tensor.ndim);
    std::ptrdiff_t elements = size;
    view.shape.assign(dimensions, 0);
    view.strides.assign(dimensions, 0);
    for (std::size_t d = dimensions; d-- > 0;) {
        view.shape[d] = tensor.shape[d];
        std::ptrdiff_t stride = elements;
        if (tensor.shape[d] < 0 ||
            (tensor.strides != nullptr && __builtin_mul_overflow(tensor.strides[d], size, &stride)) ||
            __builtin_mul_overflow(elements, tensor.shape[d], &elements))
            raise_argument(name + ": the DLPack tensor is negative or too large in dimension " + std::to_string(d));
        view.strides[d] = stride;
    }
    if (tensor.data == nullptr && view.count() > 0)
        raise_argument(name + ": the DLPack tensor has elements but no data");
    if (tensor.data != nullptr) view.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    return view;
}

/// The capsule of object.__dlpack__(): exporters older than DLPack 1.0 do not know max_version.
py::object capsule_of(py::handle object) {
    const py::object exporter = object.attr("__dlpack__");
    try {
        return exporter(py::arg("max_version") = py::make_tuple(1, 0));
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_TypeError)) throw;
    }
    return exporter();
}

}  // namespace

bool dlpack_tensor::offered_by(py::handle object) { return py::hasattr(object, "__dlpack__"); }

dlpack_tensor::dlpack_tensor(py::handle object, const std::string& name) {
    // Asked first: exporting from a device may need a stream, and synchronises.
    if (py::hasattr(object, "__dlpack_device__")) {
        const py::tuple device = object.attr("__dlpack_device__")();
        if (device.size() != 2) raise_argument(name + ".__dlpack_device__() does not return a pair");
        require_cpu(name, py::int_(device[0]).cast<long>(), py::int_(device[1]).cast<long>());
    }
    take(capsule_of(object), name);
}

void dlpack_tensor::take(py::handle capsule, const std::string& name) {
    const auto own = [&](const char* fresh, const char* used, auto* managed) {
        managed = static_cast<decltype(managed)>(PyCapsule_GetPointer(capsule.ptr(), fresh));
        if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), used) != 0) throw py::error_already_set();
        owner_ = std::shared_ptr<void>(managed, [managed](void*) {
            if (managed->deleter != nullptr) managed->deleter(managed);
        });
        return managed;
    };
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
        elements_ = view_of(name, own("dltensor", "used_dltensor", static_cast<managed_tensor*>(nullptr))->tensor);
    } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
        const auto* tensor =
            own("dltensor_versioned", "used_dltensor_versioned", static_cast<versioned_tensor*>(nullptr));
        // Another major number may have moved everything behind the deleter.
        if (tensor->major != 1)
            raise({errc::unsupported, name + " exports DLPack " + std::to_string(tensor->major) + "." +
                                          std::to_string(tensor->minor) + "; 0.x and 1.x are understood"});
        elements_ = view_of(name, tensor->tensor);
    } else {
        raise_argument(name + ".__dlpack__() does not return a DLPack capsule");
    }
}

}  // namespace laconic::python
