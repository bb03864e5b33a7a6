// TensorFlow: __dlpack__ of a tensor that is not of plain numbers ends the process (a failed CHECK), so the dtype is checked
// first. Ragged and sparse tensors offer no protocol and hold tensors that do. A variable's own value() would tell the gradient tapes
// that the program used it, and inside a tf.function would become a part of the program's graph.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "embed/libraries/library.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

// DataType numbers (tensorflow/core/framework/types.proto) whose export was tested: it returns or raises.
constexpr std::array<long, 16> kPlainNumbers{1, 2, 3, 4, 5, 6, 8, 9, 10, 14, 17, 18, 19, 22, 23, 24};

// string, the quantised ones, resource and variant.
constexpr std::array<long, 8> kEndsTheProcess{7, 11, 12, 13, 15, 16, 20, 21};

// Classes made of tensors: under which public name each is found, and where it is stored.
struct MadeOfTensors {
  std::string_view module, name;
  struct Kept {
    const char *suffix, *holder, *attribute;  // holder: "" or the attribute that has it
  };
  std::array<Kept, 3> kept;
};
constexpr std::array kMadeOfTensors{
    MadeOfTensors{"tensorflow.python.ops.ragged.ragged_tensor",
                  "RaggedTensor",
                  {{{".values", "", "_values"}, {".row_splits", "_row_partition", "_row_splits"}, {}}}},
    MadeOfTensors{"tensorflow.python.framework.sparse_tensor",
                  "SparseTensor",
                  {{{".indices", "", "_indices"}, {".values", "", "_values"}, {".dense_shape", "", "_dense_shape"}}}},
    MadeOfTensors{"tensorflow.python.framework.indexed_slices",
                  "IndexedSlices",
                  {{{".values", "", "_values"}, {".indices", "", "_indices"}, {".dense_shape", "", "_dense_shape"}}}},
};

const MadeOfTensors* made_of_tensors(PyTypeObject* type) {
  const auto* const row =
      std::ranges::find_if(kMadeOfTensors, [&](const MadeOfTensors& each) { return derives_from(type, each.module, each.name); });
  return row == kMadeOfTensors.end() ? nullptr : row;
}

class TensorflowSession final : public LibrarySession {
 public:
  TensorflowSession() {
    constexpr const char* kVariable[] = {"BaseResourceVariable"};
    variable_ = imported_attribute("tensorflow.python.ops.resource_variable_ops", kVariable);
    constexpr const char* kRead[] = {"read_variable_op"}, *kScope[] = {"init_scope"};
    read_ = imported_attribute("tensorflow.python.ops.gen_resource_variable_ops", kRead);
    outside_.push_back(imported_attribute("tensorflow.python.framework.ops", kScope));
  }

  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    return {.holds = made_of_tensors(type) != nullptr ? Holds::parts : Holds::nothing, .stand_in_may_be_copy = is_variable(type)};
  }

  void parts(PyObject* object, Parts& out) override {
    const MadeOfTensors* const row = made_of_tensors(Py_TYPE(object));
    if (row == nullptr) return;
    for (const auto& [suffix, holder, attribute] : row->kept) {
      if (suffix == nullptr) continue;
      const PyRef holding = *holder == '\0' ? PyRef::share(object) : stored_attribute(object, holder);
      if (holding) out.add(stored_attribute(holding.get(), attribute), suffix);
    }
  }

  [[nodiscard]] CautionWords before(PyObject* tensor) override {
    const bool variable = is_variable(Py_TYPE(tensor));
    if (variable && !eager_handle(tensor)) return {Caution::never, "a variable of a graph: reading it would add to the graph"};
    const long dtype = variable ? dtype_of_variable(tensor) : dtype_of_eager_tensor(tensor);
    if (std::ranges::find(kPlainNumbers, dtype) != kPlainNumbers.end()) return {};
    if (dtype < 0) return {Caution::never, "not an eager tensor: it has no memory of its own"};
    return {Caution::never, std::ranges::find(kEndsTheProcess, dtype) != kEndsTheProcess.end()
                                ? "not a tensor of plain numbers (string, resource, variant, quantised): "
                                  "exporting it through DLPack ends the process"
                                : "TensorFlow's DLPack does not have this dtype"};
  }

  // A variable offers no protocol. What it reads as is a tensor over the buffer that it has at this moment, or over a copy, from the
  // first sparse update on.
  [[nodiscard]] PyRef stand_in(PyObject* object, Description&) override {
    const PyRef handle = is_variable(Py_TYPE(object)) && read_ ? eager_handle(object) : PyRef{};
    if (!handle) return {};
    const Quiet outside(outside_);
    if (!outside) return {};
    const PyRef dtype = PyRef::steal(PyObject_GetAttrString(object, "dtype"));
    PyRef value = PyRef::steal(dtype ? PyObject_CallFunctionObjArgs(read_.get(), handle.get(), dtype.get(), nullptr) : nullptr);
    if (!value) clear_unless_interrupt();
    return value;
  }

 private:
  [[nodiscard]] bool is_variable(PyTypeObject* type) const {
    return variable_ && PyType_Check(variable_.get()) &&
           PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(variable_.get())) != 0;
  }
  // What the runtime knows a variable by; empty: it belongs to a graph.
  static PyRef eager_handle(PyObject* variable) {
    PyRef handle = stored_attribute(variable, "_handle");
    return handle && derives_from(Py_TYPE(handle.get()), "tensorflow.", "EagerTensor") ? std::move(handle) : PyRef{};
  }

  static long number_of(const PyRef& number) {
    const long dtype = number && PyLong_Check(number.get()) ? PyLong_AsLong(number.get()) : -1;
    clear_unless_interrupt();
    return dtype;
  }
  static long dtype_of_eager_tensor(PyObject* tensor) {
    return number_of(PyRef::steal(PyObject_CallMethod(tensor, "_datatype_enum", nullptr)));
  }
  static long dtype_of_variable(PyObject* variable) {
    const PyRef dtype = PyRef::steal(PyObject_GetAttrString(variable, "dtype"));
    return number_of(PyRef::steal(dtype ? PyObject_GetAttrString(dtype.get(), "as_datatype_enum") : nullptr));
  }

  PyRef variable_, read_;
  std::vector<PyRef> outside_;  // the context manager under which no tape and no graph takes part
};

}  // namespace

std::unique_ptr<LibrarySession> open_tensorflow() { return std::make_unique<TensorflowSession>(); }

}  // namespace dlscope::embed
