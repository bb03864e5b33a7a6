// Formats one element for the window, with the style and precision a person chose. No I/O; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/inventory/snapshot.h"
#include "core/tensor/dtype.h"
#include "core/tensor/element.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::app {

enum class NumberStyle : std::uint8_t { automatic, decimals, hex, bits };

// digits: -1: as many as needed to be exact; otherwise significant digits (automatic) or digits after the point (decimals).
// Applies to floats and complex numbers only.
struct NumberFormat {
  NumberStyle style = NumberStyle::automatic;
  int digits = -1;
  bool as_stored = false;  // show the stored bytes where the library means their conjugate or negative
  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};
inline constexpr int kMaxDigits = 17;

[[nodiscard]] std::string number_text(core::DType dtype, const core::Value& value, NumberFormat format);

// The lanes of one element: "1.0", or "(1.0, 2.0)"; at most as many as `bytes` holds, and no more than a person can read. The
// class is that of the first lane that is neither normal nor zero.
struct ElementText {
  std::string text;
  core::ValueClass value_class = core::ValueClass::normal;
};
[[nodiscard]] ElementText element_text(core::DType dtype, std::span<const std::byte> bytes, std::size_t bit, NumberFormat format,
                                       core::SignBits signs = {});

// The same for an element of a tensor, which begins `bit` bits into `bytes`. A number without a DLPack dtype (the other byte order) is
// written as any other; other items by their fields, except as hex and bits. A NaT has the class of a NaN.
[[nodiscard]] ElementText element_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                       std::span<const std::byte> bytes, std::size_t bit, NumberFormat format,
                                       core::SignBits signs = {});

// "not a number", "smaller than the smallest normal number"; "" for ordinary values.
[[nodiscard]] const char* class_text(core::ValueClass value_class);

// Why a tensor's elements are shown as bits; "": they are shown as values.
[[nodiscard]] std::string bits_reason(const core::TensorRecord& tensor);

}  // namespace dlscope::app
