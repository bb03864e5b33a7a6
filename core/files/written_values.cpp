#include "core/files/written_values.h"

#include <array>
#include <cstring>

#include "core/tensor/element.h"

namespace dlscope::core {
namespace {

constexpr DType one_of(DTypeCode code, std::uint8_t bits) { return {static_cast<std::uint8_t>(code), bits, 1}; }

// The value of a pattern of bits, as the bytes of the wider dtype. Every value of so few bits is one of its values.
std::array<std::byte, 4> widened(DType dtype, std::byte pattern) {
  const Value value = decode_element({dtype.code, dtype.bits, 1}, {&pattern, 1}, 0);
  const float real = static_cast<float>(value.real);
  const std::int32_t whole = value.kind == ValueKind::signed_integer ? static_cast<std::int32_t>(value.as_signed)
                                                                     : static_cast<std::int32_t>(value.as_unsigned);
  std::array<std::byte, 4> out{};
  std::memcpy(out.data(), value.kind == ValueKind::real ? static_cast<const void*>(&real) : &whole, out.size());
  return out;
}

}  // namespace

DType written_dtype(DType dtype, TensorFileFormat format) {
  if (!is_packed(dtype) || format != TensorFileFormat::npy) return dtype;
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::int_:
    case DTypeCode::uint:
    case DTypeCode::bool_:
      return {dtype.code, 8, dtype.lanes};
    default:
      return one_of(DTypeCode::float_, 32);
  }
}

Layout with_lanes_as_axis(DType dtype, LayoutView layout) {
  Layout out{.shape = {layout.shape.begin(), layout.shape.end()},
             .stride_bits = {layout.stride_bits.begin(), layout.stride_bits.end()},
             .item_bits = layout.item_bits};
  if (dtype.lanes <= 1) return out;
  out.shape.push_back(dtype.lanes);
  out.stride_bits.push_back(dtype.bits);
  out.item_bits = dtype.bits;
  return out;
}

std::vector<std::int64_t> written_shape(DType dtype, LayoutView layout) {
  std::vector<std::int64_t> shape(layout.shape.begin(), layout.shape.end());
  if (dtype.lanes <= 1 || shape.size() < 2) return shape;
  const std::int64_t lanes = shape.back();
  shape.pop_back();
  shape.back() *= lanes;
  return shape;
}

WrittenValues::WrittenValues(DType dtype, TensorFileFormat format)
    : dtype_{dtype.code, dtype.bits, 1},
      packs_(format == TensorFileFormat::safetensors),
      each_(written_dtype(dtype_, format).bits <= 8 ? 1 : sizeof(float)) {
  for (unsigned pattern = 0; pattern < 256 && !packs_ && format == TensorFileFormat::npy; ++pattern) {
    const auto bits = static_cast<std::byte>(pattern & ((1U << dtype.bits) - 1));
    const auto written = widened(dtype_, bits);
    table_.insert(table_.end(), written.begin(), written.begin() + static_cast<std::ptrdiff_t>(each_));
  }
}

std::span<const std::byte> WrittenValues::of(std::span<const std::byte> values) {
  if (packs_) {
    out_.assign((values.size() * dtype_.bits + 7) / 8, std::byte{0});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const unsigned bits = std::to_integer<unsigned>(values[i]) & ((1U << dtype_.bits) - 1);
      const std::size_t first = i * dtype_.bits;
      out_[first / 8] |= static_cast<std::byte>(bits << first % 8);
      if (first % 8 + dtype_.bits > 8) out_[first / 8 + 1] |= static_cast<std::byte>(bits >> (8 - first % 8));
    }
    return out_;
  }
  if (table_.empty()) return values;  // text is made of the numbers themselves
  out_.resize(values.size() * each_);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(out_.data() + i * each_, table_.data() + std::to_integer<std::size_t>(values[i]) * each_, each_);
  return out_;
}

}  // namespace dlscope::core
