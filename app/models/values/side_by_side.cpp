#include "app/models/values/side_by_side.h"

#include <fmt/format.h>

#include <cmath>

#include "app/models/values/element_values.h"

namespace dlscope::app {
namespace {

using core::Value;
using core::ValueKind;

bool is_number(const Value& value) { return value.kind != ValueKind::bits && value.kind != ValueKind::complex; }

// long double, which represents 64-bit integers and doubles exactly.
long double number_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::signed_integer:
      return static_cast<long double>(value.as_signed);
    case ValueKind::unsigned_integer:
      return static_cast<long double>(value.as_unsigned);
    case ValueKind::boolean:
      return value.as_unsigned != 0 ? 1 : 0;
    default:
      return static_cast<long double>(value.real);
  }
}

bool is_nan(const Value& value) { return value.value_class == core::ValueClass::nan; }

bool same(const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b);
  return number_of(a) == number_of(b) && a.imaginary == b.imaginary;
}

void compare(core::DType dtype_a, core::DType dtype_b, const core::ElementBytes& a, const core::ElementBytes& b, std::size_t i,
             SideBySide& row) {
  for (unsigned lane = 0; lane < dtype_a.lanes && lane < dtype_b.lanes; ++lane) {
    if ((lane + std::size_t{1}) * dtype_a.bits > a.each * 8 || (lane + std::size_t{1}) * dtype_b.bits > b.each * 8) return;
    const Value x = core::decode_element(dtype_a, a.of(i), a.bits[i], lane),
                y = core::decode_element(dtype_b, b.of(i), b.bits[i], lane);
    if (same(x, y)) continue;
    row.differs = true;
    if (dtype_a.lanes == 1 && is_number(x) && is_number(y) && !is_nan(x) && !is_nan(y))
      row.difference = fmt::format("{:.6g}", static_cast<double>(number_of(x) - number_of(y)));
  }
}

}  // namespace

void read_side_by_side(const SideOfTwo& a, const SideOfTwo& b, const ElementRows& wanted, std::vector<SideBySide>& out) {
  core::ElementBytes bytes[2];
  const SideOfTwo* const sides[] = {&a, &b};
  for (int side = 0; side < 2; ++side) {
    bytes[side].restart(sides[side]->tensor.item_bits, wanted.rows * wanted.columns);
    for (std::uint64_t row = 0; row < wanted.rows; ++row)
      bytes[side].add(sides[side]->layout, sides[side]->tensor.address, wanted.first + row * wanted.step, wanted.columns);
    bytes[side].read(sides[side]->reader);
  }
  out.resize(wanted.rows * wanted.columns);
  const SignBits signs_a = sign_bits_of(a.snapshot, a.tensor), signs_b = sign_bits_of(b.snapshot, b.tensor);
  for (std::size_t i = 0; i < out.size(); ++i) {
    SideBySide& cell = out[i];
    cell = {.element = wanted.first + i / wanted.columns * wanted.step + i % wanted.columns,
            .a = cell_of(a.snapshot, a.tensor, bytes[0], i, signs_a),
            .b = cell_of(b.snapshot, b.tensor, bytes[1], i, signs_b),
            .differs = false,
            .difference = {}};
    if (cell.a.readable && cell.b.readable) compare(a.tensor.dtype, b.tensor.dtype, bytes[0], bytes[1], i, cell);
  }
}

}  // namespace dlscope::app
