#include <fmt/format.h>

#include "embed/host/act_subject.h"
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

// Where dlscope has no memory of its own, as on a oneAPI device, the library that the copy is for moves it there.
bool is_moved_by_library(const core::wire::CopyTensor& work) {
  if (work.library.empty() || work.device.empty()) return false;
  const PyRef text = PyRef::steal(PyUnicode_FromString(work.device.c_str()));
  std::optional<core::DeviceId> device;
  const bool known = text && read_device(text.get(), device);
  if (!known) PyErr_Clear();  // said when the copy is made
  return known && device && !can_allocate_on(*device);
}

// Its own memory, in a Tensor; empty with a Python error set.
PyRef make_copy(PyObject* source, const core::wire::CopyTensor& work, const std::string& device, const std::string& text,
                const ActContext& context, core::wire::Copied& done) {
  Filled filled;
  const std::string why = text + " copied, asked for in the window";
  CopyRequest wanted{.order = work.keep_order ? CopyOrder::keep : CopyOrder::c,
                     .may_leave_device = true,
                     .why = why,
                     .progress = context.progress,
                     .compare = true,
                     .measure = true,
                     .filled = &filled};
  if (!read_requested_dtype(work.dtype, wanted.dtype) || !read_requested_device(device, wanted.device)) return {};
  const PyRef view = view_to_copy_from(source);
  if (PyErr_Occurred() != nullptr) return {};
  PyObject* const subject = view ? view.get() : source;
  const TakenTensor taken = take_to_copy(subject, wanted.device, wanted.why);
  if (!taken.held) return {};
  wanted.original = taken.original.get();
  const std::shared_ptr<HeldTensor> made = copy_of(*taken.held, wanted);
  if (!made) return {};
  done.bytes = made->nbytes();
  done.ns = filled.ns;
  done.plain_ns = filled.plain_ns;
  done.path = std::move(filled.path);
  if (taken.original)  // two copies, each in the ledger; the time is of the second
    done.path = fmt::format("{} -> {}, by its library; then {}", core::device_name(taken.original->device),
                            core::device_name(taken.held->device), done.path);
  done.compared = filled.compared;
  done.why_not_compared = std::move(filled.why_not_compared);
  return wrap_tensor(made, {});
}

// Hands our copy, `result`, to the library that it was made for, which may copy it once more: that is another entry of the
// ledger, and what the library made is what has to have the values. Returns what the user should know of that; "": it shares our
// copy.
core::Result<std::string> hand_on(PyRef& result, const core::wire::HandTo& onward, std::string& line, const ActContext& context,
                                  core::wire::Copied& done) {
  const std::string& library = onward.library;
  const LibraryAnswer answer = call_library(context, result.get(), onward, line);
  if (!answer.result) {
    if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
    return fail(ErrorKind::unsupported, fmt::format("{}: {}", answer.error_type, answer.error));
  }
  line = answer.line;
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
  constexpr std::string_view kNotCompared = "not compared: ";
  if (!is_equal_copy && handed.values.starts_with(kNotCompared))
    done.why_not_compared = handed.values.substr(kNotCompared.size());
  if (!onward.device.empty()) done.path += fmt::format(" -> {}, by {}", onward.device, library);
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
  if (!found.object) return fail(ErrorKind::not_found, look_again_text(found.why_not));
  return std::move(found.object);
}

core::Result<ActDone> carry_out(const core::wire::CopyTensor& work, const ActContext& context) {
  const auto found = find_subject(context, work.tensor, work.slice, SubjectOf::copy);
  if (!found) return std::unexpected(found.error());
  const std::string& subject = found->text;
  core::wire::Copied done;
  auto name = name_for_result(context, work.name, subject, suffix_of(work));
  if (!name) return std::unexpected(name.error());
  done.name = std::move(*name);
  const bool moved = is_moved_by_library(work);
  core::wire::CopyTensor own = work;
  if (moved) own.device.clear();
  PyRef result = make_copy(found->object.get(), work, own.device, subject, context, done);
  std::string line = line_of(own, subject), note;
  if (result && !work.library.empty()) {
    core::wire::HandTo onward;
    onward.library = work.library;
    if (moved) onward.device = work.device;
    auto handed = hand_on(result, onward, line, context, done);
    if (!handed) return std::unexpected(handed.error());
    note = std::move(*handed);
  }
  if (found->has_line) done.line = fmt::format("{} = {}", done.name, line);
  if (!result || !bind_result(context, done.name, result.get())) return std::unexpected(error_as_text());
  done.type = qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(result.get())));
  return ActDone{fmt::format("{} is a {}{}{}", done.name, done.type, note.empty() ? "" : "; ", note), done};
}

}  // namespace dlscope::embed
