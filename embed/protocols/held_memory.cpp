#include "embed/protocols/held_memory.h"

#include "embed/any_thread_gil.h"
#include "embed/protocols/deleter.h"

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

}  // namespace

void HeldMemory::give_back(Hold& hold) { std::visit(GiveBack{}, hold); }

}  // namespace dlscope::embed
