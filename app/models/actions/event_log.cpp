#include "app/models/actions/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/models/text/characters.h"
#include "app/models/text/format.h"
#include "core/report/json_writer.h"

namespace dlscope::app {
namespace {

std::string line_of(const LoggedEvent& event) { return fmt::format("{}  {:<10}  {}", event.time, event.kind, event.text); }

}  // namespace

std::vector<const LoggedEvent*> log_rows(const Notices& notices, std::string_view filter) {
  const std::string wanted = lowered(filter);
  std::vector<const LoggedEvent*> rows;
  for (const std::deque<LoggedEvent>* const events : {&notices.events(), &notices.logged()}) {
    for (const LoggedEvent& event : *events) {
      if (wanted.empty() || lowered(line_of(event)).find(wanted) != std::string::npos) rows.push_back(&event);
    }
  }
  std::ranges::stable_sort(rows, {}, &LoggedEvent::t_ns);
  return rows;
}

std::string log_text(const std::vector<const LoggedEvent*>& rows) {
  std::string text;
  for (const LoggedEvent* const event : rows) text += line_of(*event) + "\n";
  return text;
}

std::string log_json(const std::vector<const LoggedEvent*>& rows) {
  std::string text;
  const core::JsonSink sink = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  core::JsonWriter json(sink);
  json.begin_object();
  json.key("events");
  json.begin_array();
  for (const LoggedEvent* const event : rows) {
    json.line_break();
    json.begin_object();
    json.field("t_ns", event->t_ns);
    json.field("kind", event->kind);
    json.key("tensor");
    json.null();
    json.field("text", event->text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  static_cast<void>(json.finish());
  return text;
}

std::string dropped_text(const Notices& notices) {
  if (notices.dropped_events() == 0) return {};
  return fmt::format("{} dropped", counted(notices.dropped_events(), "older event was", "older events were"));
}

}  // namespace dlscope::app
