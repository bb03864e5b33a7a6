// The handlers of signals that the script has installed (signal.signal). They run while its code runs. While dlscope's own Python
// code runs they are aside: an exception of theirs would end work that it has nothing to do with, and a request of the viewer's
// would stay without its answer. In their place a function that cannot raise notes the signal, which is sent again when the
// script's code goes on. SIGINT is Stop, and is not noted: _dlscope.default_int_handler takes the place of its handler.
// thread: Python's main thread, the only one in which handlers run; in another one they are neither set aside nor put back. GIL held.
#pragma once

#include <bitset>
#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed {

class ScriptHandlers {
 public:
  static ScriptHandlers& get();

  // Before any of the script's code runs: they count as aside from here on. Takes the functions of the module `_signal`, whatever the
  // script does to it later. False: a Python error is set.
  [[nodiscard]] bool begin();

  [[nodiscard]] bool are_aside() const;
  void set_aside();
  // False: an exception is set, see take_exception(). They are back then, too.
  [[nodiscard]] bool put_back();
  // Sets the exception that a handler raised while they were exchanged, if any: it is the script's, not dlscope's.
  [[nodiscard]] bool take_exception();
  void forget_exception() { type_ = value_ = traceback_ = {}; }

  // In a forked child, whose main thread is the one that has forked: nothing of dlscope's goes on there, so they are put back.
  void continue_in_child();

  // Whether some wait for put_back().
  [[nodiscard]] bool any_noted() const { return aside_ && noted_.any(); }

  // Makes our handler of SIGINT a new script's; that of an earlier one is not put back. False: a Python error is set.
  [[nodiscard]] bool install_interrupt_handler();

 private:
  static constexpr int kSignals = 65;  // NSIG of Linux
  struct Replaced {
    int number;
    PyRef handler;
  };

  ScriptHandlers() = default;
  [[nodiscard]] bool here() const;
  [[nodiscard]] PyRef handler_of(int number) const;
  [[nodiscard]] PyObject* ours(int number) const;
  void install(int number, PyObject* handler);
  int exchange_wakeup_fd(int fd) const;
  void keep_exception();
  void send_again();
  static PyObject* note(PyObject*, PyObject* args);

  PyRef getsignal_, signal_, set_wakeup_fd_, note_, default_interrupt_;
  unsigned long main_thread_ = 0;
  bool aside_ = false;
  std::vector<Replaced> replaced_;
  int wakeup_fd_ = -1;  // of the script (asyncio's): nothing is written to it while they are aside
  std::bitset<kSignals> noted_;
  PyRef type_, value_, traceback_;  // what a handler raised while they were exchanged
};

}  // namespace dlscope::embed
