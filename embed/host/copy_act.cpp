#include <fmt/format.h>

#include "core/inventory/python_name.h"
#include "embed/host/acts.h"
#include "embed/host/binding.h"
#include "embed/host/found_tensor.h"
#include "embed/tensors/arguments.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/take_object.h"
#include "embed/tensors/tensor_copy.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

using core::ErrorKind;
using core::fail;

std::string line_of(const core::wire::CopyTensor& work, const std::string& name) {
  std::string line = fmt::format("dlscope.copy({}", name);
  if (work.keep_order) line += ", order='K'";
  if (!work.dtype.empty()) line += fmt::format(", dtype='{}'", work.dtype);
  if (!work.device.empty()) line += fmt::format(", device='{}'", work.device);
  return line + ")";
}

// A word for the name of the result: x_copy, x_float16, x_torch.
std::string suffix_of(const core::wire::CopyTensor& work) {
  if (!work.library.empty()) return work.library;
  return work.dtype.empty() ? "copy" : work.dtype;
}

bool read_requested_dtype(const std::string& name, std::optional<core::DType>& dtype) {
  if (name.empty()) return true;
  const PyRef text = PyRef::steal(PyUnicode_FromString(name.c_str()));
  return text && read_dtype(text.get(), dtype);
}

bool read_requested_device(const std::string& name, std::optional<core::DeviceId>& device) {
  if (name.empty()) return true;
  const PyRef text = PyRef::steal(PyUnicode_FromString(name.c_str()));
  if (!text || !read_device(text.get(), device)) return false;
  if (can_allocate_on(*device)) return true;
  PyErr_SetString(PyExc_ValueError,
                  fmt::format("dlscope itself makes copies in host memory and with the CUDA driver, not on {}", name).c_str());
  return false;
}

// Its own memory, in a Tensor; empty with a Python error set.
PyRef make_copy(PyObject* source, const core::wire::CopyTensor& work, const ActContext& context, core::wire::Copied& done) {
  CopyRequest wanted{.order = work.keep_order ? CopyOrder::keep : CopyOrder::c,
                     .may_leave_device = true,
                     .why = "asked for in the window",
                     .progress = context.progress,
                     .compare = true,
                     .ns = &done.ns};
  if (!read_requested_dtype(work.dtype, wanted.dtype) || !read_requested_device(work.device, wanted.device)) return {};
  const PyRef view = view_to_copy_from(source);
  if (PyErr_Occurred() != nullptr) return {};
  PyObject* const subject = view ? view.get() : source;
  const TakenTensor taken = take_to_copy(subject, wanted.device, wanted.why);
  if (!taken.held) return {};
  const std::shared_ptr<HeldTensor> made = copy_of(*taken.held, wanted);
  if (!made) return {};
  done.bytes = made->nbytes();
  // What the driver copied is not read a second time.
  done.compared = !is_on_cuda_device(taken.held->device) && !is_on_cuda_device(made->device);
  return wrap_tensor(made, {});
}

// Hands our copy, `result`, to the library that it was made for, which may copy it once more: that is another entry of the
// ledger, and what the library made is what has to have the values. Returns what the user should know of that; "": it shares our
// copy.
core::Result<std::string> hand_on(PyRef& result, const std::string& library, const std::string& line, const ActContext& context,
                                  core::wire::Copied& done) {
  core::wire::HandTo onward;
  onward.library = library;
  const LibraryAnswer answer = call_library(context, result.get(), onward, done.name);
  if (!answer.result) {
    if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
    return fail(ErrorKind::unsupported, fmt::format("{}: {}", answer.error_type, answer.error));
  }
  core::wire::HandedOver handed;
  handed.name = done.name;
  handed.line = line;
  const bool is_equal_copy = judge(handed, result.get(), "the copy", answer, context);
  if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
  PyErr_Clear();
  if (handed.verdict == "WRONG VALUES")
    return fail(ErrorKind::unsupported, fmt::format("{} made something else of the copy: {}", library, handed.values));
  result = answer.result;
  using core::HandOver;
  if (handed.step.verdict == HandOver::shared) return std::string();
  // Equal to our copy, which is equal to the source: then every element of it has been compared.
  done.compared = done.compared && is_equal_copy;
  if (handed.step.verdict != HandOver::copied)
    return fmt::format("whether {} shares dlscope's copy is not known: {}", library, handed.step.why);
  return fmt::format("{} made a second copy of dlscope's; {}", library, handed.values);
}

}  // namespace

core::Result<PyRef> find_again(const ActContext& context, std::uint32_t tensor) {
  const ScanPlace place = ScanPlace::of_program(context.names);
  TensorFinder finder(place);
  FoundTensor found = finder.find(context.snapshot, tensor);
  if (PyErr_Occurred() != nullptr) return fail(ErrorKind::cancelled, "interrupted");
  if (!found.object) return fail(ErrorKind::not_found, look_again_text(found));
  return std::move(found.object);
}

core::Result<ActDone> carry_out(const core::wire::CopyTensor& work, const ActContext& context) {
  const auto object = find_again(context, work.tensor.tensor);
  if (!object) return std::unexpected(object.error());
  const std::string subject = name_for_text(context, work.tensor.tensor);
  core::wire::Copied done;
  auto name = name_for_result(context, work.name, subject, suffix_of(work));
  if (!name) return std::unexpected(name.error());
  done.name = std::move(*name);
  PyRef result = make_copy(object->get(), work, context, done);
  std::string line = line_of(work, subject), note;
  if (result && !work.library.empty()) {
    line = fmt::format("{}.from_dlpack({})", work.library, line);
    auto handed = hand_on(result, work.library, line, context, done);
    if (!handed) return std::unexpected(handed.error());
    note = std::move(*handed);
  }
  if (core::is_python_expression(subject)) done.line = fmt::format("{} = {}", done.name, line);
  if (!result || !bind_result(context, done.name, result.get())) return std::unexpected(error_as_text());
  done.type = qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(result.get())));
  return ActDone{fmt::format("{} is a {}{}{}", done.name, done.type, note.empty() ? "" : "; ", note), done};
}

}  // namespace dlscope::embed
