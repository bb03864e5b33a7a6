// The numbers that a search is for: how a dtype would hold a number that was typed. Pure functions; thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/tensor/dtype.h"
#include "core/tensor/element.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

[[nodiscard]] constexpr DTypeCode code_of(DType dtype) { return static_cast<DTypeCode>(dtype.code); }
[[nodiscard]] bool is_float(DType dtype);  // a real one, of any format

// Parses a number as Python writes it; case does not matter, as in float("NaN").
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

// `wanted`, which `text` says, as the nearest value of a float dtype, of two equally near ones the even one; "inf" stays one.
// nullopt: beyond what is rounded to its largest or lowest value, as "1e400" is for every dtype, or it has no infinity.
[[nodiscard]] std::optional<double> rounded_to(DType dtype, double wanted, std::string_view text);

// What is wrong where rounded_to() has no value for `text`.
[[nodiscard]] std::string why_out_of_range(DType dtype, double wanted, std::string_view text);

// The float's only bit pattern. (Zero has two and is matched by its magnitude instead.)
[[nodiscard]] std::uint64_t bits_of(DType dtype, double value);

// What is stored where the library means this bit pattern.
[[nodiscard]] std::uint64_t stored_bits(DType dtype, std::uint64_t meant, SignBits signs);

[[nodiscard]] Value decode_bits(DType dtype, std::uint64_t bits);

// The fraction bits of an IEEE 754 format (or bfloat16), of a complex dtype those of a part; 0 for any other dtype.
[[nodiscard]] unsigned ieee_fraction_bits(DType dtype);

}  // namespace dlscope::core
