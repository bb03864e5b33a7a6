// Pictures of a slice: what Values shows of it, the exchange view with its field, and a text that is no slice.
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/app/window/pictures/pictures.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {

TEST_CASE("a slice and a text that is none are drawn in Values and in the exchange view", "[window]") {
  skip_without_gl();
  std::vector<float> data(40 * 5 * 2);
  std::iota(data.begin(), data.end(), 0.0F);
  const auto snapshot = tests::local_tensor(data.data(), {2, 32, 1}, core::Layout::c_order({40, 5, 2}, 32));
  for (const float scale : {1.0F, 2.0F}) {
    Pixels before;
    for (const char* const slice : {"", "[2:40:3, ::-1, 0]", "[2:40:3, 7]"}) {
      ScreenshotRequest request;
      request.snapshot = snapshot;
      request.outcome.outcome = core::Outcome::finished;
      request.script_path = "slices.py";
      request.script_text = "x = ...\n";
      request.python = "Python 3.11.7";
      auto reader = core::process_reader(0);
      REQUIRE(reader);
      request.reader = std::move(*reader);
      request.select = "x";
      request.slice = slice;
      request.layout = LayoutPreset::teach;
      request.scale = scale;
      if (scale > 1) request.width = 2560, request.height = 1600;
      const std::string which = *slice == '\0' ? "all" : std::string(slice).ends_with("7]") ? "wrong" : "chosen";
      Pixels now = draw(request, "slice_" + which + (scale > 1 ? "_200" : "_100"));
      CHECK(now.rgba != before.rgba);
      before = std::move(now);
      request.ask = {ActionId::values_go_to};  // brings Values to the front
      draw(request, "slice_values_" + which + (scale > 1 ? "_200" : "_100"));
    }
  }
}

}  // namespace dlscope::app
