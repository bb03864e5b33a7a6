// What the calls into a producer's code (declared in embed/python_api.h, defined in foreign_calls.cpp) share with
// without_gil.cpp.
#pragma once

namespace dlscope::embed {

// The cleanup handler (pthread_cleanup_push) of a thread that an ending interpreter ends below our frames: it must not return
// to them.
void sleep_for_ever(void*);

// Room for what pthread_cleanup_push keeps, in a frame outside of the call: a deleter is C, but a C++ library may throw through
// it, and then the thread's list of handlers must not point into a frame that is gone.
struct CleanupRoom {
  alignas(16) unsigned char bytes[256];
};
// thread: GIL held.
void call_deleter(CleanupRoom& room, void (*deleter)(void*), void* managed);
void forget_cleanup(CleanupRoom& room);  // after an exception of that call

}  // namespace dlscope::embed
