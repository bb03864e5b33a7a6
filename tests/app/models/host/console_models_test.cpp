// What the console is made of: colours, links, JSON answers, completion.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "app/models/host/console_hint.h"
#include "app/models/host/recorded_stop.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/script/console_completion.h"
#include "app/models/script/output_model.h"
#include "app/models/script/source_link.h"
#include "app/models/text/terminal_colours.h"

namespace dlscope::app {
namespace {

OutputModel printed(std::string_view bytes) {
  OutputModel out;
  out.append(bytes);
  while (out.digest()) {
  }
  return out;
}

// The style of a byte of a line.
TextStyle style_at(const OutputModel& out, std::size_t line, std::size_t byte) {
  std::uint16_t number = 0;
  for (const StyleRun& run : out.line(line).runs) {
    if (run.begin <= byte) number = run.style;
  }
  return out.styles()[number];
}

}  // namespace

TEST_CASE("the console's field speaks of the script's names only where the script has run", "[console]") {
  namespace event = session_event;
  HostSession host;
  const auto happens = [&](SessionEvent each) { static_cast<void>(host.apply(std::move(each))); };
  const auto runs = [&](RunKind kind) {
    event::RunAsked asked;
    asked.kind = kind;
    const std::uint64_t number = host.next_run();
    happens(asked);
    happens(event::Ready{});  // where a new process was started for it
    happens(event::RunStarted{number});
    event::RunFinished finished{.run = number, .outcome = {}};
    finished.outcome.outcome = core::Outcome::finished;
    happens(finished);
  };
  const auto said = [&] { return console_hint(host).front(); };
  CHECK(said() == "There is no Python here");
  happens(event::StartAsked{true});
  happens(event::PythonFound{"Python 3.11", "/python"});
  CHECK(said() == "Python; nothing has run in it yet");
  happens(event::Ready{});
  runs(RunKind::script);
  CHECK(said() == "Python, with the names the script left");
  happens(event::Ended{});
  REQUIRE_FALSE(host.alive());
  CHECK(said() == "Python has ended; a line runs once it is restarted");
  CHECK(console_needs_restart(host));
  CHECK(host.console_refusal() != nullptr);  // no new one starts for a line that means the old names
  CHECK(host.can_run());                     // for a script one does
  happens(event::StartAsked{});
  CHECK(host.console_refusal() == nullptr);
  happens(event::Ready{});
  runs(RunKind::console);
  REQUIRE(host.alive());
  CHECK(said() == "Python, with the names that are left");
  happens(event::StartAsked{});
  happens(event::Ready{});
  CHECK(said() == "Python; nothing has run in it yet");
}

TEST_CASE("colours become styles, their sequences never text", "[console]") {
  const OutputModel out =
      printed("a\x1b[1;31mb\x1b[0mc\x1b[38;5;208md\x1b[48;2;1;2;3me\x1b[39;49mf\x1b[38:2::9:8:7mg\x1b(B\x1b[mh\n");
  CHECK(out.line(0).text == "abcdefgh");
  CHECK(style_at(out, 0, 0) == TextStyle{});
  CHECK(style_at(out, 0, 1).bold);
  CHECK(style_at(out, 0, 1).ink == TextColour{TextColour::Kind::indexed, 1, 0, 0});
  CHECK(style_at(out, 0, 2) == TextStyle{});
  CHECK(style_at(out, 0, 3).ink == TextColour{TextColour::Kind::indexed, 208, 0, 0});
  CHECK(style_at(out, 0, 4).ground == TextColour{TextColour::Kind::rgb, 1, 2, 3});
  CHECK(style_at(out, 0, 5) == TextStyle{});
  CHECK(style_at(out, 0, 6).ink == TextColour{TextColour::Kind::rgb, 9, 8, 7});
  CHECK(style_at(out, 0, 7) == TextStyle{});
}

TEST_CASE("a coloured progress bar redraws itself", "[console]") {
  const OutputModel out = printed("\x1b[32m10%\x1b[0m\r\x1b[33m20%\x1b[0m\r\x1b[32m30%\x1b[0m done");
  CHECK(out.line(0).text == "30% done");
  CHECK(style_at(out, 0, 0).ink.red == 2);
  CHECK(style_at(out, 0, 5) == TextStyle{});
  // A line that is taken up again keeps the colours it had.
  const OutputModel again = printed("\x1b[31mred\x1b[0m\nnext\x1b[A\x1b[4Cx");
  CHECK(again.line(0).text == "red     x");
  CHECK(style_at(again, 0, 1).ink.red == 1);
}

TEST_CASE("bad sequences are bounded", "[console]") {
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += "\x1b[38;2;" + std::to_string(i % 256) + ";" + std::to_string(i / 256) + ";7mx";
  CHECK(printed(many).styles().size() <= 1'024);
  CHECK(printed("\x1b[38mA\x1b[38;5mB\x1b[38;2;1mC\x1b[99999;;;mD\x1b[?25lE").line(0).text == "ABCDE");
  // A control string that never ends does not swallow everything.
  CHECK(printed("\x1b]0;" + std::string(10'000, 'x') + "\nshown\n").all_text().find("shown") != std::string::npos);
}

TEST_CASE("a part of the output can be copied, and stays the same part while lines go", "[console]") {
  OutputModel out(OutputModel::Limits{.lines = 5});  // the open one at the end counts
  out.append("one\ntwo\nthree\n");
  out.digest();
  const OutputPlace from{out.first_line(), 1}, to{out.first_line() + 1, 2};
  CHECK(out.text_between(from, to) == "ne\ntw");
  CHECK(out.text_between(to, from) == "ne\ntw");
  out.append("four\nfive\n");
  out.digest();
  CHECK(out.text_between(from, to) == "tw");
  CHECK(out.text_between({out.first_line(), 0}, {out.first_line() + 99, 0}).starts_with("two\nthree\nfour"));
}

TEST_CASE("places in sources are found in what Python prints", "[console]") {
  const auto link = source_link("  File \"/a b/x.py\", line 12, in f");
  REQUIRE(link.has_value());
  CHECK(link->path == "/a b/x.py");
  CHECK(link->line == 12);
  CHECK(link->begin == 2);
  CHECK(link->end == 27);
  const auto warning = source_link("/a/x.py:7: DeprecationWarning: old");
  REQUIRE(warning.has_value());
  CHECK(warning->path == "/a/x.py");
  CHECK(warning->line == 7);
  for (const char* none : {"", "File \"x", "File \"x\", line", "File \"x\", line 0", "File \"x\", line 99999999999999999999999",
                           "x.py:", "x.py:abc", "x.py:3abc"}) {
    INFO(none);
    CHECK_FALSE(source_link(none).has_value());
  }
}

TEST_CASE("printed colours can be read on any ground", "[console]") {
  for (const Rgb ground : {Rgb{0.1F, 0.1F, 0.12F}, Rgb{0.98F, 0.98F, 0.98F}, Rgb{0.5F, 0.5F, 0.5F}, Rgb{1, 1, 0}, Rgb{0, 0, 1}}) {
    for (int i = 16; i < 256; ++i)
      CHECK(contrast(readable(indexed_colour(static_cast<std::uint8_t>(i)), ground), ground) >= 4.4F);
  }
  const Rgb fine{1, 1, 1};
  CHECK(readable(fine, {0, 0, 0}) == fine);
  CHECK(indexed_colour(16) == Rgb{0, 0, 0});
  CHECK(indexed_colour(231) == Rgb{1, 1, 1});
}

TEST_CASE("what Python answers is read, and what is no answer refused", "[console]") {
  const auto given =
      completion_from_json(R"({"from": 1, "matches": [{"text": "\u00e4\ud83d\ude00", "kind": "name"}, {}], "cut": true})");
  REQUIRE(given.has_value());
  REQUIRE(given->matches.size() == 1);
  CHECK(given->matches[0].text == "\xC3\xA4\xF0\x9F\x98\x80");
  CHECK(given->cut);
  for (const char* bad : {"", "{", "[1,", "\"", "nul", "{1: 2}", "7", "{\"from\": 1.5, \"matches\": []}", "{\"from\": 1}"}) {
    INFO(bad);
    CHECK_FALSE(completion_from_json(bad).has_value());
    CHECK_FALSE(completeness_from_json(bad).has_value());
  }
  CHECK_FALSE(completion_from_json(std::string(100'000, '[')).has_value());
  CHECK(completeness_from_json(R"({"state": "incomplete"})") == Completeness::incomplete);
  CHECK(completeness_from_json(R"({"state": "invalid"})") == Completeness::complete);
  CHECK(completeness_question("a\"\\\n\x01") == R"({"text":"a\"\\\n\u0001"})");
  CHECK(completion_question("\xff", 1).find("\\ufffd") != std::string::npos);
}

TEST_CASE("completion puts in what is common and narrows while typing goes on", "[console]") {
  CompletionList list;
  const auto offer = [](std::size_t from, std::vector<std::string> message) {
    Completion out{from, {}, false};
    for (auto& word : message) out.matches.push_back({std::move(word), ""});
    return out;
  };
  auto edit = list.show(offer(2, {"shape", "shapes"}), "x.s + 1", 3);
  REQUIRE(edit.has_value());
  CHECK(edit->text == "x.shape + 1");
  CHECK(edit->cursor == 7);
  CHECK(list.open());
  list.follow(edit->text, edit->cursor);
  CHECK(list.size() == 2);
  list.move(-1);
  CHECK(list.selected() == 1);
  CHECK(list.take(edit->text, edit->cursor).text == "x.shapes + 1");
  CHECK_FALSE(list.open());
  CHECK(list.show(offer(0, {"only"}), "on", 2)->text == "only");
  CHECK_FALSE(list.open());
  CHECK_FALSE(list.show(offer(9, {"only"}), "on", 2).has_value());
  CHECK_FALSE(list.show(offer(0, {}), "on", 2).has_value());
  static_cast<void>(list.show(offer(0, {"ab", "ac"}), "a", 1));
  list.follow("ax", 2);
  CHECK_FALSE(list.open());
  CHECK_FALSE(completion_from_json("[]").has_value());
  CHECK_FALSE(completion_from_json(R"({"from": -1, "matches": []})").has_value());
  CHECK(completion_from_json(R"({"from": 0, "matches": [{"text": "a\nb"}, {"text": "ok"}]})")->matches.size() == 1);
}

TEST_CASE("the console says in which frame a line runs, and how to leave the frames of a script that ended", "[app][console]") {
  core::wire::Stopped at;
  at.stop = 1;
  at.frames = {{.function = "Trainer.step", .path = "/home/u/train.py", .line = 19, .user = true}};
  CHECK(console_frame_hint(recorded_at(at, "Python 3.11", {})).front() == "Python, in Trainer.step");
  at.reason = core::wire::StopReason::ended;
  core::RunOutcome interrupted;
  interrupted.outcome = core::Outcome::interrupted;
  CHECK(console_frame_hint(recorded_at(at, "Python 3.11", interrupted)).front() ==
        "Python, in Trainer.step, where the script ended: its names. \"Let go\" in the Stack leaves it");
  CHECK(console_frame_hint(HostSession()).front().empty());
}

}  // namespace dlscope::app
