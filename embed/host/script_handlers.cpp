#include "embed/host/script_handlers.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace dlscope::embed {
namespace {

// Of a handler that raises each time: signal.signal() runs the handlers of signals that have come before it does its work.
constexpr int kAttempts = 1000;

PyRef own_function(PyMethodDef& definition) { return PyRef::steal(PyCFunction_New(&definition, nullptr)); }

}  // namespace

ScriptHandlers& ScriptHandlers::get() {
  static ScriptHandlers& handlers = *new ScriptHandlers;  // never destroyed: Python may be gone before
  return handlers;
}

bool ScriptHandlers::begin() {
  static PyMethodDef definition{"note_signal", note, METH_VARARGS, nullptr};
  const PyRef module = PyRef::steal(PyImport_ImportModule("_signal"));
  if (!module) return false;
  const auto take = [&](PyRef& into, const char* name) {
    into = PyRef::steal(PyObject_GetAttrString(module.get(), name));
    return static_cast<bool>(into);
  };
  note_ = own_function(definition);
  main_thread_ = PyThread_get_thread_ident();
  aside_ = note_ && take(getsignal_, "getsignal") && take(signal_, "signal") && take(set_wakeup_fd_, "set_wakeup_fd") &&
           take(default_interrupt_, "default_int_handler");
  return aside_;
}

bool ScriptHandlers::here() const { return main_thread_ != 0 && PyThread_get_thread_ident() == main_thread_; }

bool ScriptHandlers::are_aside() const { return aside_; }

void ScriptHandlers::set_aside() {
  if (aside_ || !here()) return;
  const PendingError pending;
  aside_ = true;
  wakeup_fd_ = exchange_wakeup_fd(-1);
  for (int number = 1; number < kSignals; ++number) {
    PyRef handler = handler_of(number);
    if (!handler || handler.get() == ours(number)) continue;
    replaced_.push_back({number, std::move(handler)});
    install(number, ours(number));
  }
}

bool ScriptHandlers::put_back() {
  if (!aside_ || !here()) return true;
  aside_ = false;
  for (const Replaced& each : std::exchange(replaced_, {})) {
    const bool is_still_ours = handler_of(each.number).get() == ours(each.number);  // else one came meanwhile
    if (is_still_ours) install(each.number, each.handler.get());
  }
  if (wakeup_fd_ != -1) exchange_wakeup_fd(wakeup_fd_);
  send_again();
  return !take_exception();
}

bool ScriptHandlers::take_exception() {
  if (!type_) return false;
  PyErr_Restore(type_.release(), value_.release(), traceback_.release());
  return true;
}

void ScriptHandlers::continue_in_child() {
  if (main_thread_ == 0) return;
  main_thread_ = PyThread_get_thread_ident();
  noted_.reset();  // they were sent to the parent
  if (!put_back()) PyErr_Clear();
}

bool ScriptHandlers::install_interrupt_handler() {
  std::erase_if(replaced_, [](const Replaced& each) { return each.number == SIGINT; });
  return static_cast<bool>(PyRef::steal(PyObject_CallFunction(signal_.get(), "iO", SIGINT, default_interrupt_.get())));
}

// Empty where no Python code is called: the default, ignored, or C's. For SIGINT the first two are replaced as well: Stop needs our
// handler, also where the script ignores SIGINT.
PyRef ScriptHandlers::handler_of(int number) const {
  PyRef handler = PyRef::steal(PyObject_CallFunction(getsignal_.get(), "i", number));
  if (!handler) PyErr_Clear();
  if (!handler || handler.get() == Py_None || (number != SIGINT && PyCallable_Check(handler.get()) == 0)) return {};
  return handler;
}

PyObject* ScriptHandlers::ours(int number) const { return number == SIGINT ? default_interrupt_.get() : note_.get(); }

void ScriptHandlers::install(int number, PyObject* handler) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (PyRef::steal(PyObject_CallFunction(signal_.get(), "iO", number, handler))) return;
    keep_exception();
  }
}

// Returns the one before; -1: none.
int ScriptHandlers::exchange_wakeup_fd(int fd) const {
  const PyRef before = PyRef::steal(PyObject_CallFunction(set_wakeup_fd_.get(), "i", fd));
  if (!before) return PyErr_Clear(), -1;  // it was closed meanwhile
  return static_cast<int>(PyLong_AsLong(before.get()));
}

// The first one: Python has only one at a time, too.
void ScriptHandlers::keep_exception() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyRef taken[] = {PyRef::steal(type), PyRef::steal(value), PyRef::steal(traceback)};
  if (type_) return;
  type_ = std::move(taken[0]);
  value_ = std::move(taken[1]);
  traceback_ = std::move(taken[2]);
}

// To this thread, whose next instruction of Python runs the handlers.
void ScriptHandlers::send_again() {
  const std::bitset<kSignals> noted = std::exchange(noted_, {});
  for (int number = 1; number < kSignals; ++number)
    if (noted[static_cast<std::size_t>(number)] && handler_of(number)) pthread_kill(pthread_self(), number);
}

PyObject* ScriptHandlers::note(PyObject*, PyObject* args) {
  const long number = PyTuple_Size(args) > 0 ? PyLong_AsLong(PyTuple_GetItem(args, 0)) : 0;
  PyErr_Clear();
  if (number > 0 && number < kSignals) get().noted_.set(static_cast<std::size_t>(number));
  return PyRef::share(Py_None).release();
}

}  // namespace dlscope::embed
