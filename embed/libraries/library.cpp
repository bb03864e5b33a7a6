#include "embed/libraries/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dlscope::embed {
namespace {

constexpr std::array<std::string_view, 1> kNumpyCode{"/_multiarray_umath."};
constexpr std::array<std::string_view, 1> kTorchCode{"/libtorch"};
constexpr std::array<std::string_view, 2> kJaxTypes{"jaxlib", "jax"};
constexpr std::array<std::string_view, 1> kJaxCode{"/jaxlib/"};
constexpr std::array<std::string_view, 1> kTensorflowCode{"/tensorflow/"};
constexpr std::array<std::string_view, 1> kPaddleCode{"/paddle/"};
constexpr std::array<std::string_view, 2> kDpnpCode{"/dpnp/", "/dpctl/"};
constexpr std::array<std::string_view, 2> kArrowCode{"/libarrow", "/pyarrow/"};
constexpr std::array<std::string_view, 1> kTvmCode{"/tvm_ffi/"};
constexpr std::array<std::string_view, 1> kCupyCode{"/cupy/"};
constexpr std::array<std::string_view, 1> kOwnCode{"/_dlscope."};
constexpr std::array<std::string_view, 1> kCtypesTypes{"_ctypes"};

constexpr std::array<std::string_view, 8> kStandardTypes{"functools", "concurrent",  "asyncio",         "_asyncio",
                                                         "queue",     "collections", "multiprocessing", "_thread"};

// JAX and TensorFlow: what DLPack refuses, their buffer protocol would copy by NumPy.
constexpr unsigned kAskDlpackOrCuda = kAskDlpack | kAskCudaArrayInterface;

constexpr std::array kLibraries{
    Library{.module = "numpy", .type_modules = {}, .code = kNumpyCode, .open = open_numpy},
    Library{.module = "torch",
            .type_modules = {},
            .code = kTorchCode,
            .protocols = kAskDlpackOrCuda,
            .looking_stream = -1,
            .open = open_torch},
    Library{.module = "jax",
            .type_modules = kJaxTypes,
            .code = kJaxCode,
            .protocols = kAskDlpackOrCuda,
            .immutable = true,
            .open = open_jax},
    Library{.module = "tensorflow",
            .type_modules = {},
            .code = kTensorflowCode,
            .protocols = kAskDlpack,
            .immutable = true,
            .open = open_tensorflow},
    Library{.module = "paddle", .type_modules = {}, .code = kPaddleCode, .protocols = kAskDlpackOrCuda, .open = open_paddle},
    Library{.module = "dpnp", .type_modules = {}, .code = kDpnpCode},
    Library{.module = "dpctl", .type_modules = {}, .code = kDpnpCode},
    Library{.module = "pyarrow", .type_modules = {}, .code = kArrowCode, .open = open_pyarrow},
    Library{.module = "tvm_ffi", .type_modules = {}, .code = kTvmCode},
    Library{.module = "array_api_strict", .type_modules = {}, .code = {}},
    Library{.module = "cupy", .type_modules = {}, .code = kCupyCode, .looking_stream = -1},
    Library{.module = "ml_dtypes", .type_modules = {}, .code = {}},
    Library{.module = "keras", .type_modules = {}, .code = {}},
    Library{.module = "flax", .type_modules = {}, .code = {}},
    Library{.module = "mlx", .type_modules = {}, .code = {}, .open = open_mlx},
    Library{.module = "PIL", .type_modules = {}, .code = {}, .open = open_pillow},
    Library{.module = "dlscope", .type_modules = {}, .code = kOwnCode, .open = open_own, .listed = false},
    Library{.module = "pandas", .type_modules = {}, .code = {}, .open = open_pandas},
    Library{.module = "polars", .type_modules = {}, .code = {}, .immutable = true, .open = open_polars},
    Library{.module = "xarray", .type_modules = {}, .code = {}, .open = open_xarray},
    Library{.module = "scipy", .type_modules = {}, .code = {}, .open = open_held_attributes},
    Library{.module = "awkward", .type_modules = {}, .code = {}, .open = open_held_attributes},
    Library{.module = "the standard library",
            .type_modules = kStandardTypes,
            .code = {},
            .open = open_held_attributes,
            .listed = false},
    Library{.module = "ctypes", .type_modules = kCtypesTypes, .code = {}, .listed = false},
};

PyObject* imported_module(const char* name) {
  PyObject* modules = PySys_GetObject("modules");  // borrowed
  if (modules == nullptr || !PyDict_Check(modules)) return nullptr;
  PyObject* module = PyDict_GetItemString(modules, name);
  return module != nullptr && PyModule_Check(module) ? module : nullptr;
}

}  // namespace

std::span<const Library> libraries() { return kLibraries; }

const Library* library_of_module(std::string_view top_level_module) {
  const auto covers = [&](const Library& row) {
    if (row.type_modules.empty()) return row.module == top_level_module;
    return std::ranges::find(row.type_modules, top_level_module) != row.type_modules.end();
  };
  const auto* found = std::ranges::find_if(kLibraries, covers);
  return found == kLibraries.end() ? nullptr : found;
}

bool is_known_library_code(std::string_view file) {
  return std::ranges::any_of(kLibraries, [&](const Library& row) {
    return std::ranges::any_of(row.code, [&](std::string_view part) { return file.find(part) != file.npos; });
  });
}

void add_imported_libraries(core::SnapshotBuilder& builder) {
  for (const Library& row : kLibraries) {
    if (!row.listed) continue;
    PyObject* module = imported_module(row.module.data());
    if (module == nullptr) continue;
    PyObject* version = PyDict_GetItemString(PyModule_GetDict(module), "__version__");
    builder.add_library(row.module, text_of(version));
  }
}

PyRef imported_attribute(const char* module, std::span<const char* const> path) {
  PyObject* found = imported_module(module);
  for (const char* name : path) {
    if (found == nullptr || !PyModule_Check(found)) return {};
    found = PyDict_GetItemString(PyModule_GetDict(found), name);
  }
  return PyRef::share(found);
}

bool derives_from(PyTypeObject* type, std::string_view module, std::string_view name) {
  const PyRef mro = type_attribute(reinterpret_cast<PyObject*>(type), "__mro__");
  for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
    PyObject* const base = PyTuple_GetItem(mro.get(), i);
    if (!name.empty() && text_of(type_attribute(base, "__name__").get()) != name) continue;
    if (text_of(type_attribute(base, "__module__").get()).starts_with(module)) return true;
  }
  return false;
}

core::Remark remark_nulls(std::uint64_t nulls, std::uint64_t values) {
  return {core::RemarkCode::nulls, fmt::format("nulls: {} of {}; what lies in their place is shown as numbers", nulls, values)};
}

PyRef own_attribute(const PyRef& type, PyObject* object, const char* name) {
  if (PyErr_Occurred() != nullptr) return {};
  const PyRef found = type ? type_attribute(type.get(), name) : PyRef{};
  PyRef value = PyRef::steal(
      found ? PyObject_CallMethod(found.get(), "__get__", "OO", object, reinterpret_cast<PyObject*>(Py_TYPE(object))) : nullptr);
  if (!value) clear_unless_interrupt();
  return value;
}

PyRef call_own_method(const PyRef& type, PyObject* object, const char* name) {
  const PyRef bound = own_attribute(type, object, name);
  PyRef result = PyRef::steal(bound ? dlscope_call_no_args(bound.get()) : nullptr);
  if (!result) clear_unless_interrupt();
  return result;
}

PyRef call_method(PyObject* object, const char* name) {
  if (PyErr_Occurred() != nullptr) return {};
  PyRef result = PyRef::steal(PyObject_CallMethod(object, name, nullptr));
  if (!result) clear_unless_interrupt();
  return result;
}

bool call_truth(PyObject* callable) {
  if (callable == nullptr) return false;
  const PyRef answer = PyRef::steal(dlscope_call_no_args(callable));
  const int truth = answer ? PyObject_IsTrue(answer.get()) : -1;
  if (truth < 0) clear_unless_interrupt();
  return truth > 0;
}

bool call_method_truth(PyObject* object, PyObject* method_name) {
  const PyRef answer = PyRef::steal(dlscope_call_method(method_name, &object, 1, nullptr));
  const int truth = answer ? PyObject_IsTrue(answer.get()) : -1;
  if (truth < 0) clear_unless_interrupt();
  return truth > 0;
}

}  // namespace dlscope::embed
