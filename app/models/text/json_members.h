// Reads JSON from the host, which is not trusted: a missing member, or one of another type, reads as empty. For .cpp files only:
// includes the JSON library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace dlscope::app {

// The members of one object, which must outlive this.
class JsonMembers {
 public:
  static constexpr std::size_t kLongestText = 16 * 1024;  // longer ones are cut

  explicit JsonMembers(const nlohmann::json& value) : value_(value) {}
  [[nodiscard]] std::string text(const char* key) const {
    const nlohmann::json* found = at(key);
    return found != nullptr && found->is_string() ? found->get_ref<const std::string&>().substr(0, kLongestText) : std::string();
  }
  [[nodiscard]] bool truth(const char* key) const {
    const nlohmann::json* found = at(key);
    return found != nullptr && found->is_boolean() && found->get<bool>();
  }
  [[nodiscard]] std::uint64_t number(const char* key) const {
    const nlohmann::json* found = at(key);
    return found != nullptr && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  }
  [[nodiscard]] bool has_count(const char* key) const { return at(key) != nullptr && at(key)->is_number_unsigned(); }
  [[nodiscard]] bool has_list(const char* key) const { return at(key) != nullptr && at(key)->is_array(); }
  [[nodiscard]] std::size_t size(const char* key) const { return has_list(key) ? at(key)->size() : 0; }
  // At most `most` elements of the list.
  template <class Each>
  void each(const char* key, std::size_t most, Each take) const {
    for (std::size_t i = 0; i < std::min(size(key), most); ++i) take(JsonMembers((*at(key))[i]));
  }
  // At most `most` of the list's strings; elements of other types are skipped.
  template <class Each>
  void each_text(const char* key, std::size_t most, Each take) const {
    for (std::size_t i = 0, taken = 0; i < size(key) && taken < most; ++i) {
      const nlohmann::json& one = (*at(key))[i];
      if (!one.is_string()) continue;
      take(one.get_ref<const std::string&>().substr(0, kLongestText));
      ++taken;
    }
  }

 private:
  [[nodiscard]] const nlohmann::json* at(const char* key) const {
    if (!value_.is_object()) return nullptr;
    const auto found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
  }
  const nlohmann::json& value_;
};

// is_discarded() when the text is not JSON.
[[nodiscard]] inline nlohmann::json json_of(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }
// On one line, in ASCII; invalid UTF-8 is replaced.
[[nodiscard]] inline std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace dlscope::app
