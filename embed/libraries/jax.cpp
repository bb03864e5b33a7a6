// JAX: a jitted call returns at once, and asking for the memory of its result waits until that is computed.
#include <array>

#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

class JaxSession final : public LibrarySession {
 public:
  JaxSession()
      : is_deleted_(PyRef::steal(PyUnicode_InternFromString("is_deleted"))),
        is_ready_(PyRef::steal(PyUnicode_InternFromString("is_ready"))) {}

  // Tracers and the like have no memory: __dlpack__ says so at once.
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    return {.before_may_object = derives_from(type, "jaxlib", "ArrayImpl")};
  }

  [[nodiscard]] CautionWords before(PyObject* array) override {
    if (answer(array, is_deleted_).get() != Py_False) return {};  // asked whether it is ready, one that was deleted ends the process
    if (PyErr_Occurred() != nullptr || answer(array, is_ready_).get() != Py_False) return {};
    return {Caution::waits, "its computation is not finished: asking for its memory would wait for it"};
  }

 private:
  static PyRef answer(PyObject* array, const PyRef& method) {
    const std::array<PyObject*, 1> arguments{array};
    PyRef result = PyRef::steal(dlscope_call_method(method.get(), arguments.data(), 1, nullptr));
    if (!result) clear_unless_interrupt();
    return result;
  }

  PyRef is_deleted_, is_ready_;
};

}  // namespace

std::unique_ptr<LibrarySession> open_jax() { return std::make_unique<JaxSession>(); }

}  // namespace dlscope::embed
