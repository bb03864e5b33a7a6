// What tensors of dlscope's hand out is watched by itself: asked for by whom, consumed, dropped, given back; legacy and versioned.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/newest_snapshot.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

Json capsules_of(HostProcess& host) {
  static std::uint64_t asked = 0;
  host.send(core::wire::Ask{++asked, "capsules", "{}"});
  const auto answer = host.wait_for<core::wire::Answer>();
  REQUIRE(answer);
  INFO(answer->error);
  return Json::parse(answer->text);
}

std::vector<std::string> steps_of(const Json& capsule) {
  std::vector<std::string> steps;
  for (const Json& event : capsule["events"]) steps.push_back(event["step"]);
  return steps;
}

std::string detail_of(const Json& capsule, const char* step) {
  for (const Json& event : capsule["events"]) {
    if (event["step"] == step) return event["detail"];
  }
  return {};
}

using Steps = std::vector<std::string>;

}  // namespace

TEST_CASE("what a dlscope.Tensor hands out is listed with its whole life, and looks at it are not", "[host][capsules]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  look_after(host, "import dlscope\nt = dlscope.copy(memoryview(bytearray(24)).cast('B', (4, 6)))\n");
  CHECK(capsules_of(host)["capsules"].empty());  // it was scanned
  snapshot_after_line(host, "legacy = t.__dlpack__(); new = t.__dlpack__(max_version=(1, 0))");
  Json told = capsules_of(host);
  REQUIRE(told["capsules"].size() == 2);
  CHECK((told["alive"] == 2 && told["alive_bytes"] == 24 && told["waiting"] == 2 && told["not_listed"] == 0));
  CHECK((told["capsules"][0]["kind"] == "dltensor" && told["capsules"][1]["kind"] == "dltensor_versioned"));
  CHECK((told["capsules"][0]["state"] == "waiting" && told["capsules"][0]["held_by"] == Json::array({"legacy"})));
  CHECK(told["capsules"][0]["tensor"] == "uint8 (4, 6)");
  CHECK_THAT(detail_of(told["capsules"][0], "watched"), ContainsSubstring("handed out by a dlscope.Tensor; asked for by __main__"));

  snapshot_after_line(host, "taken = dlscope.from_dlpack(legacy); del new, legacy");
  told = capsules_of(host);
  REQUIRE(told["capsules"].size() == 2);
  CHECK((told["capsules"][0]["state"] == "consumed" && detail_of(told["capsules"][0], "consumed") == "by dlscope"));
  CHECK((told["capsules"][1]["state"] == "dropped" && steps_of(told["capsules"][1]) == Steps{"watched", "destroyed", "deleted"}));
  CHECK(detail_of(told["capsules"][1], "deleted") == "by the capsule's destructor");

  snapshot_after_line(host, "taken.close(); del taken");
  told = capsules_of(host);
  CHECK(told["capsules"][0]["state"] == "returned");
  CHECK(steps_of(told["capsules"][0]) == Steps{"watched", "consumed", "destroyed", "deleted"});
  CHECK(detail_of(told["capsules"][0], "deleted") == "by whoever consumed it");
  CHECK(told["alive"] == 0);

  // Its own takes, copies and proofs hand nothing to anybody else; a thousand at once are counted, not listed.
  snapshot_after_line(host, "u = dlscope.from_dlpack(t); dlscope.copy(t); dlscope.shares_memory(t, u)");
  CHECK(capsules_of(host)["capsules"].size() == 2);
  snapshot_after_line(host, "many = [t.__dlpack__() for i in range(1000)]");
  told = capsules_of(host);
  CHECK((told["capsules"].size() == 128 && told["not_listed"] == 872));
  snapshot_after_line(host, "del many; last = t.__dlpack__()");
  told = capsules_of(host);
  CHECK((told["capsules"].size() == 128 && told["capsules"].back()["state"] == "waiting"));
  snapshot_after_line(host, "before = t.nbytes; del t, u, last; print('ends', before, flush=True)");
  CHECK(host.wait_for_output("ends 24"));
}

TEST_CASE("libraries that take a dlscope.Tensor are named by where they asked, and followed until they give it back",
          "[host][capsules][numpy][torch]") {
  const char* const python = std::getenv("DLSCOPE_TEST_PYTHON");
  if (python == nullptr) SKIP("DLSCOPE_TEST_PYTHON is not set: no Python with NumPy and PyTorch");
  HostProcess host(TestPython{python, "", "", 0});
  look_after(host, "import dlscope, numpy, torch\nt = dlscope.copy(numpy.arange(6, dtype='f4'))\n");
  snapshot_after_line(host, "a = numpy.from_dlpack(t); b = torch.from_dlpack(t)");
  Json told = capsules_of(host);
  REQUIRE(told["capsules"].size() == 2);
  for (const Json& one : told["capsules"]) CHECK(one["state"] == "consumed");
  CHECK_THAT(detail_of(told["capsules"][1], "watched"), ContainsSubstring("asked for by torch"));
  snapshot_after_line(host, "del a, b; import gc; gc.collect()");
  told = capsules_of(host);
  for (const Json& one : told["capsules"]) CHECK(one["state"] == "returned");
  for (const Json& one : told["capsules"]) CHECK(detail_of(one, "deleted") == "by whoever consumed it");
}
