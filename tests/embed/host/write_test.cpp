// Bytes of the user's tensors changed on demand in a real host: the library sees it, whoever forbids it is listened to, and what cannot be
// written is an answer, not a crash.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/library_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::BytesWritten;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;
using core::wire::WriteBytes;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

// At so many bytes from the tensor's first element.
WriteBytes write(const core::SnapshotPtr& snapshot, const char* name, std::uint64_t at, Bytes expected, Bytes bytes) {
  const auto ref = ref_to(snapshot, name);
  return {ref, snapshot->tensors[ref.tensor].address + at, std::move(expected), std::move(bytes)};
}

void refused(HostProcess& host, WriteBytes work, const char* why) {
  const WorkEnded end = carry_out(host, std::move(work));
  CHECK(end.outcome == WorkOutcome::failed);
  CHECK_THAT(end.message, ContainsSubstring(why));
}

constexpr const char* kScript =
    "import mmap, ctypes\n"
    "x = bytearray(range(16))\n"
    "view = memoryview(x)[4:8]\n"
    "locked = memoryview(x).toreadonly()\n"
    "fixed = b'abcdefgh'\n"
    "through = memoryview(fixed)\n"
    "pages = mmap.mmap(-1, 8192)\n"
    "page = memoryview(pages)\n";

}  // namespace

TEST_CASE("bytes are changed where they still are what was seen, and the program sees it", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  const WorkEnded end = carry_out(host, write(snapshot, "view", 1, bytes_of({5, 6}), bytes_of({0xff, 0xfe})));
  REQUIRE(end.outcome == WorkOutcome::done);
  CHECK(std::get<BytesWritten>(end.result).now == bytes_of({0xff, 0xfe}));
  CHECK_THAT(end.message, ContainsSubstring("view: 05 06 at 0x"));
  refused(host, write(snapshot, "view", 1, bytes_of({5, 6}), bytes_of({1, 2})), "ff fe now, not 05 06");
  REQUIRE(console(host, "print('seen', list(x[:8]))"));
  CHECK(host.wait_for_output("seen [0, 1, 2, 3, 4, 255, 254, 7]"));
  host.send(core::wire::Scan{1});
  const auto later = next_snapshot(host);
  const auto is_write = [](const core::EventRecord& event) { return event.kind == core::EventKind::write; };
  const auto event = std::ranges::find_if(later->events, is_write);
  REQUIRE(event != later->events.end());
  CHECK_THAT(std::string(later->str(event->text)), ContainsSubstring("became ff fe"));
}

TEST_CASE("what is read-only, immutable, elsewhere or gone is not written", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  refused(host, write(snapshot, "locked", 0, bytes_of({0}), bytes_of({1})), "locked is read-only");
  refused(host, write(snapshot, "fixed", 0, bytes_of({'a'}), bytes_of({'b'})), "immutable");
  refused(host, write(snapshot, "through", 0, bytes_of({'a'}), bytes_of({'b'})), "read-only");
  refused(host, write(snapshot, "view", 4, bytes_of({8}), bytes_of({1})), "not those of view");  // of x, but not of view
  REQUIRE(console(host, "import gc; del view; x = None; gc.collect()"));
  refused(host, write(snapshot, "x", 0, bytes_of({0}), bytes_of({1})), "Scan again");
}

TEST_CASE("a page that may not be written, in whole or in part, is refused in words, and the host lives on", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, std::string(kScript) +
                                             "libc = ctypes.CDLL(None)\n"
                                             "start = ctypes.addressof(ctypes.c_char.from_buffer(pages))\n"
                                             "libc.mprotect(ctypes.c_void_p(start + 4096), 4096, 1)\n");
  refused(host, write(snapshot, "page", 5000, bytes_of({0}), bytes_of({1})), "not mapped for writing");
  refused(host, write(snapshot, "page", 4095, bytes_of({0, 0}), bytes_of({1, 1})), "not mapped for writing");
  const WorkEnded good = carry_out(host, write(snapshot, "page", 4095, bytes_of({0}), bytes_of({7})));
  CHECK(good.outcome == WorkOutcome::done);
  REQUIRE(console(host, "print('alive', page[4095], page[4096])"));
  CHECK(host.wait_for_output("alive 7 0"));
}

TEST_CASE("a write into a shared mapping says that the file has changed", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, std::string(kScript) +
                                             "import tempfile\n"
                                             "file = tempfile.NamedTemporaryFile()\n"
                                             "file.write(bytes(64)), file.flush()\n"
                                             "mapped = memoryview(mmap.mmap(file.fileno(), 64))\n");
  const WorkEnded into_file = carry_out(host, write(snapshot, "mapped", 3, bytes_of({0}), bytes_of({9})));
  REQUIRE(into_file.outcome == WorkOutcome::done);
  CHECK_THAT(into_file.message, ContainsSubstring("; it is a shared mapping of /"));
  REQUIRE(console(host, "print('in the file', open(file.name, 'rb').read()[:5])"));
  CHECK(host.wait_for_output("in the file b'\\x00\\x00\\x00\\t\\x00'"));
  const WorkEnded anonymous = carry_out(host, write(snapshot, "page", 0, bytes_of({0}), bytes_of({9})));
  REQUIRE(anonymous.outcome == WorkOutcome::done);
  CHECK_THAT(anonymous.message, !ContainsSubstring("shared mapping"));
}

TEST_CASE("bytes that their owner promises never to change are not written through a tensor that says it may be", "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host,
                                   "import numpy as np, torch, warnings\nwarnings.simplefilter('ignore')\n"
                                   "t = torch.frombuffer(b'abcdefgh' * 4, dtype=torch.uint8)\npart = t[3:]\n"
                                   "array = np.zeros(8, np.uint8)\nshared = torch.from_numpy(array)\nown = torch.zeros(8)\n"
                                   "late = torch.frombuffer(bytearray(b'abcdefgh'), dtype=torch.uint8)\n");
  for (const char* const name : {"t", "part"})
    CHECK(snapshot->find(name)->read_only != core::Tri::yes);  // PyTorch says that it may be written
  refused(host, write(snapshot, "t", 0, bytes_of({'a'}), bytes_of({'b'})), "t is not written: the byte is one of a bytes object");
  refused(host, write(snapshot, "part", 0, bytes_of({'d'}), bytes_of({'b'})), "part is not written: the byte is one of a bytes object");
  const WorkEnded owned = carry_out(host, write(snapshot, "own", 0, bytes_of({0}), bytes_of({1})));
  CHECK(owned.outcome == WorkOutcome::done);
  CHECK_THAT(owned.message, !ContainsSubstring("not known"));
  for (const char* const name : {"shared", "late"}) {
    const int before = std::string_view(name) == "late" ? 'a' : 0;
    const WorkEnded unknown = carry_out(host, write(snapshot, name, 0, bytes_of({before}), bytes_of({7})));
    CHECK(unknown.outcome == WorkOutcome::done);
    CHECK_THAT(unknown.message, ContainsSubstring("whether its owner lets it be changed is not known: a storage of PyTorch's shows memory"));
  }
  REQUIRE(console(host, "print('seen', bytes(t[:2].tolist()), array[0], late[0].item(), flush=True)"));
  CHECK(host.wait_for_output("seen b'ab' 7 7"));
}
