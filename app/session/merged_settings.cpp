#include "app/session/merged_settings.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/files/file_descriptor.h"
#include "app/files/output_file.h"
#include "app/files/read_file.h"

namespace dlscope::app {
namespace {

using Json = nlohmann::json;
constexpr const char* kRunSettingsUsed = "run_settings_used";

const Json& in(const Json& object, const std::string& key) {
  static const Json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

bool has(const Json& list, const Json& entry) { return std::ranges::find(list, entry) != list.end(); }

// One choice, whatever JSON spells it with.
bool is_one_value(const std::string& name) { return name == "window" || name == "columns"; }

bool is_of_last_use(const std::string& name) { return name.starts_with("recent_") || name == kRunSettingsUsed; }

Json merged_object(const Json& stored, const Json& before, const Json& now);

// What was added here is at the end.
Json merged_list(const Json& stored, const Json& before, const Json& now) {
  Json out = Json::array();
  for (const Json& entry : stored) {
    if (has(now, entry) || !has(before, entry)) out.push_back(entry);
  }
  for (const Json& entry : now) {
    if (!has(before, entry) && !has(out, entry)) out.push_back(entry);
  }
  return out;
}

// How many entries at the front of `now` were used since `before`: the rest stands in the same order in both.
std::size_t used_since(const Json& before, const Json& now) {
  std::size_t first = now.size();
  for (std::size_t at = before.size(); first > 0; --first) {
    while (at > 0 && before[at - 1] != now[first - 1]) --at;
    if (at == 0) break;
    --at;
  }
  return first;
}

Json merged_use(const Json& stored, const Json& before, const Json& now, std::size_t most) {
  Json out(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(used_since(before, now)));
  if (out.is_null()) out = Json::array();
  const bool dropped_for_room = now.size() >= most;  // an entry that is not in `now`, or else: its use was taken back
  for (const Json& entry : stored) {
    const bool taken_back = !dropped_for_room && has(before, entry) && !has(now, entry);
    if (!taken_back && !has(out, entry) && out.size() < most) out.push_back(entry);
  }
  return out;
}

std::string place_of(const Json& breakpoint) { return in(breakpoint, "line").dump() + " " + in(breakpoint, "path").dump(); }

Json by_place(const Json& breakpoints) {
  Json out = Json::object();
  for (const Json& each : breakpoints) out[place_of(each)] = each;
  return out;
}

Json merged_breakpoints(const Json& stored, const Json& before, const Json& now) {
  const Json places_now = by_place(now), places_before = by_place(before);
  Json left = by_place(stored);
  for (const auto& [place, each] : places_before.items()) {
    if (!places_now.contains(place)) left.erase(place);
  }
  for (const auto& [place, each] : places_now.items()) {
    if (in(places_before, place) != each) left[place] = each;
  }
  Json out = Json::array();
  for (const Json* const order : {&stored, &now}) {  // as they stood; the new ones last
    for (const Json& each : *order) {
      const auto found = left.find(place_of(each));
      if (found == left.end()) continue;
      out.push_back(*found);
      left.erase(found);
    }
  }
  return out;
}

Json merged_value(const std::string& name, const Json& stored, const Json& before, const Json& now) {
  if (now == before) return stored;
  if (stored == before || stored.type() != now.type() || is_one_value(name)) return now;
  if (now.is_object()) return merged_object(stored, before.is_object() ? before : Json::object(), now);
  if (!now.is_array()) return now;
  const Json list = before.is_array() ? before : Json::array();
  if (name == "breakpoints") return merged_breakpoints(stored, list, now);
  if (!is_of_last_use(name)) return merged_list(stored, list, now);
  return merged_use(stored, list, now, name == kRunSettingsUsed ? kMaxRunSettings : kMaxRecentFiles);
}

Json merged_object(const Json& stored, const Json& before, const Json& now) {
  Json out = stored;
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key)) out.erase(key);
  }
  for (const auto& [key, value] : now.items()) {
    const bool is_new = !before.contains(key);
    if (is_new || before[key] != value) out[key] = merged_value(key, in(stored, key), in(before, key), value);
  }
  return out;
}

// A script that has room in the order of use no longer has no settings either.
void drop_run_settings_without_room(const Json& stored, Json& merged) {
  const Json& listed = in(merged, kRunSettingsUsed);
  if (!listed.is_array() || listed.size() < kMaxRunSettings) return;
  for (const char* const name : {"arguments", "working_folders", "modules"}) {
    for (const auto& [path, text] : in(stored, name).items()) {
      if (merged.contains(name) && !has(listed, path)) merged[name].erase(path);
    }
  }
}

// Held until it is destroyed. Where there is none (a folder that cannot be written, a file system without locks), or another
// window holds it for too long, the file is written all the same.
FileDescriptor lock_of(const std::string& path) {
  constexpr int kAttempts = 200;
  FileDescriptor lock{::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  for (int i = 0; lock && i < kAttempts && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++i)
    ::usleep(5000);
  return lock;
}

}  // namespace

std::string merged_settings(std::string_view stored, const Settings& before, const Settings& now) {
  std::string own = settings_text(now);
  if (!parse_settings(stored)) return own;
  const Json theirs = Json::parse(stored, nullptr, false);
  Json merged = merged_object(theirs, Json::parse(settings_text(before)), Json::parse(own));
  drop_run_settings_without_room(theirs, merged);
  std::string out = merged.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return parse_settings(out) ? out : own;  // together they may be more than a file can have
}

core::Result<std::string> save_changes(const std::string& path, const Settings& before, const Settings& now) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(folder, failed);
  if (failed) return std::unexpected(save_settings(path, now).error());
  const FileDescriptor lock = lock_of(path);
  const std::string moved = load_settings(path).notice;  // puts a file aside that cannot be used
  const auto stored = std::filesystem::is_regular_file(path, failed) ? read_text_file(path) : core::Result<std::string>("");
  const auto written = write_file(path, merged_settings(stored ? *stored : "", before, now), NewFile::owner_only);
  if (!written) return std::unexpected(written.error());
  const std::string aside = path + ".broken";
  if (moved.find(aside) == std::string::npos) return std::string();
  return "Another program left no usable settings in " + path + ". They were written anew; what stood there was kept as " + aside +
         ".";
}

}  // namespace dlscope::app
