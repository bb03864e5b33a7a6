#include "app/models/exchange/capsule_life.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace {

using namespace dlscope;
using app::CapsulePlace;

std::string answer(const std::string& capsules) { return "{\"capsules\": [" + capsules + "]}"; }
std::string capsule(const char* state, const char* name, const char* held_by, const char* events) {
  return std::string(R"({"id": 4, "kind": "dltensor", "state": ")") + state + R"(", "name": )" + name +
         R"j(, "tensor": "float32 (2, 3)", "held_by": )j" + held_by + R"(, "events": )" + events + "}";
}

}  // namespace

TEST_CASE("each state of a capsule is a place of its life, with a meaning", "[app][exchange]") {
  struct Row {
    const char* state;
    int at;
    std::array<bool, app::kCapsulePlaces> reached;
  };
  for (const Row& row : {Row{"waiting", 0, {true, false, false, false}}, Row{"consumed", 1, {true, true, false, false}},
                         Row{"returned", 3, {true, true, false, true}}, Row{"dropped", 3, {true, false, true, true}},
                         Row{"undeleted", 2, {true, false, true, false}}, Row{"unseen", -1, {true, false, false, false}},
                         Row{"of a later version", -1, {}}}) {
    INFO(row.state);
    const auto all = app::read_capsules(answer(capsule(row.state, "null", "[]", "[]")));
    REQUIRE(all);
    REQUIRE(all->size() == 1);
    CHECK(all->front().at == row.at);
    CHECK(all->front().reached == row.reached);
    CHECK_FALSE(app::capsule_state_text(all->front()).empty());
  }
  CHECK(std::string(app::capsule_place_title(CapsulePlace::dropped)) == "Dropped unused");
}

TEST_CASE("the log says what happened in words, is filtered by them, and exports a line for each", "[app][exchange]") {
  const char* const events =
      R"([{"step": "watched", "t_ns": 0, "thread": 7, "main_thread": true, "noticed": false, "detail": ""},
          {"step": "consumed", "t_ns": 1500000, "thread": 7, "main_thread": true, "noticed": true, "detail": ""},
          {"step": "refused", "t_ns": 2000000, "thread": 7, "main_thread": true, "noticed": false, "detail": "taken before"},
          {"step": "deleted", "t_ns": 1002000000, "thread": 9, "main_thread": false, "noticed": false, "detail": "by whoever consumed it"}])";
  const auto all = app::read_capsules(answer(capsule("returned", "\"used_dltensor\"", R"(["c", "d"])", events)));
  REQUIRE(all);
  CHECK(app::capsule_title(all->front()) == "c, d");
  const auto rows = app::capsule_log(*all, "");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].event == "watched from here on, named dltensor");
  CHECK(rows[1].event == "consumed: renamed used_dltensor, seen now");
  CHECK(rows[1].time == "0.002 s");
  CHECK(rows[2].event == "a consumer was refused (taken before)");
  CHECK(rows[3].line() == "1.002 s\t#4 c\tdeleter called: the memory is given back (by whoever consumed it)\tthread 9");
  CHECK(app::capsule_log(*all, "DELETER").size() == 1);
  CHECK(app::capsule_log(*all, "main thread").size() == 3);
  CHECK(app::capsule_log(*all, "nothing of it").empty());
}

TEST_CASE("events of several capsules are on one clock, and a refusal is told on the capsule", "[app][exchange]") {
  const std::string two = R"j({"id": 1, "kind": "dltensor", "state": "consumed", "watched_ns": 5000000000, "held_by": ["a"], "events": [
      {"step": "watched", "t_ns": 0, "main_thread": true}, {"step": "consumed", "t_ns": 3000000000, "main_thread": true},
      {"step": "refused", "t_ns": 4000000000, "main_thread": true, "detail": "this capsule was consumed before"}]},
    {"id": 2, "kind": "dltensor", "state": "consumed", "watched_ns": 6000000000, "events": [
      {"step": "watched", "t_ns": 0, "main_thread": true}, {"step": "destroyed", "t_ns": 1000000000, "main_thread": true}]})j";
  const auto all = app::read_capsules(answer(two));
  REQUIRE(all);
  std::string order;
  for (const app::CapsuleLogRow& row : app::capsule_log(*all, "")) order += row.time + " " + row.capsule + "\n";
  CHECK(order == "0.000 s #1 a\n1.000 s #2\n2.000 s #2\n3.000 s #1 a\n4.000 s #1 a\n");
  CHECK(app::capsule_refusal_text(all->at(0)) == "A consumer refused it: this capsule was consumed before");
  CHECK(app::capsule_refusal_text(all->at(1)).empty());
  CHECK(app::capsule_state_text(all->at(0)).ends_with("is an empty shell."));
  CHECK(app::capsule_state_text(all->at(1)).ends_with("The capsule itself is gone."));
}

TEST_CASE("a refusal is over when a consumer took the capsule after it", "[app][exchange]") {
  const auto is_over = [](const std::vector<std::string>& steps) {
    app::CapsuleLife capsule;
    for (const std::string& step : steps) capsule.events.push_back({.step = step, .thread = {}, .detail = {}});
    return app::taken_after_refusal(capsule);
  };
  CHECK(is_over({"watched", "refused", "consumed"}));
  CHECK(is_over({"watched", "refused", "refused", "consumed", "deleted"}));
  CHECK_FALSE(is_over({"watched", "consumed", "refused"}));
  CHECK_FALSE(is_over({"watched", "refused", "consumed", "refused"}));
  CHECK_FALSE(is_over({"watched", "refused"}));
  CHECK_FALSE(is_over({"watched", "consumed"}));
  CHECK_FALSE(is_over({}));
}

TEST_CASE("the lines that take a capsule further", "[app][exchange]") {
  CHECK(app::next_capsule_name({}) == "capsule_1");
  const auto all = app::read_capsules(answer(capsule("waiting", "\"dltensor\"", "[]", "[]")));
  REQUIRE(all);
  CHECK(app::capsule_title(all->front()) == "#4, no name holds it");
  CHECK(app::next_capsule_name(*all) == "capsule_5");
  CHECK(app::make_capsule_line("net.weight", true, "capsule_5") ==
        "import dlscope; capsule_5 = dlscope.watch_capsule(net.weight.__dlpack__(max_version=(1, 3)))");
  CHECK(app::consume_capsule_line("c") == "import dlscope; c_tensor = dlscope.from_dlpack(c)");
  CHECK(app::consume_capsule_line("d['c']") == "import dlscope; d_c_tensor = dlscope.from_dlpack(d['c'])");
  CHECK(app::drop_capsule_line("d['c']") == "del d['c']");
  CHECK(app::drop_consumer_line("d['c']") == "del d_c_tensor");
  CHECK(app::make_capsule_line("x", false, "c") == "import dlscope; c = dlscope.watch_capsule(x.__dlpack__())");
}

TEST_CASE("an answer that is none is refused, and a hostile one stays within its bounds", "[app][exchange]") {
  for (const char* const text : {"", "[]", "{}", "{\"capsules\": 3}", "{\"capsules\": {}}", "nonsense"})
    CHECK_FALSE(app::read_capsules(text));
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += std::string(i > 0 ? "," : "") + "{\"held_by\": [1, null, \"a\"], \"events\": [3], \"id\": -1}";
  const auto all = app::read_capsules(answer(many));
  REQUIRE(all);
  CHECK(all->size() == app::kMaxCapsules);
  CHECK(all->front().held_by == std::vector<std::string>{"a"});
  CHECK(app::capsule_log(*all, "").size() == app::kMaxCapsules);
}
