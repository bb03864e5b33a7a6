// Stories of the exchange view with a host that says what the story wants.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/models/text/element_description.h"
#include "app/widgets/marks.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

constexpr const char* kLongName = "model.encoder.layers[11].attention.self.query.weight_of_a_very_long_name";

class Exchange {
 public:
  explicit Exchange(const std::vector<SampleTensor>& tensors, float scale = 1) : story(options_with(scale)) {
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    story.show(snapshot_of(tensors));
  }
  void open(app::ExchangeTab tab) {
    state().bring_up = tab;
    story.frames(20);
    REQUIRE(state().tab == tab);
  }
  void select(const char* name) {
    story.app().select(name);
    story.frames(4);
  }
  // Answers the newest question when it is of this kind; returns what was asked.
  std::string answer(const char* kind, const std::string& text) {
    REQUIRE(story.wait_for([&] { return !story.host().questions.empty() && story.host().questions.back().kind == kind; }));
    const auto asked = story.host().questions.back();
    story.host().answer(asked, text);
    story.frames(4);
    return asked.text;
  }
  ImGuiTestItemInfo item(const std::string& label) {
    ImGuiTestItemInfo info;
    story.act([&](ImGuiTestContext* ui) { info = ui->ItemInfo(("//Exchange/**/" + label).c_str()); });
    return info;
  }
  // How many lines of Python the shown tab offers.
  std::size_t lines_offered() {
    const std::string text = story.text_of_frame(), button = "[ Copy line ]";
    std::size_t count = 0;
    for (std::size_t at = text.find(button); at != std::string::npos; at = text.find(button, at + 1)) ++count;
    return count;
  }
  bool is_off(const std::string& label) { return (item(label).ItemFlags & ImGuiItemFlags_Disabled) != 0; }
  // The meaning of the item under the mouse, as the help card shows it.
  std::string meaning_of(const std::string& label) {
    std::string meaning;
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMove(("//Exchange/**/" + label).c_str());
      ui->Yield(2);
      meaning = app::meaning_under_mouse();
    });
    return meaning;
  }
  // Buttons and the like of the shown tab that reach out of the view.
  std::vector<std::string> outside() {
    const ImGuiWindow* const panel = ImGui::FindWindowByName("Exchange");
    REQUIRE(panel != nullptr);
    std::vector<std::string> out;
    std::size_t met = 0;
    story.act([&](ImGuiTestContext* ui) {
      for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
        if (!window->Active || window->ParentWindow != panel) continue;
        ImGuiTestItemList items;
        ui->GatherItems(&items, window->ID);
        for (const ImGuiTestItemInfo& each : items) {
          ++met;
          const ImRect& rect = each.RectFull;
          if (rect.Min.x < panel->InnerRect.Min.x || rect.Max.x > panel->InnerRect.Max.x) out.emplace_back(each.DebugLabel);
        }
      }
    });
    CHECK(met > 0);
    return out;
  }
  app::ExchangeState& state() { return story.app().panels().exchange; }

  Story story;

 private:
  static app::ApplicationOptions options_with(float scale) {
    app::ApplicationOptions options;
    options.scale = scale;
    return options;
  }
};

}  // namespace

TEST_CASE("the buttons of the exchange view stay in it beside a name of any length", "[window][exchange]") {
  for (const float width : {1920.0F, 1280.0F}) {
    Exchange e({{.name = "x", .shape = {3, 4}}, {.name = kLongName, .address = 0x558120002000, .shape = {768, 768}}}, 2);
    e.story.resize(width, width == 1920 ? 1080 : 720);
    e.select(kLongName);
    e.open(app::ExchangeTab::prove);
    e.state().proving.chain = {kLongName, "x", kLongName};
    e.state().proving.result.done = core::Proof{};
    e.state().proving.result.subject = e.state().proving.chain;
    core::ProofStep& step = e.state().proving.result.done->steps.emplace_back();
    step.from = kLongName;
    step.to = "x";
    e.story.frames(4);
    for (const char* label : {"write probe", "Prove the chain", "Copy as JSON", "Copy as text"}) CHECK(e.item(label).ID != 0);
    CHECK(e.outside() == std::vector<std::string>{});
    e.open(app::ExchangeTab::capsules);
    CHECK(e.item("Make a versioned capsule").ID != 0);
    CHECK(e.outside() == std::vector<std::string>{});
  }
}

TEST_CASE("a Python line is offered for copying only of what Python can name", "[window][exchange]") {
  Exchange e({{.name = "main().x", .shape = {3, 4}, .more_names = {"cache['x']"}},
              {.name = "main().y", .address = 0x558120002000, .shape = {4}}});
  e.select("main().x");
  e.open(app::ExchangeTab::hand_over);
  e.answer("exchange_libraries",
           R"({"libraries": [{"name": "numpy", "version": "2.0", "function": "numpy.from_dlpack", "imported": true}]})");
  const std::string asked =
      e.answer("exchange_plan", R"json({"line": "numpy.from_dlpack(cache['x'])", "known": false, "calls": []})json");
  CHECK(asked.find("cache['x']") != std::string::npos);
  REQUIRE(e.state().hand.plan);
  CHECK_FALSE(e.is_off("Copy line"));
  e.select("main().y");
  e.answer("exchange_plan", R"json({"line": "numpy.from_dlpack(main().y)", "known": true, "calls": []})json");
  REQUIRE(e.state().hand.plan);
  CHECK(e.is_off("Copy line"));
  CHECK(e.meaning_of("Copy line") == app::kNoExpression);
  // What came out of a hand-over, too: Python's process then gives no line.
  e.state().hand.result.done = core::wire::HandedOver{};
  e.state().hand.result.subject = "main().y";
  e.state().hand.plan.reset();
  e.story.frames(2);
  CHECK(e.is_off("done/Copy line"));
}

TEST_CASE("the calls of a hand-over are rehearsed only when that is asked for", "[window][exchange]") {
  Exchange e({{.name = "x", .shape = {3, 4}}, {.name = "y", .address = 0x558120002000, .shape = {4}}});
  e.select("x");
  e.open(app::ExchangeTab::hand_over);
  e.answer("exchange_libraries",
           R"({"libraries": [{"name": "numpy", "version": "2.0", "function": "numpy.from_dlpack", "imported": true}]})");
  const char* const kLine = R"json({"line": "numpy.from_dlpack(x)", "known": false, "why_not": "", "calls": []})json";
  CHECK(e.answer("exchange_plan", kLine).find("\"rehearse\":true") == std::string::npos);
  const auto plans = [&] {
    return std::ranges::count(e.story.host().questions, std::string("exchange_plan"), &FakeHost::Question::kind);
  };
  const auto before = plans();
  e.story.frames(20);
  CHECK(plans() == before);
  e.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Show the calls it makes with 8 bytes"); });
  REQUIRE(e.story.wait_for([&] { return plans() > before; }));
  const std::string rehearsed =
      e.answer("exchange_plan", R"json({"line": "numpy.from_dlpack(x)", "known": true, "why_not": "", "calls": [
          {"what": "x.__dlpack__()", "answer": "", "failed": false}]})json");
  CHECK(rehearsed.find("\"rehearse\":true") != std::string::npos);
  REQUIRE(e.state().hand.plan);
  CHECK((e.state().hand.plan->known && e.state().hand.plan->calls.size() == 1));
  e.select("y");
  CHECK(e.answer("exchange_plan", kLine).find("\"rehearse\":true") == std::string::npos);
}

TEST_CASE("stream and device of a hand-over are sent, or refused in words", "[window][exchange]") {
  for (const float scale : {1.0F, 2.0F}) {
    Exchange e({{.name = "x", .shape = {3, 4}, .device = {2, 0}}}, scale);
    auto known = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {3, 4}, .device = {2, 0}}}));
    for (const int ordinal : {0, 1}) known->devices.push_back({{2, ordinal}, {}});
    e.story.show(known);
    e.select("x");
    e.open(app::ExchangeTab::hand_over);
    e.answer("exchange_libraries", R"({"libraries": [{"name": "torch", "version": "2.13", "function": "torch.from_dlpack",
             "imported": true, "devices": ["cpu", "cuda"]}]})");
    const char* const kPlan = R"json({"line": "torch.from_dlpack(x)", "known": false, "why_not": "", "calls": []})json";
    e.answer("exchange_plan", kPlan);
    const auto set = [&](std::string& member, const char* value) {
      member = value;
      e.story.frames(4);
    };
    set(e.state().hand.choice.device, "oneapi:0");
    e.answer("exchange_plan", kPlan);
    CHECK(e.is_off("Hand it over"));
    CHECK(e.meaning_of("Hand it over") == "torch.from_dlpack takes no device but these: cpu, cuda.");
    set(e.state().hand.choice.device, "cuda:1");
    e.answer("exchange_plan", kPlan);
    CHECK_FALSE(e.is_off("Hand it over"));

    set(e.state().hand.choice.stream, "2");
    CHECK(e.answer("exchange_plan", R"json({"line": "", "refused": "Not so.", "calls": []})json").find(R"("stream":"2")") !=
          std::string::npos);
    CHECK(e.is_off("Hand it over"));
    CHECK(e.meaning_of("Hand it over") == "Not so.");
    e.state().hand.types_stream = true;
    set(e.state().hand.choice.stream, "139637");
    CHECK(e.answer("exchange_plan", kPlan).find(R"("stream":"139637")") != std::string::npos);
    CHECK(e.outside() == std::vector<std::string>{});
    e.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Hand it over"); });
    REQUIRE(e.story.wait_for([&] { return !e.story.host().work.empty(); }));
    const auto sent = std::get<core::wire::HandTo>(e.story.host().work.back());
    CHECK((sent.stream == "139637" && sent.device == "cuda:1"));
  }
}

TEST_CASE("a copy on a device is offered only where a CUDA device is known", "[window][exchange]") {
  Exchange e({{.name = "x", .shape = {3, 4}}});
  e.select("x");
  e.open(app::ExchangeTab::copy);
  CHECK_FALSE(e.is_off("Make the copy"));
  e.state().copying.choice.device = "cuda:0";
  e.story.frames(2);
  CHECK(e.is_off("Make the copy"));
  CHECK(e.meaning_of("Make the copy").starts_with("No CUDA device is known"));
  auto known = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {3, 4}}}));
  known->devices.push_back({{2, 0}, {}});
  e.story.show(known);
  e.select("x");
  CHECK_FALSE(e.is_off("Make the copy"));
  e.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Make the copy"); });
  REQUIRE(e.story.wait_for([&] { return !e.story.host().work.empty(); }));
  CHECK(std::get<core::wire::CopyTensor>(e.story.host().work.back()).device == "cuda:0");
}

TEST_CASE("a line that was refused is offered once, below what it raises", "[window][exchange]") {
  Exchange e({{.name = "w", .shape = {4}}});
  e.select("w");
  e.open(app::ExchangeTab::hand_over);
  e.answer("exchange_libraries",
           R"({"libraries": [{"name": "numpy", "version": "2.0", "function": "numpy.from_dlpack", "imported": true}]})");
  e.answer("exchange_plan", R"json({"line": "numpy.from_dlpack(w)", "known": true, "calls": []})json");
  REQUIRE(e.state().hand.plan);
  CHECK(e.lines_offered() == 1);
  e.state().hand.result.done = core::wire::HandedOver{};
  e.state().hand.result.done->verdict = "REFUSED";
  e.state().hand.result.done->error_type = "RuntimeError";
  e.state().hand.result.done->line = "w_numpy = numpy.from_dlpack(w)";
  e.state().hand.result.subject = "w";
  e.story.frames(2);
  CHECK(e.lines_offered() == 1);
  CHECK(e.story.text_of_frame().find("This Python line raises RuntimeError") != std::string::npos);
  CHECK(e.meaning_of("done/Copy line").find("refused") != std::string::npos);
  e.state().hand.plan->line = "numpy.from_dlpack(w, copy=True)";  // another choice is another line
  e.story.frames(2);
  CHECK(e.lines_offered() == 2);
}

TEST_CASE("what was planned, refused or found for one tensor is not shown for another", "[window][exchange]") {
  Exchange e({{.name = "x", .shape = {3, 4}}, {.name = "y", .address = 0x558120002000, .shape = {4}}});
  const auto shows = [&](const char* words) { return e.story.text_of_frame().find(words) != std::string::npos; };
  e.select("x");
  e.open(app::ExchangeTab::hand_over);
  e.answer("exchange_libraries",
           R"({"libraries": [{"name": "numpy", "version": "2.0", "function": "numpy.from_dlpack", "imported": true}]})");
  e.answer("exchange_plan", R"json({"line": "numpy.from_dlpack(x)", "known": true, "calls": []})json");
  CHECK(e.lines_offered() == 1);
  // y's question waits: Python runs the user's code.
  e.story.app().commands().push(app::command::RunScript{});
  e.story.frames(3);
  e.select("y");
  CHECK_FALSE(shows("numpy.from_dlpack(x)"));
  CHECK(e.lines_offered() == 0);
  e.select("x");
  CHECK(e.lines_offered() == 1);

  e.state().hand.result = {.subject = "x", .problem = "Cancelled: nothing was made."};
  e.state().copying.result = {.subject = "x", .problem = "There is not enough memory."};
  e.story.frames(2);
  CHECK(shows("Cancelled: nothing was made."));
  e.select("y");
  CHECK_FALSE(shows("Cancelled: nothing was made."));
  e.open(app::ExchangeTab::copy);
  CHECK_FALSE(shows("There is not enough memory."));
  e.select("x");
  CHECK(shows("There is not enough memory."));

  // Of x, but by another library than the one that is chosen now.
  e.open(app::ExchangeTab::hand_over);
  core::wire::HandedOver done;
  done.verdict = "SHARED";
  e.state().hand.result = {.subject = "x", .code_began = e.story.app().host().timeline().code_began(), .done = done};
  e.state().hand.made_with = e.state().hand.choice;
  e.story.frames(2);
  CHECK(shows("SHARED"));
  CHECK_FALSE(shows("not with what is chosen above"));
  e.state().hand.made_with.library = "torch";
  e.story.frames(2);
  CHECK(shows("Handed to torch, not with what is chosen above"));
}

}  // namespace dlscope::tests
