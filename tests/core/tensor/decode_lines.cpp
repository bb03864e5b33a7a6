// What decode_element makes of bits somebody else gives: reads lines "dtype offset hex", where `hex` are the element's bits and
// `offset` where they start in their byte, and answers each with "value class text"; the value as a C hexadecimal float or an integer.
#include <cstdio>
#include <iostream>
#include <string>

#include "core/tensor/element.h"

namespace {

using dlscope::core::DType;
using dlscope::core::Value;
using dlscope::core::ValueClass;
using dlscope::core::ValueKind;

const char* class_name(ValueClass value_class) {
  switch (value_class) {
    case ValueClass::normal:
      return "normal";
    case ValueClass::zero:
      return "zero";
    case ValueClass::subnormal:
      return "subnormal";
    case ValueClass::nan:
      return "nan";
    case ValueClass::positive_infinity:
      return "inf";
    case ValueClass::negative_infinity:
      return "-inf";
  }
  return "?";
}

std::string number(const Value& value) {
  if (value.kind == ValueKind::signed_integer) return std::to_string(value.as_signed);
  if (value.kind == ValueKind::unsigned_integer) return std::to_string(value.as_unsigned);
  if (value.kind != ValueKind::real) return "bits";
  char text[64];
  static_cast<void>(std::snprintf(text, sizeof text, "%a", value.real));
  return text;
}

}  // namespace

int main() {
  std::string name, hex;
  std::size_t offset = 0;
  while (std::cin >> name >> offset >> hex) {
    const auto dtype = dlscope::core::dtype_from_name(name);
    if (!dtype || offset > 7) return 2;
    const std::uint64_t bits = std::stoull(hex, nullptr, 16) << offset;
    std::byte bytes[8];
    for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::byte>(bits >> (8 * i));
    const Value value = dlscope::core::decode_element(*dtype, bytes, offset);
    std::cout << number(value) << ' ' << class_name(value.value_class) << ' ' << dlscope::core::format_value(*dtype, value)
              << '\n';
  }
  return 0;
}
