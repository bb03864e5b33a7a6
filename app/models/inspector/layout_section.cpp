#include "app/models/inspector/layout_section.h"

#include <fmt/core.h>

#include "app/models/layout/layout_text.h"
#include "app/models/tensors/badges.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::Contiguity;

const char* meaning_of(Contiguity contiguity) {
  switch (contiguity) {
    case Contiguity::unknown:
      return "Whether two indices reach one byte could not be decided within the limit.";
    case Contiguity::c:
      return "Dense, the last axis runs fastest.";
    case Contiguity::f:
      return "Dense, the first axis runs fastest: column-major.";
    case Contiguity::c_and_f:
      return "Dense, and in row-major and column-major order at once.";
    case Contiguity::strided:
      return "There are gaps between elements, an axis runs backwards, or the axes are in another order.";
    case Contiguity::broadcast:
      return "A stride of 0 shows the same bytes at every index of an axis.";
    case Contiguity::overlapping:
      return "Two different indices reach one byte: writing one element changes another.";
    case Contiguity::empty:
      return "It has no elements.";
    case Contiguity::scalar:
      return "Contiguous in every sense.";
  }
  return "";
}

}  // namespace

Section layout_section(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  Section section{.title = "Layout", .note = {}, .fields = {}};
  if (!tensor.has_layout) return section;
  const core::LayoutView layout = snapshot.layout(tensor);
  Field verdict{.label = "contiguity",
                .value = contiguity_text(tensor.contiguity),
                .meaning = meaning_of(tensor.contiguity),
                .evidence = {},
                .copy = {},
                .tone = tensor.contiguity == Contiguity::unknown ? Tone::unknown : Tone::plain,
                .tensor = core::kNone32,
                .code = false};
  const std::string reason = contiguity_reason(layout);
  if (!reason.empty()) verdict.meaning += " " + reason;
  section.fields.push_back(std::move(verdict));
  if (tensor.item_bits % 8 != 0) {
    section.fields.push_back({.label = "element",
                              .value = fmt::format("{} bit", tensor.item_bits),
                              .meaning = "Packed: elements share bytes.",
                              .evidence = {},
                              .copy = {},
                              .tone = Tone::plain,
                              .tensor = core::kNone32,
                              .code = true});
  }
  if (tensor.elements > 1 && tensor.elements != core::kUnknown64) {
    Field formula{.label = "last element",
                  .value = address_formula(snapshot, tensor, tensor.elements - 1),
                  .meaning = fmt::format("Index {}.", index_text(layout, tensor.elements - 1)),
                  .evidence = {},
                  .copy = {},
                  .tone = Tone::plain,
                  .tensor = core::kNone32,
                  .code = true};
    section.fields.push_back(std::move(formula));
  }
  return section;
}

}  // namespace dlscope::app
