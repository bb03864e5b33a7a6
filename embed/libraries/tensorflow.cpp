// TensorFlow: __dlpack__ of a tensor without plain numbers ends the process (a CHECK), so the dtype is looked at first.
#include <array>
#include <algorithm>

#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

// DataType numbers of tensorflow/core/framework/types.proto whose export was seen to answer or to raise.
constexpr std::array<long, 16> kPlainNumbers{1, 2, 3, 4, 5, 6, 8, 9, 10, 14, 17, 18, 19, 22, 23, 24};

class TensorflowSession final : public LibrarySession {
 public:
  [[nodiscard]] CautionWords before(PyObject* tensor) override {
    const PyRef number = PyRef::steal(PyObject_CallMethod(tensor, "_datatype_enum", nullptr));
    const long dtype = number && PyLong_Check(number.get()) ? PyLong_AsLong(number.get()) : -1;
    PyErr_Clear();
    if (std::ranges::find(kPlainNumbers, dtype) != kPlainNumbers.end()) return {};
    return {Caution::never, dtype < 0 ? "not an eager tensor: it has no memory of its own"
                                      : "not a tensor of plain numbers (string, resource, variant, quantised): "
                                        "exporting it through DLPack ends the process"};
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_tensorflow() { return std::make_unique<TensorflowSession>(); }

}  // namespace dlscope::embed
