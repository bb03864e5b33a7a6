// PyRef owns one reference to a Python object; PyErrorText is an exception as text; PendingError sets a pending exception aside
// while code runs that must not see it.
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
  ~PyRef() {
    if (object_ != nullptr) drop_reference(object_);
  }

  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit PyRef(PyObject* object) : object_(object) {}
  // Sets the member before the old object dies, because its finaliser may use this PyRef.
  void reset(PyObject* object) {
    PyObject* old = std::exchange(object_, object);
    if (old != nullptr) drop_reference(old);
  }
  PyObject* object_ = nullptr;
};

// Sets the pending exception, if any, aside while this exists.
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
  std::string message;  // str(exception), as far as it could be read
};

// Takes the pending exception from the interpreter as text; empty when none is pending. No exception is left set, except a
// KeyboardInterrupt that came while the exception's __str__ ran.
[[nodiscard]] PyErrorText take_error();

// Whether the pending exception must stop our work instead of being recorded: a KeyboardInterrupt that a person asked for
// (embed/interrupts.h).
[[nodiscard]] bool interrupt_pending();
// Drops the pending exception, unless it must stop our work: then it stays set, and the result is true. The caller must check
// that before the next call into Python.
bool clear_unless_interrupt();
// Drops the pending exception where no caller could get it. An interrupt that must stop work is raised again the next time the
// main thread runs Python.
void clear_and_interrupt_later();

// Module and qualified name: "torch.nn.parameter.Parameter"; without the module for builtins and __main__, as Python does.
[[nodiscard]] std::string qualified_name(PyObject* type);

// The text of a str; what cannot be encoded (surrogates) is replaced. "" for any other object. No exception is left set.
[[nodiscard]] std::string text_of(PyObject* str);

// getattr by the type's own rules: `type.__getattribute__(T, name)`, so that no metaclass code runs. Empty when there is none; no
// exception is left set except KeyboardInterrupt. Empty at once while one is pending.
[[nodiscard]] PyRef type_attribute(PyObject* type, const char* name);

}  // namespace dlscope::embed
