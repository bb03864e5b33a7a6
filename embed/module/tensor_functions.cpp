#include "embed/module/tensor_functions.h"

#include "embed/guarded.h"
#include "embed/module/nested_call.h"
#include "embed/module/refusals.h"
#include "embed/tensors/arguments.h"
#include "embed/tensors/copy_into.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/take_object.h"
#include "embed/tensors/tensor_copy.h"
#include "embed/tensors/tensor_slots.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

PyObject* wrapped(TakenTensor taken) {
  return taken.held ? wrap_tensor(std::move(taken.held), std::move(taken.owner)).release() : nullptr;
}

// As the answer of `function`, which was given the object.
PyObject* wrapped(TakenTensor taken, std::string_view function, PyObject* object) {
  if (!taken.held) note_refusal(function, object);
  return wrapped(std::move(taken));
}

bool exactly_one(const char* function, Py_ssize_t count) {
  if (count == 1) return true;
  PyErr_Format(PyExc_TypeError, "%s() takes one tensor, not %zd arguments", function, count);
  return false;
}

// Called a hundred thousand times in loops: uses no tuple and no dict.
PyObject* from_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  if (!exactly_one("from_dlpack", count)) return nullptr;
  const NestedCall call;
  if (!call) return nullptr;
  TakeRequest wanted;
  const Py_ssize_t given = names != nullptr ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < given; ++i) {
    PyObject* const name = PyTuple_GetItem(names, i);
    PyObject* const value = arguments[count + i];
    if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
      if (!read_device(value, wanted.device)) return nullptr;
    } else if (PyUnicode_CompareWithASCIIString(name, "copy") == 0) {
      if (!read_copy(value, wanted.copy)) return nullptr;
    } else {
      PyErr_Format(PyExc_TypeError, "from_dlpack() takes device and copy, not '%U'", name);
      return nullptr;
    }
  }
  return wrapped(take_by_dlpack(arguments[0], wanted, "dlscope.from_dlpack()"), "dlscope.from_dlpack()", arguments[0]);
}

PyObject* asdlpack(PyObject*, PyObject* object) {
  const NestedCall call;
  if (!call) return nullptr;
  return wrapped(take_by_any(object), "dlscope.asdlpack()", object);
}

bool read_order(const char* text, CopyOrder& order) {
  const std::string_view word = text;
  if (word == "C") order = CopyOrder::c;
  if (word == "K") order = CopyOrder::keep;
  if (word == "C" || word == "K") return true;
  PyErr_SetString(PyExc_ValueError, "order is 'C' or 'K' (the order of the source's axes, without gaps)");
  return false;
}

PyRef subject_of_copy(PyObject* object) {
  PyRef view = view_to_copy_from(object);
  return view ? view : PyRef::share(object);
}

// The arguments of copy(); nullopt and null: not given.
struct CopyArguments {
  PyObject *object = nullptr, *out = Py_None;
  std::optional<CopyOrder> order;
  std::optional<core::DType> dtype;
  std::optional<core::DeviceId> device;
};

bool read_arguments(PyObject* args, PyObject* keywords, CopyArguments& given) {
  static const char* names[] = {"", "device", "order", "dtype", "out", nullptr};
  PyObject *device = Py_None, *dtype = Py_None;
  const char* order = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "O|$OsOO:copy", const_cast<char**>(names), &given.object, &device, &order,
                                  &dtype, &given.out) == 0)
    return false;
  if (order != nullptr && !read_order(order, given.order.emplace())) return false;
  return read_device(device, given.device) && read_dtype(dtype, given.dtype);
}

// Copies into `out` and returns a Tensor over it: `out` itself when it is one.
PyObject* copy_to_out(const CopyArguments& given) {
  const PyRef alive = PyRef::share(given.out);
  TakenTensor to =
      is_tensor(given.out) ? TakenTensor{std::const_pointer_cast<HeldTensor>(held_by(given.out)), {}} : take_by_any(given.out);
  if (!to.held) return nullptr;
  if (to.held->is_copied && !is_tensor(given.out) && !PyCapsule_CheckExact(given.out)) {
    PyErr_SetString(PyExc_BufferError,
                    "out hands over a copy of its elements, as it says itself: what is written there would not reach it");
    return nullptr;
  }
  const PyRef subject = subject_of_copy(given.object);
  if (PyErr_Occurred() != nullptr) return nullptr;
  const TakenTensor from = take_to_copy(subject.get(), {}, "dlscope.copy()");
  if (!from.held || !copy_into(*from.held, *to.held, {given.order, given.dtype, given.device})) return nullptr;
  return is_tensor(given.out) ? PyRef::share(given.out).release() : wrapped(std::move(to));
}

PyObject* copy_to_new(const CopyArguments& given) {
  const CopyRequest wanted{.order = given.order.value_or(CopyOrder::c),
                           .dtype = given.dtype,
                           .device = given.device,
                           .may_leave_device = true,
                           .why = "dlscope.copy()"};
  const PyRef subject = subject_of_copy(given.object);
  if (PyErr_Occurred() != nullptr) return nullptr;
  TakenTensor taken = take_to_copy(subject.get(), given.device, wanted.why);
  if (!taken.held) return nullptr;
  if (given.device && !can_allocate_on(*given.device)) return wrapped(std::move(taken));
  // Its own library has just copied it to the host: no second copy.
  const bool is_new = taken.held->is_copied && !is_tensor(given.object) && taken.held->asked.device.has_value();
  const bool in_order = wanted.order == CopyOrder::keep || is_c_contiguous(*taken.held);
  if (is_new && in_order && !wanted.dtype) return wrapped(std::move(taken));
  return wrapped({copy_of(*taken.held, wanted), {}});
}

PyObject* copy(PyObject*, PyObject* args, PyObject* keywords) {
  CopyArguments given;
  // Reading devices and dtypes may run library code: nested calls from there count, too.
  const NestedCall call;
  if (!call || !read_arguments(args, keywords, given)) return nullptr;
  return given.out != Py_None ? copy_to_out(given) : copy_to_new(given);
}

PyObject* contiguous(PyObject*, PyObject* object) {
  const NestedCall call;
  if (!call) return nullptr;
  TakenTensor taken = take_by_any(object);
  if (!taken.held) return nullptr;
  if (is_c_contiguous(*taken.held)) return wrapped(std::move(taken));
  const core::DeviceId same = is_on_cuda_device(taken.held->device) ? taken.held->device : core::kCpuDevice;
  return wrapped({copy_of(*taken.held, {.order = CopyOrder::c, .device = same, .why = "dlscope.contiguous()"}), {}});
}

PyObject* guarded_from_dlpack(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return call_guarded<from_dlpack, PyObject*, PyObject* const*, Py_ssize_t, PyObject*>(self, arguments, count, names);
}

constexpr const char* kFromDlpackDoc =
    "from_dlpack($module, x, /, *, device=None, copy=None)\n--\n\n"
    "A Tensor over the memory of an object with __dlpack__, or of a bare capsule, which is consumed. Nothing is copied unless a\n"
    "move to another device or copy=True asks for it; copy=False: BufferError where it would be needed.";
constexpr const char* kAsdlpackDoc =
    "asdlpack($module, obj, /)\n--\n\n"
    "A Tensor over the memory of anything with __dlpack__, __array_interface__, __cuda_array_interface__ or a buffer; the "
    "exporter\n"
    "is held. Nothing is copied.";
constexpr const char* kCopyDoc =
    "copy($module, x, /, *, device=None, order='C', dtype=None, out=None)\n--\n\n"
    "A copy of any tensor, 64-byte aligned, in C order or ('K') in the order of its axes; entered in the ledger of copies.\n"
    "device: the host's memory by default; 'cuda:N', 'cuda_host' and 'cuda_managed' by the CUDA driver, others by the tensor's "
    "library.\n"
    "dtype: converted; floats round to nearest even, integers saturate, floats become integers towards zero, NaN becomes 0.\n"
    "out: a tensor of x's shape that may be written, in host memory: the elements are written into it, converted to its dtype, "
    "where\n"
    "its strides have them, and a Tensor over it is returned. Refused in words, with nothing written, where it is read-only, too "
    "small,\n"
    "overlaps x, or has two elements in one place.";
constexpr const char* kContiguousDoc =
    "contiguous($module, x, /)\n--\n\n"
    "x itself as a Tensor when it lies in C order, sharing its memory; else a copy that does, on the same device.";

PyMethodDef kMethods[] = {
    {"from_dlpack", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_from_dlpack)), kFastKeywords,
     kFromDlpackDoc},
    {"asdlpack", guarded<asdlpack>, METH_O, kAsdlpackDoc},
    {"copy", guarded_keywords<copy>(), METH_VARARGS | METH_KEYWORDS, kCopyDoc},
    {"contiguous", guarded<contiguous>, METH_O, kContiguousDoc},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* tensor_methods() { return kMethods; }

}  // namespace dlscope::embed
