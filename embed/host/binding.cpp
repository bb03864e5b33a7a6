#include "embed/host/binding.h"

#include <fmt/format.h>

#include <utility>

#include "core/inventory/python_name.h"

namespace dlscope::embed {

using core::ErrorKind;
using core::fail;

core::Error error_as_text() {
  if (interrupt_pending()) return {ErrorKind::cancelled, "interrupted"};
  const PyErrorText error = take_error();
  return {ErrorKind::unsupported,
          error.type.empty() ? std::string("it failed and gave no reason") : fmt::format("{}: {}", error.type, error.message)};
}

LibraryAnswer call_library(const ActContext& context, PyObject* source, const core::wire::HandTo& how,
                           const std::string& subject) {
  LibraryAnswer answer;
  answer.library = how.library;
  answer.copy = how.copy;
  const PyRef told =
      PyRef::steal(PyObject_CallMethod(context.exchange, "hand_over", "Osssss", source, how.library.c_str(), how.device.c_str(),
                                       core::wire::copy_policy_name(how.copy), how.stream.c_str(), subject.c_str()));
  PyObject *result = nullptr, *calls = nullptr, *error = nullptr, *line = nullptr;
  unsigned long long ns = 0;
  int made_copies = 0;
  if (!told || !PyArg_ParseTuple(told.get(), "OOOOKp", &result, &calls, &error, &line, &ns, &made_copies)) {
    if (interrupt_pending()) return answer;  // the caller sees it
    PyErrorText raised = take_error();
    answer.error_type = std::move(raised.type);
    answer.error = std::move(raised.message);
    return answer;
  }
  answer.line = text_of(line);
  answer.ns = ns;
  answer.made_copies = made_copies != 0;
  for (Py_ssize_t i = 0; i < PyList_Size(calls); ++i) {
    PyObject* const call = PyList_GetItem(calls, i);
    answer.calls.push_back(
        {text_of(PyTuple_GetItem(call, 0)), text_of(PyTuple_GetItem(call, 1)), PyTuple_GetItem(call, 2) == Py_True});
  }
  if (error != Py_None) {
    answer.error_type = text_of(PyTuple_GetItem(error, 0));
    answer.error = text_of(PyTuple_GetItem(error, 1));
  } else {
    answer.result = PyRef::share(result);
  }
  return answer;
}

std::string name_for_text(const ActContext& context, std::uint32_t tensor) {
  const core::TensorRecord& record = context.snapshot.tensors[tensor];
  const std::string_view expression = core::expression_name(context.snapshot, record);
  return std::string(expression.empty() ? context.snapshot.name(record) : expression);
}

core::Result<std::string> name_for_result(const ActContext& context, const std::string& wanted, const std::string& subject,
                                          const std::string& suffix) {
  const PyRef name = PyRef::steal(PyObject_CallMethod(context.exchange, "name_for", "Osss", context.names.script, wanted.c_str(),
                                                      subject.c_str(), suffix.c_str()));
  if (name) return text_of(name.get());
  if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
  return fail(ErrorKind::invalid, take_error().message);
}

bool bind_result(const ActContext& context, const std::string& name, PyObject* result) {
  return PyDict_SetItemString(context.names.script, name.c_str(), result) == 0;
}

void end_steps(PyObject* exchange) {
  const PendingError pending;
  const PyRef ended = PyRef::steal(PyObject_CallMethod(exchange, "end_steps", "s", "It could not be finished."));
}

}  // namespace dlscope::embed
