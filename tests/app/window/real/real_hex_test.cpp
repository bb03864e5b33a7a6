// The hex view over the memory of a real Python.
#include <algorithm>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "app/models/exchange/exchange_text.h"
#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "tests/app/window/real/live_window.h"

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

// A script whose two libraries see the same memory, and what nobody may write into.
const char* const kShared =
    "import numpy as np, torch\n"
    "x = np.arange(6, dtype=np.float32)\n"
    "t = torch.from_numpy(x)\n"
    "locked = np.arange(4)\n"
    "locked.setflags(write=False)\n";

class Editing {
 public:
  explicit Editing(const std::string& more = "", const std::string& first = kShared) {
    window_.run(first + more);
    window_.app().select("x");
    window_.story().frames(3);
    window_.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Hex"); });
    window_.story().frames(3);
  }
  LiveWindow& window() { return window_; }
  app::HexPanelState& hex() { return window_.app().panels().hex; }
  app::HexEditState& edit() { return hex().edit; }
  void arm() {
    window_.app().commands().push(app::command::Ask{app::ActionId::hex_arm});
    window_.story().frames(3);
  }
  void press(ImGuiKeyChord chord) {
    window_.story().act([chord](ImGuiTestContext* ui) {
      ui->WindowFocus("//Hex");
      ui->KeyPress(chord);
      ui->Yield(2);
    });
  }
  void go_to(const char* place) { type(window_, ImGuiMod_Ctrl | ImGuiKey_G, place); }
  void type_digits(const char* digits) {
    window_.story().act([digits](ImGuiTestContext* ui) {
      ui->WindowFocus("//Hex");
      ui->KeyChars(digits);
      ui->Yield(2);
    });
  }
  void type_element(const char* value) {
    window_.story().act([value](ImGuiTestContext* ui) {
      ui->ItemInput("//Hex/##element");
      ui->KeyCharsReplaceEnter(value);
      ui->Yield(2);
    });
  }
  [[nodiscard]] bool wait_for_undoable(std::size_t count) {
    INFO(edit().problem);
    return window_.story().wait_for([&] { return edit().edits.undoable() == count; });
  }
  // What is in the memory of the process now.
  float element(int index) {
    const app::IndexPtr now = window_.app().index();
    const core::Address at = now->tensor(*now->find("x")).address + 4U * static_cast<unsigned>(index);
    float value = 0;
    window_.story().frames(2);
    REQUIRE(window_.story().wait_for(
        [&] { return hex().bytes.copy_from(at, std::as_writable_bytes(std::span(&value, 1))) == sizeof value; }));
    return value;
  }
  void console(const char* line) {
    REQUIRE(window_.wait_for_state(app::HostState::idle));  // a write is followed by a look, and that takes no line
    window_.story().frames(2);
    window_.story().act([line](ImGuiTestContext* ui) {
      ui->WindowFocus("//Output");
      ui->Yield(2);
      ui->ItemClick("//Output/##input");
      ui->KeyCharsReplace(line);
      ui->KeyPress(ImGuiKey_Enter);
    });
  }

 private:
  LiveWindow window_;
};

}  // namespace

TEST_CASE("an element and bytes that are typed are changed for NumPy and torch, undone, and a run disarms",
          "[window][hex][real]") {
  Editing editing;
  LiveWindow& window = editing.window();
  const auto statistics = [&]() -> const app::TensorStatistics* {
    return window.app().statistics().find(*window.app().index()->find("x"));
  };
  window.app().commands().push(app::command::ComputeStatistics{*window.app().index()->find("x")});
  REQUIRE(window.story().wait_for([&] { return statistics() != nullptr && statistics()->exact(); }));

  editing.type_digits("ff");  // not armed: nothing is taken
  CHECK(editing.edit().edits.empty());
  editing.arm();
  REQUIRE(editing.edit().armed);
  CHECK(editing.hex().said == "In the same memory: t. They may change with it.");

  editing.go_to("x[2]");
  editing.type_element("7.5");
  REQUIRE(editing.wait_for_undoable(1));
  CHECK(editing.element(2) == 7.5F);
  CHECK(editing.hex().said == "Written and read back: x[2] = 7.5.");
  REQUIRE(window.story().wait_for(
      [&] { return statistics() == nullptr || (statistics()->exact() && statistics()->found->summary.max.as_double() == 7.5); }));
  // Exchange > Ledger has it, as what it was.
  REQUIRE(window.story().wait_for([&] { return !app::ledger_rows(*window.app().index()->snapshot).empty(); }));
  const auto rows = app::ledger_rows(*window.app().index()->snapshot);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].from == "no copy: a write");
  CHECK(rows[0].why.starts_with("x: 00 00 00 40 at 0x"));
  CHECK(rows[0].why.ends_with(" became 00 00 f0 40"));
  editing.go_to("x[3]");
  editing.type_digits("0000803f");
  REQUIRE(editing.wait_for_undoable(3));  // the first byte was 0 already
  CHECK(editing.element(3) == 1.0F);
  CHECK(editing.edit().armed);

  for (std::size_t left = 3; left-- > 1;) {
    editing.press(ImGuiMod_Ctrl | ImGuiKey_Z);
    REQUIRE(editing.wait_for_undoable(left));
  }
  CHECK(editing.element(3) == 3.0F);
  editing.press(ImGuiMod_Ctrl | ImGuiKey_Z);
  REQUIRE(editing.wait_for_undoable(0));
  CHECK(editing.element(2) == 2.0F);
  editing.press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z);
  REQUIRE(editing.wait_for_undoable(1));
  CHECK(editing.element(2) == 7.5F);

  const app::ValuesPanelState& values = window.app().panels().values;
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  REQUIRE(window.story().wait_for([&] { return values.cells.size() == 6 && values.cells[2].text == "7.5"; }));
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Hex"); });
  window.story().frames(3);
  CHECK(editing.edit().armed);

  editing.type_element("a lot");
  CHECK(editing.edit().problem.starts_with("Not written: "));
  editing.console("print('seen', x[2], t[2].item())");
  CHECK(window.wait_for_output("seen 7.5 7.5"));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.story().wait_for([&] { return !editing.edit().armed; }));
  CHECK(editing.edit().problem.starts_with("Writes are disarmed. Code "));
  CHECK(editing.edit().edits.empty());
}

TEST_CASE("values of the other byte order and of fields of records are found and written as NumPy reads them", "[window][hex][real]") {
  Editing editing(
      "b = np.arange(4, dtype='>f4')\n"
      "r = np.zeros(5, dtype=[('a', '<i4'), ('b', '<f8')])\n"
      "r['b'] = [0, 1.5, 2, 1.5, 3]\n",
      "import numpy as np\n"
      "x = np.arange(6)\n");
  LiveWindow& window = editing.window();
  app::HexPanelState& hex = editing.hex();
  core::Address begin = 0;
  const auto select = [&](const char* name) {
    window.app().select(name);
    window.story().frames(3);
    begin = window.app().index()->tensor(*window.app().index()->find(name)).address;
    hex.cursor = begin;
  };
  const auto find = [&](const char* text) {
    type(window, ImGuiMod_Ctrl | ImGuiKey_F, text);
    REQUIRE(window.story().wait_for([&] { return !hex.searching; }));
    INFO(hex.find_problem << hex.said);
    CHECK(hex.find_problem.empty());
    return hex.cursor - begin;
  };
  select("b");
  CHECK(find("= 3") == 12);
  CHECK(hex.said.starts_with("Found big-endian float32 values equal to 3 at"));
  editing.arm();
  editing.go_to("b[1]");
  editing.type_element("1.5");
  REQUIRE(editing.wait_for_undoable(1));
  CHECK(hex.said == "Written and read back: b[1] = 1.5.");
  editing.go_to("b[2]");
  editing.type_element("0x3fc00000");
  REQUIRE(editing.wait_for_undoable(2));
  editing.console("print('b is', b.tolist())");
  CHECK(window.wait_for_output("b is [0.0, 1.5, 1.5, 3.0]"));
  REQUIRE(window.wait_for_state(app::HostState::idle));

  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Hex"); });
  select("r");
  CHECK(find("float64 1.5") == 16);  // not a multiple of 8
  editing.press(ImGuiKey_F3);
  REQUIRE(window.story().wait_for([&] { return !hex.searching; }));
  CHECK(hex.cursor - begin == 40);
  window.app().commands().push(app::command::ChooseField{window.app().selected(), 1});
  window.story().frames(3);
  hex.cursor = begin;
  CHECK(find("= 3") == 52);
  editing.arm();
  editing.go_to("r[2]");
  editing.type_element("2.5");
  CHECK(editing.edit().problem == "The byte at the cursor is not part of r['b'], the field that is shown.");
  editing.go_to("r[2] + 9");
  editing.type_element("2.5");
  REQUIRE(editing.wait_for_undoable(1));
  CHECK(hex.said == "Written and read back: r['b'][2] = 2.5.");
  editing.console("print('r is', r['b'].tolist(), r['a'].tolist())");
  CHECK(window.wait_for_output("r is [0.0, 1.5, 2.5, 1.5, 3.0] [0, 0, 0, 0, 0]"));
}

TEST_CASE("what is read-only or immutable is not armed, and says why", "[window][hex][real]") {
  Editing editing("import jax.numpy as jnp\nj = jnp.arange(4.0)\nseen = np.asarray(j)\nover = torch.from_dlpack(j)\n");
  const std::pair<const char*, const char*> refused[] = {
      {"locked", "locked is read-only: its producer forbids writing through it."},
      {"j", "j is immutable: jax promises that its tensors never change."},
      {"seen", "seen is read-only: its producer forbids writing through it."},
      {"over", "over shares this memory with j, which is immutable"}};
  for (const auto& [name, why] : refused) {
    REQUIRE(editing.window().app().index()->find(name));
    editing.window().app().select(name);
    editing.window().story().frames(3);
    editing.arm();
    CHECK_FALSE(editing.edit().armed);
    CHECK_THAT(editing.edit().problem, Catch::Matchers::StartsWith(why));
  }
  editing.window().app().select("x");
  editing.window().story().frames(3);
  editing.arm();
  REQUIRE(editing.edit().armed);
  editing.window().app().select("t");
  editing.window().story().frames(3);
  CHECK_FALSE(editing.edit().armed);
  CHECK(editing.edit().problem == "Writes are disarmed. Another tensor is selected.");
}

TEST_CASE("the bytes of an array of NumPy are those it wrote, and a NaN is found by its payload", "[window][hex][real]") {
  LiveWindow window;
  window.run(kScript);
  window.app().select("x");
  window.story().frames(3);
  app::HexPanelState& hex = window.app().panels().hex;
  type(window, ImGuiMod_Ctrl | ImGuiKey_G, "x[3, 7]");
  CHECK(window.app().focus().element == 3007);
  float value = 0;
  REQUIRE(window.story().wait_for(
      [&] { return hex.bytes.copy_from(hex.cursor, std::as_writable_bytes(std::span(&value, 1))) == sizeof value; }));
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

TEST_CASE("bytes that no tensor names are found in all memory of Python, and gone to", "[window][hex][real]") {
  LiveWindow window;
  // Made, not written: what a script says stands in its text and constants, too.
  window.run(
      "import io\n"
      "import numpy as np\n"
      "secret = bytes(b ^ 0x55 for b in bytes.fromhex('84095cb5 30f1a2c7 19e86d02 5bd4733e'))\n"
      "x = np.frombuffer(bytearray(64) + secret, dtype=np.uint8)\n"
      "hidden = io.BytesIO(secret)\n"  // keeps that very object, and no look enters it
      "print('lies at', id(secret) + bytes.__basicsize__ - 1, flush=True)\n"
      "del secret\n");
  REQUIRE(window.wait_for_output("lies at "));
  const std::string printed = window.app().output().all_text();
  const auto place = static_cast<core::Address>(std::stoull(printed.substr(printed.find("lies at ") + 8)));
  window.app().select("x");
  window.story().frames(3);
  app::HexPanelState& hex = window.app().panels().hex;
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Hex"); });
  hex.scope = app::HexScope::everything;
  window.story().frames(3);
  hex.cursor = 0;
  type(window, ImGuiMod_Ctrl | ImGuiKey_F, "d1 5c 09 e0 65 a4 f7 92 4c bd 38 57 0e 81 26 6b");
  REQUIRE(window.story().wait_for([&] { return !hex.searching && hex.said.starts_with("Found the bytes"); }));
  window.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//Hex/List all"); });
  REQUIRE(window.story().wait_for([&] { return !hex.searching && !hex.hits_message.empty(); }));
  INFO(hex.hits_message);
  const auto at = [&](core::Address address) {
    return std::ranges::find(hex.hits, address, [](const auto& hit) { return hit.at.address; });
  };
  REQUIRE(at(place) != hex.hits.end());
  const app::IndexPtr index = window.app().index();
  const core::Address in_x = index->tensor(*index->find("x")).address + 64;
  REQUIRE(at(in_x) != hex.hits.end());
  CHECK(std::ranges::is_sorted(hex.hits, {}, [](const auto& hit) { return hit.at.address; }));
  CHECK(std::ranges::none_of(hex.hits, [](const auto& hit) { return hit.at.mapping.starts_with("/memfd:dlscope"); }));
  const std::string row = app::grouped_address(place);
  window.story().act([&](ImGuiTestContext* ui) { ui->ItemClick(("//Hex/**/" + row).c_str()); });
  window.story().frames(3);
  CHECK(hex.cursor == place);
  CHECK(at(place)->owner.value_or("") == "in no listed tensor");  // said of rows that were seen
  window.story().act([&](ImGuiTestContext* ui) { ui->ItemClick(("//Hex/**/" + app::grouped_address(in_x)).c_str()); });
  window.story().frames(3);
  CHECK(hex.cursor == in_x);
  CHECK(at(in_x)->owner.value_or("").starts_with("x[64]"));
  const auto& tasks = window.app().tasks().all();
  REQUIRE_FALSE(tasks.empty());
  CHECK(tasks.back().title.starts_with("Searching all memory for the bytes d1 5c"));
  CHECK(tasks.back().state == app::TaskState::done);

  // A run that takes it all away: the list stays what it was and says so, and the rows have what is there now.
  CHECK(hex.hits_message.find("scanned again since") == std::string::npos);
  window.run("x = 1\n");
  window.story().frames(3);
  CHECK(hex.hits_message.ends_with("other data may be there now."));
  type(window, ImGuiMod_Ctrl | ImGuiKey_F, "d1 5c 09 e0 65 a4 f7 92 4c bd 38 57 0e 81 26 6b");
  CHECK(window.story().wait_for([&] { return !hex.searching; }));
}

TEST_CASE("memory that comes and goes while all of it is searched harms nobody", "[window][hex][real]") {
  LiveWindow window;
  window.run(
      "import io, mmap, threading\n"
      "import numpy as np\n"
      "x = np.arange(8)\n"
      "hidden = io.BytesIO(bytes(b ^ 0x55 for b in bytes.fromhex('84095cb5 30f1a2c7 19e86d02 5bd4733e')))\n"
      "over = threading.Event()\n"
      "def churn():\n"
      "    while not over.wait(0.001):\n"
      "        with mmap.mmap(-1, 8 << 20) as memory:\n"
      "            memory.write(b'\\xd1\\x5c\\x09\\xe0' * (1 << 21))\n"
      "threading.Thread(target=churn, daemon=True).start()\n");
  window.app().select("x");
  window.story().frames(3);
  app::HexPanelState& hex = window.app().panels().hex;
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Hex"); });
  hex.scope = app::HexScope::everything;
  window.story().frames(3);
  for (int round = 0; round < 5; ++round) {
    hex.hits_message.clear();
    type(window, ImGuiMod_Ctrl | ImGuiKey_F, "d1 5c 09 e0 65 a4 f7 92 4c bd 38 57 0e 81 26 6b");
    REQUIRE(window.story().wait_for([&] { return !hex.searching; }));
    window.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//Hex/List all"); });
    REQUIRE(window.story().wait_for([&] { return !hex.searching && !hex.hits_message.empty(); }));
    INFO(hex.hits_message);
    CHECK(hex.hits.size() == 1);
  }
  window.app().commands().push(app::command::RunText{.text = "over.set(); print('alive', x.sum())\n"});
  CHECK(window.wait_for_output("alive 28"));
}

}  // namespace dlscope::tests
