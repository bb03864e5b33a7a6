#include "embed/protocols/deleter.h"

#include <fmt/format.h>

#include "embed/foreign_calls.h"
#include "embed/py_ref.h"
#include "embed/runtime.h"

namespace dlscope::embed {

void run_deleter(core::Address deleter, core::Address managed) {
  using Deleter = void (*)(void*);
  CleanupRoom room;
  try {
    call_deleter(room, reinterpret_cast<Deleter>(deleter), reinterpret_cast<void*>(managed));
  } catch (...) {  // a C interface, but a C++ library may still throw through it
    forget_cleanup(room);
    Runtime::get().note(core::EventKind::deleter, "a DLPack deleter threw a C++ exception");
  }
}

void note_pending_exception(ForeignCall call) {
  static constexpr const char* kNames[] = {"DLPack deleter", "capsule's destructor", "buffer's release"};
  bool interrupted = interrupt_pending();
  const PyErrorText error = take_error();
  interrupted |= interrupt_pending();
  PyErr_Clear();
  Runtime::get().note(call == ForeignCall::destructor ? core::EventKind::destructor : core::EventKind::deleter,
                      fmt::format("a {} left {} behind: {}", kNames[static_cast<int>(call)], error.type, error.message));
  if (interrupted) PyErr_SetInterrupt();
}

}  // namespace dlscope::embed
