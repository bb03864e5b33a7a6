#include "app/models/debug/watch_values.h"

#include <algorithm>
#include <utility>

#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

const std::string& shown(const WatchValue& value) { return value.error.empty() ? value.text : value.error; }

}  // namespace

void WatchedStops::note(Place place, std::vector<std::string> expressions, std::vector<WatchValue> values) {
  if (now_.place.run != place.run || now_.place.stop != place.stop) {
    // Stops are numbered without gaps: at one between, nobody looked.
    const bool follows = now_.place.run == place.run && now_.place.stop + 1 == place.stop;
    before_ = follows ? std::move(now_) : Answered{};
  }
  now_ = {std::move(place), std::move(expressions), std::move(values)};
}

std::string WatchedStops::was(const std::string& expression, const WatchValue& now) const {
  const auto found = std::ranges::find(before_.expressions, expression);
  const auto at = static_cast<std::size_t>(found - before_.expressions.begin());
  if (at >= before_.values.size() || before_.values[at] == now) return {};
  return shown(before_.values[at]);
}

std::string WatchedStops::change(const std::string& expression, const WatchValue& now) const {
  const std::string then = was(expression, now);
  if (then.empty()) return {};
  const std::string& function = before_.place.function;
  const std::string where = function.empty()         ? "There"
                            : function == "<module>" ? "At the module's level"
                                                     : "In " + function + "()";
  return "Changed since the last stop. " + where + " it was: " + then;
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
