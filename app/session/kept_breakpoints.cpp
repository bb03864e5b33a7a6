#include "app/session/kept_breakpoints.h"

#include <cstdint>
#include <utility>

#include "app/session/stored_fields.h"

namespace dlscope::app {

std::vector<KeptBreakpoint> breakpoints_of(const Json& list) {
  constexpr std::int64_t kMaxLines = 100'000'000;
  std::vector<KeptBreakpoint> out;
  if (!list.is_array()) throw WrongType{"breakpoints"};
  for (const Json& each : list) {
    if (!each.is_object()) throw WrongType{"breakpoints"};
    KeptBreakpoint b;
    b.path = text_field(each, "path");
    const std::int64_t line = number_field(each, "line", 0), hit = number_field(each, "hit", 1);
    b.condition = text_field(each, "condition");
    b.log_text = text_field(each, "log");
    b.line_text = text_field(each, "text");
    b.enabled = flag_field(each, "enabled", true);
    if (out.size() >= kMaxBreakpoints || b.path.empty() || line < 1 || line > kMaxLines || hit < 1) continue;
    b.line = static_cast<std::uint32_t>(line);
    b.hit = static_cast<std::uint64_t>(hit);
    out.push_back(std::move(b));
  }
  return out;
}

Json breakpoints_json(const std::vector<KeptBreakpoint>& breakpoints) {
  Json out = Json::array();
  for (const auto& b : breakpoints) {
    Json each = {{"path", b.path}, {"line", b.line}};
    if (!b.condition.empty()) each["condition"] = b.condition;
    if (b.hit > 1) each["hit"] = b.hit;
    if (!b.log_text.empty()) each["log"] = b.log_text;
    if (!b.enabled) each["enabled"] = false;
    if (!b.line_text.empty()) each["text"] = b.line_text;
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace dlscope::app
