#include "embed/tensors/take_object.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/clock.h"
#include "embed/objects/describer.h"
#include "embed/runtime.h"
#include "embed/tensors/ask_producer.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/known_types.h"
#include "embed/tensors/older_protocols.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

using core::DeviceId;
using core::Protocol;

constexpr std::string_view kWhyAny = "dlscope.asdlpack()";  // for the ledger: take_by_any()

void raise(PyObject* type, const std::string& text) { PyErr_SetString(type, text.c_str()); }

PyRef weak_reference(PyObject* object) {
  PyRef reference = PyRef::steal(PyWeakref_NewRef(object, nullptr));
  if (!reference) clear_unless_interrupt();
  return reference;
}

// nullopt: it must not be called, and a Python error is set.
std::optional<Caution> caution_for(PyObject* object, TypeFacts& facts, const TakeRequest& wanted) {
  if (facts.session == nullptr || !facts.habits.before_may_object) return Caution::call;
  const CautionWords text = facts.session->before(object);
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  const bool may_copy = text.caution != Caution::call && text.caution != Caution::waits;
  if (text.caution != Caution::never && !(may_copy && wanted.copy == false)) return text.caution;
  raise(PyExc_BufferError, text.reason + (text.caution == Caution::never ? "" : ", and copy=False"));
  return std::nullopt;
}

// False when there is something the struct cannot express that would change its numbers: a negative bit, a mask.
bool numbers_are_the_tensors(PyObject* object, const TypeFacts& facts) {
  if (facts.session == nullptr || !facts.habits.after_may_add) return true;
  Description description;
  facts.session->after(object, description);
  if (PyErr_Occurred() != nullptr) return false;
  for (const core::Remark& remark : description.remarks) {
    const char* const way_out = remark.code == core::RemarkCode::negative_bit ? "resolve_neg() gives a tensor without it"
                                : remark.code == core::RemarkCode::masked     ? "hand over its filled() or its data"
                                                                              : nullptr;
    if (way_out == nullptr) continue;
    raise(PyExc_BufferError, fmt::format("{}, which no consumer of the memory could know: {}", remark.message, way_out));
    return false;
  }
  return true;
}

// With the way out that PyTorch's own refusal of the conjugate bit leaves out. Called with the error set.
void add_way_out(PyObject* object, const TypeFacts& facts) {
  if (facts.session == nullptr || PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_BufferError) == 0) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Description description;
  const PyRef view = facts.session->stand_in(object, description);
  if (PyErr_Occurred() != nullptr) {  // an interrupt
    for (PyObject* const part : {type, value, traceback}) Py_XDECREF(part);
    return;
  }
  PyErr_Restore(type, value, traceback);
  const bool is_conj = std::ranges::any_of(
      description.remarks, [](const core::Remark& remark) { return remark.code == core::RemarkCode::conjugate_bit; });
  if (!is_conj) return;
  const PyErrorText error = take_error();
  raise(PyExc_BufferError, error.message + ": resolve_conj() gives a tensor without it");
}

// A copy-on-write tensor whose storage was at `before` (0: not known) until it was exported. Where no other tensor used the
// storage any more, PyTorch keeps it, and nothing is copied.
void note_put_off_copy(PyObject* tensor, const TypeFacts& facts, core::Address before, const HeldTensor& held,
                       std::int64_t began_ns, std::string_view why) {
  if (before != 0 && facts.session->storage_address(tensor) == before) return;
  const std::string place = fmt::format("{} on {}", held.source, core::device_name(held.device));
  Runtime::get().note_copy({.from = place,
                            .to = place,
                            .bytes = held.nbytes(),
                            .ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns),
                            .why = fmt::format("{}: the library made the copy that a copy-on-write tensor had put off", why)});
}

}  // namespace

TakenTensor take_by_dlpack(PyObject* object, const TakeRequest& wanted, std::string_view why) {
  if (PyCapsule_CheckExact(object)) return {take_bare_capsule(object, wanted, why), {}};
  const PyRef alive = PyRef::share(object);
  KnownTypes& known = KnownTypes::current();
  const KnownTypes::InUse in_use(known);
  const Asking asking{object, known.of(object), wanted, why};
  TypeFacts& facts = asking.type.facts;
  if (PyErr_Occurred() != nullptr) return {};
  if ((facts.offers & kAskDlpack) == 0 && (Describer::offered(object, facts, AskedBy::request) & kAskDlpack) == 0) {
    if (PyErr_Occurred() == nullptr) {
      raise(PyExc_TypeError,
            fmt::format("'{}' has no __dlpack__, and from_dlpack asks for nothing else; dlscope.asdlpack also tries "
                        "__array_interface__, __cuda_array_interface__ and the buffer protocol",
                        asking.type.name));
    }
    return {};
  }
  const auto caution = caution_for(object, facts, wanted);
  if (!caution || !numbers_are_the_tensors(object, facts)) return {};
  const bool cpu_is_certain = facts.device_method_is_library && facts.habits.cpu_claim_is_certain;
  const bool needs_claim = wanted.device.has_value() || !cpu_is_certain;
  const auto claimed = needs_claim ? claim_of(object, facts) : std::nullopt;
  if (PyErr_Occurred() != nullptr) return {};
  const bool elsewhere = wanted.device && claimed && *wanted.device != *claimed;
  const bool is_put_off = *caution == Caution::on_consent;
  const core::Address storage = is_put_off ? facts.session->storage_address(object) : 0;
  const std::int64_t began_ns = is_put_off ? core::monotonic_ns() : 0;
  if (PyErr_Occurred() != nullptr) return {};
  TakenTensor taken{elsewhere ? ask_for_move(asking, *claimed) : ask_in_place(asking, claimed), {}};
  if (!taken.held) add_way_out(object, facts);
  if (taken.held && is_put_off) note_put_off_copy(object, facts, storage, *taken.held, began_ns, why);
  if (taken.held && taken.held->source != "dlscope") taken.owner = weak_reference(object);
  if (PyErr_Occurred() != nullptr) taken.held = nullptr;
  return taken;
}

PyRef view_to_copy_from(PyObject* object) {
  KnownTypes& known = KnownTypes::current();
  const KnownTypes::InUse in_use(known);
  const TypeFacts& facts = known.of(object).facts;
  if (PyErr_Occurred() != nullptr || facts.session == nullptr) return {};
  Description description;
  PyRef view = facts.session->stand_in(object, description);
  for (const core::Remark& remark : description.remarks) {
    if (remark.code == core::RemarkCode::conjugate_bit) return {};  // the view's numbers differ
  }
  return view;
}

TakenTensor take_by_any(PyObject* object) {
  if (PyCapsule_CheckExact(object)) return take_by_dlpack(object, {}, kWhyAny);
  const PyRef alive = PyRef::share(object);
  KnownTypes& known = KnownTypes::current();
  const KnownTypes::InUse in_use(known);
  const KnownTypes::Entry type = known.of(object);
  const std::string name = type.name;
  if (PyErr_Occurred() != nullptr) return {};
  const unsigned offers = Describer::offered(object, type.facts, AskedBy::request) & type.facts.habits.protocols;
  if (PyErr_Occurred() != nullptr) return {};
  if (!caution_for(object, type.facts, {}) || !numbers_are_the_tensors(object, type.facts)) return {};
  Description description;
  description.export_after = Export::keep;
  if ((offers & kAskDlpack) != 0) {
    TakenTensor taken = take_by_dlpack(object, {}, kWhyAny);
    if (taken.held || interrupt_pending()) return taken;
    PyErrorText error = take_error();
    description.refuse(Protocol::dlpack, std::move(error.type), std::move(error.message));
  }
  for (const unsigned protocol : {kAskArrayInterface, kAskCudaArrayInterface, kAskBuffer}) {
    if ((offers & protocol) == 0) continue;
    const std::int64_t began_ns = core::monotonic_ns();
    if (auto held = hold_by_older(protocol, object, type.facts, name, description)) {
      if (held->is_copied) note_library_copy(*held, held->device, began_ns, kWhyAny);
      return {std::move(held), PyRef::share(object)};
    }
    if (PyErr_Occurred() != nullptr) return {};
  }
  complain_no_protocol(object, name, description);
  return {};
}

// Host memory is taken without a copy and copied here; other memory is first copied to the host by its own library.
TakenTensor take_to_copy(PyObject* object, const std::optional<DeviceId>& device, std::string_view why) {
  if (is_tensor(object) && !device) {
    const HeldTensorPtr held = held_by(object);
    return {std::const_pointer_cast<HeldTensor>(held), {}};
  }
  // Where dlscope cannot allocate, the library is asked for the copy.
  if (device && !can_allocate_on(*device)) return take_by_dlpack(object, {.device = device, .copy = true}, why);
  TakenTensor taken = take_by_any(object);
  if (taken.held && device && *device != core::kCpuDevice) return taken;
  if (!taken.held || taken.held->in_host_memory() || PyCapsule_CheckExact(object)) return taken;
  TakenTensor moved = take_by_dlpack(object, {.device = core::kCpuDevice, .copy = {}}, why);
  if (moved.held) moved.original = std::move(taken.held);
  if (moved.held || !is_on_cuda_device(taken.held->device) || interrupt_pending()) return moved;
  PyErr_Clear();  // its library cannot, but the driver can
  return taken;
}

}  // namespace dlscope::embed
