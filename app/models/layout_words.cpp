#include "app/models/layout_words.h"

#include <fmt/format.h>

#include <array>

#include "app/models/format.h"

namespace dlscope::app {
namespace {

using core::Contiguity;

std::string step(std::int64_t bits) { return bits % 8 == 0 ? fmt::format("{} B", bits / 8) : fmt::format("{} bit", bits); }

const char* meaning_of(Contiguity contiguity) {
  switch (contiguity) {
    case Contiguity::unknown:
      return "Whether two indices reach one byte was not settled within the work allowed.";
    case Contiguity::c:
      return "Dense, the last axis runs fastest.";
    case Contiguity::f:
      return "Dense, the first axis runs fastest: column-major.";
    case Contiguity::c_and_f:
      return "Dense, and in row-major and column-major order at once.";
    case Contiguity::strided:
      return "There are gaps between elements, or the axes are in another order.";
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

std::string contiguity_reason(core::LayoutView layout) {
  const auto axis = core::axis_breaking_c_order(layout);
  if (!axis) return {};
  std::array<std::int64_t, core::kMaxRank> c_strides{};
  const auto guilty = static_cast<std::size_t>(*axis);
  if (!core::c_order_strides(layout.shape, layout.item_bits, {c_strides.data(), layout.shape.size()})) return {};
  return fmt::format("Not C-contiguous: axis {} steps {} where C order steps {}.", *axis, step(layout.stride_bits[guilty]),
                     step(c_strides[guilty]));
}

std::string address_formula(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t flat) {
  const core::LayoutView layout = snapshot.layout(tensor);
  std::array<std::int64_t, core::kMaxRank> index{};
  core::unravel(layout, flat, {index.data(), layout.shape.size()});
  const auto item = static_cast<std::int64_t>(layout.item_bits);
  bool whole = item > 0 && item % 8 == 0;
  for (const std::int64_t stride : layout.stride_bits) whole = whole && stride % item == 0;
  const std::int64_t bits = core::bit_offset_of(layout, flat);
  const core::Address at = tensor.address + static_cast<core::Address>(bits >> 3);
  std::string terms;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (d > 0) terms += " + ";
    const std::int64_t stride = whole ? layout.stride_bits[d] / item : layout.stride_bits[d];
    terms += fmt::format("{}·{}", index[d], stride);
  }
  std::string text = fmt::format("{} = data + {}", grouped_address(at), tensor.byte_offset);
  if (!terms.empty()) text += whole ? fmt::format(" + ({})·{} B", terms, item / 8) : fmt::format(" + ({}) bit", terms);
  if ((bits & 7) != 0) text += fmt::format(", bit {}", bits & 7);
  return text;
}

Section layout_section(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  Section section{.title = "Layout", .note = {}, .fields = {}};
  if (!tensor.has_layout) return section;
  const core::LayoutView layout = snapshot.layout(tensor);
  Field verdict{.label = "contiguity",
                .value = contiguity_words(tensor.contiguity),
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
