// Reading JSON that another process wrote: bounded in depth, nothing is taken on trust.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscope::app {

struct JsonValue {
  enum class Kind : unsigned char { null, boolean, number, text, list, object };
  Kind kind = Kind::null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<JsonValue> items;                            // of a list
  std::vector<std::pair<std::string, JsonValue>> members;  // of an object, in order

  // The member of that name; null (kind null) when there is none.
  [[nodiscard]] const JsonValue& operator[](std::string_view name) const;
  // A number that is a count: not negative, not too large for it.
  [[nodiscard]] std::optional<std::size_t> count() const;
};

// nullopt: not JSON, or nested deeper than 64.
[[nodiscard]] std::optional<JsonValue> parse_json(std::string_view text);
// With its quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace dlscope::app
