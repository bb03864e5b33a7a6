// J3, "Memory that will not go away", along a chain through three libraries: the view Life names what has to go, link by link,
// and a weak reference to the array that the bytes are of judges whether they have gone.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

#include "app/models/exchange/life_answer.h"
#include "app/models/exchange/life_rows.h"
#include "tests/app/window/real/live_exchange.h"

namespace dlscope::tests {
namespace {

// The names in the list of the view, in its order, as of the answer to the newest look.
std::vector<std::string> listed(LiveWindow& window) {
  const auto answered = [&] {
    const app::LifeQuestion now{window.app().generation(), window.app().selected()};
    return view(window).life.answer && view(window).life.asked == now && view(window).life.ticket == 0;
  };
  REQUIRE(window.story().wait_for(answered));
  std::vector<std::string> names;
  for (const app::LifeRow& row : app::life_rows(*view(window).life.answer, *window.app().index())) names.push_back(row.name);
  return names;
}

}  // namespace

TEST_CASE("J3: a chain through three libraries is named link by link until its memory goes", "[window][real][stories]") {
  LiveWindow window;
  int lines = 0;
  const auto console = [&](std::string line, const std::string& printed) {
    const std::string number = "line " + std::to_string(++lines) + ": ";
    const std::uint64_t before = window.app().generation();
    line += "; print('" + number + "' + ('lives' if whole() is not None else 'gone'))\n";
    window.app().commands().push(app::command::RunText{.text = std::move(line)});
    REQUIRE(window.wait_for_output(number + printed));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    REQUIRE(window.story().wait_for([&] { return window.app().generation() != before; }));
    window.story().frames(4);
  };
  // A view on a 64-byte boundary, so that JAX takes it as it is.
  window.run("import numpy as np, torch, jax, weakref\n"
             "raw = np.arange(100_016, dtype='f4')\nwhole = weakref.ref(raw)\nskip = -raw.ctypes.data // 4 % 16\n"
             "x = raw[skip:skip + 100_000]\ndel raw\n"
             "t = torch.from_dlpack(x)\nj = jax.dlpack.from_dlpack(t)\nn = np.from_dlpack(j)\n"
             "assert x.ctypes.data == n.ctypes.data\n");
  select(window, "n");
  ask(window, app::ActionId::life_selected);
  CHECK(view(window).tab == app::ExchangeTab::life);
  CHECK(listed(window) == std::vector<std::string>{"x", "t", "j", "n"});
  CHECK(app::memory_text(*view(window).life.answer) == "400 064 B (told by x)");
  CHECK(app::holders_text(*view(window).life.answer) == "It stays at least until those of these that hold it have gone:");
  window.story().frames(2);
  const std::string drawn = window.story().text_of_frame();
  for (const char* const words :
       {"torch does not say whether it keeps the memory", "jax does not say whether it keeps the memory",
        "a numpy.ndarray, which holds it by .base",
        "t, j show the same memory. Their libraries do not say whether they keep it"})
    CHECK(drawn.find(words) != std::string::npos);

  console("del x", "lives");
  CHECK(listed(window) == std::vector<std::string>{"t", "j", "n"});
  CHECK(app::memory_text(*view(window).life.answer) == "400 000 B (told by t)");
  console("del t", "lives");
  console("del j", "lives");
  CHECK(listed(window) == std::vector<std::string>{"n"});
  CHECK(app::holders_text(*view(window).life.answer) == "It stays at least as long as this:");  // what gave the capsule may keep it, too
  console("del n; import gc; gc.collect()", "gone");  // JAX lets go with a collection
}

}  // namespace dlscope::tests
