// Stories of the exchange view with a real Python: memory that will not go away and who keeps it, a device's memory moved and
// trusted, a chain that is proved with its evidence; and the log of what happened.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <imgui_internal.h>

#include <catch2/catch_test_macros.hpp>

#include "app/models/actions/event_log.h"
#include "app/models/exchange/exchange_text.h"
#include "core/report/record_json.h"
#include "tests/app/window/real/live_exchange.h"
#include "tests/support/cuda_program.h"

namespace dlscope::tests {
namespace {

void open(LiveWindow& window, app::ExchangeTab tab) {
  window.app().panels().menu.show[app::ActionContext::exchange] = true;
  window.story().frames(2);
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  view(window).bring_up = tab;
  window.story().frames(4);
}

void console(LiveWindow& window, const std::string& line, const std::string& printed) {
  window.app().commands().push(app::command::RunText{.text = line + "; print('" + printed + "', 'now')\n"});
  REQUIRE(window.wait_for_output(printed + " now"));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  window.story().frames(3);
}

const app::CapsuleLife* capsule(LiveWindow& window, std::uint64_t id) {
  const auto& all = view(window).capsules.all;
  const auto found = std::ranges::find(all, id, &app::CapsuleLife::id);
  return found == all.end() ? nullptr : &*found;
}

void prove(LiveWindow& window) {
  view(window).proving.result.done.reset();
  click(window, "Prove the chain");
  REQUIRE(window.story().wait_for([&] { return view(window).proving.result.over(); }));
  INFO(view(window).proving.result.problem);
  REQUIRE(view(window).proving.result.done);
}

std::string log_of(LiveWindow& window, std::string_view filter) {
  return app::log_text(app::log_rows(window.app().notices(), filter));
}

}  // namespace

TEST_CASE("memory that another library keeps is given back with its deleter's event, and the counter is as it was",
          "[window][real][stories]") {
  LiveWindow window;
  window.run("import numpy as np, torch, dlscope\nx = np.arange(1 << 20, dtype='f4')\n");
  hand_over(window, "x", "torch", "t");
  open(window, app::ExchangeTab::capsules);
  const auto alive = [&] { return app::capsules_alive_text(view(window).capsules.alive); };
  REQUIRE(window.story().wait_for([&] { return alive() == "1 consumer of a capsule keeps 4.0 MiB alive"; }));
  REQUIRE(capsule(window, 1) != nullptr);
  CHECK(capsule(window, 1)->state == "consumed");
  console(window, "del x", "x is gone");
  REQUIRE(window.story().wait_for([&] { return !has_tensor(window, "x") && has_tensor(window, "t"); }));
  CHECK(capsule(window, 1)->state == "consumed");
  console(window, "del t", "t is gone");
  REQUIRE(window.story().wait_for([&] { return capsule(window, 1) != nullptr && capsule(window, 1)->state == "returned"; }));
  const app::CapsuleLifeEvent last = capsule(window, 1)->events.back();
  CHECK(last.step == "deleted");
  CHECK(last.thread == "main thread");
  CHECK(last.t_ns > 0);
  const std::string at_rest = alive();
  CHECK(at_rest == "No watched capsule keeps memory: all have given theirs back.");
  CHECK(log_of(window, "deleter").find("float32 (1048576,): its struct's deleter is called") != std::string::npos);

  // A thousand rounds, of an empty tensor too, leave nothing; what does stay is counted.
  console(window,
          "for i in range(1000): s = np.zeros(i % 2 * 4, 'f4'); c = dlscope.watch_capsule(s.__dlpack__()); t = "
          "torch.from_dlpack(c); del s, c, t\n0",
          "rounds over");
  const auto is_over = [&] { return capsule(window, 1001) != nullptr && capsule(window, 1001)->state == "returned"; };
  REQUIRE(window.story().wait_for(is_over));
  CHECK(alive() == at_rest);
  console(window, "kept = dlscope.watch_capsule(np.zeros(8, 'f4').__dlpack__())", "one kept");
  CHECK(window.story().wait_for([&] { return alive() == "1 waiting capsule keeps 32 B alive"; }));
}

TEST_CASE("who refers to a tensor's owner is said on request", "[window][real][stories]") {
  LiveWindow window;
  window.run("import numpy as np\nclass Job: pass\njob = Job()\njob.cache = {'w': np.zeros(4)}\nx = job.cache['w'][1:]\n"
             "def keep(kept):\n  return lambda: kept\nf = keep(job.cache['w'])\n");
  select(window, "x");
  open(window, app::ExchangeTab::life);
  REQUIRE(window.story().wait_for([&] { return view(window).life.answer.has_value(); }));
  CHECK_FALSE(view(window).life.referrers.found);
  click(window, "Who refers to it");
  REQUIRE(window.story().wait_for([&] { return view(window).life.referrers.found || !view(window).life.referrers.problem.empty(); }));
  INFO(view(window).life.referrers.problem);
  REQUIRE(view(window).life.referrers.found);
  const auto& what = view(window).life.referrers.found->what;
  CHECK(std::ranges::find(what, "a dict of 1, key w, attribute cache of Job") != what.end());
  CHECK(std::ranges::find(what, "closure of keep.<locals>.<lambda>") != what.end());
  CHECK(what.size() == 2);
  CHECK(view(window).life.referrers.found->of_view == std::vector<std::string>{"the name x of the script"});
  click(window, "Ask again");
  window.story().frames(3);
  CHECK_FALSE(view(window).life.referrers.found);  // as of another moment
}

TEST_CASE("all that the table shows is proved, with libraries, ranges, flags, hashes and the reason of each link",
          "[window][real][stories]") {
  LiveWindow window;
  window.run("import numpy as np, torch\na = np.arange(8, dtype='f4')\nt = torch.from_numpy(a)\nwide = a.astype('f8')\n"
             "fixed = np.arange(3.0)\nfixed.setflags(write=False)\nthrough = np.from_dlpack(fixed)\n");
  open(window, app::ExchangeTab::prove);
  click(window, "Add all shown");
  CHECK(view(window).proving.chain == std::vector<std::string>{"a", "t", "wide", "fixed", "through"});
  click(window, "Add all shown");
  CHECK(view(window).proving.chain.size() == 5);
  view(window).proving.probe = true;
  prove(window);
  const core::Proof proof = *view(window).proving.result.done;
  REQUIRE(proof.steps.size() == 4);
  const core::ProofStep &shared = proof.steps[0], &widened = proof.steps[1], &read_only = proof.steps[3];
  CHECK(shared.verdict == core::HandOver::shared);
  CHECK(shared.probe == core::Probe::confirmed);
  CHECK(shared.from_side.library == "numpy");
  CHECK(shared.to_side.library == "torch");
  CHECK((!shared.from_side.version.empty() && !shared.to_side.version.empty()));
  CHECK(shared.from_side.extent == shared.to_side.extent);
  REQUIRE(shared.from_side.hash_before);
  CHECK(shared.from_side.hash_before == shared.from_side.hash_after);
  CHECK(widened.verdict == core::HandOver::copied);
  CHECK(widened.why.find("the first is float32, the second float64") != std::string::npos);
  CHECK(read_only.verdict == core::HandOver::shared);
  CHECK(read_only.probe == core::Probe::not_writable);
  CHECK(read_only.from_side.read_only == core::Tri::yes);
  CHECK_FALSE(read_only.from_side.hash_before);
  CHECK(core::proof_json(proof).find("\"hash_before\"") != std::string::npos);
  CHECK(app::proof_text(proof).find("libraries: numpy ") != std::string::npos);
}

TEST_CASE("a device's memory is copied to the host and trusted, and who lies about the device is in the log",
          "[window][real][cuda][stories]") {
  LiveWindow window;
  window.run(cuda_program("grid = device_array(range(1200), (30, 40))\nplain = (ctypes.c_float * 4)()\n"
                          "liar = DeviceArray(ctypes.addressof(plain), (4,))\n"));
  select(window, "grid");
  ask(window, app::ActionId::copy_selected);
  REQUIRE(window.story().wait_for([&] { return view(window).copying.result.over(); }));
  INFO(view(window).copying.result.problem);
  REQUIRE(view(window).copying.result.done);
  CHECK(view(window).copying.result.done->bytes == 4800);
  CHECK(view(window).copying.result.done->compared);
  const std::string name = view(window).copying.result.done->name;
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, name.c_str()); }));
  view(window).proving.chain = {"grid", name};
  open(window, app::ExchangeTab::prove);
  prove(window);
  const core::ProofStep step = view(window).proving.result.done->steps.at(0);
  CHECK(step.verdict == core::HandOver::copied);
  CHECK(step.why.find("they lie in different memories") != std::string::npos);
  CHECK(step.from_side.protocol == core::Protocol::cuda_array_interface);
  CHECK(log_of(window, "copy").find("4800 bytes") != std::string::npos);

  view(window).proving.chain = {"liar", name};
  prove(window);
  CHECK(view(window).proving.result.done->steps.at(0).verdict == core::HandOver::unknown);
  CHECK(log_of(window, "device").find("liar is not where its producer says: ") != std::string::npos);
}

TEST_CASE("the log shows what happened to the script's tensors, filters it and is bounded by what is drawn",
          "[window][real][stories]") {
  LiveWindow window;
  window.run("import dlscope\nx = bytearray(48)\nclass No:\n  def __dlpack__(self, **k): raise BufferError('not this one')\n"
             "  def __dlpack_device__(self): return 1, 0\ntry: dlscope.from_dlpack(No())\nexcept BufferError: pass\n"
             "y = dlscope.copy(x)\n");
  window.app().panels().menu.show[app::ActionContext::log] = true;
  window.story().frames(2);
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Log"); });
  window.story().frames(2);
  CHECK(log_of(window, "copy").find("48 bytes, ") != std::string::npos);
  CHECK(log_of(window, "refuse").find("BufferError: not this one") != std::string::npos);
  const auto& log = window.app().panels().log;
  const std::size_t all = log.rows.size();
  window.story().act([](ImGuiTestContext* ui) { ui->ItemInputValue("//Log/##filter", "NOT THIS ONE"); });
  window.story().frames(2);
  CHECK(log.rows.size() == 1);
  CHECK(all > 1);
}

}  // namespace dlscope::tests
