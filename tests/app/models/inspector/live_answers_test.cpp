#include "app/models/inspector/live_answers.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/inspector/inspector_model.h"
#include "core/wire/messages.h"
#include "tests/support/sample_answers.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

const std::string kRaw = core::wire::encode(tests::sample_struct_answer());
const std::string kProtocols = core::wire::encode(tests::sample_protocols_answer());

// A window's worth of what LiveAnswers needs: an index, a host, the questions to it.
struct Bench {
  IndexPtr index = [] {
    GroupColours colours;
    return build_index(tests::tour_snapshot(), colours);
  }();
  HostSession host = [] {
    HostSession session;
    static_cast<void>(session.apply(session_event::Ready{}));
    return session;
  }();
  Questions questions;
  LiveAnswers looks;
  std::vector<Question> asked;

  void frame(std::uint32_t tensor) {
    if (auto question = looks.follow(index.get(), tensor, host, questions)) questions.want(*question);
    questions.put(host.busy() ? Questions::Python::busy : Questions::Python::idle, [this](const Question& question) {
      asked.push_back(question);
      return static_cast<std::uint64_t>(asked.size());
    });
  }
  void answer(std::string text, std::string error = {}) {
    questions.answer({asked.size(), asked.back().kind, std::move(text), std::move(error)});
  }
};

TEST_CASE("the raw struct is asked for first, then the protocols, and both only once", "[app][models]") {
  Bench bench;
  bench.frame(0);
  REQUIRE(bench.asked.size() == 1);
  CHECK(bench.asked[0].kind == "struct");
  CHECK(bench.asked[0].text.find("\"x\"") != std::string::npos);
  CHECK(bench.looks.current()->state == LiveAnswer::State::asking);
  bench.frame(0);
  CHECK(bench.asked.size() == 1);
  bench.answer(kRaw);
  bench.frame(0);
  REQUIRE(bench.asked.size() == 2);
  CHECK(bench.asked[1].kind == "protocols");
  bench.answer(kProtocols);
  bench.frame(0);
  bench.frame(0);
  CHECK(bench.asked.size() == 2);
  CHECK(bench.looks.current()->state == LiveAnswer::State::done);
  bench.frame(1);
  CHECK(bench.asked.size() == 3);
  bench.answer(kRaw);
  bench.frame(0);  // back to the first: kept
  CHECK(bench.looks.current()->state == LiveAnswer::State::done);
  CHECK(bench.asked.size() == 3);
}

TEST_CASE("while Python is busy nothing is asked, and it is said", "[app][models]") {
  Bench bench;
  static_cast<void>(bench.host.apply(session_event::ScanAsked{}));
  bench.frame(0);
  CHECK(bench.asked.empty());
  CHECK(bench.looks.current()->state == LiveAnswer::State::waits);
  static_cast<void>(bench.host.apply(session_event::ScanFinished{1}));
  bench.frame(0);
  CHECK(bench.asked.size() == 1);
  bench.answer({}, core::wire::kAnswerBusy);  // a run came between
  bench.frame(0);
  CHECK(bench.asked.size() == 2);
}

TEST_CASE("a stopped question is not asked again by itself", "[app][models]") {
  Bench bench;
  bench.frame(0);
  bench.answer({}, core::wire::kAnswerStopped);
  bench.frame(0);
  bench.frame(0);
  CHECK(bench.looks.current()->state == LiveAnswer::State::stopped);
  CHECK(bench.asked.size() == 1);
  bench.looks.ask_again(true);
  bench.frame(0);
  REQUIRE(bench.asked.size() == 2);
  CHECK(bench.asked[1].text.find("\"anyway\":true") != std::string::npos);
}

TEST_CASE("a snapshot whose Python is gone is never asked about, also not the next Python", "[app][models]") {
  Bench bench;
  static_cast<void>(bench.host.apply(session_event::Crashed{11, {}}));
  bench.frame(0);
  CHECK(bench.looks.current()->state == LiveAnswer::State::gone);
  static_cast<void>(bench.host.apply(session_event::StartAsked{}));
  bench.frame(0);
  static_cast<void>(bench.host.apply(session_event::Ready{}));
  bench.frame(0);
  CHECK(bench.asked.empty());
  CHECK(bench.looks.current()->state == LiveAnswer::State::gone);
  GroupColours colours;
  bench.index = build_index(tests::tour_snapshot(), colours);  // the next run's
  bench.frame(0);
  CHECK(bench.asked.size() == 1);
}

TEST_CASE("an answer in no known form is told, not believed", "[app][models]") {
  Bench bench;
  bench.frame(0);
  bench.answer(R"({"found": true})");
  bench.frame(0);
  CHECK(bench.looks.current()->state == LiveAnswer::State::failed);
  CHECK_FALSE(bench.looks.current()->error.empty());
}

const Section* section(const Inspection& inspection, std::string_view key) {
  const auto found = std::ranges::find(inspection.sections, key, &Section::key);
  return found == inspection.sections.end() ? nullptr : &*found;
}

const Field* field(const Section* section, std::string_view label) {
  if (section == nullptr) return nullptr;
  const auto found = std::ranges::find(section->fields, label, &Field::label);
  return found == section->fields.end() ? nullptr : &*found;
}

TEST_CASE("the struct card shows each field's place and bytes, and what the array behind a pointer holds", "[app][models]") {
  Bench bench;
  LiveAnswer live;
  live.state = LiveAnswer::State::done;
  live.raw = tests::sample_struct_answer();
  live.protocols = tests::sample_protocols_answer();
  const Inspection x = inspect(*bench.index, 0, &live);
  const Section* card = section(x, "struct");
  REQUIRE(field(card, "data") != nullptr);
  CHECK(field(card, "data")->bytes == "+32  80 4a 40 2e 81 55 00 00");
  CHECK(field(card, "data")->copy == "0x55812e404a80");
  CHECK(field(card, "data")->tone == Tone::plain);
  CHECK(field(card, "data")->lights.has_value());
  CHECK(field(card, "byte_offset")->lights->element == 0U);
  REQUIRE(field(card, "shape[]") != nullptr);
  CHECK(field(card, "shape[]")->bytes == "[0] 03 00 00 00 00 00 00 00\n[1] 04 00 00 00 00 00 00 00");
  CHECK(field(card, "capsule")->value == "dltensor_versioned");
  CHECK(field(card, "struct at")->copy == "0x1000");
  CHECK_FALSE(card->as_c.empty());
  const Section* protocols = section(x, "protocols");
  CHECK(field(protocols, "dlpack")->tone == Tone::good);
  CHECK(field(protocols, "buffer")->value == "refused: BufferError: \"in its own words\"");
  CHECK(field(protocols, "array_interface")->value == "not offered");
}

TEST_CASE("an object that hands out other memory each time is found out", "[app][models]") {
  Bench bench;
  LiveAnswer live;
  live.raw = tests::sample_struct_answer();
  live.raw->blocks[0].fields[0].bytes[0] = std::byte{0x90};
  const Inspection x = inspect(*bench.index, 0, &live);
  CHECK(field(section(x, "struct"), "data")->tone == Tone::warn);
}

TEST_CASE("what was not asked unasked says why and offers to be asked", "[app][models]") {
  Bench bench;
  LiveAnswer live;
  live.raw = core::wire::StructAnswer{};
  live.raw->found = true;
  live.raw->not_called = "asking computes the array";
  const Inspection x = inspect(*bench.index, 0, &live);
  const Section* protocols = section(x, "protocols");
  REQUIRE(protocols != nullptr);
  CHECK(protocols->action == SectionAction::describe_anyway);
  CHECK(protocols->fields[0].value == "Not asked: asking computes the array.");
}

TEST_CASE("every broken tensor has a page with whatever Python answered", "[app][models]") {
  GroupColours colours;
  const IndexPtr index = build_index(tests::broken_snapshot(), colours);
  LiveAnswer live;
  live.raw = tests::sample_struct_answer();
  live.protocols = tests::sample_protocols_answer();
  for (std::uint32_t id = 0; id < index->size(); ++id) CHECK_FALSE(inspect(*index, id, &live).sections.empty());
}

}  // namespace
}  // namespace dlscope::app
