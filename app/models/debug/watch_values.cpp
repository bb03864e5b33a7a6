#include "app/models/debug/watch_values.h"

#include <algorithm>
#include <utility>

#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

const std::string& shown(const WatchValue& value) { return value.error.empty() ? value.text : value.error; }

}  // namespace

void WatchedStops::note(Place place, std::vector<std::string> expressions, std::vector<WatchValue> values) {
  const auto found = std::ranges::find_if(places_, [&](const Visited& known) { return known.place.is_of_same_code(place); });
  Visited visited;
  if (found != places_.end()) {
    visited = std::move(*found);
    places_.erase(found);
    if (visited.place.stop != place.stop) visited.before = std::move(visited.now);
  }
  visited.place = std::move(place);
  visited.now = {std::move(expressions), std::move(values)};
  places_.push_back(std::move(visited));
  if (places_.size() > kMaxPlaces) places_.erase(places_.begin());
}

std::string WatchedStops::was(const std::string& expression, const WatchValue& now) const {
  if (places_.empty()) return {};
  const Answers& before = places_.back().before;
  const auto found = std::ranges::find(before.expressions, expression);
  const auto at = static_cast<std::size_t>(found - before.expressions.begin());
  if (at >= before.values.size() || before.values[at] == now) return {};
  return shown(before.values[at]);
}

std::string WatchedStops::change(const std::string& expression, const WatchValue& now) const {
  const std::string then = was(expression, now);
  if (then.empty()) return {};
  const std::string& function = places_.back().place.function;
  const std::string where = function.empty()         ? "here"
                            : function == "<module>" ? "at module level"
                                                     : "in " + function + "()";
  return "Changed since it was last evaluated " + where + ". It was: " + then;
}

void WatchHomes::note(const std::string& script, const std::string& expression) {
  constexpr std::size_t kMaxScripts = 16;
  std::vector<std::string>& scripts = scripts_[expression];
  std::erase(scripts, script);
  scripts.push_back(script);
  if (scripts.size() > kMaxScripts) scripts.erase(scripts.begin());
}

void WatchHomes::note(const std::string& script, const std::vector<std::string>& expressions,
                      const std::vector<WatchValue>& values) {
  for (std::size_t i = 0; i < std::min(expressions.size(), values.size()); ++i)
    if (values[i].error.empty()) note(script, expressions[i]);
  if (scripts_.size() > kMaxWatches * 10) scripts_.clear();  // of those taken off the list since
}

std::string WatchHomes::elsewhere(const std::string& script, const std::string& expression, const WatchValue& now) const {
  const auto home = scripts_.find(expression);
  if (!now.error.starts_with("NameError") || home == scripts_.end()) return {};
  if (std::ranges::find(home->second, script) != home->second.end()) return {};
  const std::string& last = home->second.back();
  return "of " + (last.empty() ? std::string("text without a file") : last.substr(last.rfind('/') + 1));
}

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
