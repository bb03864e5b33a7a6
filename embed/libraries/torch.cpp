// PyTorch and Paddle: parameters refuse to be exported, though their memory is like any other's; copy-on-write tensors
// materialise; conjugation and negation may be bits beside the memory; fake tensors have none.
#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

using core::RemarkCode;

constexpr const char* kRequiresGrad =
    "the library refuses to export a tensor that requires gradients; described through detach(), a view of the same memory";

bool attribute_is_true(PyObject* object, const char* name) {
  const PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  const int truth = value ? PyObject_IsTrue(value.get()) : -1;
  if (truth < 0) clear_unless_interrupt();
  return truth > 0;
}

PyRef call(PyObject* object, const char* method) {
  PyRef result = PyRef::steal(PyObject_CallMethod(object, method, nullptr));
  if (!result) clear_unless_interrupt();
  return result;
}

class TorchSession final : public LibrarySession {
 public:
  TorchSession() {
    constexpr const char* kIsCow[] = {"_C", "_is_cow_tensor"};
    constexpr const char* kCuda[] = {"cuda", "is_initialized"};
    constexpr const char* kXpu[] = {"xpu", "is_initialized"};
    constexpr const char* kFake[] = {"FakeTensor"};
    is_cow_ = imported_attribute("torch", kIsCow);
    for (const auto* path : {&kCuda, &kXpu}) {
      accelerator_live_ = accelerator_live_ || call_truth(imported_attribute("torch", *path).get());
      if (PyErr_Occurred() != nullptr) return;
    }
    fake_tensor_ = imported_attribute("torch._subclasses.fake_tensor", kFake);
    is_neg_ = PyRef::steal(PyUnicode_InternFromString("is_neg"));
  }

  [[nodiscard]] CautionWords before(PyObject* tensor) override {
    if (fake_tensor_ && PyType_Check(fake_tensor_.get()) &&
        PyType_IsSubtype(Py_TYPE(tensor), reinterpret_cast<PyTypeObject*>(fake_tensor_.get())) != 0) {
      return {Caution::on_request, "a fake tensor: it pretends a shape and a device and has no memory"};
    }
    if (is_cow_) {
      const PyRef cow = PyRef::steal(PyObject_CallFunctionObjArgs(is_cow_.get(), tensor, nullptr));
      if (!cow) clear_unless_interrupt();
      if (cow.get() == Py_True) {
        return {Caution::on_request, "copy-on-write: exporting it would make the copy it has put off so far"};
      }
    }
    return {};
  }

  // A CPU tensor claims to be something else only when it is pinned, which takes a live accelerator.
  [[nodiscard]] Habits habits(PyTypeObject*) override { return {.cpu_claim_is_certain = !accelerator_live_}; }

  [[nodiscard]] PyRef stand_in(PyObject* tensor, Look& look) override {
    const bool grad = attribute_is_true(tensor, "requires_grad");
    if (PyErr_Occurred() != nullptr) return {};
    const PyRef name = PyRef::steal(PyUnicode_InternFromString("is_conj"));
    const bool conj = name && call_method_truth(tensor, name.get());
    if ((!grad && !conj) || PyErr_Occurred() != nullptr) return {};
    PyRef view = call(tensor, "detach");
    if (view && conj) view = call(view.get(), "conj");  // takes the bit off again: the memory as it is
    if (!view) return {};
    if (grad) look.remark(RemarkCode::requires_grad, kRequiresGrad);
    if (conj) {
      look.remark(RemarkCode::conjugate_bit,
                  "the conjugate bit is set: the tensor's values are the conjugates of what lies in memory");
    }
    return view;
  }

  void after(PyObject* tensor, Look& look) override {
    if (!call_method_truth(tensor, is_neg_.get())) return;
    look.remark(RemarkCode::negative_bit,
                "the negative bit is set: the tensor's values are the negatives of what lies in memory");
  }

 private:
  PyRef is_cow_, fake_tensor_, is_neg_;
  bool accelerator_live_ = false;
};

class PaddleSession final : public LibrarySession {
 public:
  [[nodiscard]] PyRef stand_in(PyObject* tensor, Look& look) override {
    const PyRef stop_gradient = PyRef::steal(PyObject_GetAttrString(tensor, "stop_gradient"));
    if (!stop_gradient) clear_unless_interrupt();
    if (stop_gradient.get() != Py_False) return {};
    PyRef view = call(tensor, "detach");
    if (view) look.remark(RemarkCode::requires_grad, kRequiresGrad);
    return view;
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_torch() { return std::make_unique<TorchSession>(); }
std::unique_ptr<LibrarySession> open_paddle() { return std::make_unique<PaddleSession>(); }

}  // namespace dlscope::embed
