// Libraries whose protocols always compute or copy when called; and dlscope's own Tensor, which never does.
#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

class OnRequestSession final : public LibrarySession {
 public:
  explicit OnRequestSession(const char* reason) : reason_(reason) {}
  [[nodiscard]] CautionWords before(PyObject*) override { return {Caution::on_request, reason_}; }

 private:
  const char* reason_;
};

// Its table and its __dlpack__ use the same function, and its claimed device is its capsules'. What its capsules cannot say is whether
// it is known that it may be written.
class OwnSession final : public LibrarySession {
 public:
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    if (!derives_from(type, "dlscope", "Tensor")) return {};
    return {.before_may_object = false, .cpu_claim_is_certain = true, .table = TableUse::always};
  }

  void after(PyObject* tensor, Description& description) override {
    const PyRef word = PyRef::steal(PyObject_GetAttrString(tensor, "writability"));
    if (!word) {
      clear_unless_interrupt();
      return;
    }
    if (PyUnicode_CompareWithASCIIString(word.get(), "unknown") == 0) description.desc.read_only = core::Tri::unknown;
    if (PyUnicode_CompareWithASCIIString(word.get(), "immutable by contract") == 0)
      description.remark(core::RemarkCode::immutable_by_contract, "it was made from a tensor of a library that promises that its "
                                                                  "tensors never change");
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_own() { return std::make_unique<OwnSession>(); }

std::unique_ptr<LibrarySession> open_pillow() {
  return std::make_unique<OnRequestSession>("asking a Pillow image for its array copies the picture into new bytes");
}

std::unique_ptr<LibrarySession> open_mlx() {
  return std::make_unique<OnRequestSession>("MLX arrays are lazy: asking for the memory computes the array");
}

}  // namespace dlscope::embed
