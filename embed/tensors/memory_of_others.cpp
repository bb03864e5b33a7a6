#include "embed/tensors/memory_of_others.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "embed/libraries/library.h"
#include "embed/runtime.h"
#include "embed/stored.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

using Owner = core::NeverWritten::Owner;

constexpr int kLongestChain = 64;

bool is_class(PyObject* object, const char* module, const char* name) {
  return imported_attribute(module, std::span(&name, 1)).get() == reinterpret_cast<PyObject*>(Py_TYPE(object));
}

bool is_numpy_array(PyObject* object) {
  const char* const name = "ndarray";
  const PyRef array = imported_attribute("numpy", std::span(&name, 1));
  if (array && PyType_Check(array.get()) &&
      PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(array.get())) != 0)
    return true;
  // What as_strided() puts between an array and its base.
  return is_class(object, "numpy.lib._stride_tricks_impl", "DummyArray") || is_class(object, "numpy.lib.stride_tricks", "DummyArray");
}

Owner of_bytes_object() { return {.immutable = true, .why = "the byte is one of a bytes object, which never changes"}; }

Owner its_own() { return {.immutable = false, .why = {}, .is_known = true}; }

Owner of_unknown_owner(std::string_view who) {
  return {.immutable = false, .why = fmt::format("{} shows memory that it did not allocate, and does not say whose it is", who)};
}

// A method that answers with a bool; false where it fails.
bool says(PyObject* storage, const char* method) {
  const PyRef answer = PyRef::steal(PyObject_CallMethod(storage, method, nullptr));
  if (!answer) clear_unless_interrupt();
  return answer.get() == Py_True;
}

// Whether PyTorch's allocator made the memory: then the c10::StorageImpl behind a storage gives the memory's address twice, as that of
// the data and, behind the deleter, as what the deleter gets; what was wrapped has another object there. Not in Python's reach, and no
// public interface: where the struct looks otherwise, the answer is no.
bool is_of_its_allocator(PyObject* storage) {
  const PyRef handle = PyRef::steal(PyObject_GetAttrString(storage, "_cdata"));
  const core::Address at = handle && PyLong_Check(handle.get()) ? PyLong_AsUnsignedLongLong(handle.get()) : 0;
  if (PyErr_Occurred() != nullptr) clear_unless_interrupt();
  std::array<core::Address, 6> words{};  // the table of its class, one or two counts, data, deleter, what the deleter gets
  const auto bytes = std::as_writable_bytes(std::span(words));
  if (at == 0 || Runtime::get().reader().read(at, bytes) != bytes.size()) return false;
  return (words[2] != 0 && words[2] == words[4]) || (words[3] != 0 && words[3] == words[5]);
}

// No __torch_function__ of a mode or a subclass runs while it lives.
Quiet no_torch_functions() {
  constexpr const char* kPath[] = {"_C", "DisableTorchFunction"};
  std::vector<PyRef> guards;
  guards.push_back(imported_attribute("torch", kPath));
  return Quiet(guards);
}

// Whether the memory that a storage shows begins where the bytes of a `bytes` object do: torch.frombuffer(b"...") keeps the object
// where Python does not reach it.
bool is_of_bytes_object(PyObject* storage) {
  const PyRef address = PyRef::steal(PyObject_CallMethod(storage, "data_ptr", nullptr));
  const PyRef size = PyRef::steal(address ? PyObject_CallMethod(storage, "nbytes", nullptr) : nullptr);
  const core::Address at = size && PyLong_Check(address.get()) ? PyLong_AsUnsignedLongLong(address.get()) : 0;
  const std::uint64_t bytes = size && PyLong_Check(size.get()) ? PyLong_AsUnsignedLongLong(size.get()) : 0;
  if (PyErr_Occurred() != nullptr) clear_unless_interrupt();
  std::array<core::Address, 4> head{};  // count of references, type, size, hash; the bytes follow
  const auto copied = std::as_writable_bytes(std::span(head));
  if (at < sizeof head || bytes == 0 || Runtime::get().reader().read(at - sizeof head, copied) != copied.size()) return false;
  return head[0] != 0 && head[1] == reinterpret_cast<core::Address>(&PyBytes_Type) && head[2] >= bytes;
}

// Memory that can be resized is its own, and so is what it has mapped for several processes. numpy() ends the first, and what
// from_numpy(), frombuffer() and from_dlpack() wrap never was.
Owner of_torch_tensor(PyObject* tensor) {
  const Quiet quiet = no_torch_functions();
  const PyRef storage = PyRef::steal(quiet ? PyObject_CallMethod(tensor, "untyped_storage", nullptr) : nullptr);
  if (!storage) {
    clear_unless_interrupt();
    return of_unknown_owner("a tensor of PyTorch's");
  }
  if (says(storage.get(), "resizable") || says(storage.get(), "is_shared") || is_of_its_allocator(storage.get())) return its_own();
  if (is_of_bytes_object(storage.get())) return of_bytes_object();
  return of_unknown_owner("a storage of PyTorch's");
}

// NumPy's own attributes in C: no property of a subclass.
Owner of_numpy_array(PyObject* array, PyRef& next) {
  next = stored_attribute(array, "base");
  if (next && next.get() != Py_None) return {};
  next = {};
  const PyRef flags = stored_attribute(array, "flags");
  const PyRef owns = PyRef::steal(flags ? PyObject_GetAttrString(flags.get(), "owndata") : nullptr);
  if (!owns) clear_unless_interrupt();
  return owns.get() == Py_True ? its_own() : Owner{};
}

// Or the object that it was made from.
Owner of_own_tensor(PyObject* tensor, PyRef& next) {
  const HeldTensorPtr held = held_by(tensor);
  if (!held) return {};
  if (held->source == "dlscope") return its_own();
  next = PyRef::steal(PyObject_GetAttrString(tensor, "owner"));
  if (next && next.get() != Py_None) return {};
  next = {};
  return of_unknown_owner(fmt::format("a dlscope.Tensor over {}", held->source));
}

// Of an object of which no other is known whose memory it shows.
Owner of_last(PyObject* object) {
  if (PyBytes_Check(object) != 0) return of_bytes_object();
  if (PyByteArray_Check(object) != 0 || derives_from(Py_TYPE(object), "array", "array") || derives_from(Py_TYPE(object), "mmap", "mmap"))
    return its_own();
  if (PyCapsule_CheckExact(object) != 0) return of_unknown_owner("an array of NumPy's");  // from_dlpack()
  const std::string type = qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const Library* const library = library_of_module(std::string_view(type).substr(0, type.find('.')));
  if (library != nullptr && library->immutable)
    return {.immutable = true, .why = fmt::format("the byte is one of a {}, which is immutable", type)};
  return {};
}

// One step: `next` is the object whose memory this one shows; empty: the answer is final.
Owner step(PyObject* object, PyRef& next) {
  next = {};
  if (PyMemoryView_Check(object) != 0) {
    next = PyRef::steal(PyObject_GetAttrString(object, "obj"));
    if (next && next.get() != Py_None) return {};
    next = {};
    return of_unknown_owner("a memoryview");
  }
  if (is_numpy_array(object)) return of_numpy_array(object, next);
  if (derives_from(Py_TYPE(object), "torch", "Tensor")) return of_torch_tensor(object);
  return is_tensor(object) ? of_own_tensor(object, next) : of_last(object);
}

}  // namespace

core::NeverWritten::Owner owner_of_others_memory(PyObject* object) {
  PyRef shown = PyRef::share(object), next;
  Owner owner;
  for (int i = 0; i < kLongestChain; ++i) {
    owner = step(shown.get(), next);
    if (PyErr_Occurred() != nullptr) clear_unless_interrupt();
    if (PyErr_Occurred() != nullptr || !next) return owner;
    shown = std::move(next);
  }
  return of_unknown_owner("a long chain of views");
}

}  // namespace dlscope::embed
