// J7, "Prove it", as one story with real libraries: a chain built in the window, proved, proved again after a print, with a link
// that changes the dtype and one from memory that may not be written, and saved as on the screen.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "core/report/record_json.h"
#include "tests/app/window/real/live_exchange.h"
#include "tests/app/window/stories/working_folder.h"

namespace dlscope::tests {
namespace {

core::Proof proved(LiveWindow& window) {
  view(window).proving.result.done.reset();
  click(window, "Prove the chain");
  REQUIRE(window.story().wait_for([&] { return view(window).proving.result.over(); }));
  INFO(view(window).proving.result.problem);
  REQUIRE(view(window).proving.result.done);
  return *view(window).proving.result.done;
}

// Every link has its evidence: both pointers, ranges and versions; and what was probed is as it was before.
void check_evidence(const core::Proof& proof) {
  for (const core::ProofStep& step : proof.steps) {
    INFO(step.from << " -> " << step.to);
    CHECK((step.from_address && step.to_address));
    for (const core::ProofSide& side : {step.from_side, step.to_side}) {
      CHECK((side.extent && !side.library.empty() && !side.version.empty()));
      CHECK(side.hash_before == side.hash_after);
    }
    CHECK(step.from_side.hash_before.has_value() == (step.probe == core::Probe::confirmed));
  }
}

// The verdicts, relations and reasons: what a print of an array must not change.
std::string verdicts_of(const core::Proof& proof) {
  std::string text;
  for (const core::ProofStep& step : proof.steps)
    text += std::string(core::hand_over_name(step.verdict)) + " " + std::to_string(static_cast<int>(step.probe)) + " " + step.why + "\n";
  return text;
}

}  // namespace

TEST_CASE("J7: a chain through three libraries is proved link by link, twice alike, with a copied and a read-only link, and saved",
          "[window][real][stories]") {
  LiveWindow window;
  const WorkingFolder folder;
  {
    std::ofstream file(folder.path("fixed.bin"), std::ios::binary);
    for (int i = 0; i < 4096; ++i) file.put(static_cast<char>(i));
  }
  // `fixed` lies in pages that may not be written at all: a write would end the process.
  window.run("import numpy as np, torch, jax\na = torch.arange(4096, dtype=torch.float32).numpy()\n"
             "fixed = np.memmap('" + folder.path("fixed.bin") + "', dtype='u1', mode='r')\nthrough = np.from_dlpack(fixed)\n");
  hand_over(window, "a", "torch", "t");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "t"); }));
  hand_over(window, "t", "jax", "j");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "j"); }));
  const std::string to_jax = view(window).hand.result.done->verdict;  // JAX copies what is not aligned to its taste
  hand_over(window, "j", "numpy", "b");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "b"); }));
  for (const char* const name : {"a", "t", "j", "b"}) {
    select(window, name);
    ask(window, app::ActionId::prove_add);
  }
  view(window).proving.probe = true;
  const core::Proof first = proved(window);
  REQUIRE(first.steps.size() == 3);
  check_evidence(first);
  CHECK(core::hand_over_name(first.steps[1].verdict) == to_jax);
  CHECK(first.steps[2].verdict == core::HandOver::shared);

  window.app().commands().push(app::command::RunText{.text = "print('printed', j)\n"});
  REQUIRE(window.wait_for_output("printed ["));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  window.story().frames(3);
  CHECK(verdicts_of(proved(window)) == verdicts_of(first));

  // A link that changes the dtype, made in the window, and one from read-only memory.
  select(window, "b");
  view(window).copying.choice.dtype = "float64";
  view(window).copying.choice.name = "wide";
  ask(window, app::ActionId::convert_selected);
  click(window, "Make the copy");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "wide"); }));
  view(window).proving.chain = {"a", "t", "j", "b", "wide", "fixed", "through"};
  ask(window, app::ActionId::exchange_selected);
  click(window, "Prove");
  const core::Proof proof = proved(window);
  REQUIRE(proof.steps.size() == 6);
  check_evidence(proof);
  CHECK(proof.steps[3].verdict == core::HandOver::copied);
  CHECK(proof.steps[3].why.find("the first is float32, the second float64") != std::string::npos);
  const core::ProofStep& read_only = proof.steps[5];
  CHECK(read_only.verdict == core::HandOver::shared);
  CHECK(read_only.probe == core::Probe::not_writable);
  CHECK((read_only.from_side.read_only == core::Tri::yes && read_only.to_side.read_only == core::Tri::yes));
  CHECK(window.state() == app::HostState::idle);  // nothing was written: the process lives

  // What is saved is what the view shows, and the sums of the script's bytes are as before.
  click(window, "Save as JSON");
  REQUIRE(window.story().wait_for([&] { return !folder.file("dlscope-proof-", "").empty(); }));
  std::stringstream text;
  text << std::ifstream(folder.file("dlscope-proof-", "")).rdbuf();
  CHECK(text.str() == core::proof_json(proof));
  const std::string drawn = window.story().text_of_frame();
  std::size_t at = drawn.find(core::hand_over_name(proof.verdict));
  CHECK(at != std::string::npos);
  for (const core::ProofStep& step : proof.steps) {
    const std::string link = step.from + " → " + step.to;
    INFO(link);
    const std::size_t drawn_at = drawn.find(link, at);
    if (drawn_at == std::string::npos) break;  // below what has room; the order of those above is checked
    CHECK(drawn.find(core::hand_over_name(step.verdict), drawn_at) != std::string::npos);
    at = drawn_at;
  }
  window.app().commands().push(app::command::RunText{
      .text = "print('sums', float(t.sum()) == 4096 * 4095 / 2, int(fixed.sum()) == 16 * 255 * 128)\n"});
  CHECK(window.wait_for_output("sums True True"));
}

}  // namespace dlscope::tests
