#include "embed/tensors/tensor_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <structmember.h>

#include <new>

#include "embed/guarded.h"
#include "embed/protocols/dlpack_export.h"
#include "embed/tensors/tensor_slots.h"

namespace dlscope::embed {
namespace {

PyTypeObject* tensor_type = nullptr;

TensorObject& tensor_of(PyObject* self) { return *reinterpret_cast<TensorObject*>(self); }

PyRef tuple_of(std::span<const std::int64_t> numbers) {
  PyRef tuple = PyRef::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  for (std::size_t i = 0; tuple && i < numbers.size(); ++i) {
    PyObject* const number = PyLong_FromLongLong(numbers[i]);
    if (number == nullptr || PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), number) != 0) return {};
  }
  return tuple;
}

PyObject* text(const std::string& message) {
  return PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace");
}

// A getter that works only while the tensor is open.
template <PyObject* (*get)(const HeldTensor&)>
PyObject* of_open(PyObject* self, void*) {
  try {
    const HeldTensorPtr held = held_by(self);
    return held ? get(*held) : nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyObject* shape(const HeldTensor& t) { return tuple_of(t.shape()).release(); }
PyObject* strides(const HeldTensor& t) {
  return t.has_element_strides ? tuple_of(t.stride_elements()).release() : PyRef::share(Py_None).release();
}
PyObject* strides_bytes(const HeldTensor& t) {
  std::vector<std::int64_t> bytes;
  for (std::size_t d = 0; d < t.stride_bits().size(); ++d) {
    if (t.stride_bits()[d] % 8 != 0 && t.shape()[d] > 1) return PyRef::share(Py_None).release();
    bytes.push_back(t.stride_bits()[d] / 8);
  }
  return tuple_of(bytes).release();
}
PyObject* dtype(const HeldTensor& t) { return text(core::dtype_name(t.dtype)); }
PyObject* device(const HeldTensor& t) { return Py_BuildValue("(ii)", t.device.type, t.device.id); }
PyObject* nbytes(const HeldTensor& t) { return PyLong_FromUnsignedLongLong(t.nbytes()); }
PyObject* ndim(const HeldTensor& t) { return PyLong_FromLong(t.rank); }
PyObject* is_copied(const HeldTensor& t) { return PyBool_FromLong(t.is_copied); }
PyObject* read_only(const HeldTensor& t) {
  if (t.writability == Writability::unknown) return PyRef::share(Py_None).release();
  return PyBool_FromLong(!t.may_write());
}
PyObject* writability(const HeldTensor& t) {
  static constexpr const char* kWords[] = {"yes", "no", "unknown", "immutable by contract"};
  return PyUnicode_FromString(kWords[static_cast<int>(t.writability)]);
}
PyObject* version(const HeldTensor& t) {
  if (t.capsule != core::CapsuleKind::dltensor_versioned) return PyRef::share(Py_None).release();
  return Py_BuildValue("(ii)", int{t.version_major}, int{t.version_minor});
}
PyObject* capsule_name(const HeldTensor& t) {
  if (t.capsule == core::CapsuleKind::none) return PyRef::share(Py_None).release();
  return PyUnicode_FromString(core::capsule_kind_name(t.capsule));
}
PyObject* given_by(const HeldTensor& t) {
  if (t.given_by == core::GivenBy::none) return PyRef::share(Py_None).release();
  return PyUnicode_FromString(core::given_by_name(t.given_by));
}
PyObject* asked(const HeldTensor& t) {
  if (t.given_by != core::GivenBy::dlpack_method) return PyRef::share(Py_None).release();
  PyRef keywords = PyRef::steal(PyDict_New());
  const auto put = [&](const char* name, PyRef value) {
    if (!keywords || !value || PyDict_SetItemString(keywords.get(), name, value.get()) != 0) keywords = {};
  };
  if (t.asked.stream) put("stream", PyRef::steal(PyLong_FromLong(*t.asked.stream)));
  if (t.asked.max_version) put("max_version", PyRef::steal(Py_BuildValue("(ii)", 1, 3)));
  if (t.asked.device) put("dl_device", PyRef::steal(Py_BuildValue("(ii)", t.asked.device->type, t.asked.device->id)));
  if (t.asked.copy) put("copy", PyRef::steal(PyBool_FromLong(*t.asked.copy)));
  return keywords.release();
}

PyObject* closed(PyObject* self, void*) { return PyBool_FromLong(!tensor_of(self).held); }

// The held exporter, or the producer as long as it exists; else None.
PyObject* owner(PyObject* self, void*) {
  PyObject* const kept = tensor_of(self).owner.get();
  if (kept == nullptr) return PyRef::share(Py_None).release();
  if (PyWeakref_Check(kept) == 0) return PyRef::share(kept).release();
  return PyObject_CallFunctionObjArgs(kept, nullptr);  // calling a weak reference gives a strong one in every version
}

PyObject* data_ptr(PyObject* self, PyObject*) {
  const HeldTensorPtr held = held_by(self);
  return held ? PyLong_FromUnsignedLongLong(held->address()) : nullptr;
}

// Ends this object's hold only: exports (capsules, buffers) hold the memory themselves. Who read an array interface holds this
// object and nothing else: `lent` stays until it dies.
PyObject* close(PyObject* self, PyObject*) {
  TensorObject& tensor = tensor_of(self);
  const PyRef kept_owner = std::move(tensor.owner);
  const HeldTensorPtr held = std::move(tensor.held);
  Py_RETURN_NONE;
}

PyObject* enter(PyObject* self, PyObject*) {
  if (!held_by(self)) return nullptr;
  return PyRef::share(self).release();
}

PyObject* leave(PyObject* self, PyObject*) { return close(self, nullptr); }

std::string description_of(const HeldTensor& t) {
  std::string message = fmt::format("{} ({}{})", core::dtype_name(t.dtype), fmt::join(t.shape(), ", "), t.rank == 1 ? "," : "");
  if (t.has_element_strides && t.rank > 0)
    message += fmt::format(" strides ({}{})", fmt::join(t.stride_elements(), ", "), t.rank == 1 ? "," : "");
  message += fmt::format(" on {} at {:#x}", core::device_name(t.device), t.address());
  if (t.source == "dlscope") {
    message += ", its own memory";
  } else {
    message += t.is_copied ? fmt::format(", copied by {}", t.source) : fmt::format(", the memory of {}", t.source);
  }
  if (t.writability == Writability::no) message += ", read-only";
  if (t.writability == Writability::immutable) message += ", immutable by contract";
  return message;
}

PyObject* represent(PyObject* self) {
  try {
    const HeldTensorPtr held = tensor_of(self).held;
    return text(held ? fmt::format("<dlscope.Tensor {}>", description_of(*held)) : "<dlscope.Tensor, closed>");
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "a dlscope.Tensor is made by from_dlpack(), asdlpack(), copy() or contiguous()");
  return nullptr;
}

void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  if (tensor_of(self).weak_references != nullptr) PyObject_ClearWeakRefs(self);
  {
    const PendingError pending;  // destroying the owner may run user code
    tensor_of(self).owner.~PyRef();
    tensor_of(self).held.~HeldTensorPtr();
    tensor_of(self).lent.~HeldTensorPtr();
  }
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyGetSetDef kAttributes[] = {
    {"shape", of_open<shape>, nullptr, "Sizes of the axes, in elements.", nullptr},
    {"strides", of_open<strides>, nullptr, "Steps along the axes in elements; None where one is not a whole number of them.",
     nullptr},
    {"strides_bytes", of_open<strides_bytes>, nullptr,
     "Steps along the axes in bytes; None where one is not a whole number of them.", nullptr},
    {"ndim", of_open<ndim>, nullptr, "Number of axes.", nullptr},
    {"dtype", of_open<dtype>, nullptr, "The dtype's name: 'float32', 'bfloat16', 'uint8x4', ...", nullptr},
    {"device", of_open<device>, nullptr, "(type, id), in DLPack's numbers.", nullptr},
    {"nbytes", of_open<nbytes>, nullptr, "Elements times item size.", nullptr},
    {"read_only", of_open<read_only>, nullptr, "True, False, or None where a legacy capsule could not say.", nullptr},
    {"writability", of_open<writability>, nullptr, "'yes', 'no', 'unknown' (legacy capsule) or 'immutable by contract'.",
     nullptr},
    {"is_copied", of_open<is_copied>, nullptr, "Whether its bytes were copied to make it.", nullptr},
    {"version", of_open<version>, nullptr, "DLPack version of the capsule it came in; None for a legacy one or none.", nullptr},
    {"capsule_name", of_open<capsule_name>, nullptr, "'dltensor_versioned', 'dltensor', or None.", nullptr},
    {"given_by", of_open<given_by>, nullptr,
     "How its DLPack struct was had: '__dlpack__', '__dlpack_c_exchange_api__' (the type's exchange table), 'capsule'; else "
     "None.",
     nullptr},
    {"asked", of_open<asked>, nullptr, "The keywords __dlpack__ was called with; None where it was not.", nullptr},
    {"owner", owner, nullptr,
     "The object whose memory it is: the exporter that is held, or a DLPack producer for as long as others keep it; else None.",
     nullptr},
    {"closed", closed, nullptr, "Whether close() was called.", nullptr},
    {"__array_interface__", tensor_array_interface, nullptr, "Version 3; host memory only.", nullptr},
    {"__cuda_array_interface__", tensor_cuda_array_interface, nullptr, "Version 3; CUDA memory only.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef kMethods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(tensor_dlpack)), kFastKeywords,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A capsule over the same memory: versioned when max_version[0] >= 1, legacy otherwise.\n"
     "Read-only memory is refused to a legacy consumer with BufferError."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "(type, id), in DLPack's numbers."},
    {"data_ptr", data_ptr, METH_NOARGS, "data_ptr($self, /)\n--\n\nAddress of element [0, ..., 0]."},
    {"close", close, METH_NOARGS,
     "close($self, /)\n--\n\nReleases the memory. Whatever was exported before keeps it alive on its own; where an array interface was\n"
     "read, this object does, until it dies. May be called twice."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef kMembers[] = {
    {const_cast<char*>("__weaklistoffset__"), T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// Slot numbers of the buffer functions: named by the limited API since 3.11, accepted by PyType_FromSpec since 3.9 (bpo-40724).
constexpr int kGetBufferSlot = 1, kReleaseBufferSlot = 2;

constexpr const char* kDoc =
    "Memory that dlscope holds, as one tensor: taken from another library without a copy, or copied.\n\n"
    "Speaks DLPack, the buffer protocol and the array interfaces, so any library can take it on. Made by from_dlpack(),\n"
    "asdlpack(), copy() and contiguous(). close(), or the end of a `with`, lets go of the memory.";

PyType_Slot kSlots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_new, reinterpret_cast<void*>(refuse_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kAttributes},
    {Py_tp_members, kMembers},
    {kGetBufferSlot, reinterpret_cast<void*>(tensor_get_buffer)},
    {kReleaseBufferSlot, reinterpret_cast<void*>(tensor_release_buffer)},
    {0, nullptr},
};

PyType_Spec kSpec{"dlscope.Tensor", sizeof(TensorObject), 0, Py_TPFLAGS_DEFAULT, kSlots};

HeldTensorPtr held_for_table(PyObject* object) {
  if (is_tensor(object)) return held_by(object);
  PyErr_SetString(PyExc_TypeError, "this exchange table takes a dlscope.Tensor");
  return nullptr;
}

PyRef wrap_for_table(HeldTensorPtr held) { return wrap_tensor(std::move(held), {}); }

}  // namespace

bool add_tensor_type(PyObject* module) {
  const PyRef type = PyRef::steal(PyType_FromSpec(&kSpec));
  const PyRef table = PyRef::steal(type ? make_exchange_table({held_for_table, wrap_for_table}).release() : nullptr);
  if (!table || PyObject_SetAttrString(type.get(), "__dlpack_c_exchange_api__", table.get()) != 0) return false;
  if (PyObject_SetAttrString(module, "Tensor", type.get()) != 0) return false;
  PyTypeObject* const old = std::exchange(tensor_type, reinterpret_cast<PyTypeObject*>(PyRef(type).release()));
  Py_XDECREF(reinterpret_cast<PyObject*>(old));
  return true;
}

bool is_tensor(PyObject* object) { return tensor_type != nullptr && Py_TYPE(object) == tensor_type; }

PyRef wrap_tensor(HeldTensorPtr held, PyRef owner) {
  PyRef object = PyRef::steal(PyType_GenericAlloc(tensor_type, 0));
  if (!object) return {};
  new (&tensor_of(object.get()).held) HeldTensorPtr(std::move(held));
  new (&tensor_of(object.get()).lent) HeldTensorPtr();
  new (&tensor_of(object.get()).owner) PyRef(std::move(owner));
  return object;
}

HeldTensorPtr held_by(PyObject* tensor) {
  HeldTensorPtr held = tensor_of(tensor).held;
  if (!held) PyErr_SetString(PyExc_ValueError, "this dlscope.Tensor is closed: it no longer holds any memory");
  return held;
}

}  // namespace dlscope::embed
