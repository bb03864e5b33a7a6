// fields_text(): the text of a whole item from those of its fields. Pure function; thread: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/tensor/item_type.h"

namespace dlscope::core {

// "(1, 'abc')"; where the item is one value without fields (is_value), that value's text alone. Each of `fields` has a FieldLayout
// named layout. item: its bytes.
template <class Fields>
[[nodiscard]] std::string fields_text(const Fields& fields, bool is_value, std::span<const std::byte> item, ItemText length) {
  std::string out;
  for (const auto& field : fields) {
    if (!out.empty()) out += ", ";
    out += format_field(field.layout, item, length);
  }
  return is_value ? out : '(' + out + ')';
}

}  // namespace dlscope::core
