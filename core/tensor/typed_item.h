// TypedItem: a date, a duration or a text that was typed, as the bytes that stand for it in memory: the inverse of format_field().
// Pure functions; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

[[nodiscard]] constexpr bool is_time(const FieldLayout& field) {
  return field.kind == ItemKind::date || field.kind == ItemKind::duration;
}
[[nodiscard]] constexpr bool is_text(const FieldLayout& field) {
  return field.kind == ItemKind::ucs4_text || field.kind == ItemKind::byte_text;
}

// The count that NumPy stores, of a field that is_time(). Dates: "2024-02-29", "2024-02-29T12:30:00.5"; of one with fewer parts than
// the unit has the beginning is meant, as NumPy means it. Durations: "90 s", "3 x 25 s"; in another unit where that has a fixed length
// in the field's. A plain number where the field has no unit. "NaT". Fails in words where it lies between two values that the field can
// have, or outside of them: no value is equal to it.
[[nodiscard]] Result<std::int64_t> typed_time(const FieldLayout& field, std::string_view text);

// One value of a field that is_time() or is_text(), in the field's byte order. Texts: in quotes with the escapes of Python ('it\'s',
// b'\xff'), or as they are where they do not begin with one; padded with zeros, as NumPy pads them. A character of a text of bytes
// is the bytes of its UTF-8. Fails in words where it does not fit.
[[nodiscard]] Result<std::vector<std::byte>> typed_item(const FieldLayout& field, std::string_view text);

}  // namespace dlscope::core
