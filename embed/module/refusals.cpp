#include "embed/module/refusals.h"

#include <fmt/format.h>

#include <string>

#include "embed/py_ref.h"
#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

constexpr std::size_t kMaxWords = 1024;

// The one text that the exception was made with; "": it was made with something else.
std::string words_of(PyObject* value) {
  if (value == nullptr) return {};
  if (PyUnicode_CheckExact(value)) return text_of(value);
  if (PyExceptionInstance_Check(value) == 0) return {};
  // BaseException's own attribute, also where the exception's class has a property of that name.
  const PyRef own = PyRef::steal(PyObject_GetAttrString(PyExc_BaseException, "args"));
  const PyRef args = own ? PyRef::steal(PyObject_CallMethod(own.get(), "__get__", "O", value)) : PyRef();
  PyErr_Clear();
  if (!args || PyTuple_CheckExact(args.get()) == 0 || PyTuple_Size(args.get()) != 1) return {};
  PyObject* const only = PyTuple_GetItem(args.get(), 0);
  return PyUnicode_CheckExact(only) ? text_of(only) : std::string();
}

}  // namespace

void note_refusal(std::string_view function, PyObject* object) {
  if (PyCapsule_CheckExact(object) != 0) return;  // a watched one's refusal is noted as its event
  if (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_Exception) == 0) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  std::string text = fmt::format("{} did not take a {}: {}", function,
                                 qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(object))), qualified_name(type));
  if (const std::string words = words_of(value); !words.empty()) text += fmt::format(": {}", words.substr(0, kMaxWords));
  PyErr_Restore(type, value, traceback);
  Runtime::get().note(core::EventKind::refuse, std::move(text));
}

}  // namespace dlscope::embed
