#include "app/models/tensors/largest.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

TEST_CASE("what holds the memory is told biggest first, shared memory once", "[app][largest]") {
  const auto snapshot = tests::snapshot_of({{.name = "small", .address = 0x558120010000, .shape = {4}},
                                            {.name = "view", .address = 0x558120020000, .shape = {10, 10}},
                                            {.name = "weights", .address = 0x558120020000, .shape = {256, 256}},
                                            {.name = "x", .address = 0x558120090000, .shape = {1024}}});
  const auto parts = largest_parts(*snapshot, 10);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].name == "weights");
  CHECK(parts[0].bytes == 256 * 256 * 4);
  CHECK(parts[0].others == 1);
  CHECK(parts[1].name == "x");
  CHECK(parts[2].name == "small");
  CHECK(largest_parts(*snapshot, 1).size() == 1);
  CHECK(alive_text(*snapshot) ==
        "Alive when memory ran out, biggest first: weights 256.0 KiB (with 1 other that shares it), x 4.0 KiB, small 16 B.");
  CHECK(alive_text(*tests::snapshot_of({})).empty());
}

TEST_CASE("running out of memory is known by the exception's name, whoever raised it", "[app][largest]") {
  core::RunOutcome outcome;
  CHECK_FALSE(is_out_of_memory(outcome));
  for (const char* type : {"MemoryError", "numpy._core._exceptions._ArrayMemoryError", "torch.OutOfMemoryError"}) {
    outcome.error = core::ScriptError{type, "", 0, ""};
    CHECK(is_out_of_memory(outcome));
  }
  outcome.error = core::ScriptError{"ValueError", "", 0, ""};
  CHECK_FALSE(is_out_of_memory(outcome));
}

}  // namespace dlscope::app
