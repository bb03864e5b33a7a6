// Libraries whose protocols always do something when asked: compute, or copy.
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

}  // namespace

std::unique_ptr<LibrarySession> open_pillow() {
  return std::make_unique<OnRequestSession>("asking a Pillow image for its array copies the picture into new bytes");
}

std::unique_ptr<LibrarySession> open_mlx() {
  return std::make_unique<OnRequestSession>("MLX arrays are lazy: asking for the memory computes the array");
}

}  // namespace dlscope::embed
