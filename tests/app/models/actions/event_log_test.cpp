#include "app/models/actions/event_log.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/clock.h"

using namespace dlscope;
using app::log_rows;
using app::Notices;
using core::EventKind;

namespace {

// A snapshot with one event after the other.
struct Look {
  core::Snapshot snapshot;

  Look& add(std::int64_t t_ns, EventKind kind, const std::string& text, std::uint32_t tensor = core::kNone32) {
    const core::TextRef ref{static_cast<std::uint32_t>(snapshot.text.size()), static_cast<std::uint32_t>(text.size())};
    snapshot.text.insert(snapshot.text.end(), text.begin(), text.end());
    snapshot.events.push_back({t_ns, tensor, kind, ref});
    return *this;
  }
};

std::string texts(const Notices& notices, std::string_view filter = "") {
  std::string all;
  for (const app::LoggedEvent* const row : log_rows(notices, filter)) all += row->text + ";";
  return all;
}

}  // namespace

TEST_CASE("the log merges what the window and what the script's process noted, by time", "[app][log]") {
  Notices notices;
  const std::int64_t now = core::monotonic_ns();
  notices.log(app::Tone::plain, "between");
  notices.log_events(
      Look().add(now - 2'000'000'000, EventKind::copy, "early").add(now + 60'000'000'000, EventKind::refuse, "late").snapshot);
  CHECK(texts(notices) == "early;between;late;");
  const auto rows = log_rows(notices, "");
  CHECK(rows[0]->kind == "copy");
  CHECK(rows[1]->kind == "window");
  CHECK(rows[2]->tone == app::Tone::warn);
  CHECK(rows[0]->time.size() == 8);
  CHECK(texts(notices, "EARLY") == "early;");
  CHECK(texts(notices, "refuse") == "late;");
  CHECK(texts(notices, "nothing like it").empty());
}

TEST_CASE("an event that several looks have is logged once", "[app][log]") {
  Notices notices;
  Look look;
  look.add(100, EventKind::copy, "one").add(200, EventKind::device, "x is elsewhere", 3);
  notices.log_events(look.snapshot);
  // The next look finds the device out again, at its own time; an event in between is new.
  Look next;
  next.add(100, EventKind::copy, "one").add(150, EventKind::deleter, "two").add(300, EventKind::device, "x is elsewhere", 4);
  notices.log_events(next.snapshot);
  notices.log_events(next.snapshot);
  CHECK(texts(notices) == "one;two;x is elsewhere;");
  next.snapshot.info.run = 2;  // of another run it is another one
  notices.log_events(next.snapshot);
  CHECK(texts(notices) == "one;two;x is elsewhere;x is elsewhere;");
}

TEST_CASE("the log is bounded, and says how many events it dropped", "[app][log]") {
  Notices notices;
  CHECK(app::dropped_text(notices).empty());
  Look look;
  for (std::size_t i = 0; i < Notices::kMaxEvents + 3; ++i)
    look.add(static_cast<std::int64_t>(i) + 1, EventKind::copy, std::to_string(i));
  notices.log_events(look.snapshot);
  CHECK(notices.events().size() == Notices::kMaxEvents);
  CHECK(notices.events().front().text == "3");
  CHECK(app::dropped_text(notices) == "3 older events were dropped");
}

TEST_CASE("the log is saved as text and as the report's events", "[app][log]") {
  Notices notices;
  notices.log_events(Look().add(100, EventKind::consume, "\"x\"\n taken").snapshot);
  const auto rows = log_rows(notices, "");
  CHECK(app::log_text(rows).find("  consume     \"x\"") != std::string::npos);
  const auto json = nlohmann::json::parse(app::log_json(rows));
  REQUIRE(json["events"].size() == 1);
  CHECK(json["events"][0]["t_ns"] == 100);
  CHECK(json["events"][0]["kind"] == "consume");
  CHECK(json["events"][0]["tensor"].is_null());
  CHECK(json["events"][0]["text"] == "\"x\"\n taken");
  CHECK(nlohmann::json::parse(app::log_json({}))["events"].empty());
}
