#include "app/models/layout/layout_text.h"

#include <fmt/format.h>

#include <array>

#include "app/models/text/format.h"

namespace dlscope::app {
std::string contiguity_reason(core::LayoutView layout) {
  const auto axis = core::axis_breaking_c_order(layout);
  if (!axis) return {};
  std::array<std::int64_t, core::kMaxRank> c_strides{};
  const auto guilty = static_cast<std::size_t>(*axis);
  if (!core::c_order_strides(layout.shape, layout.item_bits, {c_strides.data(), layout.shape.size()})) return {};
  return fmt::format("Not C-contiguous: axis {} steps {} where C order steps {}.", *axis,
                     distance_text(layout.stride_bits[guilty]), distance_text(c_strides[guilty]));
}

std::string address_formula(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t flat) {
  const core::LayoutView layout = snapshot.layout(tensor);
  std::array<std::int64_t, core::kMaxRank> index{};
  core::unravel(layout, flat, {index.data(), layout.shape.size()});
  const auto item = static_cast<std::int64_t>(layout.item_bits);
  bool whole = item > 0 && item % 8 == 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    whole = whole && (layout.shape[d] == 1 || layout.stride_bits[d] % item == 0);
  const std::int64_t bits = core::bit_offset_of(layout, flat);
  const core::Address at = tensor.address + static_cast<core::Address>(bits >> 3);
  std::string terms;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (d > 0) terms += " + ";
    const std::int64_t stride = layout.stride_bits[d];
    const bool has_number = !core::is_capped(stride) && (!whole || stride % item == 0);
    terms += fmt::format("{}·{}", index[d], has_number ? fmt::to_string(whole ? stride / item : stride) : "…");
  }
  std::string text = fmt::format("{} = data + {}", grouped_address(at), tensor.byte_offset);
  if (!terms.empty()) text += whole ? fmt::format(" + ({})·{} B", terms, item / 8) : fmt::format(" + ({}) bit", terms);
  if ((bits & 7) != 0) text += fmt::format(", bit {}", bits & 7);
  return text;
}

}  // namespace dlscope::app
