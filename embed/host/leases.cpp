#include "embed/host/leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "embed/libraries/library.h"
#include "embed/objects/describer.h"
#include "embed/runtime.h"

namespace dlscope::embed {

using core::ErrorKind;
using core::EventKind;
using core::fail;
using core::Result;
using core::wire::LeaseState;

namespace {

// What the user's program notices of an export that is held.
std::string cost_of(const core::TensorDesc& desc, PyTypeObject* const class_of_object) {
  if (derives_from(class_of_object, "numpy", "ndarray"))
    return "While it is held, its memory is not freed and ndarray.resize raises ValueError; resize(refcheck=False) may free it all "
           "the same.";
  if (derives_from(class_of_object, "torch", "Tensor") && desc.protocol != core::Protocol::attributes)
    return "While it is held, its memory is not freed, except by set_() and resize_(), which may free it all the same.";
  const std::string type = qualified_name(reinterpret_cast<PyObject*>(class_of_object));
  if (type == "bytearray" || type == "array.array")
    return fmt::format("While it is held, this {} cannot change its length: append, extend and del raise BufferError.", type);
  if (type == "mmap.mmap") return "While it is held, this mmap cannot be closed or resized: both raise BufferError.";
  if (desc.protocol == core::Protocol::attributes)
    return "While it is held, a write to the tensor makes the copy it has put off, also where nobody else uses the memory.";
  if (desc.protocol == core::Protocol::buffer) return "While it is held, its owner can neither free nor resize the buffer.";
  return "While it is held, its memory is not freed.";
}

}  // namespace

struct Leases::Attempt {
  HeldMemory held;
  TensorIdentity identity;
  std::string cost;
  std::string why_not;  // with held empty
  std::optional<WatchedMemory> watched;
};

Leases::Attempt Leases::try_to_hold(const std::vector<std::string>& names, const TensorIdentity& identity,
                                    const ScanPlace& place) {
  TensorFinder finder(place);
  FoundTensor found = finder.find(names, identity, Export::keep);
  Attempt attempt{
      .held = {}, .identity = std::move(found.identity), .cost = {}, .why_not = std::move(found.why_not), .watched = {}};
  if (!found.object) return attempt;
  attempt.watched = watch_memory(found);
  attempt.held = std::move(found.description.memory);
  attempt.cost = cost_of(found.description.desc, Py_TYPE(found.object.get()));
  return attempt;
}

std::string Leases::why_maybe_freed(Lease& lease, const ScanPlace& place) {
  if (!lease.watched || lease.watched->object_is_gone) return {};
  std::string why = embed::why_maybe_freed(*lease.watched, lease.paths, lease.identity, place);
  if (lease.watched->object_is_gone)
    Runtime::get().note(EventKind::lease,
                        fmt::format("the object {} is gone: dlscope still holds its export, and cannot see whether the memory is "
                                    "freed through another tensor",
                                    lease.paths.front()));
  return why;
}

Result<std::string> Leases::hold(std::uint64_t lease, core::wire::TensorRef ref, const core::Snapshot& snapshot, bool pinned,
                                 const ProgramNames& names) {
  const core::TensorRecord& tensor = snapshot.tensors[ref.tensor];
  const std::string name(snapshot.name(tensor));
  if (!tensor.has_metadata) return fail(ErrorKind::unsupported, fmt::format("{} was not described, so it cannot be held", name));
  if (core::is_copy_for_export(tensor))
    return fail(ErrorKind::unsupported,
                fmt::format("{} hands over a copy of its bytes, made each time it is asked: its own cannot be held", name));
  const auto same = std::ranges::find(leases_, ref, &Lease::ref);
  if (same != leases_.end()) return fail(ErrorKind::invalid, fmt::format("{} is already held", name));

  Lease taken{.id = lease,
              .pinned = pinned,
              .paths = names_of(snapshot, tensor),
              .identity = identity_of(snapshot, tensor),
              .ref = ref,
              .held = {},
              .watched = {}};
  Attempt attempt = try_to_hold(taken.paths, taken.identity, ScanPlace::of_program(names));
  if (PyErr_Occurred() != nullptr) return fail(ErrorKind::cancelled, "interrupted");
  if (!attempt.held) return fail(ErrorKind::not_found, look_again_text(attempt.why_not));
  taken.identity = std::move(attempt.identity);
  taken.held = std::move(attempt.held);
  taken.watched = std::move(attempt.watched);
  // One that lets go before code runs has no cost for that code.
  if (!pinned)
    attempt.cost =
        "dlscope lets go of it before code runs and takes it again afterwards: only a thread that runs in between notices it.";
  Runtime::get().note(EventKind::lease, fmt::format("dlscope holds {}", name));
  tell(taken, LeaseState::held);
  leases_.push_back(std::move(taken));
  return std::move(attempt.cost);
}

Result<std::string> Leases::release(std::uint64_t lease) {
  const auto found = std::ranges::find(leases_, lease, &Lease::id);
  if (found == leases_.end()) return fail(ErrorKind::not_found, "it is no longer held");
  Lease released = std::move(*found);
  leases_.erase(found);
  released.watched.reset();
  released.held = {};
  static_cast<void>(clear_unless_interrupt());
  Runtime::get().note(EventKind::release, fmt::format("dlscope no longer holds {}", released.paths.front()));
  tell(released, LeaseState::gone);
  return std::string();
}

Leases::Kept Leases::kept() const {
  Kept kept;
  for (const Lease& lease : leases_) {
    if (!lease.held) continue;
    kept.held.push_back(reinterpret_cast<core::Address>(lease.identity.object));
    if (const core::Address object = lease.held.kept_object(); object != 0) kept.referred_to.push_back(object);
    if (lease.watched && lease.watched->object && PyWeakref_Check(lease.watched->object.get()) == 0)
      kept.referred_to.push_back(reinterpret_cast<core::Address>(lease.watched->object.get()));
  }
  return kept;
}

void Leases::before_user_code(Announce announce) {
  for (Lease& lease : leases_) {
    if (lease.pinned || !lease.held) continue;
    lease.watched.reset();
    lease.held = {};
    PyErr_Clear();  // of a foreign destructor; nothing of ours waits for it
    lease.reported_waiting = announce == Announce::all;
    if (lease.reported_waiting) tell(lease, LeaseState::waiting);
  }
}

std::string Leases::take_again(Lease& lease, const ScanPlace& place) {
  Attempt attempt = try_to_hold(lease.paths, lease.identity, place);
  if (!attempt.held) return std::move(attempt.why_not);
  lease.held = std::move(attempt.held);
  lease.watched = std::move(attempt.watched);
  if (std::exchange(lease.reported_waiting, false)) tell(lease, LeaseState::held);
  return {};
}

void Leases::after_user_code(const ProgramNames& names) {
  // Worked out where there is somebody to look for: callbacks of windows come fifty times a second.
  std::optional<ScanPlace> place;
  for (std::size_t i = 0; i < leases_.size();) {
    Lease& lease = leases_[i];
    if (lease.held && !lease.watched) {
      ++i;
      continue;
    }
    if (!place) place = ScanPlace::of_program(names);
    std::string why_not = lease.held ? why_maybe_freed(lease, *place) : take_again(lease, *place);
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      if (!lease.held) why_not = fmt::format("the search for {} was interrupted", lease.paths.front());
    }
    if (why_not.empty()) {
      ++i;
      continue;
    }
    Runtime::get().note(EventKind::release, fmt::format("dlscope no longer holds {}: {}", lease.paths.front(), why_not));
    tell(lease, LeaseState::gone, std::move(why_not));
    leases_.erase(leases_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Leases::release_all() {
  const std::vector<Lease> released = std::exchange(leases_, {});
  for (const Lease& lease : released) tell(lease, LeaseState::gone);
}

std::vector<HeldObject> Leases::held_objects() const {
  std::vector<HeldObject> objects;
  for (const Lease& lease : leases_) {
    if (lease.held) objects.push_back({lease.identity.object, core::kNone32});
  }
  return objects;
}

// An export need not keep its object alive, and an object may get other memory, which is not what is held.
std::uint32_t Leases::record_of(const Lease& lease, const core::Snapshot& snapshot, const std::vector<HeldObject>& held) {
  const auto found = std::ranges::find(held, lease.identity.object, &HeldObject::object);
  if (!lease.held || found == held.end() || found->tensor == core::kNone32) return core::kNone32;
  TensorIdentity described = identity_of(snapshot, snapshot.tensors[found->tensor]);
  described.object = lease.identity.object;
  return described == lease.identity ? found->tensor : core::kNone32;
}

void Leases::mark_in(core::Snapshot& snapshot, const std::vector<HeldObject>& held) const {
  for (const Lease& lease : leases_) {
    const std::uint32_t tensor = record_of(lease, snapshot, held);
    if (tensor != core::kNone32) snapshot.tensors[tensor].held = true;
  }
}

void Leases::report_new_records(const core::Snapshot& snapshot, const std::vector<HeldObject>& held) {
  for (Lease& lease : leases_) {
    const std::uint32_t tensor = record_of(lease, snapshot, held);
    if (tensor == core::kNone32) continue;
    lease.ref = {snapshot.info.revision, tensor};
    tell(lease, LeaseState::held);
  }
}

void Leases::tell(const Lease& lease, LeaseState state, std::string message) const {
  tell_({lease.id, state, lease.pinned, lease.ref, std::move(message)});
}

}  // namespace dlscope::embed
