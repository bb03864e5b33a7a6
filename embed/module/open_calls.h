// The module's calls that run, counted so that the end of the interpreter can wait for them. Up to CPython 3.13 a thread that asks
// an ending interpreter for the GIL is ended by pthread_exit. In the middle of a call that is where a producer's own Python code
// runs: the unwinding would go through our frames, which cannot be unwound that way, and abort the user's process.
// thread: the GIL is held for everything here.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

class OpenCall {
 public:
  // A call that begins on another thread while the interpreter prepares to end waits, so as a rule it never goes on.
  OpenCall();
  ~OpenCall();
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
};

// To be registered with atexit. Waits until no other thread is inside a call, 1 s at most: a producer may sleep for ever.
PyObject* wait_for_open_calls(PyObject* module, PyObject* nothing);

}  // namespace dlscope::embed
