// Exchange, proof, copies and their ledger in the window with a real Python and real libraries: the stories of memory that will not go
// away, and of a chain that has to be proved.
#include <imgui_internal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <string>

#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/life_answer.h"
#include "core/report/record_json.h"
#include "tests/app/window/real/live_exchange.h"

namespace dlscope::tests {

TEST_CASE("a chain built in the window is proved link by link, also after printing, and says where it is broken",
          "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch, jax\na = torch.arange(64, dtype=torch.float32).numpy()\n"
             "fixed = np.arange(3.0)\nfixed.setflags(write=False)\nthrough = np.from_dlpack(fixed)\n");
  hand_over(window, "a", "torch", "t");
  CHECK(view(window).hand.result.done->verdict == "SHARED");
  CHECK(view(window).hand.result.done->step.from_address == view(window).hand.result.done->step.to_address);
  CHECK(view(window).hand.result.done->line == "t = torch.from_dlpack(a)");
  // Every call was watched: what it is asked with, and what became of the capsule.
  std::string calls;
  for (const auto& call : view(window).hand.result.done->calls) calls += call.what + " -> " + call.answer + "\n";
  INFO(calls);
  CHECK(calls.find("a.__dlpack__(") != std::string::npos);
  CHECK(calls.find("renamed 'used_dltensor") != std::string::npos);
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "t"); }));
  hand_over(window, "t", "jax", "j");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "j"); }));
  const std::string verdict = view(window).hand.result.done->verdict;  // JAX copies what is not aligned to its taste
  hand_over(window, "j", "numpy", "b");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "b"); }));

  for (const char* const name : {"a", "t", "j", "b"}) {
    select(window, name);
    ask(window, app::ActionId::prove_add);
  }
  view(window).proving.probe = true;
  for (const bool printed : {false, true}) {
    if (printed) {
      window.app().commands().push(app::command::RunText{.text = "print('printed', j)\n"});
      REQUIRE(window.wait_for_output("printed ["));
      REQUIRE(window.wait_for_state(app::HostState::idle));
      window.story().frames(3);
    }
    view(window).proving.result.done.reset();
    click(window, "Prove the chain");
    REQUIRE(window.story().wait_for([&] { return view(window).proving.result.over(); }));
    INFO(view(window).proving.result.problem);
    REQUIRE(view(window).proving.result.done);
    const core::Proof& proof = *view(window).proving.result.done;
    REQUIRE(proof.steps.size() == 3);
    // What JAX shares, it promises never to change: then no step writes there.
    CHECK(proof.steps[0].probe == (verdict == "SHARED" ? core::Probe::not_writable : core::Probe::confirmed));
    CHECK(core::hand_over_name(proof.steps[1].verdict) == verdict);
    CHECK(proof.steps[1].probe == core::Probe::not_writable);  // JAX: immutable by contract
    CHECK(proof.steps[2].verdict == core::HandOver::shared);
    CHECK(core::proof_json(proof).find("\"steps\"") != std::string::npos);
  }
  CHECK(window.app().index()->snapshot->find("fixed") != nullptr);
  view(window).proving.chain = {"fixed", "through"};
  click(window, "Prove the chain");
  REQUIRE(window.story().wait_for([&] { return view(window).proving.result.done && view(window).proving.result.done->steps.size() == 1; }));
  CHECK(view(window).proving.result.done->steps[0].probe == core::Probe::not_writable);
}

TEST_CASE("a hand-over is made step by step in the window, run on, abandoned or ended by code, and leaves nothing", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch, sys\nx = np.arange(64, dtype=np.float32)\nbefore = sys.getrefcount(x)\n");
  select(window, "x");
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
  const auto& steps = view(window).hand.steps;
  const auto idle = [&] { return steps.ticket == 0 && !view(window).busy && window.state() == app::HostState::idle; };
  const auto press = [&](const char* button) {
    INFO(button);
    click(window, button);
    window.story().frames(2);
    REQUIRE(window.story().wait_for(idle));
    window.story().frames(3);
  };
  const auto begin = [&](const char* library) {
    view(window).hand.choice.library = library;
    REQUIRE(window.story().wait_for([&] { return view(window).hand.plan && view(window).hand.plan->line.starts_with(library); }));
    press("Step by step");
    REQUIRE(steps.made);
    CHECK(steps.made->left == 3);
  };
  // Runs console code, and waits until Python rests again.
  auto run = [&, runs = 0](const std::string& code) mutable {
    const std::string number = std::to_string(++runs);
    const std::string counted = "\nprint('run " + number + ":', sys.getrefcount(x) - before)\n";
    window.app().commands().push(app::command::RunText{.text = code + counted});
    REQUIRE(window.wait_for_output("run " + number + ": "));
    REQUIRE(window.story().wait_for(idle));
    window.story().frames(3);
    CHECK(window.wait_for_output("run " + number + ": 0"));
  };
  for (const char* const library : {"torch", "numpy"}) {
    begin(library);
    press("Next step");
    REQUIRE(steps.made);
    CHECK((steps.made->left == 2 && steps.made->capsule == "dltensor_versioned"));
    press("Next step");
    REQUIRE(steps.made);
    CHECK((steps.made->left == 1 && steps.made->capsule == "used_dltensor_versioned"));
    for (const auto& call : steps.made->calls) CHECK(call.what.find("asks for something else") == std::string::npos);
    press("Next step");
    REQUIRE((view(window).hand.result.done && !steps.made));
    CHECK(view(window).hand.result.done->verdict == "SHARED");
    CHECK(view(window).hand.result.done->name == std::string("x_") + library);
    run("del x_" + std::string(library));
  }
  begin("torch");
  press("Run the rest");
  REQUIRE(view(window).hand.result.done);
  CHECK(view(window).hand.result.done->line == "x_torch = torch.from_dlpack(x)");
  run("del x_torch");
  begin("numpy");
  press("Next step");
  press("Abandon");
  CHECK_FALSE(steps.made);
  CHECK(steps.ended == "It was abandoned.");
  run("pass");
  begin("numpy");
  press("Next step");
  run("pass");  // the line of code ends it before it runs
  REQUIRE(window.story().wait_for([&] { return !steps.made; }));
  CHECK(steps.ended.starts_with("Your code has run since"));
  begin("torch");
  restart(window.app());
  REQUIRE(window.story().wait_for([&] { return !steps.made; }));
  CHECK(steps.ended == "Its Python has ended, and what was held with it.");
}

TEST_CASE("a refusal shows the library's own words and the way out, and binds nothing", "[window][real]") {
  LiveWindow window;
  window.run("import torch, numpy\nw = torch.ones(3, requires_grad=True)\n");
  hand_over(window, "w", "numpy", "n");
  const auto& done = *view(window).hand.result.done;
  CHECK(done.verdict == "REFUSED");
  CHECK(done.error.find("require gradient") != std::string::npos);
  CHECK(done.name.empty());
  CHECK_FALSE(has_tensor(window, "n"));
}

TEST_CASE("the ledger is empty until a copy is asked for, and then has exactly that one", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.arange(12, dtype='f4').reshape(3, 4).T[:, ::2]\n");
  CHECK(app::ledger_rows(*window.app().index()->snapshot).empty());
  select(window, "x");
  ask(window, app::ActionId::copy_selected);
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "x_copy"); }));
  REQUIRE(view(window).copying.result.done);
  CHECK((view(window).copying.result.done->bytes == 32 && view(window).copying.result.done->compared));
  const auto rows = app::ledger_rows(*window.app().index()->snapshot);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].size == "32 B");
  window.app().commands().push(
      app::command::RunText{.text = "print('equal', (np.asarray(x_copy) == x).all(), np.asarray(x_copy).flags.c_contiguous)\n"});
  CHECK(window.wait_for_output("equal True True"));
}

TEST_CASE("memory that another library keeps stays, is named with its holder, and goes with it", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch\nx = np.arange(1 << 20, dtype='f4')\nplace = x.ctypes.data\n");
  hand_over(window, "x", "torch", "t");
  CHECK(view(window).hand.result.done->owner.find("t keeps it alive too") != std::string::npos);
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "t"); }));
  const auto console = [&](const char* line, const char* printed) {
    window.app().commands().push(app::command::RunText{.text = line});
    REQUIRE(window.wait_for_output(printed));
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.story().frames(3);
  };
  console("del x; print('x is', 'gone')\n", "x is gone");
  REQUIRE(window.story().wait_for([&] { return !has_tensor(window, "x"); }));
  REQUIRE(has_tensor(window, "t"));  // the span stays, held by t
  console("print('still', t.data_ptr() == place, int(t[12345]))\n", "still True 12345");
  // A thousand hand-overs, of an empty tensor too, leave no reference behind.
  console("import sys\nsource = np.zeros(4, 'f4'); empty = np.zeros((0, 3), 'f4')\n"
          "before = sys.getrefcount(source), sys.getrefcount(empty)\n"
          "for i in range(1000): torch.from_dlpack(source); torch.from_dlpack(empty)\n"
          "print('left behind', (sys.getrefcount(source), sys.getrefcount(empty)) == before)\n",
          "left behind True");
  console("del t; print('t is', 'gone')\n", "t is gone");
  REQUIRE(window.story().wait_for([&] { return !has_tensor(window, "t"); }));
}

TEST_CASE("what may keep memory without saying so is named beside what does", "[window][real]") {
  LiveWindow window;
  window.run(
      "import dlscope, numpy as np, torch\nbig = np.zeros((1000, 50000))\nview = big[3:4, :16]\nt = torch.from_numpy(view)\n"
      "d = dlscope.from_dlpack(view)\ncap = view.__dlpack__()\nother = np.zeros(4)\ndel big\n");
  select(window, "view");
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  click(window, "Life");
  REQUIRE(window.story().wait_for([&] { return view(window).life.answer.has_value(); }));
  const app::LifeAnswer life = *view(window).life.answer;
  REQUIRE(life.holders.size() == 3);
  CHECK(life.holders[0].second == "a numpy.ndarray, which holds it by .base");
  CHECK(life.holders[1].first == "d");
  CHECK(life.holders[2] == std::pair<std::string, std::string>(
                               "cap", "a DLPack capsule; the producer's deleter is called when it goes, or by whoever takes it"));
  CHECK(life.unsaid == std::vector<std::string>{"t"});  // the tensor holds the array, which PyTorch does not say
  CHECK(app::holders_text(life) == "It stays at least until those of these that hold it have gone:");
  CHECK(app::unsaid_text(life) ==
        "t shows the same memory. Its library does not say whether it keeps it, so it may have to go, too.");
  CHECK(app::keeps_alive_text(life, 128) == "The tensors of this memory together keep 381.5 MiB alive, and use 128 B of it.");

  select(window, "other");
  REQUIRE(window.story().wait_for([&] { return view(window).life.answer && view(window).life.answer->holders.size() == 1; }));
  CHECK(app::holders_text(*view(window).life.answer) == "It goes with:");
  CHECK(app::unsaid_text(*view(window).life.answer).empty());
  CHECK(app::keeps_alive_text(*view(window).life.answer, 32).empty());
}

TEST_CASE("no act is offered while code runs, after a crash and after Restart; at a stop all are", "[window][real]") {
  LiveWindow window;
  const auto is_off = [&](const char* item) {
    bool off = false;
    window.story().act([&](ImGuiTestContext* ui) { off = (ui->ItemInfo(item).ItemFlags & ImGuiItemFlags_Disabled) != 0; });
    return off;
  };
  // Each tab's button, and the two ways to it outside the view.
  const auto count_off = [&] {
    int off = 0;
    for (const auto& [tab, button] :
         {std::pair("Hand over", "Hand it over"), std::pair("Copy", "Make the copy"), std::pair("Prove", "Prove the chain")}) {
      click(window, tab);
      off += is_off((std::string("//Exchange/**/") + button).c_str()) ? 1 : 0;
    }
    return off + (is_off("//Inspector/**/Contiguous copy") ? 1 : 0);
  };
  window.start(
      "import numpy as np, os\nx = np.arange(4.0)\ny = x[1:]\nbreakpoint()\nwhile not os.path.exists('/nowhere'): pass\n");
  REQUIRE(window.wait_for_state(app::HostState::stopped));
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "x"); }));
  select(window, "x");
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  view(window).proving.chain = {"x", "y"};
  REQUIRE(window.story().wait_for([&] { return view(window).hand.plan.has_value(); }));
  CHECK(count_off() == 0);
  window.app().commands().push(app::command::ResumeScript{});
  REQUIRE(window.wait_for_state(app::HostState::running));
  CHECK(count_off() == 4);
  window.app().commands().push(app::command::InterruptScript{});
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.story().wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
  CHECK(count_off() == 0);
  view(window).proving.chain = {"x", "no_such"};
  CHECK(count_off() == 1);
  view(window).proving.chain = {"x", "y"};
  view(window).proving.result.done.reset();
  click(window, "Prove the chain");
  REQUIRE(window.story().wait_for([&] { return view(window).proving.result.done.has_value(); }));

  window.app().commands().push(app::command::RunText{.text = "os.abort()\n"});
  REQUIRE(window.wait_for_state(app::HostState::crashed));
  CHECK(count_off() == 4);
  CHECK(view(window).proving.result.done);  // what was found before the crash stays to be read
  window.app().commands().push(app::command::RestartHost{});
  REQUIRE(window.story().wait_for(
      [&] { return window.state() == app::HostState::idle && window.app().moment().since == app::Since::ended; }));
  CHECK(count_off() == 4);
  CHECK_FALSE(view(window).proving.result.done);
}

TEST_CASE("a library that ends Python during a hand-over, or never comes back, is a verdict that stays after Restart", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch, os, signal\nx = np.arange(4.0)\n"
             "def dies(*given, **more): os.kill(os.getpid(), signal.SIGSEGV)\n"
             "torch.from_dlpack = dies\n");
  const auto press = [&] {
    select(window, "x");
    ask(window, app::ActionId::exchange_selected);
    REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
    view(window).hand.choice.library = "torch";
    REQUIRE(window.story().wait_for([&] { return view(window).hand.plan && view(window).hand.plan->line.starts_with("torch"); }));
    click(window, "Hand it over");
  };
  const auto restart = [&](const char* verdict) {
    window.app().commands().push(app::command::RestartHost{});
    REQUIRE(window.wait_for_state(app::HostState::idle));
    REQUIRE(view(window).hand.lost);
    CHECK(view(window).hand.lost->how.verdict == verdict);
  };
  press();
  REQUIRE(window.wait_for_state(app::HostState::crashed));
  REQUIRE(window.story().wait_for([&] { return view(window).hand.lost.has_value(); }));
  CHECK(view(window).hand.lost->how.verdict == "CRASHED");
  CHECK(view(window).hand.lost->library == "torch");
  CHECK(view(window).hand.lost->how.evidence.front().second.find("SIGSEGV") != std::string::npos);
  CHECK(view(window).hand.result.problem.empty());
  restart("CRASHED");
  click(window, "Dismiss###dismiss lost");
  CHECK_FALSE(view(window).hand.lost);

  window.run("import numpy as np, torch, signal, time\nx = np.arange(4.0)\n"
             "def hangs(*given, **more):\n"
             "    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
             "    print('it hangs', flush=True)\n"
             "    time.sleep(1000)\n"
             "torch.from_dlpack = hangs\n");
  press();
  REQUIRE(window.wait_for_output("it hangs"));
  // One that waits behind it did not end anything.
  const std::uint64_t revision = window.app().index()->snapshot->info.revision;
  window.app().commands().push(app::command::HandTo{{{revision, window.app().selected()}, "numpy", "", core::wire::CopyPolicy::if_needed, ""}});
  const auto began = std::chrono::steady_clock::now();  // killed earlier, it would not be said to hang
  REQUIRE(window.story().wait_for([&] { return std::chrono::steady_clock::now() - began > std::chrono::seconds(6); }));
  window.app().commands().push(app::command::KillHost{});  // says what is lost
  window.story().frames(3);
  window.app().commands().push(app::command::KillHost{});
  REQUIRE(window.story().wait_for([&] { return view(window).hand.lost.has_value(); }));
  CHECK(view(window).hand.lost->how.verdict == "HUNG");
  CHECK(view(window).hand.lost->library == "torch");
  restart("HUNG");
}

TEST_CASE("a row of the table that is dropped on a library's name is handed to it", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch\nx = np.arange(6, dtype='f4')\n");
  window.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});  // the table above the exchange
  window.story().frames(10);
  select(window, "x");
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
  window.story().frames(10);
  window.story().act([](ImGuiTestContext* ui) {
    // The table lies in a window of its own inside the panel: its only row is the one that can be taken hold of.
    ui->WindowFocus("//Tensors");
    const ImGuiWindow* const panel = ui->WindowInfo("//Tensors").Window;
    IM_CHECK_SILENT(panel != nullptr);
    for (float y = panel->Pos.y + 40; y < panel->Pos.y + panel->Size.y && ImGui::GetDragDropPayload() == nullptr; y += 8) {
      ui->MouseMoveToPos({panel->Pos.x + 60, y});
      ui->MouseDown();
      ui->MouseMoveToPos({panel->Pos.x + 100, y + 2});
      if (ImGui::GetDragDropPayload() == nullptr) ui->MouseUp();
    }
    IM_CHECK_SILENT(ImGui::GetDragDropPayload() != nullptr);
    ui->MouseMove("//Exchange/**/###onto torch", ImGuiTestOpFlags_NoCheckHoveredId);
    ui->MouseUp();
  });
  REQUIRE(window.story().wait_for([&] { return view(window).hand.result.over(); }));
  INFO(view(window).hand.result.problem);
  REQUIRE(view(window).hand.result.done);
  CHECK(view(window).hand.result.done->verdict == "SHARED");
  CHECK(view(window).hand.result.done->line == "x_torch = torch.from_dlpack(x)");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "x_torch"); }));
}

}  // namespace dlscope::tests
