// What a verdict looks like in the window, with a real Python, NumPy, PyTorch and JAX: in view where the panel is low, in the log, with
// its warning and its reason, and with its colour only while it is of now.
#include <imgui_internal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <string_view>

#include "app/models/actions/event_log.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/verdict_text.h"
#include "tests/app/window/real/live_exchange.h"

namespace dlscope::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string log_of(LiveWindow& window, std::string_view filter) {
  return app::log_text(app::log_rows(window.app().notices(), filter));
}

// How far the tab's content is scrolled down; -1: it is not drawn.
float scrolled() {
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    const std::string_view name = window->Name;
    if (window->Active && name.starts_with("Exchange/") && name.find("body") != name.npos) return window->Scroll.y;
  }
  return -1;
}

}  // namespace

TEST_CASE("the verdict is scrolled to in a low panel, and the log has a line for it", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch\nr = np.arange(12.0)\nr.flags.writeable = False\n");
  window.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  window.app().commands().push(app::command::SetScale{2.0F});
  window.story().frames(10);
  hand_over(window, "r", "torch", "r_torch");
  window.story().frames(5);
  CHECK(scrolled() > 0);
  CHECK_FALSE(view(window).hand.show_result);
  const core::wire::HandedOver& done = *view(window).hand.result.done;
  CHECK(done.verdict == "SHARED");
  CHECK_THAT(app::write_warning(done.step), ContainsSubstring("The read-only flag is lost: r is read-only"));
  CHECK(app::verdict_meaning(done).find("a write through one") == std::string_view::npos);
  CHECK_THAT(log_of(window, "handed to"), ContainsSubstring("r handed to torch: SHARED, bound to r_torch. The read-only flag is lost"));
  // A refusal has a line, too.
  view(window).hand.result.done.reset();
  window.app().commands().push(app::command::SetScale{1.0F});
  window.story().frames(5);
  hand_over(window, "r", "jax", "mine");
  CHECK(view(window).hand.result.done->verdict == "REFUSED");
  CHECK_THAT(log_of(window, "handed to jax"), ContainsSubstring("r handed to jax: REFUSED, its own __dlpack__ raised: BufferError: Cannot export"));
}

TEST_CASE("capsules of the same memory are counted once, and a second consumer's refusal is told on the capsule", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, dlscope\nx = np.zeros(1024, 'f4')\n"
             "a, b, c = (dlscope.watch_capsule(each.__dlpack__()) for each in (x, x, x[16:32]))\ntaken = dlscope.from_dlpack(a)\n");
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  click(window, "Capsules");
  const auto& capsules = view(window).capsules;
  REQUIRE(window.story().wait_for([&] { return capsules.all.size() == 3; }));
  CHECK(app::capsules_alive_text(capsules.alive) == "2 waiting capsules and 1 consumer of a capsule keep 4.0 KiB alive");
  window.app().commands().push(app::command::RunText{.text = "dlscope.from_dlpack(a)\n"});
  REQUIRE(window.wait_for_output("was consumed before"));
  REQUIRE(window.story().wait_for([&] { return !app::capsule_refusal_text(capsules.all[0]).empty(); }));
  CHECK_THAT(app::capsule_refusal_text(capsules.all[0]), ContainsSubstring("A consumer refused it: this capsule was consumed before"));
  // One clock: the refusal comes after all three were watched.
  CHECK_THAT(capsules.log.back().event, ContainsSubstring("a consumer was refused"));
  CHECK(capsules.all[1].events.front().t_ns > 0);
}

}  // namespace dlscope::tests
