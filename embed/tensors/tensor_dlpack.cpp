// dlscope.Tensor as a DLPack producer: __dlpack__ and __dlpack_device__.
#include <fmt/format.h>

#include <new>

#include "embed/protocols/dlpack.h"
#include "embed/protocols/dlpack_export.h"
#include "embed/protocols/stream_watch.h"
#include "embed/tensors/arguments.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/tensor_copy.h"
#include "embed/tensors/tensor_slots.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

struct ExportRequest {
  PyObject* stream = nullptr;  // null: not passed
  bool versioned = false;
  std::optional<core::DeviceId> device;
  std::optional<bool> copy;
};

bool read_version(PyObject* value, ExportRequest& out) {
  if (value == Py_None) return true;
  const bool is_sequence = PyTuple_Check(value) != 0 || PyList_Check(value) != 0;
  const bool pair = is_sequence && PySequence_Size(value) == 2;
  const PyRef first = PyRef::steal(pair ? PySequence_GetItem(value, 0) : nullptr);
  const long major = first ? PyLong_AsLong(first.get()) : -1;
  if (pair && PyErr_Occurred() == nullptr) {
    out.versioned = major >= 1;
    return true;
  }
  PyErr_Clear();
  PyErr_SetString(PyExc_TypeError, "__dlpack__: max_version is a tuple (major, minor) or None");
  return false;
}

bool read_keyword(PyObject* name, PyObject* value, ExportRequest& out) {
  const auto is = [&](const char* word) { return PyUnicode_CompareWithASCIIString(name, word) == 0; };
  if (is("max_version")) return read_version(value, out);
  if (is("copy")) return read_copy(value, out.copy);
  if (is("dl_device")) return read_device(value, out.device);
  if (is("stream")) {
    out.stream = value;
    return true;
  }
  PyErr_Format(PyExc_TypeError, "__dlpack__() takes stream, max_version, dl_device and copy, not '%U'", name);
  return false;
}

bool read_request(PyObject* const* arguments, Py_ssize_t count, PyObject* names, ExportRequest& out) {
  if (count != 0) {
    PyErr_SetString(PyExc_TypeError, "__dlpack__() takes keywords only");
    return false;
  }
  const Py_ssize_t given = names != nullptr ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < given; ++i) {
    if (!read_keyword(PyTuple_GetItem(names, i), arguments[i], out)) return false;
  }
  return true;
}

bool is_cuda(core::DeviceId device) { return device.type == 2 || device.type == 3 || device.type == 13; }

// Host memory has no stream. CUDA memory was taken in the order of the legacy default stream (TakeAsked::stream): a consumer on
// that stream, or one that synchronises itself, needs nothing; any other stream is made to wait for it. made_to_wait: set to that
// stream.
bool check_stream(const HeldTensor& tensor, PyObject* stream, std::optional<std::uint64_t>& made_to_wait) {
  if (stream == nullptr || stream == Py_None) return true;
  const PyRef number = PyRef::steal(PyNumber_Index(stream));
  const long long value = number ? PyLong_AsLongLong(number.get()) : 0;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_SetString(PyExc_TypeError, "__dlpack__: stream is an integer or None");
    return false;
  }
  if (value == -1) return true;
  if (!wants_stream(tensor.device) && !is_cuda(tensor.device)) {
    PyErr_SetString(PyExc_ValueError, fmt::format("__dlpack__: memory on {} has no streams; pass stream=None, not {}",
                                                  core::device_name(tensor.device), value)
                                          .c_str());
    return false;
  }
  if (value == 1 || (value == 0 && !is_cuda(tensor.device))) return true;
  if (value == 0) {
    PyErr_SetString(PyExc_ValueError,
                    "__dlpack__: stream 0 is ambiguous on CUDA: 1 is the legacy default stream, 2 the one per thread");
    return false;
  }
  const auto ordered = is_cuda(tensor.device) ? make_stream_wait(tensor.device, static_cast<std::uint64_t>(value))
                                              : core::fail(core::ErrorKind::unsupported, "only CUDA's streams are known");
  if (ordered) {
    made_to_wait = static_cast<std::uint64_t>(value);
    return true;
  }
  PyErr_SetString(
      PyExc_BufferError,
      fmt::format("__dlpack__: stream {:#x} cannot be made to wait for the default stream of {}, after which this memory is "
                  "ready: {}; pass stream=-1 and synchronise, or consume it on stream 1",
                  value, core::device_name(tensor.device), ordered.error().message)
          .c_str());
  return false;
}

// The tensor to export: the held memory itself, or a copy when requested or needed for the device.
HeldTensorPtr to_hand_out(const HeldTensorPtr& held, const ExportRequest& request, WasCopied& copied) {
  const bool elsewhere = request.device && *request.device != held->device;
  copied = WasCopied::no;
  if (!elsewhere && !request.copy.value_or(false)) return held;
  if (elsewhere && !can_allocate_on(*request.device)) {
    PyErr_SetString(PyExc_BufferError, fmt::format("this tensor is on {}; dlscope copies to cpu and CUDA memory only, not to {}",
                                                   core::device_name(held->device), core::device_name(*request.device))
                                           .c_str());
    return nullptr;
  }
  if (elsewhere && request.copy == false) {
    PyErr_SetString(PyExc_BufferError, fmt::format("getting this tensor from {} to {} needs a copy, and copy=False",
                                                   core::device_name(held->device), core::device_name(*request.device))
                                           .c_str());
    return nullptr;
  }
  copied = WasCopied::for_this_consumer;
  const core::DeviceId to = elsewhere ? *request.device : is_on_cuda_device(held->device) ? held->device : core::kCpuDevice;
  HeldTensorPtr made = copy_of(
      *held, {.order = CopyOrder::keep, .device = to, .may_leave_device = elsewhere, .why = "Tensor.__dlpack__(copy=True)"});
  if (!made && elsewhere &&
      PyErr_ExceptionMatches(PyExc_ValueError) != 0) {  // by the Array API standard, BufferError when an export is impossible
    const PyErrorText error = take_error();
    PyErr_SetString(PyExc_BufferError, error.message.c_str());
  }
  return made;
}

PyObject* hand_out(PyObject* self, const ExportRequest& request) {
  const HeldTensorPtr held = held_by(self);
  std::optional<std::uint64_t> made_to_wait;
  if (!held || !check_stream(*held, request.stream, made_to_wait)) return nullptr;
  WasCopied copied{};
  HeldTensorPtr tensor = to_hand_out(held, request, copied);
  if (!tensor) return nullptr;
  if (const char* const why = why_not_exportable(*tensor)) {
    PyErr_SetString(PyExc_BufferError, why);
    return nullptr;
  }
  if (!request.versioned && !tensor->may_write()) {
    PyErr_SetString(
        PyExc_BufferError,
        fmt::format("this memory is read-only{}, which a legacy capsule cannot say: ask with max_version=(1, 0), or for "
                    "copy=True",
                    tensor->writability == Writability::immutable ? " (immutable by contract)" : "")
            .c_str());
    return nullptr;
  }
  const auto kind = request.versioned ? core::CapsuleKind::dltensor_versioned : core::CapsuleKind::dltensor;
  PyRef capsule = make_capsule(tensor, kind, copied);
  if (capsule) {
    const core::RecordedMemory memory =
        tensor->recorded.id != 0 ? tensor->recorded : core::RecordedMemory{0, tensor->address(), tensor->nbytes()};
    note_own_hand_over("dlscope.Tensor", tensor->device, memory, asked_stream(request.stream), made_to_wait);
  }
  return capsule.release();
}

}  // namespace

PyObject* tensor_dlpack(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  try {
    ExportRequest request;
    return read_request(arguments, count, names, request) ? hand_out(self, request) : nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyObject* tensor_dlpack_device(PyObject* self, PyObject*) {
  const HeldTensorPtr held = held_by(self);
  return held ? Py_BuildValue("(ii)", held->device.type, held->device.id) : nullptr;
}

}  // namespace dlscope::embed
