// Paddle: tensors that require gradients refuse export although their memory is ordinary; sparse ones are made of two or three tensors.
#include <fmt/format.h>

#include "embed/libraries/kept_gradients.h"
#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

class PaddleSession final : public LibrarySession, public KeptGradients {
 public:
  PaddleSession() {
    constexpr const char* kTensor[] = {"Tensor"};
    tensor_ = imported_attribute("paddle", kTensor);
    stop_gradient_ = PyRef::steal(PyUnicode_InternFromString("stop_gradient"));
    grad_ = PyRef::steal(PyUnicode_InternFromString("grad"));
    is_sparse_ = PyRef::steal(PyUnicode_InternFromString("is_sparse"));
  }

  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    const bool is_tensor = tensor_.get() == reinterpret_cast<PyObject*>(type);
    return {.holds = Holds::when_refused, .table = is_tensor ? TableUse::checked : TableUse::never};
  }

  // The checks that paddle.Tensor.__dlpack__ makes and the table does not.
  [[nodiscard]] bool also_by_method(PyObject* tensor, core::DType) override {
    const PyRef stop_gradient = PyRef::steal(PyObject_GetAttr(tensor, stop_gradient_.get()));
    if (!stop_gradient) clear_unless_interrupt();
    return stop_gradient.get() == Py_True && !call_method_truth(tensor, is_sparse_.get()) && PyErr_Occurred() == nullptr;
  }

  // A parameter that was frozen after backward() keeps its gradient.
  [[nodiscard]] bool keeps_gradient(PyObject* tensor, core::DType) override {
    const bool plain = tensor_.get() == reinterpret_cast<PyObject*>(Py_TYPE(tensor));
    const PyRef grad = plain ? PyRef::steal(PyObject_GetAttr(tensor, grad_.get())) : own(tensor, "grad");
    if (!grad) clear_unless_interrupt();
    return grad && grad.get() != Py_None;
  }

  [[nodiscard]] PyRef stand_in(PyObject* tensor, Description& description) override {
    const PyRef stop_gradient = PyRef::steal(PyObject_GetAttrString(tensor, "stop_gradient"));
    if (!stop_gradient) clear_unless_interrupt();
    if (stop_gradient.get() != Py_False) return {};
    PyRef view = PyRef::steal(PyObject_CallMethod(tensor, "detach", nullptr));
    if (!view) clear_unless_interrupt();
    if (view) description.remark(core::RemarkCode::requires_grad, kRequiresGrad);
    return view;
  }

  // A tensor's gradient, and what a sparse one is made of. Each access makes a new object over the same memory.
  void parts(PyObject* tensor, Parts& out) override {
    out.add(own(tensor, "grad"), ".grad");  // None where nothing keeps one
    if (says(tensor, "is_sparse_coo")) take(tensor, {"indices", "values"}, out);
    if (says(tensor, "is_sparse_csr")) take(tensor, {"crows", "cols", "values"}, out);
  }

 private:
  [[nodiscard]] PyRef own(PyObject* tensor, const char* name) const { return own_attribute(tensor_, tensor, name); }
  [[nodiscard]] PyRef call_own(PyObject* tensor, const char* method) const { return call_own_method(tensor_, tensor, method); }
  [[nodiscard]] bool says(PyObject* tensor, const char* method) const { return call_own(tensor, method).get() == Py_True; }
  void take(PyObject* tensor, std::initializer_list<const char*> methods, Parts& out) const {
    for (const char* const method : methods) out.add(call_own(tensor, method), fmt::format(".{}()", method));
  }

  PyRef tensor_, stop_gradient_, grad_, is_sparse_;
};

}  // namespace

std::unique_ptr<LibrarySession> open_paddle() { return std::make_unique<PaddleSession>(); }

}  // namespace dlscope::embed
