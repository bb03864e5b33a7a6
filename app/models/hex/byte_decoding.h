// What the bytes at one address would be as a value of each dtype. The values are written as everywhere else (number_text); floats are
// taken apart into sign, exponent and fraction. Pure; thread: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"
#include "core/tensor/element.h"

namespace dlscope::app {

enum class ByteOrder : std::uint8_t { little, big };  // little: as x86 and ARM have it

struct DecodedBytes {
  core::DType dtype = {};
  std::string name = {};    // "float32"
  std::string value = {};   // "1.5"; of too few bytes: how many are missing
  std::string bits = {};    // "0 01111111 10000000000000000000000": sign, exponent, fraction; of others in groups of four
  std::string parts = {};   // of floats: "+ 2^0 × 1.5", "NaN, quiet, payload 0x0"; "" of others
  std::string widths = {};  // of floats: "1 + 8 + 23 bits: sign, exponent (bias 127), fraction"; "" of others
  core::ValueClass value_class = core::ValueClass::normal;
  bool complete = false;
};

inline constexpr std::size_t kMostDecoded = 16;  // bytes of the widest

// As each numeric dtype of DLPack with 1 to 16 bytes; those of fewer than 8 bits as a byte full of them, 6 bits in the low ones.
// bytes: from the address on, as many as are known, at most kMostDecoded are looked at.
void decode_bytes(std::span<const std::byte> bytes, ByteOrder order, std::vector<DecodedBytes>& out);
[[nodiscard]] DecodedBytes decode_as(core::DType dtype, std::span<const std::byte> bytes, ByteOrder order);

// "'A'", "'\\n'", "no character".
[[nodiscard]] std::string character_text(std::byte byte);
// What stands for it in the text column: itself where ASCII prints it, else '.'.
[[nodiscard]] char printable(std::byte byte);

}  // namespace dlscope::app
