#include "embed/protocols/capsule_watch.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/clock.h"
#include "core/memory/address_map.h"
#include "embed/protocols/dlpack.h"
#include "embed/protocols/stream_watch.h"
#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::CapsuleKind;
using Deleter = void (*)(void*);

constexpr std::size_t kMaxEvents = 64;  // recorded for one capsule

struct Watched {
  WatchedCapsule told;  // state, name and held_by are computed on request
  const PyObject* capsule = nullptr;  // compared, never dereferenced
  Address managed = 0;
  PyCapsule_Destructor destructor = nullptr;  // the producer's, like `deleter`
  Deleter deleter = nullptr;
  bool consumed = false, destroyed = false, deleted = false;
  bool own = false;  // handed out by a dlscope.Tensor, and watched without being asked to
};

std::mutex mutex;
std::atomic<bool> watches_exports = false;
std::atomic<std::uint64_t> not_watched = 0;
std::atomic<bool> any_watched = false;
std::uint64_t last_id = 0;
thread_local bool in_destructor = false;

// Never freed: a consumer may call a deleter while the process ends.
std::deque<Watched>& all_watched() {
  static auto* const all = new std::deque<Watched>();
  return *all;
}

// For the report's events.
void tell(const Watched& watched, CapsuleStep step, bool noticed, std::string_view detail, pid_t thread) {
  using core::EventKind;
  static constexpr EventKind kKinds[] = {EventKind::export_, EventKind::consume, EventKind::refuse, EventKind::destructor,
                                         EventKind::deleter};
  static constexpr const char* kWhat[] = {"is watched from here on", "was consumed", "was refused", "is freed",
                                          "its struct's deleter is called"};
  const bool is_versioned = watched.told.kind == CapsuleKind::dltensor_versioned;
  std::string text = fmt::format("{} capsule {}, {}: {}", is_versioned ? "versioned" : "legacy", watched.told.id,
                                 watched.told.tensor, kWhat[static_cast<int>(step)]);
  if (!detail.empty()) text += fmt::format(" ({})", detail);
  if (noticed) text += ", noticed only now";
  if (thread != ::getpid()) text += fmt::format(", on thread {}", thread);
  Runtime::get().note(kKinds[static_cast<int>(step)], std::move(text));
}

// Call with `mutex` held.
void note(Watched& watched, CapsuleStep step, bool noticed = false, std::string detail = {}) {
  if (step == CapsuleStep::consumed) watched.consumed = true;
  if (step == CapsuleStep::destroyed) watched.destroyed = true;
  if (step == CapsuleStep::deleted) watched.deleted = true;
  const pid_t thread = ::gettid();
  tell(watched, step, noticed, detail, thread);
  if (watched.told.events.size() < kMaxEvents)
    watched.told.events.push_back({step, core::monotonic_ns(), thread, noticed, std::move(detail)});
}

// The newest one that `is` says yes to; null: none.
template <class Is>
Watched* find_live(Is is) {
  const auto found = std::ranges::find_if(all_watched().rbegin(), all_watched().rend(), is);
  return found == all_watched().rend() ? nullptr : &*found;
}

// "": it has no name, or it cannot be read.
std::string name_of(PyObject* capsule) {
  const char* const text = PyCapsule_GetName(capsule);
  PyErr_Clear();
  std::array<char, 64> copy{};
  const auto got = Runtime::get().reader().read(reinterpret_cast<Address>(text), std::as_writable_bytes(std::span(copy)));
  return {copy.data(), strnlen(copy.data(), got)};
}

void note_and_destroy(PyObject* capsule);

// Another capsule may have the address of one that is gone: when a consumer removes the destructor, the end of a capsule is not
// seen.
bool is(const Watched& watched, PyObject* capsule) {
  if (watched.capsule != capsule || watched.destroyed) return false;
  const char* const name = PyCapsule_GetName(capsule);
  const auto managed = reinterpret_cast<Address>(PyCapsule_GetPointer(capsule, name));
  const bool ours = PyCapsule_GetDestructor(capsule) == note_and_destroy;
  PyErr_Clear();
  return managed == watched.managed && (ours || watched.consumed || name_of(capsule).starts_with("used_"));
}

// The deleter field of a struct of that kind.
Deleter* deleter_of(Address managed, CapsuleKind kind) {
  if (kind == CapsuleKind::dltensor) return reinterpret_cast<Deleter*>(&reinterpret_cast<DLManagedTensor*>(managed)->deleter);
  return reinterpret_cast<Deleter*>(&reinterpret_cast<DLManagedTensorVersioned*>(managed)->deleter);
}

void note_and_delete(void* managed) {
  Deleter deleter = nullptr;
  {
    const std::lock_guard lock(mutex);
    Watched* const watched =
        find_live([&](const Watched& each) { return each.managed == reinterpret_cast<Address>(managed) && !each.deleted; });
    if (watched == nullptr) return;
    if (!in_destructor && !watched->consumed) note(*watched, CapsuleStep::consumed, true, "its deleter is called, by a consumer");
    note(*watched, CapsuleStep::deleted, false, in_destructor ? "by the capsule's destructor" : "by whoever consumed it");
    deleter = watched->deleter;
    *deleter_of(watched->managed, watched->told.kind) = deleter;
  }
  deleter(managed);
}

void note_and_destroy(PyObject* capsule) {
  PyCapsule_Destructor destructor = nullptr;
  {
    const PendingError pending;  // belongs to the code that released the capsule
    const bool used = name_of(capsule).starts_with("used_");
    const std::lock_guard lock(mutex);
    Watched* const watched = find_live([&](const Watched& each) { return is(each, capsule); });
    if (watched == nullptr) return;
    if (used && !watched->consumed) note(*watched, CapsuleStep::consumed, true);
    note(*watched, CapsuleStep::destroyed, false,
         used ? "it was consumed: nothing is left to do" : "unused: the producer's destructor is called");
    destructor = watched->destructor;
  }
  if (destructor == nullptr) return;
  const bool outer = std::exchange(in_destructor, true);
  destructor(capsule);
  in_destructor = outer;
}

// Forgets finished ones when there are too many, first those that nobody asked to watch. Call with `mutex` held.
void make_room() {
  std::deque<Watched>& all = all_watched();
  while (all.size() >= kMaxWatchedCapsules) {
    auto over = std::ranges::find_if(all, [](const Watched& each) { return each.deleted && each.own; });
    if (over == all.end()) over = std::ranges::find_if(all, [](const Watched& each) { return each.deleted; });
    if (over == all.end()) return;
    all.erase(over);
  }
}

// Whether another export may be watched; forgets the oldest finished one where that makes room. Call with `mutex` held.
bool has_room_for_export() {
  std::deque<Watched>& all = all_watched();
  if (static_cast<std::size_t>(std::ranges::count_if(all, &Watched::own)) < kMaxWatchedExports) return true;
  const auto over = std::ranges::find_if(all, [](const Watched& each) { return each.deleted && each.own; });
  if (over == all.end()) return false;
  all.erase(over);
  return true;
}

std::string tensor_text(core::DType dtype, std::span<const std::int64_t> shape) {
  return fmt::format("{} ({}{})", core::dtype_name(dtype), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// Which code asked: the module whose function is the innermost one of Python. A consumer in C is called by it.
std::string asked_by() {
  PyObject* const globals = PyEval_GetGlobals();  // borrowed; null: no Python code is running
  PyObject* const name = globals != nullptr ? PyDict_GetItemString(globals, "__name__") : nullptr;
  const PyRef text = PyRef::steal(name != nullptr && PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : nullptr);
  PyErr_Clear();
  if (!text) return "handed out by a dlscope.Tensor";
  const std::string_view module = std::string_view(PyBytes_AsString(text.get())).substr(0, 100);
  if (module == "__main__") return "handed out by a dlscope.Tensor; asked for by __main__, or by a function in C that it called";
  return fmt::format("handed out by a dlscope.Tensor; asked for by {}", module);
}

// False with a Python error set.
bool describe(PyObject* capsule, Watched& watched) {
  KnownMemory memory;
  Description description;
  (void)DlpackProtocol(memory, Runtime::get().reader(), true).describe_held_capsule(capsule, description);
  const core::TensorDesc& desc = description.desc;
  if (!desc.has_metadata || !desc.has_layout) {
    const std::string why = !description.remarks.empty()   ? description.remarks.front().message
                            : !desc.remarks.empty() ? desc.remarks.front().message
                                                    : "its struct does not describe a valid tensor";
    PyErr_SetString(PyExc_ValueError, fmt::format("this capsule cannot be watched: {}", why).c_str());
    return false;
  }
  watched.told.kind = desc.capsule;
  const auto shape = desc.layout().shape;
  watched.told.tensor = tensor_text(desc.dtype, shape);
  watched.told.bytes = (desc.bounds.elements * desc.item_bits() + 7) / 8;
  watched.told.extent = desc.extent;
  watched.told.device = desc.device;
  watched.managed = reinterpret_cast<Address>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  const Address place = reinterpret_cast<Address>(deleter_of(watched.managed, watched.told.kind));
  const auto map = core::AddressMap::load(0);
  if (!map) {
    PyErr_SetString(PyExc_ValueError, fmt::format("this capsule cannot be watched: whether its deleter may be replaced is not "
                                                  "known: {}",
                                                  map.error().message)
                                          .c_str());
    return false;
  }
  const core::Mapping* const mapping = map->find(place);
  if (mapping != nullptr && mapping->read && mapping->write && place + sizeof(Deleter) <= mapping->range.end) return true;
  PyErr_SetString(PyExc_ValueError,
                  "this capsule cannot be watched: its struct lies in memory that may not be written, and watching "
                  "takes the place of its deleter");
  return false;
}

CapsuleState state_of(const Watched& watched, bool found) {
  if (watched.deleted) return watched.consumed ? CapsuleState::returned : CapsuleState::dropped;
  if (watched.consumed) return CapsuleState::consumed;
  if (watched.destroyed) return CapsuleState::undeleted;
  return found ? CapsuleState::waiting : CapsuleState::unseen;
}

}  // namespace

const char* capsule_step_name(CapsuleStep step) {
  static constexpr const char* kNames[] = {"watched", "consumed", "refused", "destroyed", "deleted"};
  return kNames[static_cast<int>(step)];
}

const char* capsule_state_name(CapsuleState state) {
  static constexpr const char* kNames[] = {"waiting", "consumed", "returned", "dropped", "undeleted", "unseen"};
  return kNames[static_cast<int>(state)];
}

bool watch_capsule(PyObject* capsule) {
  if (!PyCapsule_CheckExact(capsule)) {
    PyErr_Format(PyExc_TypeError, "a DLPack capsule is watched, such as x.__dlpack__() gives, not an object of type %s",
                 qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(capsule))).c_str());
    return false;
  }
  if (PyCapsule_GetDestructor(capsule) == note_and_destroy) {
    const std::lock_guard lock(mutex);
    if (Watched* const known = find_live([&](const Watched& each) { return each.capsule == capsule && !each.destroyed; }))
      known->own = false;  // asked for now: it stays in the list as others that were
    return true;
  }
  PyErr_Clear();
  Watched watched;
  if (!describe(capsule, watched)) return false;
  watched.capsule = capsule;
  watched.destructor = PyCapsule_GetDestructor(capsule);
  PyErr_Clear();
  Deleter* const deleter = deleter_of(watched.managed, watched.told.kind);
  watched.deleter = *deleter;
  const std::lock_guard lock(mutex);
  make_room();
  // An earlier capsule at this address whose destructor a consumer removed is gone.
  if (Watched* const before = find_live([&](const Watched& each) { return each.capsule == capsule && !each.destroyed; }))
    note(*before, CapsuleStep::destroyed, true);
  watched.told.id = ++last_id;
  note(watched, CapsuleStep::watched, false,
       watched.deleter == nullptr ? "its struct has no deleter: the memory cannot be given back" : "");
  const bool has_deleter = watched.deleter != nullptr;
  all_watched().push_back(std::move(watched));  // what may fail comes first: without the record nobody calls what is replaced
  if (PyCapsule_SetDestructor(capsule, note_and_destroy) != 0) {
    all_watched().pop_back();
    return false;
  }
  if (has_deleter) *deleter = note_and_delete;
  any_watched = true;
  return true;
}

void watch_own_exports() {
  // A forked child has none of the threads that may have held it.
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { new (&mutex) std::mutex; });
  static_cast<void>(registered);
  watches_exports = true;
}

std::uint64_t exports_not_watched() { return not_watched; }

void note_own_export(const OwnExport& made) {
  if (!watches_exports || looks_itself()) return;
  Watched watched;
  watched.own = true;
  watched.told.kind = made.kind;
  watched.told.tensor = tensor_text(made.dtype, made.shape);
  watched.told.bytes = made.bytes;
  watched.told.extent = made.extent;
  watched.told.device = made.device;
  watched.capsule = made.capsule;
  watched.managed = reinterpret_cast<Address>(made.managed);
  watched.destructor = made.capsule != nullptr ? PyCapsule_GetDestructor(made.capsule) : nullptr;
  Deleter* const deleter = deleter_of(watched.managed, made.kind);
  watched.deleter = *deleter;
  std::string asked = asked_by();
  const std::lock_guard lock(mutex);
  if (!has_room_for_export()) {
    ++not_watched;
    return;
  }
  make_room();
  const auto is_gone = [&](const Watched& each) {  // as in watch_capsule()
    return made.capsule != nullptr && each.capsule == made.capsule && !each.destroyed;
  };
  if (Watched* const before = find_live(is_gone)) note(*before, CapsuleStep::destroyed, true);
  watched.told.id = ++last_id;
  note(watched, CapsuleStep::watched, false, std::move(asked));
  if (made.capsule == nullptr) note(watched, CapsuleStep::consumed, false, "given by the exchange table, without a capsule");
  all_watched().push_back(std::move(watched));  // as in watch_capsule()
  if (made.capsule != nullptr && PyCapsule_SetDestructor(made.capsule, note_and_destroy) != 0) {
    all_watched().pop_back();
    return PyErr_Clear();
  }
  *deleter = note_and_delete;
  any_watched = true;
}

std::vector<WatchedCapsule> watched_capsules(PyObject* names) {
  std::vector<std::pair<PyObject*, std::string>> named;  // capsules that are values of `names`
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (any_watched && names != nullptr && PyDict_Check(names) && PyDict_Next(names, &at, &key, &value) != 0) {
    if (!PyCapsule_CheckExact(value) || !PyUnicode_Check(key)) continue;
    const PyRef text = PyRef::steal(PyUnicode_AsUTF8String(key));
    PyErr_Clear();
    if (text) named.emplace_back(value, PyBytes_AsString(text.get()));
  }
  std::vector<WatchedCapsule> out;
  const std::lock_guard lock(mutex);
  for (Watched& watched : all_watched()) {
    WatchedCapsule told = watched.told;
    for (const auto& [capsule, name] : named) {
      if (!is(watched, capsule)) continue;
      told.name = name_of(capsule);
      told.held_by.push_back(name);
    }
    if (told.name.starts_with("used_") && !watched.consumed) {
      note(watched, CapsuleStep::consumed, true);
      told.events = watched.told.events;
    }
    told.state = state_of(watched, !told.held_by.empty());
    out.push_back(std::move(told));
  }
  return out;
}

bool is_watched(PyObject* capsule) { return any_watched && PyCapsule_GetDestructor(capsule) == note_and_destroy; }

void note_capsule_taken(PyObject* capsule) {
  const std::lock_guard lock(mutex);
  Watched* const watched = find_live([&](const Watched& each) { return is(each, capsule); });
  if (watched == nullptr) return;
  if (!watched->consumed) note(*watched, CapsuleStep::consumed, false, "by dlscope");
  // dlscope's consumer removed the destructor, too: ours is set again, only to record the end.
  watched->destructor = nullptr;
  (void)PyCapsule_SetDestructor(capsule, note_and_destroy);
}

void note_capsule_refused(PyObject* capsule, const std::string& why) {
  if (!any_watched) return;
  const std::lock_guard lock(mutex);
  if (Watched* const watched = find_live([&](const Watched& each) { return is(each, capsule); }))
    note(*watched, CapsuleStep::refused, false, why);
}

}  // namespace dlscope::embed
