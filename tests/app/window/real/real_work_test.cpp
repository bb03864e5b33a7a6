// Tasks and leases in the window with a real Python: what is held stays the user's, what is searched is found.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/app/window/real/live_window.h"
#include "tests/app/window/stories/console_line.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

std::string last_notice(LiveWindow& window) {
  return window.app().notices().all().empty() ? std::string() : window.app().notices().all().back().text;
}

bool wait_for_notice(LiveWindow& window, const std::string& part) {
  return window.story().wait_for([&] { return last_notice(window).find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a bytearray is held, its append is explained, and after Release it grows", "[window][real]") {
  LiveWindow window;
  window.run("b = bytearray(8)\n");
  window.app().select("b");
  window.story().frames(2);
  window.app().commands().push(app::command::HoldMemory{.pinned = true});
  REQUIRE(wait_for_notice(window, "append, extend and del raise BufferError"));
  CHECK(window.app().held().contains(window.app().selected()));

  window.app().commands().push(app::command::RunText{.text = "b.append(1)\n"});
  REQUIRE(window.wait_for_output("BufferError"));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.story().wait_for([&] { return window.app().held().contains(window.app().selected()); }));  // found again

  window.app().commands().push(app::command::ReleaseMemory{});
  REQUIRE(window.story().wait_for([&] { return window.app().held().empty(); }));
  window.app().commands().push(app::command::RunText{.text = "b.append(1); print('grown to', len(b))\n"});
  REQUIRE(window.wait_for_output("grown to 9"));
}

TEST_CASE("one NaN in a large array is found by a task, and the way there is offered", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.zeros((3000, 1000), np.float32)\nx[2222, 7] = np.nan\nt = x.T\n");
  for (const char* const name : {"x", "t"}) {
    window.app().select(name);
    window.story().frames(2);
    window.app().commands().push(app::command::SearchValues{});
    REQUIRE(wait_for_notice(window, std::string(name) + ": 1 of 3 000 000 values is NaN, infinite or subnormal"));
    CHECK(last_notice(window).find(name == std::string("x") ? "x[2222, 7]" : "t[7, 2222]") != std::string::npos);
  }
}

TEST_CASE("what PyTorch means by a conjugated or negated view is searched, as the values show it", "[window][real]") {
  LiveWindow window;
  window.run(
      "import numpy as np\n"
      "try:\n"
      "    import torch\n"
      "    x = torch.tensor([1+5j, 2-5j, 3+5j]).conj().imag\n"
      "    n = torch._neg_view(torch.tensor([-128, 5, -5, 100], dtype=torch.int8))\n"
      "except ImportError:\n"
      "    print('no PyTorch')\n");
  if (!window.app().index()->find("x")) SKIP("PyTorch is not installed");
  const auto search = [&](const char* name, const char* text, const std::string& found) {
    window.app().select(name);
    window.story().frames(2);
    window.app().commands().push(app::command::SearchValues{core::SearchedValue::equal, text});
    INFO(name << ", " << text << ": " << last_notice(window));
    CHECK(wait_for_notice(window, found));
  };
  search("x", "-5", "x: 2 of 3 values are equal to -5 as the library means them; the first is x[0].");
  search("x", "5", "x: 1 of 3 values is equal to 5 as the library means them; it is x[1].");
  search("n", "-5", "n: 1 of 4 values is equal to -5 as the library means them; it is n[1].");
  search("n", "-128", "n: 1 of 4 values is equal to -128 as the library means them; it is n[0].");  // it wraps
  CHECK(window.app().panels().values.cells.size() == 4);
  CHECK(window.app().panels().values.cells[0].text == "-128");
  CHECK(window.app().panels().values.cells[1].text == "-5");
}

TEST_CASE("as many complex numbers, dates, durations and texts are found as NumPy says are equal", "[window][real]") {
  LiveWindow window;
  window.run(
      "import numpy as np\n"
      "rng = np.random.default_rng(5)\n"
      "z = rng.choice(np.array([1+2j, 1-2j, 3j, 1, 0, -0.0, np.inf-1j, 1e-5+1j], np.complex64), (40, 50))\n"
      "big = z.astype('>c16').T\n"
      "days = rng.choice(np.array(['2024-02-29', '1969-12-31', 'NaT', '2024-01-01'], 'M8[D]'), 3000)\n"
      "ns = days.astype('>M8[ns]')[::-2]\n"
      "halves = rng.integers(0, 9, 500).astype('m8[30m]')\n"
      "s = rng.choice(np.array([b'ab', b'abc', b'', b'b'], 'S4'), (30, 40)).T\n"
      "u = rng.choice(np.array(['ab', '\\u20ac', '', \"it's\"], '>U5'), 700)\n");

  int checks = 0;
  const auto check = [&](const char* name, const char* typed, const char* judge, const char* shown) {
    REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
    window.app().select(name);
    window.story().frames(2);
    const std::string before = last_notice(window);
    window.app().commands().push(app::command::SearchValues{core::SearchedValue::equal, typed});
    REQUIRE(window.story().wait_for([&] { return last_notice(window) != before; }));
    const std::string notice = last_notice(window);
    INFO(notice);
    CHECK(notice.find(std::string("equal to ") + shown) != std::string::npos);
    std::string count = notice.substr(std::string(name).size() + 2);
    count = count.substr(0, count.find(" of "));
    std::erase(count, ' ');
    const std::string number = std::to_string(++checks);
    check_line(window, "print('check " + number + ":', np.sum(" + judge + ") == " + count + " > 0)", "check " + number + ": True");
  };
  check("z", "1+2j", "z == 1+2j", "1+2j;");
  check("z", "0", "z == 0", "0;");
  check("z", "1e-5+1j", "z == np.complex64(1e-5+1j)", "1e-5+1j;");
  check("big", "inf-1j", "big == complex(np.inf, -1)", "inf-1j;");
  check("days", "2024-02-29", "days == np.datetime64('2024-02-29')", "2024-02-29;");
  check("days", "2024", "days == np.datetime64('2024-01-01')", "2024-01-01;");
  check("days", "NaT", "np.isnat(days)", "NaT;");
  check("ns", "1969-12-31T00:00", "ns == np.datetime64('1969-12-31T00:00')", "1969-12-31T00:00:00.000000000;");
  check("halves", "2 h", "halves == np.timedelta64(2, 'h')", "4 x 30 m;");
  check("s", "abc", "s == b'abc'", "abc;");
  check("s", "b'ab'", "s == b'ab'", "b'ab';");
  check("s", "''", "s == b''", "'';");
  check("u", "'\\u20ac'", "u == '\\u20ac'", "'\\u20ac';");
  check("u", "it's", "u == \"it's\"", "it's;");
  REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
  window.app().select("days");
  window.story().frames(2);
  window.app().commands().push(app::command::SearchValues{core::SearchedValue::equal, "2024-02-29T05"});
  CHECK(wait_for_notice(window, "days was not searched: '2024-02-29T05' lies between two values of datetime64[D]"));
  window.app().commands().push(app::command::SearchValues{core::SearchedValue::nan, ""});
  CHECK(wait_for_notice(window, "values are NaT; the first is days["));
}

TEST_CASE("a value is searched for from the field of the values", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.arange(2000, dtype=np.float32)\nx[7] = 1500\n");
  window.app().select("x");
  window.story().frames(2);
  window.story().act([&](ImGuiTestContext* ui) {
    ui->WindowFocus("//Values");
    ui->Yield(2);
    ui->ItemClick("//Values/Go to");
    ui->Yield(2);
    ui->KeyCharsReplace("= 1500");
    ui->KeyPress(ImGuiKey_Enter);
  });
  CHECK(wait_for_notice(window, "x: 2 of 2 000 values are equal to 1500; the first is x[7]."));
}

TEST_CASE("statistics, table and heat map of a negated view are of what PyTorch means", "[window][real]") {
  LiveWindow window;
  window.run(
      "try:\n"
      "    import torch\n"
      "    x = torch.complex(torch.zeros(301), torch.arange(-100., 201.)).conj().imag\n"
      "    x[3] = float('inf')\n"
      "    meant = x.resolve_neg()\n"
      "except ImportError:\n"
      "    print('no PyTorch')\n");
  if (!window.app().index()->find("x")) SKIP("PyTorch is not installed");
  const auto read = [&](const char* name) {
    window.app().select(name);
    bring_up(window.story(), "//Statistics");
    REQUIRE(window.story().wait_for([&] {
      const auto* found = window.app().statistics().find(window.app().selected());
      return found != nullptr && found->exact();
    }));
    return *window.app().statistics().find(window.app().selected())->found;
  };
  const core::Statistics view = read("x"), meant = read("meant");
  CHECK((view.summary.min.real == -200 && view.summary.max.real == 100 && view.summary.pos_inf == 1 && view.summary.neg_inf == 0));
  CHECK(view.summary.mean == meant.summary.mean);
  CHECK(view.summary.first_special.kind == core::ValueClass::positive_infinity);
  CHECK(view.histogram.bins == meant.histogram.bins);
  CHECK(view.quantiles.values == meant.quantiles.values);
  window.app().select("x");
  bring_up(window.story(), "//Heat map");
  REQUIRE(window.story().wait_for([&] { return window.app().panels().heatmap.range.any; }));
  window.story().frames(3);
  CHECK((window.app().panels().heatmap.range.low == -200 && window.app().panels().heatmap.range.high == 100));
}

TEST_CASE("a training loss that turns NaN is found in under six clicks", "[window][real]") {
  LiveWindow window;
  int clicks = 0;
  window.story().act([&](ImGuiTestContext*) {});
  // 1: Run.
  ++clicks;
  window.run(
      "import numpy as np\n"
      "rng = np.random.default_rng(0)\n"
      "x = rng.normal(size=(512, 64)).astype(np.float32)\n"
      "y = (x @ rng.normal(size=(64, 1)) + 1).astype(np.float32)\n"
      "w = np.zeros((64, 1), np.float32)\n"
      "loss = np.zeros(400, np.float32)\n"
      "with np.errstate(all='ignore'):\n"
      "    for step in range(400):\n"
      "        error = x @ w - y\n"
      "        loss[step] = np.mean(error * error)\n"
      "        w -= np.float32(1.5) * x.T @ error / len(x)  # far too large a step\n");
  window.story().frames(4);
  // 2: the tab of the statistics; 3: the tensor, in the table.
  ++clicks;
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Statistics"); });
  ++clicks;
  window.app().select("loss");
  REQUIRE(window.story().wait_for([&] {
    const auto* read = window.app().statistics().find(window.app().selected());
    return read != nullptr && read->exact();
  }));
  window.story().frames(3);
  const core::ValueSummary& summary = window.app().statistics().find(window.app().selected())->found->summary;
  CHECK(summary.count == 400);
  REQUIRE(summary.nan > 0);
  CHECK(summary.nan + summary.pos_inf < 400);
  // 4: there.
  ++clicks;
  window.story().act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Statistics/**/Go there");
    ui->Yield(2);
  });
  CHECK(window.app().pinned().element == summary.first_special.index);
  CHECK(clicks < 6);
}

TEST_CASE("all tensors of a program are surveyed by the host, and the one with an infinity has a badge", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nlayers = [np.ones((10, i + 1), np.float16) for i in range(300)]\nlayers[77][3, 3] = np.inf\n");
  window.app().commands().push(app::command::Ask{app::ActionId::statistics_survey});
  window.story().frames(3);
  REQUIRE(window.story().wait_for([&] { return window.app().statistics().surveyed() != nullptr; }));
  CHECK(window.app().statistics().survey().tensors == 300);
  std::uint64_t infinite = 0;
  for (std::uint32_t id = 0; id < window.app().index()->size(); ++id) {
    const auto* summary = window.app().statistics().summary_of(id);
    if (summary != nullptr && summary->pos_inf > 0) infinite = id;
  }
  CHECK(window.app().index()->snapshot->name(window.app().index()->tensor(static_cast<std::uint32_t>(infinite))) == "layers[77]");
}

TEST_CASE("two arrays of different libraries' making are compared by the host, and the first difference is gone to",
          "[window][real]") {
  LiveWindow window;
  window.run(
      "import numpy as np\nx = np.arange(600000, dtype=np.float32).reshape(600, 1000)\ny = "
      "np.asfortranarray(x.astype(np.float64))\n"
      "y[123, 45] += 0.25\nz = np.asfortranarray(x)\n");
  auto& panel = window.app().panels().compare;
  const auto compare = [&](const char* a, const char* b) {
    const auto& index = *window.app().index();
    window.app().commands().push(app::command::SelectTensor{*index.find(a)});
    window.app().commands().push(app::command::CompareTensor{*index.find(b)});
    window.story().frames(2);
    window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Compare"); });
    REQUIRE(window.story().wait_for(
        [&] { return panel.found.has_value() && panel.revision == window.app().compared_sides().revision; }));
    window.story().frames(2);
  };
  compare("x", "y");
  CHECK(panel.text.verdict == "Different: 1 of 600 000 values differ (less than 0.01 %), the first at [123, 45].");
  window.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Go to the first"); });
  CHECK(window.app().pinned().element == 123045u);
  compare("x", "z");
  CHECK(panel.text.verdict == "Bit-equal: 600 000 values with the same bits.");
  CHECK(panel.found->hash_a == panel.found->hash_b);
}

}  // namespace dlscope::tests
