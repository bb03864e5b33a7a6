#include "embed/protocols/held_memory.h"

#include <dlpack/dlpack.h>

#include <array>
#include <span>

#include "embed/any_thread_gil.h"
#include "embed/protocols/deleter.h"
#include "embed/runtime.h"

namespace dlscope::embed {

core::FreedBlockCache& freed_blocks() {
  static auto* const kept = new core::FreedBlockCache;  // never destroyed: memory may be given back while the process ends
  return *kept;
}

namespace {

// Own memory needs no Python. Anything else is given back with the GIL held and no exception pending, or not at all.
struct GiveBack {
  void operator()(OwnHold&) const {}
  void operator()(OwnCudaHold&) const {}
  void operator()(ManagedHold& hold) const {
    if (hold.deleter == 0) return;
    const AnyThreadGil gil;
    if (!gil) return;
    const PendingError pending;
    run_deleter(hold.deleter, hold.managed);
    if (PyErr_Occurred() != nullptr) note_pending_exception(ForeignCall::deleter);
  }
  void operator()(BufferHold& hold) const {
    const AnyThreadGil gil;
    if (!gil) return;
    const PendingError pending;
    if (hold.shape_is_inside) hold.view.shape = &hold.view.len;
    if (hold.strides_are_inside) hold.view.strides = &hold.view.itemsize;
    dlscope_release_buffer(&hold.view);
    if (PyErr_Occurred() != nullptr) note_pending_exception(ForeignCall::buffer);
  }
  // A capsule's destructor may leave an exception.
  void operator()(ObjectHold& hold) const {
    const AnyThreadGil gil;
    if (!gil) return;
    const PendingError pending;
    if (hold.object != nullptr) drop_reference(hold.object);
    if (PyErr_Occurred() != nullptr) note_pending_exception(ForeignCall::destructor);
  }
};

// Of either kind of struct the manager stands before the deleter, which is known.
core::Address manager_of(const ManagedHold& hold) {
  using Legacy = DLManagedTensor;
  using Versioned = DLManagedTensorVersioned;
  static_assert(offsetof(Legacy, deleter) == offsetof(Legacy, manager_ctx) + sizeof(core::Address));
  static_assert(offsetof(Versioned, deleter) == offsetof(Versioned, manager_ctx) + sizeof(core::Address));
  for (const std::size_t at : {offsetof(Versioned, manager_ctx), offsetof(Legacy, manager_ctx)}) {
    std::array<core::Address, 2> words{};  // manager, deleter
    const auto bytes = std::as_writable_bytes(std::span(words));
    const bool read = hold.deleter != 0 && Runtime::get().reader().read(hold.managed + at, bytes) == bytes.size();
    if (read && words[1] == hold.deleter) return words[0];
  }
  return 0;
}

}  // namespace

void HeldMemory::give_back(Hold& hold) { std::visit(GiveBack{}, hold); }

core::Address HeldMemory::kept_object() const {
  if (!hold_) return 0;
  if (const auto* const buffer = std::get_if<BufferHold>(&*hold_)) return reinterpret_cast<core::Address>(buffer->view.obj);
  if (const auto* const object = std::get_if<ObjectHold>(&*hold_)) return reinterpret_cast<core::Address>(object->object);
  const auto* const managed = std::get_if<ManagedHold>(&*hold_);
  return managed != nullptr ? manager_of(*managed) : 0;
}

}  // namespace dlscope::embed
