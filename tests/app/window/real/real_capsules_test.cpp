// The life of a capsule in the window, with a real Python and NumPy: step by step, at a stop, and asked about before it runs (Teach).
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "tests/app/window/real/live_exchange.h"

namespace dlscope::tests {
namespace {

// The Teach layout with x selected and Capsules in front.
struct TeachCapsules {
  TeachCapsules() {
    window.run("import numpy as np, dlscope\nx = np.arange(12, dtype='f4').reshape(3, 4)\n");
    window.app().commands().push(app::command::SetLayout{app::LayoutPreset::teach});
    window.story().frames(10);
    select(window, "x");
    window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
    click(window, "Capsules");
  }
  [[nodiscard]] app::CapsulesState& capsules() { return view(window).capsules; }
  [[nodiscard]] std::string state(std::size_t at) { return at < capsules().all.size() ? capsules().all[at].state : ""; }
  void console(const std::string& line) {
    const std::uint64_t generation = capsules().asked_for;
    window.app().commands().push(app::command::RunText{.text = line + "\n"});
    REQUIRE(window.story().wait_for([&] { return capsules().asked_for != generation && capsules().ticket == 0; }));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.story().frames(3);
  }
  void run_unasked(const char* button, std::size_t at, const char* wanted) {
    click(window, button);
    click(window, "Just run it");
    REQUIRE(window.story().wait_for([&] { return state(at) == wanted && capsules().ticket == 0; }));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.story().frames(3);
  }
  [[nodiscard]] bool is_off(const char* item) {
    ImGuiTestItemInfo info;
    window.story().act([&](ImGuiTestContext* ui) { info = ui->ItemInfo((std::string("//Exchange/**/") + item).c_str()); });
    return (info.ItemFlags & ImGuiItemFlags_Disabled) != 0;
  }

  LiveWindow window;
};

}  // namespace

TEST_CASE("the life of a capsule: made, consumed, refused a second time, dropped, given back", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.arange(12, dtype='f4').reshape(3, 4)\n");
  select(window, "x");
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  click(window, "Capsules");
  const auto state = [&](std::uint64_t id) {
    const auto& all = view(window).capsules.all;
    const auto found = std::ranges::find(all, id, &app::CapsuleLife::id);
    return found == all.end() ? std::string() : found->state;
  };
  const auto press = [&](const char* button, std::uint64_t id, const char* wanted) {
    INFO(button);
    click(window, button);
    REQUIRE(window.story().wait_for([&] { return state(id) == wanted; }));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.story().frames(3);
  };
  press("Make a versioned capsule", 1, "waiting");
  CHECK(has_tensor(window, "capsule_1"));
  press("Consume it", 1, "consumed");
  CHECK(view(window).capsules.all[0].name == "used_dltensor_versioned");
  CHECK(has_tensor(window, "capsule_1_tensor"));
  click(window, "Consume it again");
  CHECK(window.wait_for_output("ValueError: this capsule was consumed before"));  // the library's own words, in the console
  REQUIRE(window.story().wait_for([&] { return app::capsule_log(view(window).capsules.all, "refused").size() == 1; }));
  press("Drop the consumer", 1, "returned");
  press("Drop the capsule", 1, "returned");
  REQUIRE(window.story().wait_for([&] { return !has_tensor(window, "capsule_1"); }));
  select(window, "x");
  press("Make a legacy capsule", 2, "waiting");
  press("Drop the capsule", 2, "dropped");
  std::string log;
  for (const app::CapsuleLogRow& row : view(window).capsules.log)
    log += row.capsule + " " + row.event.substr(0, row.event.find_first_of(":,(")) + "\n";
  CHECK(log ==
        "#1 watched from here on\n#1 consumed\n#1 a consumer was refused \n#1 deleter called\n#1 capsule freed \n"
        "#2 watched from here on\n#2 capsule freed \n#2 deleter called\n");

  // At a stop they are asked for, too; and another Python knows nothing of those of the one before.
  window.start("import numpy as np, dlscope\nx = np.ones(3)\nc = dlscope.watch_capsule(x.__dlpack__())\nbreakpoint()\ndel c\n");
  REQUIRE(window.wait_for_state(app::HostState::stopped));
  REQUIRE(window.story().wait_for([&] { return state(3) == "waiting"; }));
  CHECK(view(window).capsules.all.back().held_by == std::vector<std::string>{"c"});
  window.app().commands().push(app::command::ResumeScript{});
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.story().wait_for([&] { return state(3) == "dropped"; }));
  const auto log_is_shown = [&] {
    bool shown = false;
    window.story().act([&](ImGuiTestContext* ui) { shown = ui->ItemExists("//Exchange/**/Copy as text"); });
    return shown;
  };
  CHECK(log_is_shown());
  restart(window.app());
  REQUIRE(window.story().wait_for(
      [&] { return window.state() == app::HostState::idle && window.app().moment().since == app::Since::ended; }));
  window.story().frames(5);
  CHECK_FALSE(log_is_shown());
  CHECK(view(window).capsules.all.empty());
}

TEST_CASE("in Teach a step of a capsule's life is asked about before it runs, and what happened is told", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.arange(12, dtype='f4').reshape(3, 4)\n");
  window.app().commands().push(app::command::SetLayout{app::LayoutPreset::teach});
  window.story().frames(10);
  select(window, "x");
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  click(window, "Capsules");
  const auto answered = [&] {
    const auto& prediction = view(window).capsules.prediction;
    return prediction && prediction->outcome.has_value();
  };
  const auto step = [&](const char* button, const char* choice) {
    INFO(button << ": " << choice);
    click(window, button);
    window.story().frames(2);
    REQUIRE(view(window).capsules.prediction);
    const std::uint64_t run = window.app().host().runs();
    window.story().frames(5);
    CHECK(window.app().host().runs() == run);  // nothing runs before it is answered
    click(window, choice);
    REQUIRE(window.story().wait_for(answered));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.story().frames(3);
    return app::prediction_text(*view(window).capsules.prediction);
  };
  CHECK(step("Make a versioned capsule", "It waits for a consumer and keeps the memory until then").starts_with("As you said: "));
  CHECK(step("Consume it", "The struct is taken, and the capsule is renamed used_...").starts_with("As you said: "));
  const std::string twice = step("Consume it again", "It is taken a second time");
  CHECK(twice.starts_with("You said: It is taken a second time"));
  CHECK(twice.find("What happened: It is refused with an exception") != std::string::npos);
  CHECK(step("Drop the capsule", "The capsule is freed; the consumer keeps the memory").starts_with("As you said: "));
  CHECK((view(window).predictions.made == 4 && view(window).predictions.right == 3));
  click(window, "Make a legacy capsule");
  click(window, "Just run it");
  REQUIRE(window.story().wait_for([&] { return view(window).capsules.all.size() == 2; }));
  CHECK(view(window).predictions.made == 4);
  REQUIRE(window.wait_for_state(app::HostState::idle));
  click(window, "Ask me first what will happen");
  click(window, "Consume it");
  REQUIRE(window.story().wait_for([&] { return view(window).capsules.all.back().state == "consumed"; }));
  CHECK_FALSE(view(window).capsules.prediction);
}

TEST_CASE("in Teach what is told of a dropped consumer follows from what was seen", "[window][real]") {
  TeachCapsules teach;
  teach.run_unasked("Make a versioned capsule", 0, "waiting");
  teach.run_unasked("Consume it", 0, "consumed");
  teach.console("n2 = np.from_dlpack(capsule_1_tensor)");
  click(teach.window, "Drop the consumer");
  click(teach.window, "The consumer calls the deleter: the memory is given back");
  REQUIRE(teach.window.story().wait_for([&] { return teach.capsules().prediction && teach.capsules().prediction->outcome; }));
  CHECK(teach.capsules().prediction->outcome == app::CapsuleOutcome::nothing);
  teach.window.story().frames(3);
  const std::string shown = teach.window.story().text_of_frame();
  CHECK(shown.find("until the capsule goes") == std::string::npos);
  CHECK(app::prediction_text(*teach.capsules().prediction).find("The deleter is not called: something still holds the memory") !=
        std::string::npos);
  CHECK(teach.state(0) == "consumed");
  teach.console("del n2");  // it was the one
  CHECK(teach.state(0) == "returned");
}

TEST_CASE("a consumer that another line made is not dropped by a name that never existed", "[window][real]") {
  TeachCapsules teach;
  teach.run_unasked("Make a versioned capsule", 0, "waiting");
  teach.console("taken = dlscope.from_dlpack(capsule_1)");
  REQUIRE(teach.state(0) == "consumed");
  CHECK(teach.is_off("Drop the consumer"));
  teach.console("capsule_1_tensor = taken");
  CHECK_FALSE(teach.is_off("Drop the consumer"));
}

TEST_CASE("a question about a capsule that has changed since is withdrawn, and a line that raised is not scored",
          "[window][real]") {
  TeachCapsules teach;
  teach.run_unasked("Make a versioned capsule", 0, "waiting");
  click(teach.window, "Consume it");
  teach.window.story().frames(2);
  REQUIRE(teach.capsules().prediction);
  teach.console("taken = dlscope.from_dlpack(capsule_1)");
  CHECK_FALSE(teach.capsules().prediction);
  CHECK(teach.window.story().text_of_frame().find("this question is withdrawn") != std::string::npos);
  CHECK(view(teach.window).predictions.made == 0);

  select(teach.window, "x");
  click(teach.window, "Make a legacy capsule");
  teach.window.story().frames(2);
  teach.console("y = x; del x");
  REQUIRE(teach.capsules().prediction);  // no capsule is new: still a question
  click(teach.window, "It waits for a consumer and keeps the memory until then");
  REQUIRE(teach.window.wait_for_output("NameError: name 'x' is not defined"));
  REQUIRE(teach.window.story().wait_for([&] { return !teach.capsules().withdrawn.empty(); }));
  CHECK(teach.capsules().withdrawn.starts_with("The line raised NameError: name 'x' is not defined"));
  CHECK(view(teach.window).predictions.made == 0);
}

}  // namespace dlscope::tests
