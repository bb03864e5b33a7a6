#include "embed/tensors/ask_producer.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/clock.h"
#include "embed/protocols/array_interface.h"
#include "embed/protocols/dlpack_take.h"
#include "embed/protocols/stream_watch.h"
#include "embed/runtime.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/tensor_copy.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {

using core::DeviceId;

namespace {

void raise(PyObject* type, const std::string& text) { PyErr_SetString(type, text.c_str()); }

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

// The producer could not move it: gives its message and the supported devices.
void explain_refused_move(DeviceId from, DeviceId to, const std::string& producer, const PyErrorText& error) {
  raise(PyExc_ValueError, fmt::format("device '{}' is not available from {}: {}: {}. Supported here: '{}', where the tensor is{}",
                                      core::device_name(to), producer, error.type, error.message, core::device_name(from),
                                      is_host(from) ? "" : ", and 'cpu' where its library copies there"));
}

// By the exchange table of its type, when that equals asking __dlpack__ for nothing but the tensor. Empty: it does not, or a
// KeyboardInterrupt is set.
std::shared_ptr<HeldTensor> ask_table(const Asking& asking, const std::optional<DeviceId>& claimed, const TakeRequest& wanted) {
  TypeFacts& facts = asking.type.facts;
  const bool elsewhere = wanted.device.has_value() || (claimed && *claimed != core::kCpuDevice);
  if (facts.habits.table == TableUse::never || elsewhere || wanted.copy == true) return nullptr;
  auto held = shared_describer().dlpack().take_by_table(asking.object, facts.producer);
  if (held && facts.habits.table == TableUse::checked && !facts.session->also_by_method(asking.object, held->dtype))
    held = nullptr;
  return held;
}

std::shared_ptr<HeldTensor> ask_producer(const Asking& asking, const std::optional<DeviceId>& claimed,
                                         const TakeRequest& wanted) {
  TakeAsked asked;
  auto held = ask_table(asking, claimed, wanted);
  if (!held && PyErr_Occurred() == nullptr)
    held = shared_describer().dlpack().take(asking.object, asking.type.facts.producer, claimed, wanted, asked);
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

}  // namespace

// Never destroyed: creating one reads the whole address map.
Describer& shared_describer() {
  static Describer* const kept = new Describer(Runtime::get().reader());
  return *kept;
}

bool is_host(DeviceId device) { return core::device_memory(device) == core::DeviceMemory::host; }

std::optional<DeviceId> claim_of(PyObject* object, const TypeFacts& facts) {
  DeviceId claimed;
  if (!facts.has_device_method) {  // a __getattr__ may answer, which is the user's code
    const PyRef method = PyRef::steal(dlscope_get_attribute(object, "__dlpack_device__"));
    if (!method) return clear_unless_interrupt(), std::nullopt;
  }
  if (!shared_describer().dlpack().ask_device(object, claimed)) return std::nullopt;
  return claimed;
}

bool may_move(DeviceId from, const TakeRequest& wanted) {
  if (wanted.copy != false) return true;
  raise(PyExc_BufferError, fmt::format("getting this tensor from {} to {} needs a copy, and copy=False", core::device_name(from),
                                       core::device_name(*wanted.device)));
  return false;
}

void note_library_copy(const HeldTensor& held, DeviceId from, std::int64_t began_ns, std::string_view why) {
  Runtime::get().note_copy({.from = fmt::format("{} on {}", held.source, core::device_name(from)),
                            .to = fmt::format("dlscope.Tensor on {}", core::device_name(held.device)),
                            .bytes = held.nbytes(),
                            .ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns),
                            .why = fmt::format("{}, by the library", why)});
}

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

}  // namespace dlscope::embed
