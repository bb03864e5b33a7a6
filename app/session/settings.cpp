#include "app/session/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "app/models/debug/watch_values.h"
#include "app/session/kept_breakpoints.h"
#include "app/session/stored_fields.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMaxEntries = 1000;
constexpr int kSmallestSide = 200, kLargestSide = 16384;
constexpr std::array kPresets{LayoutPreset::debug, LayoutPreset::teach, LayoutPreset::verify};

std::vector<std::string> list_field(const Json& object, const char* name, std::size_t most) {
  std::vector<std::string> out;
  const Json* value = field(object, name);
  if (value == nullptr) return out;
  if (!value->is_array()) throw WrongType{name};
  for (const Json& each : *value) {
    if (!each.is_string()) throw WrongType{name};
    std::string text = each.get<std::string>();
    if (out.size() < most && !text.empty() && text.size() <= kMaxPath && text.find('\0') == std::string::npos)
      out.push_back(std::move(text));
  }
  return out;
}

template <class Value>
std::map<std::string, Value> map_field(const Json& object, const char* name) {
  std::map<std::string, Value> out;
  const Json* value = field(object, name);
  if (value == nullptr) return out;
  if (!value->is_object()) throw WrongType{name};
  for (const auto& [key, each] : value->items()) {
    if constexpr (std::is_same_v<Value, bool>) {
      if (!each.is_boolean()) throw WrongType{name};
    } else if constexpr (std::is_same_v<Value, float>) {
      if (!each.is_number()) throw WrongType{name};
    } else {
      if (!each.is_string()) throw WrongType{name};
    }
    if (out.size() < kMaxEntries && key.size() <= kMaxPath) out.emplace(key, each.template get<Value>());
  }
  return out;
}

std::optional<WindowPlace> window_field(const Json& object) {
  const Json* value = field(object, "window");
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) throw WrongType{"window"};
  const auto number = [&](const char* name) {
    const Json* n = field(*value, name);
    if (n == nullptr || !n->is_number_integer()) throw WrongType{"window"};
    const auto wide = n->get<std::int64_t>();
    return wide < -100'000 || wide > 100'000 ? 0 : static_cast<int>(wide);
  };
  WindowPlace place{number("x"), number("y"), number("width"), number("height"), false};
  if (const Json* maximized = field(*value, "maximized")) place.maximized = maximized->is_boolean() && maximized->get<bool>();
  const bool sensible = place.width >= kSmallestSide && place.width <= kLargestSide && place.height >= kSmallestSide &&
                        place.height <= kLargestSide;
  return sensible ? std::optional(place) : std::nullopt;
}

// Files of earlier versions do not have the order of use.
void complete_run_settings(Settings& settings) {
  std::vector<std::string>& listed = settings.run_settings_used;
  for (const auto* const texts : {&settings.arguments, &settings.working_folders, &settings.modules}) {
    for (const auto& [path, text] : *texts) {
      if (std::ranges::find(listed, path) == listed.end()) listed.push_back(path);
    }
  }
}

Settings read(const Json& object) {
  Settings out;
  out.theme = theme_from_name(text_field(object, "theme"));
  out.layout = layout_from_name(text_field(object, "layout"));
  if (const Json* scale = field(object, "scale")) {
    if (!scale->is_number()) throw WrongType{"scale"};
    const auto value = static_cast<float>(scale->get<double>());
    if (value >= kMinScale && value <= kMaxScale) out.scale = value;
  }
  out.window = window_field(object);
  out.reduced_motion = flag_field(object, "reduced_motion", false);
  out.python = text_field(object, "python");
  out.recent_pythons = list_field(object, "recent_pythons", kMaxRecentFiles);
  out.recent_files = list_field(object, "recent_files", kMaxRecentFiles);
  out.recent_actions = list_field(object, "recent_actions", kMaxRecentFiles);
  out.arguments = map_field<std::string>(object, "arguments");
  out.working_folders = map_field<std::string>(object, "working_folders");
  out.modules = map_field<std::string>(object, "modules");
  out.run_settings_used = list_field(object, "run_settings_used", kMaxRunSettings);
  complete_run_settings(out);
  out.keys = map_field<std::string>(object, "keys");
  out.panels = map_field<bool>(object, "panels");
  out.columns = list_field(object, "columns", kMaxEntries);
  constexpr float kNarrowest = 1, kWidest = 400;  // font sizes
  for (const auto& [title, width] : map_field<float>(object, "column_widths")) {
    if (width >= kNarrowest && width <= kWidest) out.column_widths.emplace(title, width);
  }
  const auto folded = list_field(object, "folded", kMaxEntries);
  out.folded = {folded.begin(), folded.end()};
  out.show_meanings = flag_field(object, "plain_words", true);
  if (const Json* breakpoints = field(object, "breakpoints")) out.breakpoints = breakpoints_of(*breakpoints);
  out.watches = list_field(object, "watches", kMaxWatches);
  out.stop_on_raise = flag_field(object, "stop_on_raise", false);
  out.stop_on_uncaught = flag_field(object, "stop_on_uncaught", false);
  out.stop_others = flag_field(object, "stop_others", false);
  out.library_code = flag_field(object, "library_code", false);
  const auto arrangements = map_field<std::string>(object, "arrangements");
  for (std::size_t i = 0; i < kPresets.size(); ++i) {
    const auto found = arrangements.find(layout_name(kPresets[i]));
    if (found != arrangements.end() && is_arrangement(found->second)) out.arrangements[i] = found->second;
  }
  return out;
}

}  // namespace

std::string settings_text(const Settings& s) {
  Json out;
  out["dlscope_settings"] = kVersion;
  if (s.theme) out["theme"] = theme_name(*s.theme);
  if (s.layout) out["layout"] = layout_name(*s.layout);
  if (s.scale) out["scale"] = *s.scale;
  if (s.window) {
    out["window"] = {{"x", s.window->x},
                     {"y", s.window->y},
                     {"width", s.window->width},
                     {"height", s.window->height},
                     {"maximized", s.window->maximized}};
  }
  out["reduced_motion"] = s.reduced_motion;
  if (!s.python.empty()) out["python"] = s.python;
  out["recent_pythons"] = s.recent_pythons;
  out["recent_files"] = s.recent_files;
  out["recent_actions"] = s.recent_actions;
  if (!s.arguments.empty()) out["arguments"] = s.arguments;
  if (!s.working_folders.empty()) out["working_folders"] = s.working_folders;
  if (!s.modules.empty()) out["modules"] = s.modules;
  if (!s.run_settings_used.empty()) out["run_settings_used"] = s.run_settings_used;
  out["keys"] = s.keys;
  out["panels"] = s.panels;
  out["columns"] = s.columns;
  out["column_widths"] = s.column_widths;
  out["folded"] = s.folded;
  out["plain_words"] = s.show_meanings;
  out["breakpoints"] = breakpoints_json(s.breakpoints);
  out["watches"] = s.watches;
  out["stop_on_raise"] = s.stop_on_raise;
  out["stop_on_uncaught"] = s.stop_on_uncaught;
  out["stop_others"] = s.stop_others;
  out["library_code"] = s.library_code;
  out["arrangements"] = Json::object();
  for (std::size_t i = 0; i < kPresets.size(); ++i) {
    if (!s.arrangements[i].empty()) out["arrangements"][layout_name(kPresets[i])] = s.arrangements[i];
  }
  // Paths are bytes: invalid UTF-8 is replaced, so that the rest can be written.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

core::Result<Settings> parse_settings(std::string_view text) {
  const auto wrong = [](std::string why) { return core::fail(core::ErrorKind::invalid, std::move(why)); };
  if (text.size() > kMaxSettingsBytes) return wrong("it is larger than a settings file can be");
  const Json object = Json::parse(text, nullptr, false);
  if (object.is_discarded()) return wrong("it is not JSON");
  if (!object.is_object()) return wrong("it is JSON, but not settings");
  const Json* version = field(object, "dlscope_settings");
  if (version == nullptr || !version->is_number_integer()) return wrong("it is not marked as dlscope's");
  if (version->is_number_unsigned() && version->get<std::uint64_t>() > kVersion) return wrong("a newer dlscope wrote it");
  if (*version != kVersion) return wrong(fmt::format("its version is {}, and no dlscope wrote such settings", version->dump()));
  try {
    return read(object);
  } catch (const WrongType& type) {
    return wrong(fmt::format("\"{}\" is not what it should be", type.name));
  } catch (const Json::exception& error) {
    return wrong(error.what());
  }
}

}  // namespace dlscope::app
