// DType: DLPack's (code, bits, lanes) exactly as given. Unknown codes are kept and shown, never refused.
// Names are those of NumPy and ml_dtypes (docs/report.md). thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlscope::core {

// DLDataTypeCode of dlpack.h 1.3, repeated here so that this header does not need it (a test compares them).
enum class DTypeCode : std::uint8_t {
  int_ = 0,
  uint = 1,
  float_ = 2,
  opaque = 3,
  bfloat = 4,
  complex = 5,
  bool_ = 6,
  float8_e3m4 = 7,
  float8_e4m3 = 8,
  float8_e4m3b11fnuz = 9,
  float8_e4m3fn = 10,
  float8_e4m3fnuz = 11,
  float8_e5m2 = 12,
  float8_e5m2fnuz = 13,
  float8_e8m0fnu = 14,
  float6_e2m3fn = 15,
  float6_e3m2fn = 16,
  float4_e2m1fn = 17,
};

struct DType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;  // of one lane
  std::uint16_t lanes = 1;

  // Bits one element occupies when packed: bits * lanes. 0 when bits or lanes is 0 (malformed).
  [[nodiscard]] constexpr std::uint32_t item_bits() const { return std::uint32_t{bits} * lanes; }
  friend constexpr bool operator==(DType, DType) = default;
};

// "float32", "bfloat16", "uint8x4", "float4_e2m1fnx2"; "code17_bits3" for a code and width that have no name.
[[nodiscard]] std::string dtype_name(DType dtype);

// The inverse, for options and tests; also accepts "float", "double", "half". nullopt when unknown.
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

// A set of bit widths, 0 to 255.
class WidthSet {
 public:
  constexpr void add(std::uint8_t bits) { words_[bits / 64] |= std::uint64_t{1} << bits % 64; }
  [[nodiscard]] constexpr bool has(std::uint8_t bits) const { return (words_[bits / 64] >> bits % 64 & 1) != 0; }

 private:
  std::array<std::uint64_t, 4> words_{};
};
// By DTypeCode: the widths whose values can be decoded.
extern const std::array<WidthSet, static_cast<std::size_t>(DTypeCode::float4_e2m1fn) + 1> kDecodableWidths;

// True when values of this dtype can be decoded to numbers: a known code with
// a width defined for it. Inline, because a scan calls it for 1e5 tensors.
[[nodiscard]] inline bool dtype_is_known(DType dtype) {
  return dtype.lanes > 0 && dtype.code < kDecodableWidths.size() && kDecodableWidths[dtype.code].has(dtype.bits);
}

}  // namespace dlscope::core
