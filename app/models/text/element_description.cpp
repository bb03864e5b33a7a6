#include "app/models/text/element_description.h"

#include <fmt/core.h>

#include <array>

#include "app/models/text/format.h"
#include "core/inventory/python_name.h"

namespace dlscope::app {
namespace {

using core::DTypeCode;

// The C type of the same size and meaning; "": none.
std::string c_type(core::DType dtype) {
  if (dtype.lanes != 1) return {};
  const bool whole = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::int_:
      return whole ? fmt::format("int{}_t", dtype.bits) : "";
    case DTypeCode::uint:
      return whole ? fmt::format("uint{}_t", dtype.bits) : "";
    case DTypeCode::float_:
      return dtype.bits == 16 ? "_Float16" : dtype.bits == 32 ? "float" : dtype.bits == 64 ? "double" : "";
    case DTypeCode::bfloat:
      return dtype.bits == 16 ? "__bf16" : "";
    case DTypeCode::complex:
      return dtype.bits == 64 ? "float _Complex" : dtype.bits == 128 ? "double _Complex" : "";
    case DTypeCode::bool_:
      return dtype.bits == 8 ? "_Bool" : "";
    default:
      return dtype.bits == 8 ? "uint8_t" : "";
  }
}

}  // namespace

std::string python_expression(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element) {
  const std::string name(core::expression_name(snapshot, tensor));
  if (name.empty()) return {};
  return name + (tensor.rank == 0 ? "[()]" : index_text(snapshot.layout(tensor), element));
}

std::string c_expression(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element) {
  const std::string type = c_type(tensor.dtype);
  if (type.empty() || tensor.item_bits != tensor.dtype.item_bits()) return {};
  const core::LayoutView layout = snapshot.layout(tensor);
  const auto item = static_cast<std::int64_t>(layout.item_bits);
  std::array<std::int64_t, core::kMaxRank> index{};
  core::unravel(layout, element, {index.data(), layout.shape.size()});
  std::string terms;
  bool whole = true;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    whole = whole && layout.stride_bits[d] % item == 0;
    terms += fmt::format("{}{}*{}", d > 0 ? " + " : "", index[d], layout.stride_bits[d] / item);
  }
  if (terms.empty()) return fmt::format("*({} *){}", type, plain_address(tensor.address));
  if (whole) return fmt::format("(({} *){})[{}]", type, plain_address(tensor.address), terms);
  const std::int64_t bits = core::bit_offset_of(layout, element);
  if (bits % 8 != 0) return {};
  return fmt::format("*({} *)((char *){} + {})", type, plain_address(tensor.address), bits / 8);
}

std::string stride_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor, int axis) {
  const std::int64_t stride = snapshot.stride_bits(tensor)[static_cast<std::size_t>(axis)];
  const auto item = static_cast<std::int64_t>(tensor.item_bits);
  std::string text = stride % 8 == 0 ? fmt::format("stride {} B", stride / 8) : fmt::format("stride {} bit", stride);
  if (item > 0 && stride % item == 0) {
    const std::int64_t steps = stride / item;
    text += fmt::format(" ({} {})", steps, steps == 1 || steps == -1 ? "element" : "elements");
  }
  if (stride == 0) text += ": every index shows the same bytes";
  return text;
}

}  // namespace dlscope::app
