// Decodes the bytes at one address as a value of each dtype. Values are written as everywhere else (number_text); floats also as
// sign, exponent and fraction. No I/O; thread: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"
#include "core/tensor/element.h"

namespace dlscope::app {

enum class ByteOrder : std::uint8_t { little, big };  // little: as on x86 and ARM

struct DecodedBytes {
  core::DType dtype = {};
  std::string name = {};    // "float32"
  std::string value = {};   // "1.5"; with too few bytes: how many are missing
  std::string bits = {};    // "0 01111111 10000000000000000000000": sign, exponent, fraction; for other types groups of four bits
  std::string parts = {};   // for floats: "+ 2^0 × 1.5", "NaN, quiet, payload 0x0"; else ""
  std::string widths = {};  // for floats: "1 + 8 + 23 bits: sign, exponent (bias 127), fraction"; else ""
  core::ValueClass value_class = core::ValueClass::normal;
  bool complete = false;
};

inline constexpr std::size_t kMaxDecoded = 16;  // bytes of the widest dtype

// As each numeric dtype of DLPack with 1 to 16 bytes; types of fewer than 8 bits as a full byte of them, 6-bit types in the low
// bits. bytes: the known bytes from the address on; at most kMaxDecoded are used.
void decode_bytes(std::span<const std::byte> bytes, ByteOrder order, std::vector<DecodedBytes>& out);
[[nodiscard]] DecodedBytes decode_as(core::DType dtype, std::span<const std::byte> bytes, ByteOrder order);

// "'A'", "'\\n'", "no character".
[[nodiscard]] std::string character_text(std::byte byte);
// The character for the text column: itself when it is printable ASCII, else '.'.
[[nodiscard]] char printable(std::byte byte);

}  // namespace dlscope::app
