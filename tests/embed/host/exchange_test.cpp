// Proofs, hand-overs and copies asked of a real host: what they find, what they bind, what they say when they cannot; the user's memory
// stays as it was.
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
#include "tests/embed/host/work_steps.h"
#include "tests/support/cuda_program.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::HandOver;
using core::wire::Copied;
using core::wire::CopyPolicy;
using core::wire::CopyTensor;
using core::wire::HandedOver;
using core::wire::HandTo;
using core::wire::Prove;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

constexpr const char* kScript =
    "x = bytearray(range(16))\nview = memoryview(x)\nodd = view[1::2]\nother = bytearray(x)\nfixed = b'abcd'\n";

std::uint32_t id_of(const core::SnapshotPtr& snapshot, const char* name) { return ref_to(snapshot, name).tensor; }

HandTo hand(const core::SnapshotPtr& snapshot, const char* name, const char* library, std::string wanted = {}) {
  return {.tensor = ref_to(snapshot, name),
          .library = library,
          .device = {},
          .copy = CopyPolicy::if_needed,
          .name = std::move(wanted)};
}

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
  work.tensors = {id_of(snapshot, "x"), id_of(snapshot, "other")};
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
  const WorkEnded end = carry_out(host, hand(snapshot, "odd", "dlscope"));
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
  const auto shared = std::get<HandedOver>(carry_out(host, hand(later, "t", "dlscope")).result);
  CHECK(shared.verdict == "SHARED");
  CHECK(shared.step.from_address == shared.step.to_address);
  CHECK(shared.step.shared_bytes == 16);
  CHECK_THAT(shared.values, ContainsSubstring("the same elements"));
  CHECK((shared.name == "t_dlscope" && shared.type == "dlscope.Tensor"));
  CHECK(shared.line == "t_dlscope = dlscope.from_dlpack(t)");
  REQUIRE_FALSE(shared.calls.empty());
  REQUIRE(console(host, "t_dlscope.close(); print('bound', type(t_dlscope).__name__)"));
  CHECK(host.wait_for_output("bound Tensor"));

  HandTo copied = hand(later, "t", "dlscope", "mine");
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
  const auto backwards = std::get<HandedOver>(carry_out(host, hand(snapshot, "t", "array_api_strict", "backwards")).result);
  CHECK(backwards.step.verdict == HandOver::shared);
  CHECK(backwards.verdict == "WRONG VALUES");
  CHECK_THAT(backwards.values, ContainsSubstring("16 of 16 values differ") && ContainsSubstring("the strides differ"));

  const auto shorter = std::get<HandedOver>(carry_out(host, hand(snapshot, "t", "array_api_strict", "shorter")).result);
  CHECK(shorter.verdict == "WRONG VALUES");
  CHECK(shorter.values == "the shape differs");
}

TEST_CASE("a hand-over that cannot be says why, and binds nothing", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  const auto unknown = std::get<HandedOver>(carry_out(host, hand(snapshot, "x", "nonesuch")).result);
  CHECK(unknown.verdict == "REFUSED");
  CHECK_THAT(unknown.error, ContainsSubstring("nonesuch"));
  for (const auto& [name, message] : {std::pair{"view", "there is a view already"},
                                      std::pair{"not a name", "is not a valid name"}, std::pair{"for", "is not a valid name"}}) {
    const WorkEnded end = carry_out(host, hand(snapshot, "x", "dlscope", name));
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
    const WorkEnded end = carry_out(host, hand(snapshot, name, "cupy"));
    INFO(end.message);
    REQUIRE(end.outcome == WorkOutcome::done);
    const auto refused = std::get<HandedOver>(end.result);
    CHECK(refused.verdict == "REFUSED");
    CHECK(refused.error_type == type);
    CHECK(refused.error == words);
  }
}

TEST_CASE("a copy is made, compared, bound and entered in the ledger", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  CHECK(snapshot->copies.empty());
  CopyTensor work{.tensor = ref_to(snapshot, "odd"), .keep_order = false, .dtype = {}, .library = {}, .name = {}};
  const auto copied = std::get<Copied>(carry_out(host, work).result);
  CHECK((copied.bytes == 8 && copied.compared && copied.name == "odd_copy" && copied.type == "dlscope.Tensor"));
  CHECK(copied.line == "odd_copy = dlscope.copy(odd)");
  work.dtype = "float32";
  const auto converted = std::get<Copied>(carry_out(host, work).result);
  CHECK((converted.bytes == 32 && converted.name == "odd_float32"));
  REQUIRE(console(host, "print('values', list(memoryview(odd_copy)), list(memoryview(odd_float32)))"));
  CHECK(host.wait_for_output("values [1, 3, 5, 7, 9, 11, 13, 15] [1.0, 3.0"));
  host.send(core::wire::Scan{1});
  const auto later = next_snapshot(host);
  REQUIRE(later->copies.size() == 2);
  CHECK(later->copies[0].bytes == 8);

  work.tensor = ref_to(later, "odd");
  work.dtype = "no_such_dtype";
  const WorkEnded wrong = carry_out(host, work);
  CHECK(wrong.outcome == WorkOutcome::failed);
  CHECK_THAT(wrong.message, ContainsSubstring("no_such_dtype"));
  work = {.tensor = ref_to(later, "odd"), .keep_order = false, .dtype = {}, .library = "nonesuch", .name = {}};
  CHECK(carry_out(host, work).outcome == WorkOutcome::failed);
}

TEST_CASE("a copy for a library that copies once more is two entries of the ledger, and what the library made is compared",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import dlscope, sys, types
x = bytearray(range(64))
def copies(source, **keywords):
    return dlscope.asdlpack(bytearray(memoryview(dlscope.from_dlpack(source)).tobytes()))
def zeros(source, **keywords):
    return dlscope.asdlpack(bytearray(64))
class Hidden:
    pass
library = sys.modules['cupy'] = types.ModuleType('cupy')
library.from_dlpack = copies
)");
  CopyTensor work{.tensor = ref_to(snapshot, "x"), .keep_order = false, .dtype = {}, .library = "cupy", .name = {}};
  const WorkEnded twice = carry_out(host, work);
  REQUIRE(twice.outcome == WorkOutcome::done);
  CHECK(std::get<Copied>(twice.result).compared);
  CHECK_THAT(twice.message, ContainsSubstring("cupy made a second copy of dlscope's; all 64 elements have the source's bits"));

  REQUIRE(console(host, "library.from_dlpack = lambda source, **keywords: Hidden()"));
  host.send(core::wire::Scan{1});
  auto now = next_snapshot(host);
  CHECK(now->copies.size() == 2);
  work.tensor = ref_to(now, "x");
  const WorkEnded not_known = carry_out(host, work);
  REQUIRE(not_known.outcome == WorkOutcome::done);
  CHECK_FALSE(std::get<Copied>(not_known.result).compared);
  CHECK_THAT(not_known.message, ContainsSubstring("whether cupy shares dlscope's copy is not known"));

  REQUIRE(console(host, "library.from_dlpack = zeros"));
  host.send(core::wire::Scan{2});
  now = next_snapshot(host);
  work.tensor = ref_to(now, "x");
  const WorkEnded wrong = carry_out(host, work);
  CHECK(wrong.outcome == WorkOutcome::failed);
  CHECK_THAT(wrong.message, ContainsSubstring("cupy made something else of the copy: the values differ"));

  REQUIRE(console(host, "library.from_dlpack = dlscope.from_dlpack"));
  host.send(core::wire::Scan{3});
  work.tensor = ref_to(next_snapshot(host), "x");
  const WorkEnded shared = carry_out(host, work);
  CHECK((shared.outcome == WorkOutcome::done && std::get<Copied>(shared.result).compared));
  CHECK(shared.message.find("second copy") == std::string::npos);
}

TEST_CASE("the Python line uses a name that Python knows, and there is none without one", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "m = memoryview(b'abcd')\na = {m}\nd = {'m': m}\nalone = {memoryview(b'efgh')}\ndel m\n");
  CopyTensor work{.tensor = ref_to(snapshot, "a<0>"), .keep_order = false, .dtype = {}, .library = {}, .name = {}};
  CHECK(std::get<Copied>(carry_out(host, work).result).line == "d_m_copy = dlscope.copy(d['m'])");
  work.tensor = ref_to(snapshot, "alone<0>");
  const auto copied = std::get<Copied>(carry_out(host, work).result);
  CHECK((copied.name == "alone_0_copy" && copied.line.empty()));
  const auto handed = std::get<HandedOver>(carry_out(host, hand(snapshot, "alone<0>", "dlscope")).result);
  CHECK(handed.line.empty());
}

TEST_CASE("a copy larger than the memory is refused before it is begun, and one that is cancelled leaves nothing",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  // One byte, broadcast to more than any machine has.
  const auto snapshot =
      look_after(host,
                 "import ctypes\nb = bytearray(1)\nclass Large:\n  __array_interface__ = {'version': 3, 'typestr': '|u1', "
                 "'shape': (1 << 20, 1 << 25), 'strides': (0, 0), 'data': (ctypes.addressof((ctypes.c_char * "
                 "1).from_buffer(b)), False)}\nlarge = Large()\n"
                 "class Long:\n  __array_interface__ = dict(Large.__array_interface__, shape=(1 << 29,), strides=(0,))\n"
                 "long = Long()\n");
  const CopyTensor large{.tensor = ref_to(snapshot, "large"), .keep_order = false, .dtype = {}, .library = {}, .name = {}};
  const WorkEnded refused = carry_out(host, large);
  CHECK(refused.outcome == WorkOutcome::failed);
  CHECK_THAT(refused.message, ContainsSubstring("does not fit"));

  host.send(core::wire::Start{
      5000, CopyTensor{.tensor = ref_to(snapshot, "long"), .keep_order = false, .dtype = {}, .library = {}, .name = {}}});
  REQUIRE(host.wait_for<core::wire::Progress>());
  host.send(core::wire::Cancel{5000});
  CHECK(end_of(host, 5000).outcome == WorkOutcome::cancelled);
  REQUIRE(console(host, "print('nothing', 'long_copy' in globals())"));
  CHECK(host.wait_for_output("nothing False"));
  host.send(core::wire::Scan{1});
  CHECK(next_snapshot(host)->copies.empty());
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

namespace {

// x: a tensor on a CUDA device; `asked` has the keywords of every request for a capsule of it.
std::string producer_on_a_device() {
  return cuda_program(R"(
import dlscope
class Tensor:
    def __dlpack__(self, **keywords):
        asked.append(keywords)
        return memory.__dlpack__(**keywords)
    def __dlpack_device__(self):
        return 2, 0
memory, asked, x = dlscope.copy(device_array(range(8)), device="cuda:0"), [], Tensor()
)");
}

}  // namespace

TEST_CASE("a stream that is chosen is the one that the producer is asked with", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, producer_on_a_device());
  for (const std::string stream : {"2", "None", "-1"}) {
    HandTo work = hand(snapshot, "x", "dlscope", "y_" + std::to_string(stream.size()));
    work.stream = stream;
    const WorkEnded end = carry_out(host, work);
    INFO(stream << ": " << end.message);
    REQUIRE(end.outcome == WorkOutcome::done);
    const auto done = std::get<HandedOver>(end.result);
    CHECK(done.verdict == "SHARED");
    CHECK(done.line == work.name + " = dlscope.from_dlpack(x.__dlpack__(stream=" + stream + ", max_version=(1, 0)))");
    REQUIRE(done.calls.size() == 4);
    CHECK(done.calls[0].what == "x.__dlpack_device__()");
    CHECK(done.calls[1].what == "x.__dlpack__(stream=" + stream + ", max_version=(1, 0))");
    CHECK(done.calls[1].answer == "versioned capsule 'dltensor_versioned'");
    CHECK(done.calls[2].what == "dlscope.from_dlpack(x.__dlpack__(stream=" + stream + ", max_version=(1, 0)))");
    CHECK(done.calls[3].answer == "renamed 'used_dltensor_versioned'");
  }
  REQUIRE(console(host, "print('asked', [{'stream': each, 'max_version': (1, 0)} in asked for each in (2, None, -1)], flush=True)"));
  CHECK(host.wait_for_output("asked [True, True, True]"));
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
    HandTo work = hand(snapshot, tensor, library, std::string("y_") + tensor + library);
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

TEST_CASE("a stream that DLPack does not allow, or that the library cannot be given, is refused before a capsule is requested",
          "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, producer_on_a_device() +
                                             "here = dlscope.asdlpack(bytearray(8))\nimport sys, types\n"
                                             "sys.modules['array_api_strict'] = types.ModuleType('array_api_strict')\n"
                                             "sys.modules['array_api_strict'].from_dlpack = dlscope.from_dlpack\n");
  const auto refusal = [&](const char* tensor, const char* library, const char* stream) {
    HandTo work = hand(snapshot, tensor, library, "y");
    work.stream = stream;
    const auto done = std::get<HandedOver>(carry_out(host, work).result);
    CHECK(done.verdict == "REFUSED");
    for (const auto& call : done.calls) CHECK(call.what.find("__dlpack__(") == std::string::npos);
    return done.error;
  };
  CHECK_THAT(refusal("x", "dlscope", "0"), ContainsSubstring("does not allow 0 on CUDA"));
  CHECK_THAT(refusal("x", "dlscope", "-7"), ContainsSubstring("'-7' is no stream"));
  CHECK_THAT(refusal("x", "dlscope", "seven"), ContainsSubstring("'seven' is no stream"));
  CHECK_THAT(refusal("x", "array_api_strict", "1"), ContainsSubstring("takes no capsule"));
  CHECK_THAT(refusal("here", "dlscope", "1"), ContainsSubstring("Host memory has no streams"));
  HandTo none = hand(snapshot, "here", "dlscope", "y");
  none.stream = "None";
  const auto shared = std::get<HandedOver>(carry_out(host, none).result);
  CHECK(shared.verdict == "SHARED");
  CHECK(shared.line == "y = dlscope.from_dlpack(here.__dlpack__(stream=None, max_version=(1, 0)))");
}

TEST_CASE("the calls with a chosen stream are told beforehand, and what the stream means", "[host][questions]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  look_after(host, "import dlscope\n");
  auto ask = [&, id = std::uint64_t{0}](const std::string& members) mutable {
    host.send(
        core::wire::Ask{++id, "exchange_plan", R"({"library": "dlscope", "copy": "always", "subject": "x", )" + members + "}"});
    const auto answer = host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK(answer->error.empty());
    return answer->text;
  };
  const std::string plan = ask(R"("device": "cuda:1", "stream": "0x7f10", "device_type": 2)");
  CHECK_THAT(plan, ContainsSubstring("\"x.__dlpack__(stream=32528, copy=True, dl_device=(2, 1), max_version=(1, 0))\""));
  CHECK_THAT(plan, ContainsSubstring("\"dlscope.from_dlpack(x.__dlpack__(stream=32528, copy=True, dl_device=(2, 1), max_version=(1, 0)))\""));
  CHECK_THAT(plan, ContainsSubstring("\"x.__dlpack_device__()\""));
  CHECK_THAT(plan, ContainsSubstring("0x7f10 is taken for the address of a stream's handle"));
  CHECK_THAT(plan, ContainsSubstring("\"refused\": \"\""));
  CHECK_THAT(ask(R"("device": "", "stream": "-1", "device_type": 10)"), ContainsSubstring("nobody wait"));
  CHECK_THAT(ask(R"("device": "", "stream": "0", "device_type": 10)"), ContainsSubstring("the default stream wait"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 10)"), ContainsSubstring("does not allow 1 and 2 on ROCm"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 14)"), ContainsSubstring("a SYCL queue"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 8)"), ContainsSubstring("on CUDA and ROCm only"));
  CHECK_THAT(ask(R"("device": "", "stream": "None", "device_type": 1)"), ContainsSubstring("so nobody waits"));
  CHECK_THAT(ask(R"("device": "", "stream": "1", "device_type": 1)"),
             ContainsSubstring("Host memory has no streams") && ContainsSubstring("\"calls\": []"));
}

TEST_CASE("a copy is made on a CUDA device that is there, and refused in words on another one", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, cuda_program("import dlscope\nx = memoryview((ctypes.c_float * 6)(*range(6)))\n"));
  CopyTensor work{
      .tensor = ref_to(snapshot, "x"), .keep_order = false, .dtype = {}, .library = {}, .name = "y", .device = "cuda:0"};
  const auto there = std::get<Copied>(carry_out(host, work).result);
  CHECK((there.bytes == 24 && !there.compared && there.line == "y = dlscope.copy(x, device='cuda:0')"));
  work.name = "pinned";
  work.device = "cuda_host:0";
  CHECK(std::get<Copied>(carry_out(host, work).result).compared);
  REQUIRE(console(host, "print('copies', y.device, list(memoryview(dlscope.copy(y))), pinned.device, flush=True)"));
  CHECK(host.wait_for_output("copies (2, 0) [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] (3, 0)"));
  for (const auto& [device, message] : {std::pair{"cuda:7", "there is no cuda:7"}, std::pair{"oneapi:0", "not on oneapi:0"},
                                        std::pair{"nowhere", "is not known"}}) {
    work.name = "z";
    work.device = device;
    const WorkEnded end = carry_out(host, work);
    CHECK(end.outcome == WorkOutcome::failed);
    CHECK_THAT(end.message, ContainsSubstring(message));
  }
  REQUIRE(console(host, "print('nothing', 'z' in globals(), flush=True)"));
  CHECK(host.wait_for_output("nothing False"));
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
  HandTo never_copied = hand(snapshot, "x", "dlscope", "y");
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
  const auto kept = std::get<HandedOver>(carry_out(host, hand(snapshot, "r", "dlscope")).result);
  CHECK(kept.verdict == "SHARED");
  CHECK(kept.read_only == "kept: the result is read-only, too");
  const auto writable = std::get<HandedOver>(carry_out(host, hand(snapshot, "w", "dlscope")).result);
  CHECK(writable.read_only == "nothing to keep: the source may be written");
}

TEST_CASE("read-only memory of NumPy is said to be lost in a library whose result may be written", "[host][work][torch]") {
  const char* const wanted = std::getenv("DLSCOPE_TEST_PYTHON");
  const auto& pythons = test_pythons();
  const auto python = std::ranges::find(pythons, wanted == nullptr ? "" : wanted, &TestPython::executable);
  if (python == pythons.end()) SKIP("no Python with the libraries under test: set DLSCOPE_TEST_PYTHON");
  HostProcess host(*python);
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
  const std::string with = "Python " + python->version + ", " + host.out();
  if (snapshot->find("r") == nullptr) SKIP("NumPy is not installed: " << with);
  const auto handed = [&](const char* tensor, const char* library) {
    const WorkEnded end = carry_out(host, hand(snapshot, tensor, library));
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
    CHECK(lost.read_only == "lost: the source is read-only, the result says yes");
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
