#include "app/models/tensors/size_text.h"

#include <fmt/format.h>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

struct Sizes {
  std::string values, memory;  // memory: "" where it is the same, or not known
};

Sizes sizes_of(const core::TensorRecord& tensor) {
  Sizes out;
  if (tensor.nbytes == core::kUnknown64) return out;
  out.values = human_bytes(tensor.nbytes);
  if (tensor.distinct_bytes != core::kUnknown64) out.memory = human_bytes(tensor.distinct_bytes);
  if (out.memory == out.values) out.memory.clear();
  return out;
}

}  // namespace

std::string shape_in_words(std::span<const std::int64_t> shape) {
  if (shape.size() != 1) return shape_text(shape);
  return fmt::format("{} {}", shape[0], shape[0] == 1 ? "element" : "elements");
}

std::string size_text(const core::TensorRecord& tensor) {
  const Sizes sizes = sizes_of(tensor);
  return sizes.memory.empty() ? sizes.values : fmt::format("{} as values, {} in memory", sizes.values, sizes.memory);
}

std::string brief_size_text(const core::TensorRecord& tensor) {
  const Sizes sizes = sizes_of(tensor);
  return sizes.memory.empty() ? sizes.values : fmt::format("{} ({})", sizes.values, sizes.memory);
}

}  // namespace dlscope::app
