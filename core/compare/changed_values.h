// How many values a conversion changed: those that are not the same number afterwards, as compare_tensors() counts them (NaN that
// stays NaN is unchanged, and so is -0 that becomes 0).
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor/dtype.h"

namespace dlscope::core {

// What a conversion did to the values.
struct Conversion {
  std::uint64_t changed = 0, values = 0;  // so many of so many
  bool operator==(const Conversion&) const = default;
};
// "the conversion changed 5 of 6 values": at the end of a copy's path, once it was compared with the conversion of its source.
[[nodiscard]] std::string conversion_text(Conversion conversion);
// Whether such a text is in the path.
[[nodiscard]] bool says_conversion(std::string_view path);

// Of `count` contiguous elements from the lowest bit of `source` and of `converted`; sub-byte types are packed as in DLPack. Needs
// why_not_convertible() == "".
[[nodiscard]] std::uint64_t count_changed(DType from, const std::byte* source, DType to, const std::byte* converted,
                                          std::uint64_t count);

}  // namespace dlscope::core
