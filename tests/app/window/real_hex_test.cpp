// The hex view over the memory of a real Python.
#include <cstring>
#include <string>

#include "app/models/focus/focus_words.h"
#include "tests/app/window/live_window.h"

namespace dlscope::tests {
namespace {

const char* const kScript =
    "import numpy as np\n"
    "x = np.arange(100_000, dtype=np.float32).reshape(100, 1000)\n"
    "x.view(np.uint32)[77, 123] = 0x7fc00123\n"
    "y = x[:, ::2]\n";

void type(LiveWindow& window, ImGuiKeyChord chord, const char* text) {
  window.story().act([chord, text](ImGuiTestContext* ui) {
    ui->WindowFocus("//Hex");
    ui->KeyPress(chord);
    ui->Yield(2);
    ui->KeyCharsReplaceEnter(text);
    ui->Yield(2);
  });
}

}  // namespace

TEST_CASE("the bytes of an array of NumPy are those it wrote, and a NaN is found by its payload", "[window][hex][real]") {
  LiveWindow window;
  window.run(kScript);
  window.app().select("x");
  window.story().frames(3);
  app::HexPanelState& hex = window.app().panels().hex;
  type(window, ImGuiMod_Ctrl | ImGuiKey_G, "x[3, 7]");
  CHECK(window.app().focus().element == 3007);
  float value = 0;
  REQUIRE(window.story().wait_for([&] {
    return hex.bytes.copy_from(hex.cursor, std::as_writable_bytes(std::span(&value, 1))) == sizeof value;
  }));
  CHECK(value == 3007);
  type(window, ImGuiMod_Ctrl | ImGuiKey_F, "nan:0x123");
  REQUIRE(window.story().wait_for([&] { return window.app().focus().element == 77123; }));
  CHECK(hex.said.starts_with("Found float32 NaN with payload 0x123"));
  window.app().select("y");
  window.story().frames(3);
  type(window, ImGuiMod_Ctrl | ImGuiKey_G, "y[0, 1] + 4");  // between two of its elements
  const app::IndexPtr index = window.app().index();
  app::ByteOwners owners;
  owners.find(index.get(), 1, core::kHostSpace, hex.cursor, 1, window.app().selected());
  CHECK(owners.owners()[0].tensor == index->find("x"));  // a hole of y, and an element of x
}

}  // namespace dlscope::tests
