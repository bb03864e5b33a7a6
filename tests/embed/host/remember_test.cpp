// Remembered tensors in a host: copied at each look, exact about the moment, fetched with a reader from outside, let go, refused in words.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/inventory/kept_bytes.h"
#include "core/memory/memory_reader.h"
#include "core/wire/remembered_answer.h"
#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/slow_script.h"
#include "tests/support/cuda_program.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

using Copies = std::vector<core::wire::WaitingCopy>;

Copies remember(Debugged& d, const json& tensors, std::uint64_t fetched = 0) {
  const std::string answer = d.ask("remember", json({{"tensors", tensors}, {"fetched", fetched}}).dump());
  INFO(answer);
  const auto copies = core::wire::decode_waiting_copies(answer);
  REQUIRE(copies);
  return *copies;
}

// The values of a copy, read from outside as the window does.
template <class T>
std::vector<T> values_of(Debugged& d, const core::wire::WaitingCopy& copy) {
  const auto reader = core::process_reader(d.host.pid());
  REQUIRE(reader);
  std::vector<std::byte> bytes(copy.size);
  REQUIRE((*reader)->read(copy.at, bytes) == bytes.size());
  CHECK(core::hash_of_bytes(bytes) == copy.check);
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}
std::vector<double> doubles(Debugged& d, const core::wire::WaitingCopy& copy) { return values_of<double>(d, copy); }
std::vector<float> floats(Debugged& d, const core::wire::WaitingCopy& copy) { return values_of<float>(d, copy); }

constexpr const char* kLoop =
    "import array\n"              // 1
    "x = array.array('d', [0, 0, 0])\n"  // 2
    "for i in range(4):\n"        // 3
    "    x[i % 3] += 1\n"         // 4
    "    y = i\n";                // 5

const json kX = {{{"name", "x"}, {"hashed", false}}};

}  // namespace

TEST_CASE("what is remembered is copied at every stop and at the end, and waits until it was fetched", "[host][remember]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5)});
  d.start(kLoop);
  d.stopped();
  Copies copies = remember(d, kX);  // the stop that is on counts too
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].name == "x");
  CHECK(copies[0].why_not == "");
  CHECK(copies[0].ran == core::wire::RanMeanwhile::no);
  CHECK(doubles(d, copies[0]) == std::vector<double>{1, 0, 0});
  CHECK(remember(d, kX).size() == 1);  // asked twice, copied once
  for (int i = 1; i < 4; ++i) {
    d.resume();
    d.stopped();
  }
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  copies = remember(d, kX);
  REQUIRE(copies.size() == 5);
  CHECK(doubles(d, copies[1]) == std::vector<double>{1, 1, 0});
  CHECK(doubles(d, copies[2]) == std::vector<double>{1, 1, 1});
  CHECK(doubles(d, copies[3]) == std::vector<double>{2, 1, 1});
  CHECK(doubles(d, copies[4]) == std::vector<double>{2, 1, 1});
  copies = remember(d, kX, copies[3].id);
  CHECK(copies.size() == 1);
  copies = remember(d, json::array(), copies[0].id);
  CHECK(copies.empty());
}

TEST_CASE(
    "a tensor on a CUDA device is remembered at every stop, in bytes or hashes, and refused in words when it cannot be read",
    "[host][remember][cuda]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const std::string script = tests::cuda_program(R"(
x = device_array([0.0] * 6)
for i in range(4):
    shadow(x)[i] = 1.5
    if i == 2:
        driver.fake_cuda_fail(b'*', 709, 0)
    y = i
)");
  d.breakpoint_at(
      {Debugged::line(static_cast<std::uint32_t>(std::ranges::count(script.substr(0, script.find("    y = i")), '\n')) + 1)});
  d.start(script);
  d.stopped();
  Copies copies = remember(d, kX);
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].why_not == "");
  CHECK(floats(d, copies[0]) == std::vector<float>{1.5, 0, 0, 0, 0, 0});
  d.resume();
  d.stopped();
  copies = remember(d, kX);
  REQUIRE(copies.size() == 2);
  CHECK(floats(d, copies[1]) == std::vector<float>{1.5, 1.5, 0, 0, 0, 0});
  const json hashed = {{{"name", "x"}, {"hashed", true}}};
  copies = remember(d, hashed, copies[1].id);
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].size == 8);
  d.resume();  // from here on the driver answers nothing
  d.stopped();
  copies = remember(d, kX, copies[0].id);
  REQUIRE_FALSE(copies.empty());
  for (const core::wire::WaitingCopy& copy : copies) {
    CHECK(copy.size == 0);
    CHECK_FALSE(copy.why_not.empty());
  }
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
}

TEST_CASE("memory of a device that nobody can read from here is refused with the device's name", "[host][remember]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  d.start(
      "class Elsewhere:\n"
      "    __cuda_array_interface__ = {'shape': (4,), 'typestr': '<f4', 'data': (0x7f0000001000, False), 'version': 3}\n"
      "x = Elsewhere()\n"
      "def main():\n"
      "    here = 1\n"
      "    return here\n"
      "main()\n");
  d.stopped();
  const Copies copies = remember(d, kX);
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].size == 0);
  CHECK_THAT(copies[0].why_not, ContainsSubstring("it lies on cuda:0, whose memory cannot be read from here"));
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
}

TEST_CASE("memory whose pages never come is refused in the words of the reader that found it out", "[host][remember]") {
  if (!may_hold_up_pages()) SKIP("this user may not use userfaultfd");
  EACH_PYTHON(python);
  Debugged d(python);
  const std::string script = with_slow_memory("x = _slow([0, 15])\ny = bytearray(b'beside')\n");
  d.breakpoint_at({Debugged::line(static_cast<std::uint32_t>(std::ranges::count(script, '\n')) + 1)});
  d.start(script + "z = 1\n");
  d.stopped();
  const Copies copies = remember(d, {{{"name", "x"}, {"hashed", false}}, {{"name", "y"}, {"hashed", false}}});
  REQUIRE(copies.size() == 2);
  for (const core::wire::WaitingCopy& copy : copies) {
    INFO(copy.name);
    if (copy.name == "x")
      CHECK_THAT(copy.why_not, ContainsSubstring("the memory does not answer"));
    else
      CHECK(copy.why_not == "");
  }
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
}

TEST_CASE("what is too large is refused with its size, and its blocks are hashed on request", "[host][remember]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3), Debugged::line(4)});
  d.start(
      "x = bytearray(100 << 20)\n"
      "y = bytearray(8)\n"
      "x[(5 << 20) + 7] = 1\n"
      "y = None\n");
  d.stopped();
  const json names = {{{"name", "x"}, {"hashed", false}}};
  Copies copies = remember(d, names);
  REQUIRE(copies.size() == 1);
  CHECK_THAT(copies[0].why_not, ContainsSubstring("100 MiB") && ContainsSubstring("at most 64 MiB"));
  CHECK(copies[0].size == 0);
  const json hashed = {{{"name", "x"}, {"hashed", true}}};
  copies = remember(d, hashed, copies[0].id);
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].size == 100 * 8);
  const std::vector<double> before = doubles(d, copies[0]);
  d.resume();
  d.stopped();
  copies = remember(d, hashed);
  REQUIRE(copies.size() == 2);
  const std::vector<double> after = doubles(d, copies[1]);
  for (std::size_t block = 0; block < 100; ++block) CHECK((std::memcmp(&before[block], &after[block], 8) != 0) == (block == 5));
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
}

TEST_CASE("bytes that were read while another thread ran are said to be that", "[host][remember]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(12), Debugged::line(16)});
  d.start(
      "import array, os, threading, time, zlib\n"                            // 1
      "x = array.array('d', [1, 2])\n"                                      // 2
      "leave = threading.Event()\n"                                         // 3
      "zeros = bytes(1 << 30)\n"                                            // 4
      "def work():\n"                                                       // 5
      "    while not leave.is_set():\n"                                     // 6
      "        zlib.crc32(zeros)  # without the GIL, which the look has\n"  // 7
      "thread = threading.Thread(target=work)\n"                            // 8
      "thread.start()\n"                                                    // 9
      "time.sleep(0.05)\n"                                                  // 10
      "\n"                                                                  // 11
      "y = 1\n"                                                             // 12
      "leave.set()\n"                                                       // 13
      "thread.join()\n"                                                     // 14
      "while os.path.exists(f'/proc/self/task/{thread.native_id}'): pass\n" // 15: a joined thread may still be ending
      "z = 1\n");                                                           // 16
  d.stopped();
  CHECK(remember(d, kX)[0].ran != core::wire::RanMeanwhile::no);
  d.resume();
  d.stopped();
  const Copies copies = remember(d, kX);
  REQUIRE(copies.size() == 2);
  CHECK(copies[1].ran == core::wire::RanMeanwhile::no);
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
}

TEST_CASE("a request that is none is refused in words and changes nothing", "[host][remember]") {
  EACH_PYTHON(python);
  Debugged d(python);
  CHECK_THAT(d.ask("remember", R"({"tensors": [{"name": 7, "hashed": false}], "fetched": 0})"), ContainsSubstring("TypeError"));
  CHECK_THAT(d.ask("remember", R"({"tensors": [{"name": "x"}], "fetched": 0})"), ContainsSubstring("KeyError"));
  CHECK_THAT(d.ask("remember", R"({"tensors": [], "fetched": "all"})"), ContainsSubstring("TypeError"));
  CHECK(d.ask("remember", R"({"tensors": [{"name": "nowhere", "hashed": false}], "fetched": 0})") == encode(Copies()));
}
