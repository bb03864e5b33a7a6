// PyTorch: parameters refuse export although their memory is ordinary; copy-on-write tensors would materialise,
// and are described by their attributes; conjugation and negation may be flags beside the memory; fake tensors have no memory.
#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/checked_math.h"
#include "core/tensor/dlpack_import.h"
#include "embed/libraries/kept_gradients.h"
#include "embed/libraries/library.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

using core::RemarkCode;

// None: the value is missing, or no integer of 64 bits; a Python error may be set.
std::optional<std::int64_t> integer_of(const PyRef& value) {
  const long long number = value ? PyLong_AsLongLong(value.get()) : -1;
  if (!value || (number == -1 && PyErr_Occurred() != nullptr)) return std::nullopt;
  return number;
}

// 0: the value is missing, or no such integer.
std::uint64_t number_or_zero(const PyRef& value) {
  const std::uint64_t number = value ? PyLong_AsUnsignedLongLong(value.get()) : 0;
  if (PyErr_Occurred() == nullptr) return number;
  clear_unless_interrupt();
  return 0;
}

std::optional<std::vector<std::int64_t>> integers_of(const PyRef& tuple) {
  if (!tuple || !PyTuple_Check(tuple.get())) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple.get()); ++i) {
    const auto number = integer_of(PyRef::share(PyTuple_GetItem(tuple.get(), i)));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

class TorchSession final : public LibrarySession, public KeptGradients {
 public:
  TorchSession() {
    constexpr const char* kIsCow[] = {"_C", "_is_cow_tensor"}, *kDataAddress[] = {"_C", "_data_address"};
    constexpr const char* kCuda[] = {"cuda", "is_initialized"};
    constexpr const char* kXpu[] = {"xpu", "is_initialized"};
    constexpr const char* kFake[] = {"FakeTensor"};
    is_cow_ = imported_attribute("torch", kIsCow);
    data_address_ = imported_attribute("torch", kDataAddress);
    constexpr const char* kLazyClone[] = {"_lazy_clone"};
    lazy_clone_ = imported_attribute("torch", kLazyClone);
    for (const auto* path : {&kCuda, &kXpu}) {
      accelerator_live_ = accelerator_live_ || call_truth(imported_attribute("torch", *path).get());
      if (PyErr_Occurred() != nullptr) return;
    }
    fake_tensor_ = imported_attribute("torch._subclasses.fake_tensor", kFake);
    for (const char* const stack : {"_len_torch_function_stack", "_len_torch_dispatch_stack"}) {
      const char* const path[] = {"_C", stack};
      has_mode_ = has_mode_ || call_truth(imported_attribute("torch", path).get());
    }
    constexpr const char* kTensor[] = {"Tensor"}, *kParameter[] = {"Parameter"};
    constexpr const char* kNoFunctions[] = {"_C", "DisableTorchFunction"};  // of modes, too
    constexpr const char* kNoDispatch[] = {"_C", "_DisableTorchDispatch"};
    tensor_ = imported_attribute("torch", kTensor);
    parameter_ = imported_attribute("torch.nn.parameter", kParameter);
    for (const auto* path : {&kNoFunctions, &kNoDispatch}) quiet_.push_back(imported_attribute("torch", *path));
    requires_grad_ = PyRef::steal(PyUnicode_InternFromString("requires_grad"));
    grad_ = PyRef::steal(PyUnicode_InternFromString("grad"));
    is_conj_ = PyRef::steal(PyUnicode_InternFromString("is_conj"));
    is_neg_ = PyRef::steal(PyUnicode_InternFromString("is_neg"));
  }

  [[nodiscard]] Quiet quiet(bool of_user) override { return of_user || has_mode_ ? Quiet(quiet_) : Quiet{}; }

  [[nodiscard]] CautionWords before(PyObject* tensor) override {
    if (fake_tensor_ && PyType_Check(fake_tensor_.get()) &&
        PyType_IsSubtype(Py_TYPE(tensor), reinterpret_cast<PyTypeObject*>(fake_tensor_.get())) != 0) {
      return {Caution::on_request, "a fake tensor: it pretends a shape and a device and has no memory"};
    }
    if (is_cow_) {
      const PyRef cow = PyRef::steal(PyObject_CallFunctionObjArgs(is_cow_.get(), tensor, nullptr));
      if (!cow) clear_unless_interrupt();
      if (cow.get() == Py_True) {
        return {Caution::on_consent, "copy-on-write: exporting it would make the copy it has put off so far"};
      }
    }
    return {};
  }

  // A CPU tensor claims another device only when it is pinned, which requires a live accelerator.
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    if (derives_from(type, "torch.optim", "Optimizer")) return {.holds = Holds::parts, .names_come_last = true};
    if (derives_from(type, "torch.utils.data", "")) return {.holds = Holds::parts};
    // A subclass may handle __dlpack__ itself (__torch_function__), which a table would bypass.
    const bool is_tensor = tensor_.get() == reinterpret_cast<PyObject*>(type);
    const bool is_parameter = parameter_.get() == reinterpret_cast<PyObject*>(type);
    return {.cpu_claim_is_certain = !accelerator_live_,
            .holds = Holds::when_refused,
            .table = is_tensor ? TableUse::checked : TableUse::never,
            .attributes_describe = is_tensor || is_parameter};
  }

  // Asked of copy-on-write tensors. No method that is called here makes their copy, as data_ptr() and every export would.
  [[nodiscard]] bool describe_by_attributes(PyObject* tensor, core::DeviceId claimed, Description& description) override {
    const auto place = place_of(tensor);
    if (!place) return false;
    HeldMemory memory;
    if (description.keeps()) memory = keep_lazily(tensor);
    const core::Address storage = PyErr_Occurred() == nullptr ? storage_address(tensor) : 0;
    if (PyErr_Occurred() != nullptr || (description.keeps() && !memory)) return false;
    core::describe_array({.protocol = core::Protocol::attributes,
                          .data = storage == 0 ? 0 : storage + place->offset_bytes,
                          .dtype = place->dtype,
                          .device = claimed,
                          .shape = place->shape,
                          .strides_bytes = place->strides_bytes},
                         description.desc);
    description.desc.read_only = core::Tri::unknown;  // a write through PyTorch succeeds, but in other bytes than these
    const PyRef owner = call_own(tensor, "untyped_storage");  // without the copy that has been put off
    // The address of the StorageImpl, which all views of one storage have in common, and no lazy clone.
    description.desc.manager = number_or_zero(PyRef::steal(owner ? PyObject_GetAttrString(owner.get(), "_cdata") : nullptr));
    if (storage != 0) {
      const std::uint64_t bytes = owner ? number_or_zero(call_method(owner.get(), "nbytes")) : 0;
      description.desc.allocation = {storage, storage + bytes};
      description.desc.allocation_source = core::AllocationSource::storage;
    }
    description.memory = std::move(memory);
    description.remark(RemarkCode::copy_on_write, "copy-on-write: shares with its lazy clones until the first write");
    const Bits bits = bits_of(tensor);
    if (bits.grad) description.remark(RemarkCode::requires_grad, "it records gradients");
    if (bits.conj) remark_conjugate(description);
    return PyErr_Occurred() == nullptr;
  }

  // The checks that torch.Tensor.__dlpack__ makes and the table does not, except for the layout, which both refuse.
  [[nodiscard]] bool also_by_method(PyObject* tensor, core::DType dtype) override {
    if (has_no_gradients(dtype)) return true;
    const bool is_complex = static_cast<core::DTypeCode>(dtype.code) == core::DTypeCode::complex;
    const Quiet no_mode = quiet(false);
    const PyRef grad = PyRef::steal(PyObject_GetAttr(tensor, requires_grad_.get()));
    if (!grad) clear_unless_interrupt();
    return grad.get() == Py_False && !(is_complex && call_method_truth(tensor, is_conj_.get()));
  }

  // A parameter that was frozen after backward() keeps its gradient. What needs no gradients is a leaf: asking warns of nothing.
  [[nodiscard]] bool keeps_gradient(PyObject* tensor, core::DType dtype) override {
    if (has_no_gradients(dtype)) return false;
    const bool plain = is_plain(tensor);
    const PyRef records = plain ? PyRef::steal(PyObject_GetAttr(tensor, requires_grad_.get())) : own(tensor, "requires_grad");
    if (!records) clear_unless_interrupt();
    if (records.get() != Py_False) return records && PyErr_Occurred() == nullptr;
    const PyRef grad = plain ? PyRef::steal(PyObject_GetAttr(tensor, grad_.get())) : own(tensor, "grad");
    if (!grad) clear_unless_interrupt();
    return grad && grad.get() != Py_None;
  }

  // A tensor's gradient and the parts of a sparse one; the state of an optimizer for each parameter; the data of a loader.
  void parts(PyObject* object, Parts& out) override {
    if (derives_from(Py_TYPE(object), "torch.optim", "Optimizer")) return optimizer(object, out);
    if (derives_from(Py_TYPE(object), "torch.utils.data", "")) {
      for (const char* const name : {"dataset", "tensors", "datasets", "indices", "data_source"})
        out.add(stored_attribute(object, name), std::string(".") + name);
      return;
    }
    // For a tensor that is not a leaf and was not told to keep its gradient, reading .grad would print a warning.
    if (is_true(own(object, "is_leaf")) || is_true(own(object, "retains_grad"))) out.add(own(object, "grad"), ".grad");
    if (PyErr_Occurred() == nullptr) sparse(object, out);
  }

  [[nodiscard]] PyRef stand_in(PyObject* tensor, Description& description) override {
    const auto [grad, conj] = bits_of(tensor);
    if ((!grad && !conj) || PyErr_Occurred() != nullptr) return {};
    PyRef view = call_own(tensor, "detach");
    if (view && conj) view = call_own(view.get(), "conj");  // toggles the bit off: the view shows the memory as it is
    if (!view) return {};
    if (grad) description.remark(RemarkCode::requires_grad, kRequiresGrad);
    if (conj) remark_conjugate(description);
    return view;
  }

  [[nodiscard]] core::Address storage_address(PyObject* tensor) override {
    if (!data_address_) return 0;
    return number_or_zero(PyRef::steal(PyObject_CallFunctionObjArgs(data_address_.get(), tensor, nullptr)));
  }

  void after(PyObject* tensor, Description& description) override {
    if (!says(tensor, is_neg_)) return;
    description.remark(RemarkCode::negative_bit,
                "the negative bit is set: the tensor's values are the negatives of what lies in memory");
  }

 private:
  // Nor conjugates.
  [[nodiscard]] static bool has_no_gradients(core::DType dtype) {
    const auto code = static_cast<core::DTypeCode>(dtype.code);
    return code == core::DTypeCode::int_ || code == core::DTypeCode::uint || code == core::DTypeCode::bool_;
  }
  [[nodiscard]] bool is_plain(PyObject* tensor) const {
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(tensor));
    return type == tensor_.get() || type == parameter_.get();
  }
  [[nodiscard]] PyRef own(PyObject* tensor, const char* name) const { return own_attribute(tensor_, tensor, name); }
  [[nodiscard]] PyRef call_own(PyObject* tensor, const char* method) const { return call_own_method(tensor_, tensor, method); }
  static bool is_true(const PyRef& value) {
    const int truth = value ? PyObject_IsTrue(value.get()) : 0;
    if (truth < 0) clear_unless_interrupt();
    return truth > 0;
  }
  // Of a method without arguments; the short way for what is no subclass.
  [[nodiscard]] bool says(PyObject* tensor, const PyRef& method) const {
    return is_plain(tensor) ? call_method_truth(tensor, method.get()) : is_true(call_own(tensor, text_of(method.get()).c_str()));
  }

  // Where in its storage a tensor lies.
  struct Place {
    core::DType dtype;
    core::Address offset_bytes = 0;
    std::vector<std::int64_t> shape, strides_bytes;
  };
  [[nodiscard]] static std::optional<Place> place_of(PyObject* tensor) {
    const PyRef type = PyRef::steal(PyObject_GetAttrString(tensor, "dtype"));
    const PyRef type_name = PyRef::steal(type ? PyObject_Str(type.get()) : nullptr);
    auto shape = integers_of(PyRef::steal(PyObject_GetAttrString(tensor, "shape")));
    auto strides = integers_of(call_method(tensor, "stride"));
    const auto offset = integer_of(call_method(tensor, "storage_offset"));
    const auto item_bytes = integer_of(call_method(tensor, "element_size"));
    clear_unless_interrupt();
    if (PyErr_Occurred() != nullptr || !type_name || !shape || !strides || !offset || !item_bytes) return std::nullopt;
    const std::string name = text_of(type_name.get());  // "torch.float32"
    const auto dtype = core::dtype_from_name(std::string_view(name).substr(name.find('.') + 1));
    const auto offset_bytes = core::checked_mul(*offset, *item_bytes);
    if (!dtype || dtype->item_bits() != *item_bytes * 8 || !offset_bytes) return std::nullopt;
    for (std::int64_t& stride : *strides) {
      const auto bytes = core::checked_mul(stride, *item_bytes);
      if (!bytes) return std::nullopt;
      stride = *bytes;
    }
    return Place{*dtype, static_cast<core::Address>(*offset_bytes), std::move(*shape), std::move(*strides)};
  }

  struct Bits {
    bool grad = false, conj = false;
  };
  [[nodiscard]] Bits bits_of(PyObject* tensor) const {
    Bits bits{.grad = is_true(own(tensor, "requires_grad")), .conj = false};
    if (PyErr_Occurred() == nullptr) bits.conj = says(tensor, is_conj_);
    return bits;
  }
  static void remark_conjugate(Description& description) {
    description.remark(RemarkCode::conjugate_bit,
                "the conjugate bit is set: the tensor's values are the conjugates of what lies in memory");
  }

  // One more lazy clone: while it lives, a write moves the tensor elsewhere, and this memory stays what it is.
  [[nodiscard]] HeldMemory keep_lazily(PyObject* tensor) const {
    const PyRef view = call_own(tensor, "detach");
    if (!view || !lazy_clone_) return {};
    PyRef clone = PyRef::steal(PyObject_CallFunctionObjArgs(lazy_clone_.get(), view.get(), nullptr));
    if (clone) return HeldMemory(ObjectHold{clone.release()});
    clear_unless_interrupt();
    return {};
  }

  void sparse(PyObject* tensor, Parts& out) const {
    const PyRef layout = own(tensor, "layout");
    const PyRef message = PyRef::steal(layout ? PyObject_Str(layout.get()) : nullptr);
    if (!message) clear_unless_interrupt();
    const std::string name = text_of(message.get());
    const auto take = [&](const char* method) { out.add(call_own(tensor, method), fmt::format(".{}()", method)); };
    if (name == "torch.sparse_coo") {
      take("_indices");
      take("_values");
    } else if (name == "torch.sparse_csr" || name == "torch.sparse_bsr") {
      for (const char* const method : {"crow_indices", "col_indices", "values"}) take(method);
    } else if (name == "torch.sparse_csc" || name == "torch.sparse_bsc") {
      for (const char* const method : {"ccol_indices", "row_indices", "values"}) take(method);
    }
  }

  // The state is keyed by parameter; state_dict(), which users see, numbers parameters in the order of the groups.
  static void optimizer(PyObject* object, Parts& out) {
    const PyRef groups = stored_attribute(object, "param_groups"), state = stored_attribute(object, "state");
    if (!groups || !PyList_Check(groups.get())) return;
    out.add(groups, ".param_groups");
    if (!state || !PyDict_Check(state.get())) return;
    // Keyed by identity: comparing parameters would run code.
    std::unordered_map<PyObject*, PyObject*> kept;
    PyObject *parameter = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(state.get(), &position, &parameter, &value) != 0) kept.emplace(parameter, value);
    std::size_t number = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(groups.get()); ++i) {
      PyObject* const group = PyList_GetItem(groups.get(), i);
      PyObject* const params = PyDict_Check(group) ? PyDict_GetItemString(group, "params") : nullptr;
      for (Py_ssize_t k = 0; params != nullptr && PyList_Check(params) && k < PyList_Size(params); ++k, ++number) {
        if (const auto found = kept.find(PyList_GetItem(params, k)); found != kept.end())
          out.add(PyRef::share(found->second), fmt::format(".state_dict()['state'][{}]", number));
      }
    }
  }

  std::vector<PyRef> quiet_;  // types of context managers
  PyRef is_cow_, data_address_, lazy_clone_, fake_tensor_, is_neg_, tensor_, parameter_, requires_grad_, is_conj_, grad_;
  bool accelerator_live_ = false;
  // A TorchFunctionMode or TorchDispatchMode is entered in this thread: its code would be called for any tensor.
  bool has_mode_ = false;
};

}  // namespace

std::unique_ptr<LibrarySession> open_torch() { return std::make_unique<TorchSession>(); }

}  // namespace dlscope::embed
