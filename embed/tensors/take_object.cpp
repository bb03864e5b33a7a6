#include "embed/tensors/take_object.h"

#include <fmt/format.h>

#include "core/base/clock.h"
#include "embed/objects/describer.h"
#include "embed/protocols/array_interface.h"
#include "embed/protocols/dlpack_take.h"
#include "embed/protocols/stream_watch.h"
#include "embed/runtime.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/known_types.h"
#include "embed/tensors/older_protocols.h"
#include "embed/tensors/tensor_copy.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

using core::DeviceId;
using core::Protocol;

constexpr std::string_view kWhyAny = "dlscope.asdlpack()";  // for the ledger: take_by_any()

// Never destroyed: creating one reads the whole address map.
Describer& describer() {
  static Describer* const kept = new Describer(Runtime::get().reader());
  return *kept;
}

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
  const bool forbidden = text.caution == Caution::never || (text.caution != Caution::call && wanted.copy == false);
  if (!forbidden) return text.caution;
  raise(PyExc_BufferError, text.reason + (text.caution == Caution::never ? "" : ", and copy=False"));
  return std::nullopt;
}

// Sets the writability that a legacy capsule could not express, from the library or the object.
void settle_writability(PyObject* object, const TypeFacts& facts, HeldTensor& held) {
  if (facts.is_immutable()) {
    held.writability = Writability::immutable;
  } else if (held.writability == Writability::unknown && (facts.offers & kAskArrayInterface) != 0) {
    Description description;
    if (describe_array_interface(object, facts.session, Elements::numbers, description) &&
        description.desc.read_only == core::Tri::yes)
      held.writability = Writability::no;
  }
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

// ---- Where to ----------------------------------------------------------------------------------------------------------

std::optional<DeviceId> claim_of(PyObject* object, const TypeFacts& facts) {
  DeviceId claimed;
  if (!facts.has_device_method && PyObject_HasAttrString(object, "__dlpack_device__") == 0) return std::nullopt;
  if (!describer().dlpack().ask_device(object, claimed)) return std::nullopt;
  return claimed;
}

bool is_host(DeviceId device) { return core::device_memory(device) == core::DeviceMemory::host; }

// Refuses a move before the producer is asked, when copy=False. True: continue.
bool may_move(DeviceId from, const TakeRequest& wanted) {
  if (wanted.copy != false) return true;
  raise(PyExc_BufferError, fmt::format("getting this tensor from {} to {} needs a copy, and copy=False", core::device_name(from),
                                       core::device_name(*wanted.device)));
  return false;
}

// The producer could not move it: gives its message and the supported devices.
void explain_refused_move(DeviceId from, DeviceId to, const std::string& producer, const PyErrorText& error) {
  raise(PyExc_ValueError, fmt::format("device '{}' is not available from {}: {}: {}. Supported here: '{}', where the tensor is{}",
                                      core::device_name(to), producer, error.type, error.message, core::device_name(from),
                                      is_host(from) ? "" : ", and 'cpu' where its library copies there"));
}

void note_library_copy(const HeldTensor& held, DeviceId from, std::int64_t began_ns, std::string_view why) {
  Runtime::get().note_copy({.from = fmt::format("{} on {}", held.source, core::device_name(from)),
                            .to = fmt::format("dlscope.Tensor on {}", core::device_name(held.device)),
                            .bytes = held.nbytes(),
                            .ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns),
                            .why = fmt::format("{}, by the library", why)});
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

// ---- DLPack ------------------------------------------------------------------------------------------------------------

struct Asking {
  PyObject* object;
  KnownTypes::Entry type;
  const TakeRequest& wanted;
  std::string_view why;
};

// By the exchange table of its type, when that equals asking __dlpack__ for nothing but the tensor. Empty: it does not, or a
// KeyboardInterrupt is set.
std::shared_ptr<HeldTensor> ask_table(const Asking& asking, const std::optional<DeviceId>& claimed, const TakeRequest& wanted) {
  TypeFacts& facts = asking.type.facts;
  const bool elsewhere = wanted.device.has_value() || (claimed && *claimed != core::kCpuDevice);
  if (facts.habits.table == TableUse::never || elsewhere || wanted.copy == true) return nullptr;
  auto held = describer().dlpack().take_by_table(asking.object, facts.producer);
  if (held && facts.habits.table == TableUse::checked && !facts.session->also_by_method(asking.object, held->dtype))
    held = nullptr;
  return held;
}

std::shared_ptr<HeldTensor> ask_producer(const Asking& asking, const std::optional<DeviceId>& claimed,
                                         const TakeRequest& wanted) {
  TakeAsked asked;
  auto held = ask_table(asking, claimed, wanted);
  if (!held && PyErr_Occurred() == nullptr)
    held = describer().dlpack().take(asking.object, asking.type.facts.producer, claimed, wanted, asked);
  if (!held) return nullptr;
  held->asked = asked;
  held->source = asking.type.name;
  if (is_host(held->device))
    note_hand_over_without_stream({asking.type.name, "dlscope"}, held->device, {0, held->address(), held->nbytes()},
                                  asked.stream ? AskedStream{std::to_string(*asked.stream), *asked.stream} : AskedStream{}, "");
  settle_writability(asking.object, asking.type.facts, *held);
  if (PyErr_Occurred() != nullptr) return nullptr;
  return held;
}

// Its library cannot move it there; the CUDA driver may be able to.
std::shared_ptr<HeldTensor> move_ourselves(const Asking& asking, DeviceId from, const PyErrorText& refusal) {
  const DeviceId to = *asking.wanted.device;
  const bool driver_reaches_both = (is_host(from) || is_on_cuda_device(from)) && to != core::kCpuDevice && can_allocate_on(to);
  if (!driver_reaches_both) {
    explain_refused_move(from, to, asking.type.name, refusal);
    return nullptr;
  }
  const auto held = ask_producer(asking, from, {});
  if (!held) return nullptr;
  const std::string text = fmt::format("{}: {}", refusal.type, refusal.message);
  auto moved = copy_of(*held, {.order = CopyOrder::keep, .device = to, .refusal = text, .why = asking.why});
  if (moved) moved->asked = held->asked;
  return moved;
}

void note_copy_by(const Asking& asking, const HeldTensor& held, DeviceId from, std::int64_t began_ns) {
  if (!is_tensor(asking.object)) note_library_copy(held, from, began_ns, asking.why);  // ours has entered it itself
}

// Whether what the producer was asked to copy is its own memory all the same, as an export without a copy shows: not every library
// sets IS_COPIED, and some ignore the request. `held` still exists, so memory of its own is elsewhere. nullopt: not known.
std::optional<bool> is_uncopied(const Asking& asking, DeviceId from, const HeldTensor& held) {
  if (held.extent.empty()) return false;
  const StreamsUnrecorded by_us;  // the hand-over that is wanted has been recorded
  const auto source = ask_producer(asking, from, {});
  if (!source) {
    clear_unless_interrupt();
    return std::nullopt;
  }
  return source->extent.begin < held.extent.end && held.extent.begin < source->extent.end;
}

// The copy that its library did not make.
std::shared_ptr<HeldTensor> copy_ourselves(const Asking& asking, const HeldTensor& held, DeviceId to) {
  if (!can_allocate_on(to) || (!held.in_host_memory() && !is_on_cuda_device(held.device))) {
    raise(PyExc_BufferError, fmt::format("{} ignored copy=True: what it gave is its own memory, on {}, where dlscope makes no copies",
                                         asking.type.name, core::device_name(held.device)));
    return nullptr;
  }
  auto copy = copy_of(held, {.order = CopyOrder::keep, .device = to, .may_leave_device = to != held.device, .why = asking.why});
  if (copy) copy->asked = held.asked;
  return copy;
}

// Moved by its own library, or by us.
std::shared_ptr<HeldTensor> ask_for_move(const Asking& asking, DeviceId from) {
  if (!may_move(from, asking.wanted)) return nullptr;
  const std::int64_t began_ns = core::monotonic_ns();
  auto held = ask_producer(asking, from, {.device = asking.wanted.device, .copy = {}});
  if (held && held->device != *asking.wanted.device) {
    raise(PyExc_ValueError, fmt::format("{} was asked for {} and gave memory on {}", asking.type.name,
                                        core::device_name(*asking.wanted.device), core::device_name(held->device)));
    return nullptr;
  }
  if (!held) return interrupt_pending() ? nullptr : move_ourselves(asking, from, take_error());
  // Pinned memory that becomes plain host memory may be the same; between devices it is not.
  const bool may_stay = is_host(from) && is_host(held->device);
  const std::optional<bool> stayed = may_stay ? is_uncopied(asking, from, *held) : std::optional(false);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (stayed == true && asking.wanted.copy == true) return copy_ourselves(asking, *held, *asking.wanted.device);
  if (stayed == false) held->is_copied = true;
  if (held->is_copied) note_copy_by(asking, *held, from, began_ns);
  return held;
}

// Its capsule is on another device than was asked for, although no move was: it contradicts __dlpack_device__, or has no such
// method.
std::shared_ptr<HeldTensor> move_taken(const Asking& asking, const std::optional<DeviceId>& claimed,
                                       std::shared_ptr<HeldTensor> held) {
  const DeviceId to = *asking.wanted.device;
  if (claimed) {
    if (is_host(to) && is_host(held->device)) return held;  // a pinned tensor's capsule may say cpu
    raise(PyExc_ValueError, fmt::format("{} says that it is on {} (__dlpack_device__) and gave memory on {}", asking.type.name,
                                        core::device_name(*claimed), core::device_name(held->device)));
    return nullptr;
  }
  if (!may_move(held->device, asking.wanted)) return nullptr;
  if (can_allocate_on(to) && (held->in_host_memory() || is_on_cuda_device(held->device)))
    return copy_ourselves(asking, *held, to);
  raise(PyExc_ValueError, fmt::format("device '{}' is not available from {}: its memory is on {}, and without a __dlpack_device__ "
                                      "it is not asked to move it",
                                      core::device_name(to), asking.type.name, core::device_name(held->device)));
  return nullptr;
}

// Not moved. A copy in host memory is made by us, so that it is aligned, in the ledger, and the same for every library.
std::shared_ptr<HeldTensor> ask_in_place(const Asking& asking, const std::optional<DeviceId>& claimed) {
  const bool on_host = !claimed || is_host(*claimed);
  const bool copy_here = asking.wanted.copy == true && on_host;
  const std::int64_t began_ns = core::monotonic_ns();
  auto held = ask_producer(asking, claimed, {.device = {}, .copy = copy_here ? std::nullopt : asking.wanted.copy});
  if (!held) return nullptr;
  if (asking.wanted.copy == false && held->is_copied) {
    raise(PyExc_BufferError, fmt::format("{} made a copy (its capsule says IS_COPIED), and copy=False", asking.type.name));
    return nullptr;
  }
  if (asking.wanted.device && held->device != *asking.wanted.device) {
    held = move_taken(asking, claimed, std::move(held));
    if (!held || held->source == "dlscope") return held;  // not to be had, or a copy already
  }
  if (copy_here) {  // where it claimed nothing, its capsule may still say a device
    const DeviceId to = is_on_cuda_device(held->device) ? held->device : core::kCpuDevice;
    auto copy = copy_of(*held, {.order = CopyOrder::keep, .device = to, .why = asking.why});
    if (copy) copy->asked = held->asked;
    return copy;
  }
  if (asking.wanted.copy == true) {
    const std::optional<bool> uncopied = is_uncopied(asking, *claimed, *held);
    if (PyErr_Occurred() != nullptr) return nullptr;
    if (uncopied == true) return copy_ourselves(asking, *held, held->device);
    held->is_copied = true;
  }
  if (held->is_copied) note_copy_by(asking, *held, held->device, began_ns);
  return held;
}

// A capsule can be taken only once: what cannot be had as wanted is refused before it is taken.
std::shared_ptr<HeldTensor> take_bare_capsule(PyObject* capsule, const TakeRequest& wanted, std::string_view why) {
  CopyRequest copy{.order = CopyOrder::keep, .why = why, .keeps_gil = true};
  std::optional<NewTensor> target;  // of the copy, if one is needed
  const auto may_take = [&](HeldTensor& held) {
    held.source = "a capsule";
    const bool elsewhere = wanted.device && *wanted.device != held.device;
    const bool reachable = held.in_host_memory() || is_on_cuda_device(held.device);
    if (elsewhere && (!can_allocate_on(*wanted.device) || !reachable)) {
      raise(PyExc_ValueError, fmt::format("the capsule's memory is on {}, and a capsule cannot be asked for '{}'",
                                          core::device_name(held.device), core::device_name(*wanted.device)));
      return false;
    }
    if (elsewhere && !may_move(held.device, wanted)) return false;
    if (!elsewhere && !wanted.copy.value_or(false)) return true;
    copy.device = elsewhere ? *wanted.device : is_on_cuda_device(held.device) ? held.device : core::kCpuDevice;
    copy.may_leave_device = elsewhere;
    target = target_for_copy(held, copy);
    return target.has_value();
  };
  auto held = describer().dlpack().take_capsule(capsule, false, may_take);
  if (!held) return nullptr;
  const bool on_host = is_host(held->device);
  note_hand_over_without_stream({held->source, "dlscope"}, held->device,
                                on_host ? core::RecordedMemory{0, held->address(), held->nbytes()} : held->recorded, {},
                                on_host ? "" : "another caller asked for it: with which stream is not known");
  return target ? copy_to_target(*held, std::move(*target), copy) : held;
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
  const unsigned offers = Describer::offered(object, type.facts, AskedBy::request);
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
  complain_no_protocol(name, description);
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
