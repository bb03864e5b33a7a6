#include "embed/tensors/older_protocols.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "embed/protocols/array_interface.h"
#include "embed/protocols/buffer.h"
#include "embed/protocols/dlpack_take.h"
#include "embed/runtime.h"
#include "embed/tensors/device_memory.h"

namespace dlscope::embed {
namespace {

constexpr std::int64_t kDefaultStream = 1;  // CUDA's legacy one, in the numbers of the array interfaces

void raise(PyObject* type, const std::string& text) { PyErr_SetString(type, text.c_str()); }

// An attribute that is defined only for other tensors of the class, as PyTorch's __cuda_array_interface__ for those on a GPU.
bool is_not_offered(const Refusal& refusal) {
  return refusal.protocol == core::Protocol::cuda_array_interface && refusal.type == "AttributeError";
}

std::string refusals_in(const Description& description) {
  std::string text;
  for (const Refusal& refusal : description.refusals) {
    if (is_not_offered(refusal) && description.refusals.size() > 1) continue;
    text += fmt::format("{}{}: {}: {}", text.empty() ? "" : "; ", core::protocol_name(refusal.protocol), refusal.type,
                        refusal.message);
  }
  return text;
}

bool is_usable(const core::TensorDesc& desc) {
  if (desc.item_type != nullptr) {  // it is described as bytes: a consumer would take pointers or records for numbers
    raise(PyExc_BufferError, "an array of Python objects or records gives no tensor: DLPack has no dtype for its elements");
    return false;
  }
  if (desc.has_layout && (desc.data != 0 || desc.bounds.elements == 0)) return true;
  std::string text = "it has no memory";
  for (const core::Remark& remark : desc.remarks) {
    if (core::remark_kind(remark.code) == core::RemarkKind::problem) text = remark.message;
  }
  raise(PyExc_BufferError, fmt::format("this tensor cannot be taken: {}", text));
  return false;
}

bool describe_by(unsigned protocol, PyObject* object, TypeFacts& facts, Description& description) {
  if (protocol == kAskArrayInterface) return describe_array_interface(object, facts.session, Elements::numbers, description);
  if (protocol == kAskCudaArrayInterface) return describe_cuda_array_interface(object, Elements::numbers, description);
  return describe_buffer(object, Runtime::get().reader(), nullptr, Elements::numbers, description);
}

// The memory of an array interface is ready in the order of the stream that its exporter names, and of the default stream
// afterwards. False with a Python error set: that stream cannot be waited for.
bool order_after_its_stream(const Description& description, const std::string& name) {
  const std::int64_t stream = description.stream.value_or(kDefaultStream);
  if (stream == kDefaultStream) return true;
  if (stream <= 0) {
    raise(PyExc_BufferError,
          fmt::format("{} names stream {} in its __cuda_array_interface__, which is none: 1 is the default stream, 2 the one per "
                      "thread",
                      name, stream));
    return false;
  }
  const auto ordered = make_default_stream_wait(description.desc.device, static_cast<std::uint64_t>(stream));
  if (ordered) return true;
  raise(PyExc_BufferError, fmt::format("{} says that its memory is ready on stream {:#x}, which cannot be waited for: {}", name,
                                       stream, ordered.error().message));
  return false;
}

}  // namespace

std::shared_ptr<HeldTensor> hold_by_older(unsigned protocol, PyObject* object, TypeFacts& facts, const std::string& name,
                                          Description& description) {
  if (!describe_by(protocol, object, facts, description) || !is_usable(description.desc)) return nullptr;
  if (!order_after_its_stream(description, name)) return nullptr;
  return hold_described(description.desc, std::move(description.memory), name);
}

std::string offers_no_tensor(PyObject* object) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  std::string text = fmt::format("'{}' offers no tensor: tried __dlpack__, __array_interface__, __cuda_array_interface__ and the "
                                 "buffer protocol",
                                 qualified_name(type));
  // Of xarray, `data` is the array itself, whichever library's it is.
  if (qualified_name(type).starts_with("xarray.") && type_attribute(type, "to_numpy")) return text + "; its .data does";
  if (type_attribute(type, "to_numpy")) text += "; its .to_numpy() does, with the same memory or with a copy";
  return text;
}

void complain_no_protocol(PyObject* object, const std::string& name, const Description& description) {
  if (PyErr_Occurred() != nullptr) return;
  if (description.refusals.empty()) {
    raise(PyExc_TypeError, offers_no_tensor(object));
  } else {
    raise(PyExc_BufferError, fmt::format("'{}' gives no tensor: {}", name, refusals_in(description)));
  }
}

}  // namespace dlscope::embed
