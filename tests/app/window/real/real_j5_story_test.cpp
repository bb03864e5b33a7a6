// J5, "Move it and trust it", with the fake driver: from the host to pinned memory, to a device and back, each hop by the copy tab
// with its way and its comparison, each in the ledger; the first and the last are the same bytes.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "tests/app/window/real/live_exchange.h"
#include "tests/support/cuda_program.h"

namespace dlscope::tests {

TEST_CASE("J5: a tensor goes to pinned memory, to a device and back, and every hop says its way and is compared",
          "[window][real][cuda][stories]") {
  LiveWindow window;
  window.run(cuda_program("import numpy as np\nrng = np.random.default_rng(3)\n"
                          "x = rng.integers(0, 2**32, 6000, dtype=np.uint32).view(np.float32).reshape(60, 100)\n"
                          "there = device_array(range(4))\n"));  // the program uses the device: it has a context
  struct Hop {
    const char *from, *to, *device, *path;
    core::DeviceId lands;
  };
  const std::vector<Hop> hops{{"x", "pinned", "cuda_host:0", "cpu -> cuda_host:0, memcpy", {3, 0}},
                              {"pinned", "on_device", "cuda:0", "host -> pinned ring -> cuda:0", {2, 0}},
                              {"on_device", "back", "cpu", "cuda:0 -> pinned ring -> host", {1, 0}}};
  for (const Hop& hop : hops) {
    INFO(hop.from << " to " << hop.to);
    select(window, hop.from);
    ask(window, app::ActionId::convert_selected);
    view(window).copying.choice.device = std::string(hop.device) == "cpu" ? "" : hop.device;
    view(window).copying.choice.name = hop.to;
    view(window).copying.result.done.reset();
    window.story().frames(3);
    click(window, "Make the copy");
    REQUIRE(window.story().wait_for([&] { return view(window).copying.result.over(); }));
    INFO(view(window).copying.result.problem);
    REQUIRE(view(window).copying.result.done);
    const core::wire::Copied done = *view(window).copying.result.done;
    CHECK((done.compared && done.bytes == 24000 && done.ns > 0));
    CHECK(done.path == hop.path);
    REQUIRE(window.story().wait_for([&] { return has_tensor(window, hop.to); }));
    CHECK(window.app().index()->snapshot->find(hop.to)->device == hop.lands);
  }
  // Each hop with its way is in the ledger, in order, and none beside them.
  const core::Snapshot& snapshot = *window.app().index()->snapshot;
  REQUIRE(snapshot.copies.size() == 3);
  const auto rows = app::ledger_rows(snapshot);
  for (std::size_t i = 0; i < hops.size(); ++i) {
    CHECK(rows[i].path == hops[i].path);
    CHECK(snapshot.copies[i].plain_ns > 0);
  }
  window.app().commands().push(
      app::command::RunText{.text = "print('bits', np.array_equal(np.asarray(back).view('u4'), x.view('u4')))\n"});
  CHECK(window.wait_for_output("bits True"));
}

}  // namespace dlscope::tests
