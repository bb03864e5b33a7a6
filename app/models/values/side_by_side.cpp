#include "app/models/values/side_by_side.h"

#include <fmt/format.h>

#include <cmath>

#include "app/models/values/element_values.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"

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

// The bytes read of one of the two, and how to interpret them.
struct Read {
  core::TensorNumbers numbers;
  core::SignBits signs;
  const core::ElementBytes& bytes;

  [[nodiscard]] bool has(unsigned lane) const { return (lane + std::size_t{1}) * numbers.dtype.bits <= bytes.each * 8; }
  [[nodiscard]] Value value(std::size_t i, unsigned lane) const {
    return with_sign_bits(numbers.dtype, numbers.decode(bytes.of(i), bytes.bits[i], lane), signs);
  }
};

void compare(const Read& a, const Read& b, std::size_t i, SideBySide& row) {
  for (unsigned lane = 0; lane < a.numbers.dtype.lanes && lane < b.numbers.dtype.lanes; ++lane) {
    if (!a.has(lane) || !b.has(lane)) return;
    const Value x = a.value(i, lane), y = b.value(i, lane);
    if (same(x, y)) continue;
    row.differs = true;
    if (a.numbers.dtype.lanes == 1 && is_number(x) && is_number(y) && !is_nan(x) && !is_nan(y))
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
  const core::SignBits signs_a = sign_bits_of(a.snapshot, a.tensor), signs_b = sign_bits_of(b.snapshot, b.tensor);
  const core::TensorNumbers numbers_a = numbers_of(a.snapshot, a.tensor), numbers_b = numbers_of(b.snapshot, b.tensor);
  for (std::size_t i = 0; i < out.size(); ++i) {
    SideBySide& cell = out[i];
    cell = {.element = wanted.first + i / wanted.columns * wanted.step + i % wanted.columns,
            .a = cell_of(a.snapshot, a.tensor, bytes[0], i, signs_a),
            .b = cell_of(b.snapshot, b.tensor, bytes[1], i, signs_b),
            .differs = false,
            .difference = {}};
    if (a.own && b.own && cell.a.readable && cell.b.readable)
      compare({numbers_a, signs_a, bytes[0]}, {numbers_b, signs_b, bytes[1]}, i, cell);
  }
}

}  // namespace dlscope::app
