// A real host whose script has memory that never answers: registered with userfaultfd and served by nobody.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/slow_script.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::RemarkCode;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

std::size_t reading_threads(pid_t pid) {
  std::size_t count = 0;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm") >> std::ws, name);
    count += name == "dlscope-read" ? 1 : 0;
  }
  return count;
}

// Whether at most so many are left soon: one that has read its last piece may still be leaving.
bool comes_to_reading_threads(pid_t pid, std::size_t most) {
  for (int round = 0; round < 500 && reading_threads(pid) > most; ++round)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return reading_threads(pid) <= most;
}

void check_scan(const core::Snapshot& snapshot) {
  for (const char* const name : {"one", "two"}) {
    const core::TensorRecord& slow = *snapshot.find(name);
    CHECK_FALSE(slow.readable);
    CHECK(snapshot.has_remark(slow, RemarkCode::extent_unreadable));
  }
  for (const char* const name : {"after", "fresh", "there"}) {
    const core::TensorRecord& healthy = *snapshot.find(name);
    CHECK(healthy.readable);
    CHECK_FALSE(snapshot.has_remark(healthy, RemarkCode::extent_unreadable));
    CHECK_FALSE(snapshot.has_remark(healthy, RemarkCode::not_probed));
  }
}

}  // namespace

TEST_CASE("what never answers costs a scan nothing of the other tensors, and the process a thread each", "[host][slow]") {
  if (!may_hold_up_pages()) SKIP("this user may not use userfaultfd");
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, with_slow_memory("one, two, there = _slow([]), _slow([]), _slow([0, 15])\n"
                                                          "after = memoryview(bytearray(b'after'))\n"
                                                          "fresh = memoryview(bytearray(1 << 24))\n"));  // never touched
  check_scan(*snapshot);
  constexpr std::size_t kHang = 3;
  CHECK(comes_to_reading_threads(host.pid(), kHang));  // the one that reads leaves when it is idle
  for (std::uint64_t i = 0; i < 3; ++i) {
    host.send(core::wire::Scan{i + 1u});
    check_scan(*next_snapshot(host));
    REQUIRE(host.wait_for<core::wire::ScanFinished>());
  }
  // What hangs is not asked again, which would take a thread each time.
  CHECK(comes_to_reading_threads(host.pid(), kHang));
}

TEST_CASE("a task on memory that never answers ends and says so, and holds up no other one", "[host][slow]") {
  if (!may_hold_up_pages()) SKIP("this user may not use userfaultfd");
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, with_slow_memory("import array\n"
                                                          "one, two = _slow([0, 15]), _slow([0, 15])\n"
                                                          "x = array.array('f', [1.0] * 300000)\n"));
  REQUIRE(snapshot->find("one")->readable);
  const auto one = ref_to(snapshot, "one"), two = ref_to(snapshot, "two"), x = ref_to(snapshot, "x");
  host.send(core::wire::Start{1, core::wire::ComputeStatistics{one}});
  host.send(core::wire::Start{2, core::wire::FindValue{two, core::SearchedValue::equal, "5", 0}});
  host.send(core::wire::Start{3, core::wire::ComputeStatistics{x}});
  std::size_t ended = 0;
  while (ended < 3) {
    const auto end = host.wait_for<WorkEnded>();
    REQUIRE(end);
    ++ended;
    CHECK(end->outcome == (end->id == 3 ? WorkOutcome::done : WorkOutcome::failed));
    if (end->id != 3) CHECK_THAT(end->message, ContainsSubstring("memory does not answer"));
  }
  const WorkEnded compared = carry_out(host, core::wire::CompareTensors{one, two, {}, false});
  CHECK(compared.outcome == WorkOutcome::failed);
  CHECK_THAT(compared.message, ContainsSubstring("memory does not answer"));
  CHECK(carry_out(host, core::wire::ComputeStatistics{x}).outcome == WorkOutcome::done);
}

TEST_CASE("a capsule whose struct never comes is said not to answer, and the scan goes on", "[host][slow]") {
  if (!may_hold_up_pages()) SKIP("this user may not use userfaultfd");
  EACH_PYTHON(python);
  HostProcess host(python);
  // A capsule's name may lie there as well; so may only the shape that a struct of ours points to.
  const auto snapshot = look_after(host, with_slow_memory(
                                             "_slow_bytes, _there = _slow([]), bytearray(64)\n"
                                             "_at = ctypes.addressof(ctypes.c_char.from_buffer(_slow_bytes))\n"
                                             "_new = ctypes.pythonapi.PyCapsule_New\n"
                                             "_new.restype = ctypes.py_object\n"
                                             "_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]\n"
                                             "_named = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p,\n"
                                             "                           ctypes.c_void_p)(('PyCapsule_New', ctypes.pythonapi))\n"
                                             "_name = b'dltensor'\n"
                                             "_managed = ctypes.create_string_buffer(struct.pack(\n"
                                             "    'QiiiBBHQQQQQ', ctypes.addressof(ctypes.c_char.from_buffer(_there)), 1, 0, 1,\n"
                                             "    0, 8, 1, _at, 0, 0, 0, 0))\n"
                                             "struct_slow = _new(_at + 4096, _name, None)\n"
                                             "name_slow = _named(id(_name), _at + 8192, None)\n"
                                             "shape_slow = _new(ctypes.addressof(_managed), _name, None)\n"
                                             "class Producer:\n"
                                             "    def __dlpack__(self, **how): return _new(_at + 12288, _name, None)\n"
                                             "    def __dlpack_device__(self): return (1, 0)\n"
                                             "produced = Producer()\n"
                                             "after = memoryview(bytearray(b'after'))\n"));
  const auto said = [&](const char* name) {
    const core::TensorRecord* const tensor = snapshot->find(name);
    REQUIRE(tensor != nullptr);
    std::string text;
    for (const core::RemarkRecord& remark : core::Snapshot::slice(snapshot->remarks, tensor->remarks))
      text += std::string(snapshot->str(remark.message)) + "\n";
    for (const core::RefusalRecord& refusal : core::Snapshot::slice(snapshot->refusals, tensor->refusals))
      text += std::string(snapshot->str(refusal.message)) + "\n";
    return text;
  };
  for (const char* const name : {"struct_slow", "shape_slow", "produced"}) {
    CHECK_THAT(said(name), ContainsSubstring("not answer"));
    CHECK_FALSE(snapshot->find(name)->has_layout);
  }
  CHECK(snapshot->find("name_slow") == nullptr);  // of which it is not known that it is DLPack's
  CHECK(snapshot->find("after")->readable);
  constexpr std::size_t kMostThreads = 3;  // one that hangs of each reader (structs, elements), one that reads
  CHECK(comes_to_reading_threads(host.pid(), kMostThreads));
}

TEST_CASE("the write probe does not wait for a page that never comes, and says why it was not armed", "[host][slow]") {
  if (!may_hold_up_pages()) SKIP("this user may not use userfaultfd");
  EACH_PYTHON(python);
  HostProcess host(python);
  // Both ends of either are there, but not the one element that they share: number 1536, on page 3.
  const auto snapshot = look_after(host, with_slow_memory("_area = _slow([0, 14, 15])\n"
                                                          "a, b = _area[0:7681:1536], _area[1:7677:1535]\n"
                                                          "there, too = _area[:512], _area[:256]\n"));
  const auto prove = [&](const char* from, const char* to) {
    const std::vector<std::uint32_t> both{ref_to(snapshot, from).tensor, ref_to(snapshot, to).tensor};
    const WorkEnded ended = carry_out(host, core::wire::Prove{snapshot->info.revision, both, false, true});
    REQUIRE(ended.outcome == WorkOutcome::done);
    return std::get<core::Proof>(ended.result).steps.at(0);
  };
  const core::ProofStep slow = prove("a", "b");
  CHECK(slow.probe == core::Probe::not_armed);
  CHECK(slow.verdict == core::HandOver::partly_shared);
  CHECK_THAT(slow.why, ContainsSubstring("does not answer"));
  CHECK(prove("there", "too").probe == core::Probe::confirmed);
}
