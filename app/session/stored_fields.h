// Reads the fields of a JSON object that an earlier session stored. A field that is missing, or null, has its default; one of another
// type throws WrongType.
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace dlscope::app {

using Json = nlohmann::json;
inline constexpr std::size_t kMaxPath = 4096;

struct WrongType {
  std::string name;
};

inline const Json* field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

inline std::string text_field(const Json& object, const char* name) {
  const Json* value = field(object, name);
  if (value == nullptr) return {};
  if (!value->is_string()) throw WrongType{name};
  std::string text = value->get<std::string>();
  return text.size() <= kMaxPath && text.find('\0') == std::string::npos ? text : std::string();
}

inline bool flag_field(const Json& object, const char* name, bool otherwise) {
  const Json* value = field(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) throw WrongType{name};
  return value->get<bool>();
}

inline std::int64_t number_field(const Json& object, const char* name, std::int64_t otherwise) {
  const Json* value = field(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_number_integer()) throw WrongType{name};
  return value->get<std::int64_t>();
}

}  // namespace dlscope::app
