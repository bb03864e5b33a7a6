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

TEST_CASE("running out of memory is known by the exception's words, and by what caused it", "[app][largest]") {
  const auto ends_with = [](std::string type, std::string message, std::string traceback = {}) {
    core::RunOutcome outcome;
    outcome.error = core::ScriptError{std::move(type), std::move(message), 0, std::move(traceback)};
    return is_out_of_memory(outcome);
  };
  CHECK(ends_with("RuntimeError",
                  "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
                  "4503599627370496 bytes. Error code 12 (Cannot allocate memory)"));
  CHECK(ends_with("RuntimeError", "CUDA error: out of memory"));
  CHECK(ends_with("jax.errors.JaxRuntimeError", "RESOURCE_EXHAUSTED: Out of memory allocating 281474976710656 bytes."));
  CHECK(ends_with("tensorflow.python.framework.errors_impl.ResourceExhaustedError",
                  "{{function_node __wrapped__Fill}} OOM when allocating tensor with shape[70368744177664] and type float"));
  CHECK(ends_with("OSError", "[Errno 12] Cannot allocate memory"));
  CHECK_FALSE(ends_with("jax.errors.JaxRuntimeError", "RESOURCE_EXHAUSTED: too many requests"));
  CHECK_FALSE(ends_with("RuntimeError", "the memory is not aligned"));
  const std::string memory =
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nMemoryError: Unable to allocate\n";
  const std::string led_to = "\nThe above exception was the direct cause of the following exception:\n\n";
  const std::string meanwhile = "\nDuring handling of the above exception, another exception occurred:\n\n";
  const std::string other = "Traceback (most recent call last):\n  File \"a.py\", line 3, in g\nKeyError: 'k'\n";
  CHECK(ends_with("KeyError", "'k'", memory + led_to + other));
  CHECK(ends_with("KeyError", "'k'", other + meanwhile + memory + led_to + other + led_to + other));
  CHECK_FALSE(ends_with("KeyError", "'k'", memory + meanwhile + other));
  CHECK_FALSE(ends_with("KeyError", "'k'", memory + meanwhile + other + led_to + other));
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
