// Counts the module's running calls, so that the end of the interpreter can wait for them. Up to CPython 3.13 a thread that asks
// an ending interpreter for the GIL is ended by pthread_exit. Within a call that happens in the producer's Python code; the
// thread then sleeps until the process ends (embed/foreign_calls.cpp), and what the call holds is never released. The wait lets
// most calls end first.
// thread: the GIL is held for everything here.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

class OpenCall {
 public:
  // When another thread prepares the interpreter's end, a call that begins waits, so that it normally never continues.
  OpenCall();
  ~OpenCall();
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
};

// Registered with atexit. Waits until no other thread is in a call, at most 1 s, because a producer may sleep for longer.
PyObject* wait_for_open_calls(PyObject* module, PyObject* nothing);

}  // namespace dlscope::embed
