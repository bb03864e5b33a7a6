// dlscope.Tensor in the older protocols: the buffer protocol (PEP 3118), __array_interface__, __cuda_array_interface__.
#include <fmt/format.h>

#include <memory>
#include <new>
#include <vector>

#include "core/tensor/dtype_format.h"
#include "embed/protocols/array_interface.h"
#include "embed/tensors/tensor_slots.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

// Flags of a buffer request (PEP 3118; in the stable ABI since 3.11, unchanged since 3.0).
constexpr int kWritable = 0x0001, kFormat = 0x0004, kShape = 0x0008, kStrides = 0x0010 | kShape;
constexpr int kCContiguous = 0x0020 | kStrides, kFContiguous = 0x0040 | kStrides, kAnyContiguous = 0x0080 | kStrides;

// What an exported buffer points to until it is released.
struct ExportedBuffer {
  HeldTensorPtr tensor;
  std::string format;
  std::vector<Py_ssize_t> shape, strides;
};

bool has(int flags, int wanted) { return (flags & wanted) == wanted; }

bool is_fortran_contiguous(const HeldTensor& tensor) {
  std::int64_t step = tensor.item_bits;
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
    if (tensor.shape()[d] > 1 && tensor.stride_bits()[d] != step) return false;
    step *= tensor.shape()[d];
  }
  return true;
}

// Why no buffer of this kind can be given; "": it can.
std::string refusal_of(const HeldTensor& tensor, int flags, const std::string& format) {
  if (!tensor.in_host_memory()) return fmt::format("the memory is on {}, not on the host", core::device_name(tensor.device));
  if (format.empty()) return fmt::format("the buffer protocol has no format for {}", core::dtype_name(tensor.dtype));
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
    if (tensor.stride_bits()[d] % 8 != 0) return "the strides are not whole bytes";
  }
  if (has(flags, kWritable) && !tensor.may_write()) return "the memory is read-only";
  const bool empty = tensor.bounds.elements == 0;
  const bool c = empty || !core::axis_breaking_c_order(tensor.layout());
  const bool f = empty || is_fortran_contiguous(tensor);
  if (has(flags, kCContiguous) && !c) return "the tensor is not C-contiguous";
  if (has(flags, kFContiguous) && !f) return "the tensor is not Fortran-contiguous";
  if (has(flags, kAnyContiguous) && !c && !f) return "the tensor is not contiguous";
  if (!has(flags, kStrides) && !c) return "the tensor is not C-contiguous, and no strides were asked for";
  return {};
}

void fill_view(PyObject* self, const ExportedBuffer& exported, int flags, BufferView& view) {
  const HeldTensor& tensor = *exported.tensor;
  view = {};
  view.buf = reinterpret_cast<void*>(tensor.data);
  view.obj = PyRef::share(self).release();
  view.len = static_cast<Py_ssize_t>(tensor.nbytes());
  view.itemsize = static_cast<Py_ssize_t>(tensor.item_bits / 8);
  view.readonly = tensor.may_write() ? 0 : 1;
  view.ndim = tensor.rank;
  view.format = has(flags, kFormat) ? const_cast<char*>(exported.format.c_str()) : nullptr;
  if (has(flags, kShape)) {
    view.shape = const_cast<Py_ssize_t*>(exported.shape.data());
  } else {
    view.ndim = 1;  // without a shape it is a flat sequence of bytes
  }
  if (has(flags, kStrides)) view.strides = const_cast<Py_ssize_t*>(exported.strides.data());
  view.internal = const_cast<ExportedBuffer*>(&exported);
}

int give_buffer(PyObject* self, BufferView* view, int flags) {
  const HeldTensorPtr held = held_by(self);
  if (!held) return -1;
  auto exported = std::make_unique<ExportedBuffer>();
  exported->tensor = held;
  exported->format = core::format_of_dtype(held->dtype);
  const std::string refusal = refusal_of(*held, flags, exported->format);
  if (!refusal.empty()) {
    PyErr_SetString(PyExc_BufferError, refusal.c_str());
    return -1;
  }
  for (std::size_t d = 0; d < held->shape().size(); ++d) {
    exported->shape.push_back(held->shape()[d]);
    exported->strides.push_back(held->stride_bits()[d] / 8);
  }
  fill_view(self, *exported.release(), flags, *view);  // tensor_release_buffer() deletes it
  return 0;
}

PyRef numbers(std::span<const std::int64_t> values, std::int64_t divisor) {
  PyRef tuple = PyRef::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (std::size_t i = 0; tuple && i < values.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i] / divisor));
  return PyErr_Occurred() == nullptr ? tuple : PyRef{};
}

PyObject* no_attribute(const char* name, const std::string& why) {
  PyErr_SetString(PyExc_AttributeError, fmt::format("this dlscope.Tensor has no {}: {}", name, why).c_str());
  return nullptr;
}

// The dictionary of either interface: a consumer of it keeps the Tensor object, which therefore keeps the memory, also when closed.
PyObject* interface(PyObject* self, const HeldTensorPtr& held, const char* name) {
  const HeldTensor& tensor = *held;
  const std::string typestr = core::typestr_of_dtype(tensor.dtype);
  if (typestr.empty())
    return no_attribute(name, fmt::format("{} is not a whole number of bytes", core::dtype_name(tensor.dtype)));
  for (const std::int64_t stride : tensor.stride_bits()) {
    if (stride % 8 != 0) return no_attribute(name, "its strides are not whole bytes");
  }
  const PyRef shape = numbers(tensor.shape(), 1), strides = numbers(tensor.stride_bits(), 8);
  if (!shape || !strides) return nullptr;
  PyRef dict = PyRef::steal(Py_BuildValue("{s:i,s:s,s:O,s:O,s:(KO)}", "version", 3, "typestr", typestr.c_str(), "shape",
                                          shape.get(), "strides", strides.get(), "data",
                                          static_cast<unsigned long long>(tensor.address()),
                                          tensor.may_write() ? Py_False : Py_True));
  if (dict && !is_only_looked_at(self)) reinterpret_cast<TensorObject*>(self)->lent = held;
  return dict.release();
}

}  // namespace

int tensor_get_buffer(PyObject* self, BufferView* view, int flags) {
  view->obj = nullptr;
  try {
    return give_buffer(self, view, flags);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return -1;
  }
}

void tensor_release_buffer(PyObject*, BufferView* view) { delete static_cast<ExportedBuffer*>(view->internal); }

PyObject* tensor_array_interface(PyObject* self, void*) {
  constexpr const char* kName = "__array_interface__";
  try {
    const HeldTensorPtr held = held_by(self);
    if (!held) return nullptr;
    if (!held->in_host_memory()) return no_attribute(kName, fmt::format("its memory is on {}", core::device_name(held->device)));
    return interface(self, held, kName);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyObject* tensor_cuda_array_interface(PyObject* self, void*) {
  constexpr const char* kName = "__cuda_array_interface__";
  constexpr std::int32_t kCuda = 2, kCudaManaged = 13;
  try {
    const HeldTensorPtr held = held_by(self);
    if (!held) return nullptr;
    if (held->device.type != kCuda && held->device.type != kCudaManaged)
      return no_attribute(kName, fmt::format("its memory is on {}", core::device_name(held->device)));
    const PyRef dict = PyRef::steal(interface(self, held, kName));
    const PyRef stream = PyRef::steal(PyLong_FromLong(1));  // ready in the order of the legacy default stream
    if (!dict || !stream || PyDict_SetItemString(dict.get(), "stream", stream.get()) != 0) return nullptr;
    return PyRef(dict).release();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

}  // namespace dlscope::embed
