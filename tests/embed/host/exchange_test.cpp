// Proofs and hand-overs asked of a real host: what they find, what they bind, what they say when they cannot; the user's memory stays
// as it was.
#include <csignal>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "core/memory/memory_reader.h"
#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/library_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::HandOver;
using core::wire::CopyPolicy;
using core::wire::HandedOver;
using core::wire::HandTo;
using core::wire::Prove;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

constexpr const char* kScript =
    "x = bytearray(range(16))\nview = memoryview(x)\nodd = view[1::2]\nother = bytearray(x)\nfixed = b'abcd'\n";

std::uint32_t id_of(const core::SnapshotPtr& snapshot, const char* name) { return ref_to(snapshot, name).tensor; }

}  // namespace

TEST_CASE("a chain is proved on the objects themselves, and the probe puts every byte back", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  Prove work{.revision = snapshot->info.revision,
             .tensors = {id_of(snapshot, "x"), id_of(snapshot, "view"), id_of(snapshot, "odd"), id_of(snapshot, "other")},
             .pairs = false,
             .probe = true};
  const WorkEnded end = carry_out(host, work);
  REQUIRE(end.outcome == WorkOutcome::done);
  const auto proof = std::get<core::Proof>(end.result);
  REQUIRE(proof.steps.size() == 3);
  CHECK(proof.verdict == HandOver::copied);
  CHECK(proof.steps[0].verdict == HandOver::shared);
  CHECK((proof.steps[0].from == "x" && proof.steps[0].to == "view"));
  CHECK(proof.steps[1].relation == core::Relation::contains);
  CHECK(proof.steps[1].shared_bytes == 8);
  CHECK(proof.steps[2].verdict == HandOver::copied);
  for (const core::ProofStep& step : proof.steps) CHECK(step.probe == core::Probe::confirmed);
  work.tensors = {id_of(snapshot, "fixed"), id_of(snapshot, "fixed")};
  work.pairs = true;
  const auto itself = std::get<core::Proof>(carry_out(host, work).result);
  CHECK(itself.verdict == HandOver::shared);
  CHECK(itself.steps.at(0).probe == core::Probe::not_writable);

  REQUIRE(console(host, "print('unchanged', x == other == bytearray(range(16))); del other"));
  CHECK(host.wait_for_output("unchanged True"));
  work.tensors = {id_of(snapshot, "x"), id_of(snapshot, "view"), id_of(snapshot, "x"), id_of(snapshot, "other")};
  const auto without = std::get<core::Proof>(carry_out(host, work).result);  // each pair by itself
  REQUIRE(without.steps.size() == 2);
  CHECK(without.steps[0].verdict == HandOver::shared);
  CHECK(without.steps[1].verdict == HandOver::unknown);
  CHECK_THAT(without.steps[1].why, ContainsSubstring("other no longer exists"));
  work.tensors = {id_of(snapshot, "x"), id_of(snapshot, "other")};
  work.pairs = false;
  const WorkEnded gone = carry_out(host, work);
  CHECK(gone.outcome == WorkOutcome::failed);
  CHECK_THAT(gone.message, ContainsSubstring("other no longer exists"));
  work.tensors = {id_of(snapshot, "x"), 4711};
  CHECK(carry_out(host, work).outcome == WorkOutcome::failed);
}

TEST_CASE("a tensor is handed over, judged by its bytes, and bound to a free name", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  const WorkEnded end = carry_out(host, hand_to(snapshot, "odd", "dlscope"));
  REQUIRE(end.outcome == WorkOutcome::done);
  const auto done = std::get<HandedOver>(end.result);
  INFO(done.error);
  // A memoryview speaks no DLPack: from_dlpack refuses it, in its own words.
  CHECK(done.verdict == "REFUSED");
  CHECK(done.error_type == "TypeError");
  CHECK(done.name.empty());

  REQUIRE(console(host, "import dlscope; t = dlscope.asdlpack(x)"));
  host.send(core::wire::Scan{1});
  const auto later = next_snapshot(host);
  const auto shared = std::get<HandedOver>(carry_out(host, hand_to(later, "t", "dlscope")).result);
  CHECK(shared.verdict == "SHARED");
  CHECK(shared.step.from_address == shared.step.to_address);
  CHECK(shared.step.shared_bytes == 16);
  CHECK_THAT(shared.values, ContainsSubstring("the same elements"));
  CHECK((shared.name == "t_dlscope" && shared.type == "dlscope.Tensor"));
  CHECK(shared.line == "t_dlscope = dlscope.from_dlpack(t)");
  REQUIRE_FALSE(shared.calls.empty());
  REQUIRE(console(host, "t_dlscope.close(); print('bound', type(t_dlscope).__name__)"));
  CHECK(host.wait_for_output("bound Tensor"));

  HandTo copied = hand_to(later, "t", "dlscope", "mine");
  copied.copy = CopyPolicy::always;
  const auto copy = std::get<HandedOver>(carry_out(host, copied).result);
  CHECK(copy.verdict == "COPIED");
  CHECK(copy.line == "mine = dlscope.from_dlpack(t, copy=True)");
  CHECK_THAT(copy.values, ContainsSubstring("all 16 elements"));
  host.send(core::wire::Scan{2});
  const auto last = next_snapshot(host);
  REQUIRE(last->copies.size() == 1);  // dlscope made it: entered there, and not again
  CHECK(last->copies[0].bytes == 16);
}

TEST_CASE("a consumer that shares the memory and reads other values from it is found out", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import dlscope, sys, types
memory = bytearray(range(16))
t = dlscope.asdlpack(memory)
consumer = types.ModuleType("array_api_strict")
sys.modules["array_api_strict"] = consumer
answers = [memoryview(memory)[::-1], memoryview(memory)[:8]]
consumer.from_dlpack = lambda source: dlscope.asdlpack(answers.pop(0))
)");
  const auto backwards = std::get<HandedOver>(carry_out(host, hand_to(snapshot, "t", "array_api_strict", "backwards")).result);
  CHECK(backwards.step.verdict == HandOver::shared);
  CHECK(backwards.verdict == "WRONG VALUES");
  CHECK_THAT(backwards.values, ContainsSubstring("16 of 16 values differ") && ContainsSubstring("the strides differ"));

  const auto shorter = std::get<HandedOver>(carry_out(host, hand_to(snapshot, "t", "array_api_strict", "shorter")).result);
  CHECK(shorter.verdict == "WRONG VALUES");
  CHECK(shorter.values == "the shape differs");
}

TEST_CASE("a hand-over that cannot be says why, and binds nothing", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  const auto unknown = std::get<HandedOver>(carry_out(host, hand_to(snapshot, "x", "nonesuch")).result);
  CHECK(unknown.verdict == "REFUSED");
  CHECK_THAT(unknown.error, ContainsSubstring("nonesuch"));
  for (const auto& [name, message] : {std::pair{"view", "The name view is taken: choose another one."},
                                      std::pair{"not a name", "is not a valid name"}, std::pair{"for", "is not a valid name"}}) {
    const WorkEnded end = carry_out(host, hand_to(snapshot, "x", "dlscope", name));
    CHECK(end.outcome == WorkOutcome::failed);
    CHECK_THAT(end.message, ContainsSubstring(message));
  }
}

TEST_CASE("what leaves a hand-over as an exception that no library catches is told by its own name", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import sys, types
class PanicException(BaseException):  # as PyO3's
    pass
def raises(source, **keywords):
    raise SystemExit(3) if memoryview(source)[0] == 0 else PanicException('index out of bounds')
library = sys.modules['cupy'] = types.ModuleType('cupy')
library.from_dlpack = lambda source, **keywords: raises(source._source)
leaves, panics = bytearray(4), bytearray(b'1234')
)");
  for (const auto& [name, type, words] :
       {std::array{"leaves", "SystemExit", "3"}, std::array{"panics", "PanicException", "index out of bounds"}}) {
    const WorkEnded end = carry_out(host, hand_to(snapshot, name, "cupy"));
    INFO(end.message);
    REQUIRE(end.outcome == WorkOutcome::done);
    const auto refused = std::get<HandedOver>(end.result);
    CHECK(refused.verdict == "REFUSED");
    CHECK(refused.error_type == type);
    CHECK(refused.error == words);
  }
}

TEST_CASE("which libraries there are and which calls a hand-over takes is told before it is made", "[host][questions]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  look_after(host, "import dlscope\n");
  auto ask = [&, id = std::uint64_t{0}](const char* kind, const char* text) mutable {
    host.send(core::wire::Ask{++id, kind, text});
    const auto answer = host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK(answer->error.empty());
    return answer->text;
  };
  CHECK_THAT(ask("exchange_libraries", "{}"), ContainsSubstring("\"dlscope\""));
  const std::string line = ask("exchange_plan", R"({"library": "dlscope", "device": "", "copy": "never", "subject": "x"})");
  CHECK_THAT(line, ContainsSubstring("dlscope.from_dlpack(x, copy=False)"));
  CHECK_THAT(line, ContainsSubstring("\"known\": false"));
  CHECK_THAT(line, ContainsSubstring("\"calls\": []"));
  const std::string plan =
      ask("exchange_plan", R"({"library": "dlscope", "device": "", "copy": "always", "subject": "x", "rehearse": true})");
  CHECK_THAT(plan, ContainsSubstring("dlscope.from_dlpack(x, copy=True)"));
  CHECK_THAT(plan, ContainsSubstring("\"known\": true"));
  host.send(core::wire::Scan{1});
  CHECK(next_snapshot(host)->copies.empty());  // a rehearsal copies nothing of the script's
  const std::string elsewhere =
      ask("exchange_plan", R"({"library": "dlscope", "device": "cuda:0", "copy": "never", "subject": "x", "rehearse": true})");
  CHECK_THAT(elsewhere, ContainsSubstring("\"known\": false"));
  CHECK_THAT(elsewhere, ContainsSubstring("not rehearsed for cuda:0"));
  CHECK_THAT(ask("exchange_plan", R"({"library": "array_api_strict", "device": "cpu", "copy": "", "subject": "x"})"),
             ContainsSubstring("array_api_strict.from_dlpack(x, device=array_api_strict.Device('CPU_DEVICE'))"));
}

TEST_CASE("a capsule that is requested here is versioned where both sides know such capsules", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import dlscope, sys, types
memory = dlscope.asdlpack(bytearray(8))
class Older:
    def __dlpack__(self, *, stream=None):
        return memory.__dlpack__(stream=stream)
    def __dlpack_device__(self):
        return 1, 0
class Refuses:
    def __dlpack__(self, *, max_version=None, **keywords):
        if max_version is not None and 'stream' in keywords:
            raise BufferError('no version')
        return memory.__dlpack__(max_version=max_version, **keywords)
    __dlpack_device__ = Older.__dlpack_device__
x, refuses = Older(), Refuses()
library = types.ModuleType('cupy')
library.from_dlpack = dlscope.from_dlpack
sys.modules['cupy'] = library
)");
  const auto calls_of = [&](const char* tensor, const char* library) {
    HandTo work = hand_to(snapshot, tensor, library, std::string("y_") + tensor + library);
    work.stream = "None";
    return std::get<HandedOver>(carry_out(host, work).result);
  };
  const auto older = calls_of("x", "dlscope");
  CHECK(older.verdict == "SHARED");
  REQUIRE(older.calls.size() == 5);
  CHECK((older.calls[1].failed && older.calls[1].what == "x.__dlpack__(stream=None, max_version=(1, 0))"));
  CHECK((older.calls[2].what == "x.__dlpack__(stream=None)" && older.calls[2].answer == "legacy capsule 'dltensor'"));
  CHECK(older.line.ends_with(" = dlscope.from_dlpack(x.__dlpack__(stream=None))"));
  const auto legacy = calls_of("memory", "cupy");
  REQUIRE(legacy.calls.size() == 4);
  CHECK(legacy.calls[1].what == "memory.__dlpack__(stream=None)");
  const auto refused = calls_of("refuses", "dlscope");
  CHECK((refused.verdict == "REFUSED" && refused.error_type == "BufferError" && refused.calls.size() == 2));
}

TEST_CASE("a library that dies in the middle of a hand-over is told, and the source's bytes stay as they were", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import ctypes, dlscope
memory = bytearray(range(16))
class Tensor:
    def __dlpack__(self, **keywords):
        if "copy" in keywords:  # which no look asks for
            ctypes.memset(16, 1, 1)
        return dlscope.asdlpack(memory).__dlpack__(**keywords)
    def __dlpack_device__(self):
        return 1, 0
x = Tensor()
)");
  const core::TensorRecord* const source = snapshot->find("memory");
  REQUIRE(source != nullptr);
  HandTo never_copied = hand_to(snapshot, "x", "dlscope", "y");
  never_copied.copy = CopyPolicy::never;
  host.send(core::wire::Start{77, std::move(never_copied)});
  REQUIRE(host.wait_for_crash());
  CHECK(host.region().header().crash.signal == SIGSEGV);
  CHECK(host.region().header().crash.fault_address == 16);
  const auto reader = core::process_reader(host.pid());
  REQUIRE(reader);
  std::array<std::byte, 16> bytes{};
  REQUIRE((*reader)->read(source->address, bytes) == bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) CHECK(bytes[i] == static_cast<std::byte>(i));
}

TEST_CASE("what is read-only on both sides of a hand-over is said to be kept", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot =
      look_after(host, "import dlscope\nr = dlscope.asdlpack(bytes(16))\nw = dlscope.asdlpack(bytearray(16))\n");
  const auto kept = std::get<HandedOver>(carry_out(host, hand_to(snapshot, "r", "dlscope")).result);
  CHECK(kept.verdict == "SHARED");
  CHECK(kept.read_only == "kept: the result is read-only, too");
  const auto writable = std::get<HandedOver>(carry_out(host, hand_to(snapshot, "w", "dlscope")).result);
  CHECK(writable.read_only == "nothing to keep: the source may be written");
}

TEST_CASE("read-only memory of NumPy is said to be lost in a library whose result may be written", "[host][work][torch]") {
  const TestPython& python = library_python();
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
try:
    import numpy
    r, w = numpy.arange(6.0), numpy.arange(6.0)
    r.flags.writeable = False
    print('NumPy', numpy.__version__, flush=True)
except ImportError:
    print('no NumPy', flush=True)
)");
  REQUIRE(host.wait_for_output("NumPy"));
  const std::string with = "Python " + python.version + ", " + host.out();
  if (snapshot->find("r") == nullptr) SKIP("NumPy is not installed: " << with);
  const auto handed = [&](const char* tensor, const char* library) {
    const WorkEnded end = carry_out(host, hand_to(snapshot, tensor, library));
    REQUIRE(end.outcome == WorkOutcome::done);
    return std::get<HandedOver>(end.result);
  };
  const HandedOver by_numpy = handed("r", "numpy");
  if (by_numpy.verdict == "REFUSED") SKIP("NumPy does not hand over what is read-only: " << with << by_numpy.error);
  CHECK(by_numpy.read_only == "kept: the result is read-only, too");
  int tried = 0;
  for (const char* const library : {"torch", "paddle"}) {
    const HandedOver lost = handed("r", library);
    if (lost.verdict == "REFUSED") continue;  // it is not installed, or takes nothing that is read-only
    ++tried;
    CAPTURE(library, lost.error);
    CHECK(lost.verdict == "SHARED");
    CHECK(lost.read_only == "not kept: the source is read-only, but the result lets that memory be written");
    CHECK(handed("w", library).read_only == "nothing to keep: the source may be written");
  }
  // TVM asks for a legacy capsule, which cannot say it: NumPy gives none.
  if (const HandedOver refused = handed("r", "tvm_ffi"); refused.error_type != "ModuleNotFoundError") {
    ++tried;
    CHECK(refused.verdict == "REFUSED");
    CHECK(refused.error_type == "BufferError");
    CHECK_THAT(refused.error, ContainsSubstring("readonly"));
  }
  if (tried == 0) SKIP("neither PyTorch nor Paddle nor TVM is installed, or takes read-only memory: " << with);
}
