// What the stories of the exchange view do with a real Python: choose a tensor, press what the view offers, hand over and wait.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/real/live_window.h"

namespace dlscope::tests {

inline void ask(LiveWindow& window, app::ActionId action) {
  window.app().commands().push(app::command::Ask{action});
  window.story().frames(4);
}

inline void select(LiveWindow& window, const char* name) {
  window.app().select(name);
  window.story().frames(2);
}

inline app::ExchangeState& view(LiveWindow& window) { return window.app().panels().exchange; }

inline void click(LiveWindow& window, const char* item) {
  window.story().act([item](ImGuiTestContext* ui) { ui->ItemClick((std::string("//Exchange/**/") + item).c_str()); });
}

inline bool has_tensor(LiveWindow& window, const char* name) {
  return window.app().index() != nullptr && window.app().index()->snapshot->find(name) != nullptr;
}

// Hands the selected tensor to that library by the view's own button, and waits until the result is among the tensors.
inline void hand_over(LiveWindow& window, const char* tensor, const char* library, const char* name) {
  select(window, tensor);
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
  view(window).hand.choice.library = library;
  view(window).hand.name = name;
  REQUIRE(window.story().wait_for([&] { return view(window).hand.plan && view(window).hand.plan->line.find(tensor) != std::string::npos &&
                                               view(window).hand.plan->line.starts_with(library); }));
  view(window).hand.result.done.reset();
  click(window, "Hand it over");
  REQUIRE(window.story().wait_for([&] { return view(window).hand.result.over(); }));
  INFO(view(window).hand.result.problem);
  REQUIRE(view(window).hand.result.done);
  view(window).hand.name.clear();
}

}  // namespace dlscope::tests
