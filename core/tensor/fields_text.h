// fields_text(): the text of a whole item from those of its fields. Pure function; thread: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor/item_type.h"

namespace dlscope::core {

// "position.x" is in the record "position", "x" in none but the whole item.
[[nodiscard]] inline std::size_t records_around(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count(name, '.'));
}
// How many of them are around `other`, too.
[[nodiscard]] inline std::size_t records_around_both(std::string_view name, std::string_view other) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < std::min(name.size(), other.size()) && name[i] == other[i]; ++i) common += name[i] == '.' ? 1 : 0;
  return common;
}

// "(1, 'abc')", of a record in a record "(1, (2.0, 3))"; where the item is one value without fields (one that has no name), that
// value's text alone. Each of `fields` has a FieldLayout named layout, and name_of(field) is its name. item: its bytes.
template <class Fields, class NameOf>
[[nodiscard]] std::string fields_text(const Fields& fields, NameOf name_of, std::span<const std::byte> item, ItemText length) {
  std::string out;
  std::string_view before;
  // A dot in a producer's name says nothing of records, so none are told apart then.
  const bool flat = std::ranges::any_of(fields, [](const auto& field) { return field.layout.no_path; });
  for (const auto& field : fields) {
    const std::string_view name = flat ? std::string_view() : name_of(field);
    const std::size_t common = records_around_both(before, name);
    out.append(records_around(before) - common, ')');
    if (!out.empty()) out += ", ";
    out.append(records_around(name) - common, '(');
    out += format_field(field.layout, item, length);
    before = name;
  }
  out.append(records_around(before), ')');
  const bool is_value = fields.size() == 1 && name_of(fields.front()).empty();
  return is_value ? out : '(' + out + ')';
}

}  // namespace dlscope::core
