#include "app/models/debug/watch_values.h"

#include <utility>

#include "app/models/text/json_members.h"

namespace dlscope::app {

std::string evaluate_question(const std::vector<std::string>& expressions, std::uint32_t frame) {
  return json_text({{"expressions", expressions}, {"frame", frame}});
}

std::vector<WatchValue> values_from_json(std::string_view json, std::size_t expressions) {
  const auto value = json_of(json);
  std::vector<WatchValue> out;
  JsonMembers(value).each("values", expressions,
                          [&](const JsonMembers& each) { out.push_back({each.text("text"), each.text("error")}); });
  out.resize(expressions, {{}, "Python gave no answer"});
  return out;
}

}  // namespace dlscope::app
