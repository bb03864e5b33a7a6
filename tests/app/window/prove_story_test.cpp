// The chain of the Prove tab, filled from the tensor table.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/app/window/story_windows.h"

namespace dlscope::tests {

TEST_CASE("what the table shows is added to the chain, each tensor once", "[window][exchange]") {
  HostWindow window;
  app::Application& app = window.story.app();
  app.panels().menu.show[app::ActionContext::exchange] = true;
  window.story.frames(3);
  bring_up(window.story, "//Exchange");
  app::ExchangeState& state = app.panels().exchange;
  state.bring_up = app::ExchangeTab::prove;
  window.story.frames(4);
  const auto add_all = [&] {
    window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Add all shown"); });
    window.story.frames(2);
  };
  REQUIRE(app.index() != nullptr);
  state.chain = {"x"};
  add_all();
  CHECK(state.chain.size() == app.index()->size());
  CHECK(state.chain.front() == "x");
  std::vector<std::string> names = state.chain;
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  add_all();
  CHECK(state.chain.size() == app.index()->size());
}

}  // namespace dlscope::tests
