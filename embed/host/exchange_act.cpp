#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stop_token>

#include "core/compare/snapshot_comparison.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/wire/copy_not_made.h"
#include "embed/host/act_subject.h"
#include "embed/host/acts.h"
#include "embed/host/binding.h"
#include "embed/host/copy_reason.h"
#include "embed/host/found_tensor.h"
#include "embed/module/subjects.h"
#include "embed/runtime.h"
#include "embed/tensors/take_object.h"
#include "embed/timed_reading.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

using core::ErrorKind;
using core::fail;
using core::HandOver;
using core::TensorRecord;

std::string lost_bits(core::SignBits had, core::SignBits has) {
  std::string text;
  if (had.conjugate != has.conjugate) text = had.conjugate ? "the conjugate bit is lost" : "a conjugate bit was added";
  if (had.negate == has.negate) return text;
  return text + (text.empty() ? "" : ", ") + (had.negate ? "the negative bit is lost" : "a negative bit was added");
}

// How a tensor that shares the source's memory reads it differently, but for the shape; "": it has the same elements.
std::string other_reading(const core::Snapshot& described) {
  const TensorRecord &from = described.tensors[0], &to = described.tensors[1];
  std::string text;
  const auto add = [&](const std::string& difference) { text += (text.empty() ? "" : ", ") + difference; };
  if (from.dtype != to.dtype) add(fmt::format("{} became {}", core::dtype_name(from.dtype), core::dtype_name(to.dtype)));
  if (from.address + from.page_shift != to.address + to.page_shift) add("the first element is another one");
  const core::LayoutView a = described.layout(from), b = described.layout(to);
  bool same_strides = a.item_bits == b.item_bits;
  for (std::size_t d = 0; same_strides && d < a.shape.size(); ++d)
    same_strides = a.shape[d] <= 1 || a.stride_bits[d] == b.stride_bits[d];
  if (!same_strides) add("the strides differ");
  if (const std::string lost = lost_bits(sign_bits_of(described, from), sign_bits_of(described, to)); !lost.empty()) add(lost);
  return text;
}

// The values of both as their libraries mean them: what is noted beside the memory (a negative bit) is applied. Fails with the
// reason why they were not compared.
core::Result<core::Comparison> compare_meant(const core::Snapshot& described, const core::CopyProgress& progress) {
  const TensorRecord &from = described.tensors[0], &to = described.tensors[1];
  const TimedReading reading({from.extent, to.extent});
  const core::ComparedTensor a = core::compared_tensor(described, from, *reading.reader());
  const core::ComparedTensor b = core::compared_tensor(described, to, *reading.reader());
  std::stop_source stop;
  core::CompareOptions options;
  options.stop = stop.get_token();
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    if (progress && !progress(done, all)) stop.request_stop();
  };
  const WithoutGil released;
  return core::compare_tensors(a, b, options);
}

// Whether a tensor that shares the source's memory has its values. They are read only where it reads the memory differently.
std::string compare_shared(const core::Snapshot& described, const core::CopyProgress& progress, bool& wrong) {
  const TensorRecord &from = described.tensors[0], &to = described.tensors[1];
  if (!std::ranges::equal(described.layout(from).shape, described.layout(to).shape)) {
    wrong = true;
    return "the shape differs";
  }
  const std::string difference = other_reading(described);
  if (difference.empty()) return "the same elements: address, shape, strides and dtype are the source's";
  if (from.space != core::kHostSpace || to.space != core::kHostSpace) return "not compared: not in host memory; " + difference;
  const auto found = compare_meant(described, progress);
  if (!found) return fmt::format("not compared: {}; {}", found.error().message, difference);
  wrong = found->different != 0;
  return wrong ? fmt::format("{} of {} values differ: {}", found->different, found->values, difference)
               : fmt::format("all {} values are the source's, although {}", found->values, difference);
}

// The same of two whose values are what lies in their memory: by its bits.
std::string compare_bits(const TakenTensor& a, const TakenTensor& b, const core::CopyProgress& progress, bool& wrong, bool& equal) {
  if (!a.held->in_host_memory() || !b.held->in_host_memory()) return "not compared: one of them is not in host memory";
  if (!std::ranges::equal(a.held->shape(), b.held->shape())) {
    wrong = true;
    return "the shape differs";
  }
  if (a.held->dtype != b.held->dtype) return "not compared: the dtype differs";
  for (const core::ByteRange extent : {a.held->extent, b.held->extent}) {
    if (const std::string why = why_pages_do_not_come(extent); !why.empty()) return "not compared: " + why;
  }
  const core::CopySource from{reinterpret_cast<const std::byte*>(a.held->address()), a.held->layout(), a.held->dtype};
  const core::CopyTarget made{reinterpret_cast<std::byte*>(b.held->address()), b.held->layout(), b.held->dtype};
  const auto same = [&] {
    const WithoutGil released;
    return core::is_copy_of(from, made, progress);
  }();
  if (!same) return "not compared: " + same.error().message;
  if (!same->has_value()) return "not compared: cancelled";
  equal = **same;
  wrong = !equal;
  return wrong ? "the values differ" : fmt::format("all {} elements have the source's bits", a.held->bounds.elements);
}

// The values of a copy with another dtype. Those that differ may have been rounded, so they are not called wrong.
std::string compare_converted(const core::Snapshot& described, const core::CopyProgress& progress, bool& equal) {
  const TensorRecord &from = described.tensors[0], &to = described.tensors[1];
  const std::string how = fmt::format("{} to {}", described.dtype_name(from), described.dtype_name(to));
  const auto found = compare_meant(described, progress);
  if (!found) return fmt::format("not compared: {}; the dtype differs, {}", found.error().message, how);
  equal = found->different == 0;
  if (equal) return fmt::format("all {} values are equal after the conversion from {}", found->values, how);
  const std::string differ =
      fmt::format("{} of {} values differ after the conversion from {}", found->different, found->values, how);
  const std::uint64_t numbers = found->different - found->one_nan;
  if (numbers == 0) return differ + ": all of these are NaN on one side only";
  const std::string by = fmt::format("by {:g} at most: whether all of that is rounding is not known", found->absolute.size);
  if (found->one_nan == 0) return differ + ", " + by;
  return fmt::format("{}: {} of these are NaN on one side only, the others differ {}", differ, found->one_nan, by);
}

// Whether a copy has the values of what it was made from, as far as both can be read here: neither wrong nor equal where that is
// not known. Two of which one means something else than its bits, or is not handed out for them, are read as described.
std::string compare_copy(const core::Snapshot& described, PyObject* source, PyObject* result, const core::CopyProgress& progress,
                         bool& wrong, bool& equal) {
  const TensorRecord &from = described.tensors[0], &to = described.tensors[1];
  const core::SignBits had = sign_bits_of(described, from), has = sign_bits_of(described, to);
  if (!had.any() && !has.any()) {
    const TakenTensor a = take_by_any(source), b = take_by_any(result);
    static_cast<void>(clear_unless_interrupt());
    if (PyErr_Occurred() != nullptr) return "not compared: interrupted";
    const bool converted = from.dtype != to.dtype && from.space == core::kHostSpace && to.space == core::kHostSpace;
    if (a.held && b.held && !converted) return compare_bits(a, b, progress, wrong, equal);
  }
  for (const TensorRecord* const side : {&from, &to}) {
    if (!side->has_layout || !side->readable || side->space != core::kHostSpace)
      return "not compared: the library gives no access to the bytes of both";
  }
  if (!std::ranges::equal(described.layout(from).shape, described.layout(to).shape)) {
    wrong = true;
    return "the shape differs";
  }
  if (from.dtype != to.dtype) return compare_converted(described, progress, equal);
  const auto found = compare_meant(described, progress);
  if (!found) return "not compared: " + found.error().message;
  equal = found->different == 0;
  wrong = !equal;
  if (equal) return fmt::format("all {} values are the source's", found->values);
  const std::string lost = lost_bits(had, has);
  return fmt::format("{} of {} values differ{}{}", found->different, found->values, lost.empty() ? "" : ": ", lost);
}

// What has become of the source's read-only flag.
std::string read_only_text(const core::Snapshot& described, HandOver verdict) {
  const std::string from = core::writability_text(described, described.tensors[0]);
  const std::string to = core::writability_text(described, described.tensors[1]);
  if (from == "yes")
    return to == "no" ? "the result is read-only, the source is not" : "nothing to keep: the source may be written";
  if (from == "unknown") {
    return fmt::format("the source's library cannot say (a legacy capsule); the result {}", to == "yes"       ? "may be written"
                                                                                            : to == "no"      ? "is read-only"
                                                                                            : to == "unknown" ? "cannot say it either"
                                                                                                              : "is " + to);
  }
  if (to == "no") return "kept: the result is read-only, too";
  if (to == "immutable by contract") return "kept: the result is immutable by contract";
  if (verdict == HandOver::copied) return "not needed: the result has memory of its own";
  return fmt::format("not kept: the source is {}, {}", from == "no" ? "read-only" : from,
                     to == "yes" ? "but the result lets that memory be written"
                                 : "and whether the result lets that memory be written is not known");
}

std::string owner_text(const core::Snapshot& described, HandOver verdict, const std::string& subject, const std::string& name) {
  const std::string library(described.str(described.tensors[0].library));
  const std::string other(described.str(described.tensors[1].library));
  if (verdict == HandOver::shared || verdict == HandOver::partly_shared)
    return fmt::format("{}'s memory ({}); {} keeps it alive too, also when {} is gone", subject, library, name, subject);
  if (verdict == HandOver::copied) return fmt::format("{} has memory of its own ({})", name, other);
  return "not known";
}

// The two side by side: false with a Python error or words where one offers nothing.
bool describe(Subjects& subjects, PyObject* source, const std::string& subject, PyObject* result, const std::string& name,
              std::string& why) {
  if (subjects.add(source, subject) && subjects.add(result, name)) return true;
  why = error_as_text().message;
  return false;
}

// A library that shares although a copy was asked for: whoever writes into the result takes it for their own.
void note_no_copy(core::wire::HandedOver& done, const std::string& subject, const LibraryAnswer& answer) {
  done.step.why = fmt::format("{} by {}: {}", core::wire::kCopyNotMade, answer.library, done.step.why);
  Runtime::get().note(core::EventKind::copy,
                      fmt::format("{} was handed to {} with copy=True, and no copy was made: {} shares its memory", subject,
                                  answer.library, done.name));
}

}  // namespace

bool judge(core::wire::HandedOver& done, PyObject* source, const std::string& subject, const LibraryAnswer& answer,
           const ActContext& context) {
  Subjects subjects(Export::keep);
  std::string why;
  done.verdict = "UNKNOWN";
  if (!describe(subjects, source, subject, answer.result.get(), done.name, why)) {
    done.step.why = std::move(why);
    return false;
  }
  const auto described = subjects.finish();
  done.step = core::prove(*described, core::chain_of(2), nullptr).steps.front();
  done.verdict = core::hand_over_name(done.step.verdict);
  done.read_only = read_only_text(*described, done.step.verdict);
  done.owner = owner_text(*described, done.step.verdict, subject, done.name);
  if (done.step.verdict == HandOver::unknown) return false;
  bool wrong = false, equal = false;
  const bool is_copy = done.step.verdict == HandOver::copied;
  if (!is_copy && answer.copy == core::wire::CopyPolicy::always) note_no_copy(done, subject, answer);
  if (is_copy) done.step.why = why_copied({*described, answer.library, answer.copy, answer.made_copies});
  done.values = is_copy ? compare_copy(*described, source, answer.result.get(), context.progress, wrong, equal)
                        : compare_shared(*described, context.progress, wrong);
  if (wrong) done.verdict = "WRONG VALUES";
  if (!is_copy || answer.made_copies) return equal;  // one that dlscope itself made is in the ledger already
  const TensorRecord& made = described->tensors[1];
  Runtime::get().note_copy({.from = fmt::format("{}, a {} on {}", subject, described->str(described->tensors[0].type),
                                                core::device_name(described->tensors[0].device)),
                            .to = fmt::format("{}, a {} on {}", done.name, described->str(made.type), core::device_name(made.device)),
                            .bytes = made.nbytes == core::kUnknown64 ? 0 : made.nbytes,
                            .ns = answer.ns,
                            .why = fmt::format("{} (asked for in the window), by {}",
                                               done.line.empty() ? subject + " handed over" : done.line, answer.library)});
  return equal;
}

core::Result<ActDone> carry_out(const core::wire::HandTo& work, const ActContext& context) {
  const auto found = find_subject(context, work.tensor, work.slice, SubjectOf::hand_over);
  if (!found) return std::unexpected(found.error());
  PyObject* const object = found->object.get();
  const std::string& subject = found->text;
  core::wire::HandedOver done;
  auto name = name_for_result(context, work.name, subject, work.library);
  if (!name) return std::unexpected(name.error());
  LibraryAnswer answer = call_library(context, object, work, subject);
  if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
  if (found->has_line && !answer.line.empty()) done.line = fmt::format("{} = {}", *name, answer.line);
  done.calls = std::move(answer.calls);
  if (!answer.result) {
    done.verdict = "REFUSED";
    done.error_type = std::move(answer.error_type);
    done.error = std::move(answer.error);
    Runtime::get().note(core::EventKind::refuse,
                        fmt::format("{} was not handed to {}: {}: {}", subject, work.library, done.error_type, done.error));
    ActDone refused;
    refused.message = fmt::format("{} was not handed to {}", subject, work.library);
    refused.result = std::move(done);
    return refused;
  }
  done.name = std::move(*name);
  done.type = qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(answer.result.get())));
  judge(done, object, subject, answer, context);
  if (PyErr_Occurred() != nullptr || !bind_result(context, done.name, answer.result.get()))
    return std::unexpected(error_as_text());
  ActDone handed;
  handed.message = fmt::format("{}: {} is a {}", done.verdict, done.name, done.type);
  handed.result = std::move(done);
  return handed;
}

}  // namespace dlscope::embed
