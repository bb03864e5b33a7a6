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

// Its table and its __dlpack__ use the same function, and its claimed device is its capsules'.
class OwnSession final : public LibrarySession {
 public:
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    if (!derives_from(type, "dlscope", "Tensor")) return {};
    return {.before_may_object = false, .after_may_add = false, .cpu_claim_is_certain = true, .table = TableUse::always};
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
