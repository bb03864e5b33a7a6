// PyRef owns one reference to a Python object; PyErrorText is an exception turned into words; PendingError keeps
// an exception that is already set out of the way of code that must not see it.
// thread: the GIL is held wherever one of these is made, copied or destroyed.
#pragma once

#include <string>
#include <utility>

#include "embed/python_api.h"

namespace dlscope::embed {

class PyRef {
 public:
  PyRef() = default;
  // Takes over a new reference (what most C API functions return). Null is allowed: an error is set then.
  [[nodiscard]] static PyRef steal(PyObject* object) { return PyRef(object); }
  // Adds a reference to a borrowed object.
  [[nodiscard]] static PyRef share(PyObject* object) {
    Py_XINCREF(object);
    return PyRef(object);
  }
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    if (this != &other) reset(std::exchange(other.object_, nullptr));
    return *this;
  }
  PyRef(const PyRef& other) : object_(other.object_) { Py_XINCREF(object_); }
  PyRef& operator=(const PyRef& other) {
    if (this != &other) *this = PyRef(other);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit PyRef(PyObject* object) : object_(object) {}
  // The member changes before the old object dies: its finaliser may come back to us.
  void reset(PyObject* object) {
    PyObject* old = std::exchange(object_, object);
    Py_XDECREF(old);
  }
  PyObject* object_ = nullptr;
};

// Holds the pending exception, if any, aside for as long as it lives.
class PendingError {
 public:
  PendingError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~PendingError() { PyErr_Restore(type_, value_, traceback_); }
  PendingError(const PendingError&) = delete;
  PendingError& operator=(const PendingError&) = delete;

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

struct PyErrorText {
  std::string type;     // "BufferError", "torch.OutOfMemoryError": as Python qualifies names
  std::string message;  // str(exception), or what could be had of it
};

// Takes the pending exception out of the interpreter and turns it into words. No exception pending: empty words.
// No error is left unless it is a KeyboardInterrupt that came while the exception's own __str__ ran.
[[nodiscard]] PyErrorText take_error();

// Whether the pending exception must end what we are doing instead of being noted: a KeyboardInterrupt that somebody asked for
// (embed/interrupts.h).
[[nodiscard]] bool interrupt_pending();
// Drops the pending exception, if any, unless it must end what we are doing: then it stays set and the answer is true. Whoever
// gets the result of what was tried has to look for it before the next call into Python.
bool clear_unless_interrupt();
// Drops the pending exception, if any, where there is nobody to give it to. An interrupt that must end something comes again when the
// main thread runs Python the next time.
void clear_and_interrupt_later();

// "torch.nn.parameter.Parameter", "int": module and qualified name; builtins and __main__ left out, as Python does.
[[nodiscard]] std::string qualified_name(PyObject* type);

// The text of a str; surrogates and whatever else cannot be encoded are replaced. "" for anything else. No error is left.
[[nodiscard]] std::string text_of(PyObject* str);

// getattr through the type's own rules only: `type.__getattribute__(T, name)`, so that no metaclass runs.
// Empty when there is none, with no error left unless it is KeyboardInterrupt; empty at once while one is pending.
[[nodiscard]] PyRef type_attribute(PyObject* type, const char* name);

}  // namespace dlscope::embed
