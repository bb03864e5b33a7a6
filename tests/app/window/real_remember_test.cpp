// Remembered tensors with a real Python: their values as they were at earlier stops, what changed and where, since when there is a NaN.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "app/models/history/since_when.h"
#include "tests/app/window/debugged_window.h"

namespace dlscope::tests {
namespace {

using app::TensorFact;
using app::TensorState;

constexpr const char* kTraining =
    "import numpy as np\n"        // 1
    "w = np.zeros((4, 8))\n"      // 2
    "for step in range(6):\n"     // 3
    "    w += 1.0\n"              // 4
    "    if step == 3:\n"         // 5
    "        w[2, 5] = np.nan\n"  // 6
    "print('over')\n";            // 7

// The script at each of its six stops, w remembered from the first one on, and then at its end.
class Remembering : public Debugged {
 public:
  Remembering() : Debugged(kTraining) {
    breakpoint_at(5);
    press(ImGuiKey_F5);
    REQUIRE(wait_for_stop());
    app().select("w");
    window.story().frames(2);
    app().commands().push(app::command::Ask{app::ActionId::memory_remember});
    first = app().history().shown;
    REQUIRE(wait_for_bytes());
    for (int stop = 1; stop < 6; ++stop) {
      const std::uint64_t before = this->stop().at.stop;
      press(ImGuiKey_F5);
      REQUIRE(wait_for_stop(before));
      REQUIRE(wait_for_bytes());
    }
    press(ImGuiKey_F5);
    REQUIRE(ends());
    REQUIRE(wait_for_bytes());
  }
  [[nodiscard]] app::Application& app() { return window.app(); }
  // Of the moment that is shown.
  [[nodiscard]] bool wait_for_bytes() {
    return window.story().wait_for([&] {
      const auto kept = app().history().remembered->find(app().history().kept->newest()->number);
      return kept && !kept->with_bytes().empty();
    });
  }
  void look_at(std::uint64_t moment) {
    app().commands().push(app::command::LookAt{moment});
    REQUIRE(window.story().wait_for([&] { return app().history().shown == moment; }));
    window.story().frames(4);
  }
  [[nodiscard]] std::string first_cell() {
    const auto& cells = app().panels().values.cells;
    return cells.empty() ? std::string() : cells.front().text;
  }
  [[nodiscard]] const app::SinceWhen* fact(TensorFact which) {
    const auto& since = app().history().answers->since;
    if (!since) return nullptr;
    const auto found = std::ranges::find(since->facts, which, &app::SinceWhen::fact);
    return found == since->facts.end() ? nullptr : &*found;
  }
  std::uint64_t first = 0;
};

}  // namespace

TEST_CASE("a remembered tensor shows its values as they were at each stop", "[window][host][debug][remember]") {
  Remembering d;
  app::Application& app = d.app();
  app.panels().menu.show[app::ActionContext::values] = true;
  for (std::uint64_t stop = 0; stop < 6; ++stop) {
    d.look_at(d.first + stop);
    const std::uint32_t w = app.index()->find("w").value();
    CHECK(app::state_of(app.moment(), app.held().contains(w)) == TensorState::remembered);
    REQUIRE(d.window.story().wait_for([&] { return d.first_cell() == std::to_string(stop + 1) + ".0"; }));
  }
  const auto kept = app.history().remembered->find(d.first + 4);
  REQUIRE(kept);
  CHECK(kept->tensors.front().values.nan == 1);
  CHECK(kept->tensors.front().ran == app::RanMeanwhile::no);
  CHECK(app.history().remembered->find(d.first + 3)->tensors.front().values.nan == 0);
  // Statistics and heat map are of then, too.
  d.look_at(d.first + 1);
  app.commands().push(app::command::ComputeStatistics{app.index()->find("w").value()});
  d.window.story().frames(2);
  app.commands().push(app::command::LookAt{});
  d.window.story().frames(4);
  REQUIRE(d.window.story().wait_for([&] { return d.first_cell() == "6.0"; }));
}

TEST_CASE("the history says which bytes changed, and since when a tensor holds NaN", "[window][host][debug][remember]") {
  Remembering d;
  app::Application& app = d.app();
  const std::uint64_t newest = app.history().shown;
  app.commands().push(app::command::FindDifferences{{d.first, d.first + 1, app.history().remembered->revision(), {}, {}}});
  REQUIRE(d.window.story().wait_for([&] { return app.history().answers->differences != nullptr; }));
  const app::SnapshotDifferences& all = *app.history().answers->differences;
  REQUIRE(all.count(app::Change::bytes) == 1);
  const auto changed = std::ranges::find_if(all.tensors, [](const auto& t) { return t.changes[static_cast<std::size_t>(app::Change::bytes)]; });
  CHECK(difference_words(all, *changed) == "its bytes changed: 32 of 32 elements, first at [0, 0]");

  const std::uint32_t w = app.index()->find("w").value();
  app.commands().push(app::command::FindSinceWhen{
      {newest, app.history().kept->revision(), app.history().remembered->revision(), w, core::kNone32, 21}});
  REQUIRE(d.window.story().wait_for([&] { return d.fact(TensorFact::nan) != nullptr; }));
  const app::SinceWhen& nan = *d.fact(TensorFact::nan);
  CHECK(nan.is == "holds NaN");
  CHECK(nan.first == d.first + 4);
  CHECK(nan.before == d.first + 3);
  CHECK(nan.element == 21U);
  CHECK(nan.detail == "1 NaN, no Inf there, the first NaN at [2, 5]");
  const app::SinceWhen& value = *d.fact(TensorFact::value);
  CHECK(value.is == "[2, 5] is nan");
  CHECK(value.was == "4.0");
  CHECK(value.first == d.first + 4);
  const app::SinceWhen& bytes = *d.fact(TensorFact::bytes);
  CHECK(bytes.first == d.first + 5);  // nothing was written after the last stop
  CHECK(bytes.was == "its bytes changed: 31 of 32 elements, first at [0, 0]");
}

}  // namespace dlscope::tests
